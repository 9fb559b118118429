#include "chosen_preconditioner.hpp"

#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/amg/preconditioner_bytes.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/ilu0_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/operators/ssor_preconditioner.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>

#include "choose_method.hpp"

namespace ashlar::impl {

namespace {

using DefaultExec = Kokkos::DefaultExecutionSpace;
using DefaultModes = amg::NearNullSpace<DefaultExec::memory_space>;

Kokkos::View<double*> coordinates_on_device(const DefaultExec& exec, std::int64_t num_nodes, int block_size,
                                            const LinearSolveOptions& options) {
  const std::span<const double> given = options.coordinates;
  const int dimensions = options.dimensions;
  if (given.empty()) return {};
  if (!options.near_null_space.empty()) {
    throw ArgumentError("ashlar::solve: coordinates and a near-null space",
                        "the near-null space of an elastic body is made of its coordinates", "pass one of the two");
  }
  if (dimensions < 1 || std::int64_t(given.size()) != num_nodes * dimensions) {
    throw ShapeError(text("ashlar::solve: ", given.size(), " coordinates in ", dimensions, " dimensions"),
                     text("the matrix has ", num_nodes, " nodes, which are its block rows of size ", block_size),
                     "pass one for each node and dimension, and the block size");
  }
  if ((dimensions != 2 && dimensions != 3) || block_size % dimensions != 0) {
    throw ArgumentError(
        text("ashlar::solve: coordinates in ", dimensions, " dimensions for ", block_size, " unknowns a node"),
        "a node of an elastic body has as many displacements as there are dimensions, 2 or 3, or a multiple",
        "leave the coordinates out, or pass another block size");
  }
  const Kokkos::View<double*> there("ashlar::solve::coordinates", given.size());
  using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, there, Here(given.data(), given.size()));
  exec.fence("ashlar::solve: the coordinates may go");
  return there;
}

DefaultModes near_null_space_on_device(const DefaultExec& exec, std::int64_t num_rows, std::span<const double> given) {
  if (given.empty()) return {};
  const auto size = static_cast<std::int64_t>(given.size());
  if (num_rows == 0 || size % num_rows != 0 || size / num_rows > amg::max_modes) {
    throw ShapeError(
        text("ashlar::solve: a near-null space of ", size, " entries"),
        text("it has 1 to ", amg::max_modes, " vectors of ", num_rows, " entries each, as the matrix has rows"),
        "pass whole vectors, one after another");
  }
  const DefaultModes there(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::solve::near_null_space"),
                           std::size_t(num_rows), std::size_t(size / num_rows));
  const auto here = Kokkos::create_mirror_view(there);
  for (std::size_t j = 0; j < here.extent(1); ++j) {
    for (std::size_t i = 0; i < here.extent(0); ++i) here(i, j) = given[j * here.extent(0) + i];
  }
  Kokkos::deep_copy(exec, there, here);
  exec.fence("ashlar::solve: the near-null space may go");
  return there;
}

}  // namespace

template <class Scalar>
ChosenPreconditioner<Scalar>::ChosenPreconditioner(const Exec& exec, const Matrix& a, const LinearSolveOptions& options)
    : exec_(exec), a_(a), asked_(options.preconditioner), dimensions_(options.dimensions) {
  if (asked_ != SolvePreconditioner::amg && asked_ != SolvePreconditioner::automatic) return;
  coordinates_ = coordinates_on_device(exec, a.num_block_rows(), a.block_size(), options);
  near_null_space_ = near_null_space_on_device(exec, a.num_rows(), options.near_null_space);
}

template <class Scalar>
bool ChosenPreconditioner<Scalar>::set_up(SolveMethod method) {
  is_new_ = false;
  why_.clear();
  if (asked_ == SolvePreconditioner::automatic) {
    choose(method);
  } else {
    hold(asked_, method);
  }
  return is_new_;
}

template <class Scalar>
void ChosenPreconditioner<Scalar>::choose(SolveMethod method) {
  const bool is_symmetric = needs_symmetry(method);
  if (!choice_ || is_symmetric != is_for_symmetry_) {
    choice_ = amg::choose(exec_, a_,
                          {.has_modes = has_modes(), .is_symmetric = is_symmetric, .has_room = has_room_for_amg()});
    is_for_symmetry_ = is_symmetric;
  }
  amg::Choice now = *choice_;
  if (now.is_amg) {
    try {
      hold(SolvePreconditioner::amg, method);
    } catch (const NumericalError& failure) {
      now = amg::without_amg(failure);
      choice_.reset();  // other values may do
    }
  }
  why_ = now.why;
  if (now.is_amg) return;
  try {
    hold(SolvePreconditioner::block_jacobi, method);
  } catch (const NumericalError& failure) {
    why_ = "no preconditioner: " + failure.problem();
    hold(SolvePreconditioner::none, method);
  }
}

