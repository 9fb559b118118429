#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <tuple>
#include <utility>

namespace ashlar::testing {

template <class Types, std::size_t... K>
auto every_third(const Types*, std::index_sequence<K...>) -> ::testing::Types<std::tuple_element_t<3 * K, Types>...>;

/// The types of a typed test. The build with sanitizers takes every third type: memory errors hardly depend on the
/// scalar type, and each type takes minutes to compile.
#ifdef ASHLAR_TEST_FEWER_TYPES
template <class... T>
using SomeTypes =
    decltype(every_third(static_cast<std::tuple<T...>*>(nullptr), std::make_index_sequence<(sizeof...(T) + 2) / 3>{}));
#else
template <class... T>
using SomeTypes = ::testing::Types<T...>;
#endif

}  // namespace ashlar::testing
