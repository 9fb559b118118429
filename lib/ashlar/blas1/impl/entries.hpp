#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <type_traits>

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

/// conj(a)*b, or its real part where Sum is real; computed in the precision of Sum.
template <class Sum, class Scalar>
KOKKOS_INLINE_FUNCTION Sum conj_product(const Scalar& a, const Scalar& b) {
  if constexpr (std::is_same_v<Sum, Scalar>) {
    return conj(a) * b;
  } else {
    return Sum(real(a)) * Sum(real(b)) + Sum(imag(a)) * Sum(imag(b));
  }
}

/// The most vectors of a block.
inline constexpr int most_vectors_of_multi = 64;

/// Edge of the tile of results that a lane of a GPU keeps in registers: 2 * edge loads for edge * edge products.
inline constexpr int tile_edge = 4;

/// Tiles that cover `count` entries.
KOKKOS_INLINE_FUNCTION constexpr int tiles_of(int count) { return (count + tile_edge - 1) / tile_edge; }

/// Entry k of a tile. The entries lie `tiles` apart, so that neighbouring lanes access neighbouring entries.
KOKKOS_INLINE_FUNCTION constexpr int entry_of_tile(int tile, int k, int tiles) { return tile + k * tiles; }

}  // namespace ashlar::impl
