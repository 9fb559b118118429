#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/cell_tiles.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <cstdint>
#include <string>

namespace ashlar::multigrid::impl {

/// Division of cells' numbers, below 2^50, by 1 to 2^13, which is known at run time only. On GPUs it is the upper half
/// of a product: they take a hundred instructions for a division of 64-bit numbers.
///
/// Source   Granlund & Montgomery 1994.
class CellDivisor {
 public:
  CellDivisor() = default;
  KOKKOS_FUNCTION explicit CellDivisor(int by) : factor_(~std::uint64_t(0) / std::uint64_t(by) + 1), by_(by) {}

  KOKKOS_FUNCTION int by() const { return by_; }
  KOKKOS_FUNCTION std::int64_t quotient(std::int64_t number) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return by_ == 1 ? number : static_cast<std::int64_t>(__umul64hi(std::uint64_t(number), factor_));
#else
    return number / by_;
#endif
  }
  /// number = quotient * by + remainder; `number` becomes the quotient.
  KOKKOS_FUNCTION int remainder(std::int64_t& number) const {
    const std::int64_t whole = quotient(number);
    const int rest = static_cast<int>(number - whole * by_);
    number = whole;
    return rest;
  }

 private:
  [[maybe_unused]] std::uint64_t factor_ = 0;  // GPUs' alone
  int by_ = 1;
};

// One launch for the cells of all boxes: a thread a cell on GPUs, or two of a row, a row of cells at a time on CPUs.
// Bodies are functors.

template <class Exec>
using CellRange = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

/// body(box, i, j, k) for a cell, or for the cells of a row; `rest` are a reduction's.
template <bool by_rows, class Body>
struct AtCells {
  Body body;
  CellDivisor ni, nj, nk;

  KOKKOS_FUNCTION AtCells(const Body& at_cell, const Index3& size)
      : body(at_cell), ni(size[0]), nj(size[1]), nk(size[2]) {}

  /// What the cells of a tile call.
  KOKKOS_FUNCTION void at(int box, int i, int j, int k) const { body(box, i, j, k); }

  template <class... Rest>
  KOKKOS_FUNCTION void operator()(std::int64_t index, Rest&... rest) const {
    std::int64_t left = index;
    const int i = by_rows ? 0 : ni.remainder(left);
    const int j = nj.remainder(left), k = nk.remainder(left), box = int(left);
    if constexpr (by_rows) {
      // A copy, which no store can change: its members stay in registers.
      const Body mine = body;
      for (int at = 0; at < ni.by(); ++at) mine(box, at, j, k, rest...);
    } else {
      body(box, i, j, k, rest...);
    }
  }
};

template <execution_space Exec, class Body>
void for_each_cell(const std::string& label, const Exec& exec, int num_boxes, const Index3& size, const Body& body) {
  const AtCells<!is_gpu_v<Exec>, Body> cells(body, size);
  const std::int64_t rows = std::int64_t(num_boxes) * size[1] * size[2];
  if (rows == 0) return;
  Kokkos::parallel_for(label, CellRange<Exec>(exec, 0, is_gpu_v<Exec> ? rows * size[0] : rows), cells);
}

/// The same, where the body takes a number as well, which `reducer` joins. Waits for `exec`. On CPUs few cells are one
/// thread's work, so that sums of the coarsest level have the same bits for any number of threads.
template <execution_space Exec, class Body, class Reducer>
void reduce_cells(const std::string& label, const Exec& exec, int num_boxes, const Index3& size, const Body& body,
                  const Reducer& reducer) {
  const AtCells<!is_gpu_v<Exec>, Body> cells(body, size);
  const std::int64_t rows = std::int64_t(num_boxes) * size[1] * size[2];
  if constexpr (!is_gpu_v<Exec>) {
    constexpr std::int64_t few = 4096;
    if (rows * size[0] <= few) {
      exec.fence(label + ": result");
      typename Reducer::value_type result;
      reducer.init(result);
      for (std::int64_t row = 0; row < rows; ++row) cells(row, result);
      reducer.reference() = result;
      return;
    }
  }
  Kokkos::parallel_reduce(label, CellRange<Exec>(exec, 0, is_gpu_v<Exec> ? rows * size[0] : rows), cells, reducer);
  exec.fence(label + ": result");
}

