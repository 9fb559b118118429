#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/level.hpp>
#include <cstdint>
#include <string>

/// Flat vectors have one value for each cell of this rank's boxes, box after box, i fastest, and no ghost cells: what
/// solvers and files know of a level.
namespace ashlar::multigrid {

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

/// How long a flat vector of the level is, on this rank.
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

}  // namespace ashlar::multigrid
