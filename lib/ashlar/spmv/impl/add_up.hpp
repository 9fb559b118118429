#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// store(k, the sum over t < `summands` of summand(k, t)) for each k < `sums`, at the end of a group's work: first in a
/// few parts at a time, so that more lanes have something to do; always in the same order.
///
/// of_part   scratch memory for a scalar of each lane.
template <class Scalar, class Lanes, class Summand, class Store>
KOKKOS_INLINE_FUNCTION void add_up(const Lanes& lanes, int sums, int summands, Scalar* of_part, const Summand& summand,
                                   const Store& store) {
  const int wanted = summands >= 16 ? 4 : summands >= 4 ? 2 : 1;
  const int parts = wanted * sums <= lanes.width() ? wanted : 1;
  if (parts > 1) {
    lanes.for_each(parts * sums, [&](int lane) {
      const int part = lane / sums, k = lane - part * sums;
      Scalar sum(0);
      for (int t = part; t < summands; t += parts) sum += summand(k, t);
      of_part[lane] = sum;
    });
    lanes.for_each(sums, [&](int k) {
      Scalar sum(0);
      for (int part = 0; part < parts; ++part) sum += of_part[part * sums + k];
      store(k, sum);
    });
  } else {
    lanes.for_each(sums, [&](int k) {
      Scalar sum(0);
      for (int t = 0; t < summands; ++t) sum += summand(k, t);
      store(k, sum);
    });
  }
}

}  // namespace ashlar::impl
