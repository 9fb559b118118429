#pragma once

namespace ashlar::impl {

/// Sums over the local part become sums over all parts: one reduction, with nothing enqueued under it.
template <class Exec, class Space, class Sums>
void sum_over_parts(const Exec& exec, const Space& space, const Sums& sums) {
  space.sum_begin(exec, sums);
  space.sum_end(exec, sums);
}

}  // namespace ashlar::impl
