#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/choice.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/solve/solve.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

namespace ashlar::impl {

/// The preconditioner of a BcsrSolver: the one asked for, or the first of amg (if amg::choose() takes it), block-Jacobi
/// and none that can be set up.
template <class Scalar>
class ChosenPreconditioner {
 public:
  using Exec = Kokkos::DefaultExecutionSpace;
  using Matrix = BcsrMatrix<Scalar>;
  using Any = AnyPreconditioner<Scalar, Exec>;

  /// Copies the coordinates or the near-null space to the device, if amg may need them. Sets nothing up.
  ///
  /// Throws   ShapeError, ArgumentError.
  ChosenPreconditioner(const Exec& exec, const Matrix& a, const LinearSolveOptions& options);
  ChosenPreconditioner(const ChosenPreconditioner&) = delete;
  ChosenPreconditioner& operator=(const ChosenPreconditioner&) = delete;

  /// For the values that A has, and the method that it will serve. Keeps the choice of before if the matrix is
  /// symmetric as it was, and memory and structures if it keeps the kind. True if get() is another object than before.
  ///
  /// Throws   NumericalError if the preconditioner asked for cannot be set up; ArgumentError for sweeps on a GPU.
  bool set_up(SolveMethod method);

  const Any& get() const { return *held_; }
  SolvePreconditioner kind() const { return kind_; }
  /// Why it was chosen; "" if it was asked for.
  const std::string& why() const { return why_; }

 private:
  void choose(SolveMethod method);
  void hold(SolvePreconditioner kind, SolveMethod method);
  void make(SolvePreconditioner kind, SolveMethod method);
  void make_sweeps(SolvePreconditioner kind, SolveMethod method);
  template <class Preconditioner>
  void take(const Preconditioner& made);
  amg::NearNullSpace<Exec::memory_space> modes() const;
  bool has_modes() const { return coordinates_.extent(0) > 0 || near_null_space_.extent(0) > 0; }
  std::uint64_t num_modes() const;
  bool has_room_for_amg() const;

  Exec exec_;
  Matrix a_;
  SolvePreconditioner asked_;
  Kokkos::View<double*> coordinates_;  ///< of the nodes
  int dimensions_;
  amg::NearNullSpace<Exec::memory_space> near_null_space_;  ///< the caller's
  std::optional<amg::Choice> choice_;                       ///< while it stays
  bool is_for_symmetry_ = false;                            ///< of choice_
  SolvePreconditioner kind_ = SolvePreconditioner::none;
  std::string why_;
  std::optional<Any> held_;
  std::function<void()> update_;  ///< to the values of A; empty if it must be made
  bool is_new_ = false;           ///< made by this set_up()
};

}  // namespace ashlar::impl
