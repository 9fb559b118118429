#pragma once

#include <cg_ranks/peers/local_rows.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// A rank's rows as sliced ELLPACK: 32 rows a slice, one a lane of a warp. The warps of a kernel deal the slices out
/// among themselves: the one at place i goes to warp i modulo their number, so that those that wait for other ranks are
/// dealt evenly, and come last.
struct SlicedRows {
  static constexpr int rows_of_slice = 32;

  int num_inner = 0;                  ///< slices that need nothing of other ranks: at the first places
  Kokkos::View<int*, Space> slices;   ///< at each place: rows 32 times that and on
  Kokkos::View<int*, Space> begins;   ///< where its entries begin, and the end of all
  Kokkos::View<int*, Space> places;   ///< of each slice
  Kokkos::View<int*, Space> columns;  ///< as LocalRows has them; a slice's entry 32 k + l is the k-th of its l-th row
  Vector<double> values;              ///< 0 where a row has no more
};

/// Throws   ArgumentError where there are more entries than an int counts, those that fill up included.
SlicedRows make_sliced_rows(const Exec& exec, const LocalRows& rows);

}  // namespace ashlar::perf
