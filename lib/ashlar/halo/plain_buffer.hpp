#pragma once

#include <Kokkos_Core.hpp>
#include <concepts>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// Memory with the calls of OutgoingMessage, or, of const values, of IncomingMessage: for what packs and unpacks
/// either.
template <class Value>
struct PlainBuffer {
  Value* values;

  template <std::same_as<Value> T>
  KOKKOS_INLINE_FUNCTION void put(std::int64_t i, const T& value) const {
    values[i] = value;
  }
  template <std::same_as<std::remove_const_t<Value>> T>
  KOKKOS_INLINE_FUNCTION T get(std::int64_t i) const {
    return values[i];
  }
};

}  // namespace ashlar
