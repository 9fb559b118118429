#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/level.hpp>

namespace ashlar::multigrid {

/// Gives `to` the coefficients of `from`, alpha and beta, in its own type: a multigrid in single precision those of one
/// in double, before set_up().
///
/// Shapes   levels of the same boxes, on this rank, and of the same equation.
/// Async    enqueued on `exec`; no fence, no allocation.
/// Throws   ShapeError before anything is launched.
template <class Exec, class From, class To>
void copy_coefficients(const Exec& exec, const Level<Exec, From>& from, const Level<Exec, To>& to) {
  const auto is_same = [](const auto& x, const auto& y) {
    return x.extent(0) == y.extent(0) && x.extent(1) == y.extent(1);
  };
  if (!is_same(from.beta[0], to.beta[0]) || !is_same(from.alpha, to.alpha)) {
    const auto shape = [](const auto& level) {
      return text(level.num_boxes(), " boxes of ", level.layout.dim, "^3 cells for ", to_string(level.discretisation),
                  " and ", to_string(level.equation));
    };
    throw ShapeError(text("copy_coefficients: to ", shape(to)), "they are of " + shape(from),
                     "pass levels of the same grid and methods");
  }
  if (to.num_boxes() == 0) return;  // deep_copy() waits where there is nothing
  for (int d = 0; d < 3; ++d) Kokkos::deep_copy(exec, to.beta[d], from.beta[d]);
  if (to.alpha.size() > 0) Kokkos::deep_copy(exec, to.alpha, from.alpha);
}

}  // namespace ashlar::multigrid
