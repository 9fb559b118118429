#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/level.hpp>
#include <cstdint>
#include <string>

namespace ashlar::multigrid {

// Vectors of a level, without their ghost cells.

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

// Flat vectors have one value for each cell of this rank's boxes, box after box, i fastest, and no ghost cells: what
// solvers and files know of a level.

namespace impl {

template <class Flat, class Real>
struct ToBoxes {
  Flat flat;
  Real* boxes;
  BoxLayout layout;

  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    boxes[layout.at(box, i, j, k)] = static_cast<Real>(flat(BoxLayout{layout.dim, 0}.at(box, i, j, k)));
  }
};

template <class Flat, class Real>
struct FromBoxes {
  const Real* boxes;
  Flat flat;
  BoxLayout layout;

  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    flat(BoxLayout{layout.dim, 0}.at(box, i, j, k)) = boxes[layout.at(box, i, j, k)];
  }
};

}  // namespace impl

/// The length of a flat vector of the level, on this rank.
template <class Exec, class Real>
std::int64_t flat_size(const Level<Exec, Real>& level) {
  return level.num_boxes() * BoxLayout{level.layout.dim, 0}.volume();
}

/// Throws   ShapeError, which begins with `who`, where a flat vector of the level is of another length than `flat`.
template <class Exec, class Real, class Flat>
void require_flat_size(const std::string& who, const Level<Exec, Real>& level, const Flat& flat) {
  if (std::int64_t(flat.extent(0)) == flat_size(level)) return;
  throw ShapeError(text(who, ": a vector of ", flat.extent(0), " entries"),
                   text("level ", level.number, " has ", flat_size(level), " cells on this rank"),
                   "pass one entry a cell");
}

/// boxes := flat; ghost cells stay as they are.
///
/// Shapes   `flat` is a vector of flat_size() entries, of any layout; `boxes` one of the level.
/// Async    enqueued on `exec`; no fence, no allocation.
/// Throws   ShapeError before anything is launched. (The same is true of the next.)
template <class Exec, class Real, class Flat, class Vector>
void to_boxes(const Exec& exec, const Level<Exec, Real>& level, const Flat& flat, const Vector& boxes) {
  require_flat_size("multigrid::to_boxes", level, flat);
  impl::for_each_cell("ashlar::multigrid::to_boxes", exec, level.num_boxes(), level.box_size(),
                      impl::ToBoxes<Flat, Real>{flat, boxes.data(), level.layout});
}

/// flat := boxes
template <class Exec, class Real, class Vector, class Flat>
void from_boxes(const Exec& exec, const Level<Exec, Real>& level, const Vector& boxes, const Flat& flat) {
  require_flat_size("multigrid::from_boxes", level, flat);
  impl::for_each_cell("ashlar::multigrid::from_boxes", exec, level.num_boxes(), level.box_size(),
                      impl::FromBoxes<Flat, Real>{boxes.data(), flat, level.layout});
}

/// Copies the coefficients alpha and beta from one level to another, in its type: from a multigrid in double to one in
/// single precision, before set_up().
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