template <class Scalar>
bool ChosenPreconditioner<Scalar>::has_room_for_amg() const {
  if (kind_ == SolvePreconditioner::amg) return true;  // its memory is there
  const ByteCount needed =
      ByteCount{amg::preconditioner_bytes<Matrix>(a_.num_block_rows(), a_.num_blocks(), a_.block_size(), num_modes())} +
      ByteCount{minres_bytes(a_.num_rows(), sizeof(Scalar), true)};
  return needed.count <= plannable_bytes(available_bytes<Exec::memory_space>());
}

/// Updates the preconditioner that is held if it is of this kind, or makes another.
template <class Scalar>
void ChosenPreconditioner<Scalar>::hold(SolvePreconditioner kind, SolveMethod method) {
  auto update = std::exchange(update_, nullptr);  // none if this throws
  if (update && kind == kind_) {
    update();
    update_ = std::move(update);
    return;
  }
  if (held_ && held_->is_identity() && kind == SolvePreconditioner::none) return;
  is_new_ = true;
  update = nullptr;  // frees memory, with held_
  held_.reset();
  make(kind, method);
  kind_ = kind;
}

template <class Scalar>
void ChosenPreconditioner<Scalar>::make(SolvePreconditioner kind, SolveMethod method) {
  switch (kind) {
    case SolvePreconditioner::jacobi:
      return take(JacobiPreconditioner<Matrix>(exec_, a_));
    case SolvePreconditioner::block_jacobi:
      return take(BlockJacobiPreconditioner<Matrix>(exec_, a_));
    case SolvePreconditioner::amg:
      return take(amg::Preconditioner<Matrix>(exec_, a_, modes()));
    case SolvePreconditioner::ilu0:
    case SolvePreconditioner::ssor:
      return make_sweeps(kind, method);
    case SolvePreconditioner::automatic:  // has been chosen by now
    case SolvePreconditioner::none:
      held_.emplace(IdentityPreconditioner());
      return;
  }
}

template <class Scalar>
void ChosenPreconditioner<Scalar>::make_sweeps(SolvePreconditioner kind, SolveMethod method) {
  if constexpr (is_gpu_v<Exec>) {
    throw ArgumentError(text("ashlar::solve: the preconditioner ", to_string(kind), " on a GPU"),
                        "its sweeps run on CPUs alone", "take block_jacobi or amg, or a build for CPUs");
  } else if (kind == SolvePreconditioner::ssor) {
    held_.emplace(SsorPreconditioner<Matrix>(exec_, a_));
  } else {
    held_.emplace(Ilu0Preconditioner<Matrix>(exec_, a_, {.positive_definite = needs_symmetry(method)}));
  }
}

template <class Scalar>
template <class Preconditioner>
void ChosenPreconditioner<Scalar>::take(const Preconditioner& made) {
  held_.emplace(made);
  update_ = [this, made] { made.update_values(exec_, a_); };  // copies share their values
}

/// The columns of modes().
template <class Scalar>
std::uint64_t ChosenPreconditioner<Scalar>::num_modes() const {
  if (near_null_space_.extent(0) > 0) return near_null_space_.extent(1);
  const int b = a_.block_size();
  return static_cast<std::uint64_t>(coordinates_.extent(0) > 0 ? amg::num_rigid_body_modes(dimensions_, b) : b);
}

/// The caller's near-null space, rigid-body modes if there are coordinates, or constants.
template <class Scalar>
amg::NearNullSpace<DefaultExec::memory_space> ChosenPreconditioner<Scalar>::modes() const {
  using Space = Exec::memory_space;
  if (near_null_space_.extent(0) > 0) return near_null_space_;
  if (coordinates_.extent(0) == 0) return amg::constant_modes<Space>(exec_, a_.num_block_rows(), a_.block_size());
  return amg::rigid_body_modes<Space>(exec_, coordinates_, dimensions_, a_.block_size());
}

template class ChosenPreconditioner<float>;
template class ChosenPreconditioner<double>;

}  // namespace ashlar::impl
