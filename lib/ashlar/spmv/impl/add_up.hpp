#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// store(row, sum) for each row < `rows`, at the end of a group's work: the sum_of(row)-th sum over t < `summands` of
/// summand(k, t). First in a few parts at a time, so that more lanes have something to do; always in the same order.
///
/// of_part   scratch memory for a scalar of each lane.
template <class Scalar, class Lanes, class Summand, class SumOf, class Store>
KOKKOS_INLINE_FUNCTION void add_up(const Lanes& lanes, int rows, int summands, Scalar* of_part, const Summand& summand,
                                   const SumOf& sum_of, const Store& store) {
  const int wanted = summands >= 16 ? 4 : summands >= 4 ? 2 : 1;
  const int parts = wanted * rows <= lanes.width() ? wanted : 1;
  if (parts > 1) {
    lanes.for_each(parts * rows, [&](int lane) {
      const int part = lane / rows, k = lane - part * rows;
      Scalar sum(0);
      for (int t = part; t < summands; t += parts) sum += summand(k, t);
      of_part[lane] = sum;
    });
    lanes.for_each(rows, [&](int row) {
      const int k = sum_of(row);
      Scalar sum(0);
      for (int part = 0; part < parts; ++part) sum += of_part[part * rows + k];
      store(row, sum);
    });
  } else {
    lanes.for_each(rows, [&](int row) {
      const int k = sum_of(row);
      Scalar sum(0);
      for (int t = 0; t < summands; ++t) sum += summand(k, t);
      store(row, sum);
    });
  }
}

}  // namespace ashlar::impl
