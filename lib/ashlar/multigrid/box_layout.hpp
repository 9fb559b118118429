#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::multigrid {

/// Where the cells of equal boxes lie in an array: box after box, each with its ghost cells, i fastest.
struct BoxLayout {
  int dim = 0;     ///< own cells of a box in each direction
  int ghosts = 0;  ///< ghost cells beyond each face

  KOKKOS_FUNCTION int row() const { return dim + 2 * ghosts; }
  KOKKOS_FUNCTION int plane() const { return row() * row(); }
  KOKKOS_FUNCTION std::int64_t volume() const { return std::int64_t(plane()) * row(); }

  /// The place of a cell; ghost cells have numbers below 0 and from dim on.
  KOKKOS_FUNCTION std::int64_t at(int box, int i, int j, int k) const {
    return box * volume() + (std::int64_t(k + ghosts) * row() + j + ghosts) * row() + i + ghosts;
  }
  /// How far apart neighbours in the direction d = 0, 1, 2 lie.
  KOKKOS_FUNCTION std::int64_t stride(int d) const { return d == 0 ? 1 : d == 1 ? row() : plane(); }
};

}  // namespace ashlar::multigrid
