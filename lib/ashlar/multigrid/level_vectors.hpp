#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/step_recorder.hpp>
#include <ashlar/multigrid/level.hpp>
#include <cstdint>
#include <string>

/// Vectors of a level, without their ghost cells.
namespace ashlar::multigrid {

namespace impl {
template <class Exec, class Real, class Body>
void for_places(const std::string& name, const Exec& exec, const Level<Exec, Real>& level, const Body& body) {
  for_each_cell("ashlar::multigrid::" + name, exec, level.num_boxes(), level.box_size(),
                ByPlace<Body>{body, level.layout});
}
}  // namespace impl

/// x := 0, ghost cells as well.
///
/// Async    enqueued on `exec`; no fence, no allocation.
template <class Exec, class Vector>
void set_zero(const Exec& exec, const Vector& x) {
  if (auto* const recorder = impl::StepRecorder::current()) {
    const auto size = static_cast<std::int64_t>(x.size());
    return recorder->add("ashlar::multigrid::set_zero", impl::SetZero<typename Vector::non_const_value_type>{x.data()},
                         size, size / recorder->cheap);
  }
  if (x.size() > 0) Kokkos::deep_copy(exec, x, 0.0);  // which waits where there is nothing
}

/// out := a x + b y
///
/// Async    enqueued on `exec`; no fence, no allocation. (The same is true of the next.)
template <class Exec, class Real, class Vector>
void combine(const Exec& exec, const Level<Exec, Real>& level, double a, const Vector& x, double b, const Vector& y,
             const Vector& out) {
  impl::for_places("combine", exec, level, impl::CombineBody<Real>{Real(a), Real(b), x.data(), y.data(), out.data()});
}

/// out := x y, cell by cell
template <class Exec, class Real, class Vector>
void multiply(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& y, const Vector& out) {
  impl::for_places("multiply", exec, level, impl::MultiplyBody<Real>{x.data(), y.data(), out.data()});
}

/// The plain sum of x y over the cells of a level whose boxes are all one rank's, on that rank. (Over ranks a sum would
/// depend on their number, by rounding.)
///
/// Async    waits for `exec`: the host needs the number. (The same is true of the others.)
/// Throws   ArgumentError where several ranks have boxes.
template <class Exec, class Real, class Vector>
double dot(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& y) {
  if (level.grid.is_shared()) {
    throw ArgumentError(text("multigrid: a sum over level ", level.number), "several ranks have boxes of it",
                        "take a level of one rank");
  }
  double sum = 0;
  impl::reduce_cells("ashlar::multigrid::dot", exec, level.num_boxes(), level.box_size(),
                     impl::ByPlace<impl::DotBody<Real>>{{x.data(), y.data()}, level.layout}, Kokkos::Sum<double>(sum));
  return sum;
}

/// max |x| over this rank's cells, infinite where x holds NaN; 0 without cells.
template <class Exec, class Real, class Vector>
double own_max_norm(const Exec& exec, const Level<Exec, Real>& level, const Vector& x) {
  double largest = 0;
  impl::reduce_cells("ashlar::multigrid::max_norm", exec, level.num_boxes(), level.box_size(),
                     impl::ByPlace<impl::NormBody<Real>>{{x.data()}, level.layout}, Kokkos::Max<double>(largest));
  return level.num_boxes() == 0 ? 0 : largest;
}

/// The same over all ranks, and the same on each. Collective.
template <class Exec, class Real, class Vector>
double max_norm(const Exec& exec, const Level<Exec, Real>& level, const Vector& x) {
  return level.max_over_ranks(own_max_norm(exec, level, x));
}

}  // namespace ashlar::multigrid
