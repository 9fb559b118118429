#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The range policy over the entries of a vector of n.
template <class Exec>
auto entries(const Exec& exec, std::size_t n) {
  return Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(n));
}

template <class X, class Y>
void check_same_length(const char* what, const X& x, const Y& y) {
  if (x.extent(0) != y.extent(0)) {
    throw ShapeError(text(what, ": vectors of ", x.extent(0), " and ", y.extent(0), " entries"),
                     "entries are taken in pairs", "pass vectors of one length");
  }
}

}  // namespace ashlar::impl