/// body.update(cell) for the cells of one colour, body.keep(cell) for the others: those (i + j + k + colour) % 2 == 0
/// is true of are of the colour, where i, j, k count over the whole level.
template <bool by_rows, class Body, class Parities>
struct AtColour {
  Body body;
  BoxLayout layout;
  Parities parities;  // of the place of each box's first cell
  int colour;
  CellDivisor pairs, dim;

  KOKKOS_FUNCTION AtColour(const Body& at_cell, const BoxLayout& boxes, const Parities& of_boxes, int which)
      : body(at_cell), layout(boxes), parities(of_boxes), colour(which), pairs((boxes.dim + 1) / 2), dim(boxes.dim) {}

  /// Which cells of a row are of the colour: of any two neighbours the first (0) or the second.
  KOKKOS_FUNCTION int first_of(int box, int j, int k) const { return (j + k + colour + parities(box)) & 1; }

  /// A pair of neighbours, for a place of a tile.
  KOKKOS_FUNCTION void at(int box, int pair, int j, int k) const {
    const int n = layout.dim, i = 2 * pair, first = first_of(box, j, k);
    const std::int64_t place = layout.at(box, i, j, k);
    if (i + first < n) body.update(place + first);
    if (i + 1 - first < n) body.keep(place + 1 - first);
  }

  KOKKOS_FUNCTION void operator()(std::int64_t index) const {
    std::int64_t left = index;
    const int pair = by_rows ? 0 : pairs.remainder(left);
    const int j = dim.remainder(left), k = dim.remainder(left), box = int(left);
    if constexpr (by_rows) {
      const int n = layout.dim, first = first_of(box, j, k);
      const std::int64_t row = layout.at(box, 0, j, k);
      const Body mine = body;
      for (int i = first; i < n; i += 2) mine.update(row + i);
      for (int i = 1 - first; i < n; i += 2) mine.keep(row + i);
    } else {
      at(box, pair, j, k);
    }
  }
};

template <execution_space Exec, class Body, class Parities>
void for_each_of_colour(const std::string& label, const Exec& exec, int num_boxes, const BoxLayout& layout,
                        const Parities& parities, int colour, const Body& body) {
  const AtColour<!is_gpu_v<Exec>, Body, Parities> cells(body, layout, parities, colour);
  const std::int64_t rows = std::int64_t(num_boxes) * layout.dim * layout.dim;
  if (rows == 0) return;
  const std::int64_t pairs = rows * ((layout.dim + 1) / 2);
  if constexpr (is_gpu_v<Exec>) {
    if (CellTiles<>::are_worth_it(num_boxes, layout.dim)) {
      return for_tiles_of_cells<CellTiles<>>(label, exec, num_boxes, {cells.pairs.by(), layout.dim, layout.dim}, cells);
    }
  }
  Kokkos::parallel_for(label, CellRange<Exec>(exec, 0, is_gpu_v<Exec> ? pairs : rows), cells);
}

/// for_each_cell() for bodies that read neighbours.
template <execution_space Exec, class Body>
void for_each_cell_by_neighbours(const std::string& label, const Exec& exec, int num_boxes, const Index3& size,
                                 const Body& body) {
  if constexpr (is_gpu_v<Exec>) {
    if (CellTiles<>::are_worth_it(num_boxes, size[0])) {
      return for_tiles_of_cells<CellTiles<>>(label, exec, num_boxes, size, AtCells<false, Body>(body, size));
    }
  }
  for_each_cell(label, exec, num_boxes, size, body);
}

}  // namespace ashlar::multigrid::impl
