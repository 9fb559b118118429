#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <cstdint>

namespace ashlar::problems {

/// Block rows begin to end - 1 of a problem: the part of a rank. Its matrix has these rows alone, as rows 0 and on,
/// with the block columns of the whole; its load has their entries.
struct RowRange {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
};

/// A point of a lattice by its three indices.
struct LatticePoint {
  int x, y, z;
};

/// A box of nx x ny x nz points, numbered with z fastest and x slowest: number = (x * ny + y) * nz + z.
///
/// Neighbours differ by at most ny*nz + nz + 1, so the band is narrow where x is the longest side, as it is for a beam.
/// The points of the face x = 0 come first, and going through a point's neighbours with dx outermost and dz innermost
/// gives ascending numbers.
///
/// Throws   ArgumentError where a side has no point, or 64 bits do not count the points.
class Lattice {
 public:
  explicit Lattice(std::array<int, 3> points);

  KOKKOS_INLINE_FUNCTION int nx() const { return nx_; }
  KOKKOS_INLINE_FUNCTION int ny() const { return ny_; }
  KOKKOS_INLINE_FUNCTION int nz() const { return nz_; }

  KOKKOS_INLINE_FUNCTION std::int64_t num_points() const { return std::int64_t(nx_) * ny_ * nz_; }
  KOKKOS_INLINE_FUNCTION std::int64_t number(const LatticePoint& p) const {
    return (std::int64_t(p.x) * ny_ + p.y) * nz_ + p.z;
  }
  KOKKOS_INLINE_FUNCTION LatticePoint point(std::int64_t number) const {
    const std::int64_t column = number / nz_;
    return {static_cast<int>(column / ny_), static_cast<int>(column % ny_), static_cast<int>(number % nz_)};
  }

  /// How many of the 3x3x3 points around p, p among them, lie in the box.
  KOKKOS_INLINE_FUNCTION int num_neighbours(const LatticePoint& p) const {
    return span(p.x, nx_) * span(p.y, ny_) * span(p.z, nz_);
  }

  /// call(k, dx, dy, dz) for each of these, which is the k-th and lies (dx, dy, dz) from p; their numbers ascend.
  template <class Call>
  KOKKOS_INLINE_FUNCTION void for_each_neighbour(const LatticePoint& p, const Call& call) const {
    int k = 0;
    for (int dx = -(p.x > 0); dx <= int(p.x + 1 < nx_); ++dx) {
      for (int dy = -(p.y > 0); dy <= int(p.y + 1 < ny_); ++dy) {
        for (int dz = -(p.z > 0); dz <= int(p.z + 1 < nz_); ++dz) call(k++, dx, dy, dz);
      }
    }
  }

  /// The sum of num_neighbours over all points, (3nx-2)(3ny-2)(3nz-2), without visiting any.
  ///
  /// Throws   ArgumentError where 64 bits do not hold it.
  std::int64_t sum_of_neighbours() const;

 private:
  KOKKOS_INLINE_FUNCTION static int span(int i, int n) { return 1 + (i > 0) + (i + 1 < n); }

  int nx_, ny_, nz_;
};

/// The number of blocks of row i of a matrix that couples each point to its num_neighbours: a count for build_by_rows.
struct CountNeighbours {
  Lattice lattice;
  KOKKOS_INLINE_FUNCTION int operator()(std::int64_t i) const { return lattice.num_neighbours(lattice.point(i)); }
};

}  // namespace ashlar::problems
