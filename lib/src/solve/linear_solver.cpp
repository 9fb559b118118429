#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/solve/linear_solver.hpp>
#include <ashlar/solve/solve_matrix.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <type_traits>
#include <utility>

#include "given_arrays.hpp"

namespace ashlar {

namespace {

/// The block size asked for, or for CSR arrays the one that coordinates tell, or 0.
int block_size_of(const impl::GivenStructure& given, const LinearSolveOptions& options) {
  const auto entries = static_cast<std::int64_t>(options.coordinates.size());
  if (options.block_size != 0 || given.block_size != 1 || entries == 0 || options.dimensions < 1) {
    return options.block_size;
  }
  // Coordinates that do not fit are refused later, with the matrix at hand.
  const std::int64_t nodes = entries / options.dimensions, rows = given.num_block_rows();
  const bool fits = nodes > 0 && rows % nodes == 0 && rows / nodes <= max_block_size;
  return fits ? static_cast<int>(rows / nodes) : 0;
}

}  // namespace

/// The caller's structure, and the system on the device.
template <class Scalar>
struct LinearSolver<Scalar>::Impl {
  using Vector = Kokkos::View<Scalar*>;
  using Here = Kokkos::View<Scalar*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  using ConstHere = Kokkos::View<const Scalar*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;

  Impl(impl::GivenStructure structure, std::span<const Scalar> values, const LinearSolveOptions& options)
      : given(std::move(structure)),
        matrix(impl::matrix_of(exec, given, values, block_size_of(given, options))),
        solver(exec, matrix, options),
        b("ashlar::LinearSolver::b", matrix.num_rows()),
        x("ashlar::LinearSolver::x", matrix.num_rows()) {}

  LinearSolveReport solve(std::span<const Scalar> b_of_caller, std::span<Scalar> x_of_caller) {
    if (b_of_caller.size() != b.extent(0) || x_of_caller.size() != x.extent(0)) {
      throw ShapeError(text("ashlar::solve: b has ", b_of_caller.size(), " entries and x has ", x_of_caller.size()),
                       text("the matrix has ", matrix.num_rows(), " rows"), "pass vectors with an entry for each row");
    }
    const Here here(x_of_caller.data(), x_of_caller.size());
    Kokkos::deep_copy(exec, b, ConstHere(b_of_caller.data(), b_of_caller.size()));
    Kokkos::deep_copy(exec, x, here);
    LinearSolveReport report = solver.solve(b, x);
    Kokkos::deep_copy(exec, here, x);
    exec.fence("ashlar::solve: x is on the host");
    return report;
  }

  void update_values(std::span<const Scalar> values) {
    if (values.size() != given.num_values()) {
      throw ShapeError(text("ashlar::LinearSolver: ", values.size(), " new values"),
                       text("the structure has ", given.num_values()),
                       "pass one for each value that the solver was made of");
    }
    if (!on_host) on_host = copy_to<Kokkos::HostSpace>(exec, matrix);
    exec.fence("ashlar::LinearSolver: the matrix is free");
    impl::set_values<Scalar>(given, values, *on_host);
    if (on_host->values().data() != matrix.values().data()) {
      Kokkos::deep_copy(exec, matrix.values(), on_host->values());
      exec.fence("ashlar::LinearSolver: new values");
    }
    solver.values_changed();
  }

  Kokkos::DefaultExecutionSpace exec;
  impl::GivenStructure given;
  BcsrMatrix<Scalar> matrix;
  /// The matrix itself if the host has it, else a copy that new values go through.
  std::optional<typename BcsrMatrix<Scalar>::template in_space<Kokkos::HostSpace>> on_host;
  BcsrSolver<Scalar> solver;
  Vector b, x;
};

template <class Scalar>
template <class Offset, class Ordinal>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolver<Scalar>::LinearSolver(
    const CsrView<Offset, Ordinal, Scalar>& a, const LinearSolveOptions& options)
    : impl_(std::make_unique<Impl>(
          impl::given_structure(1, a.row_ptr, a.col_idx, a.values.size(), BlockLayout::row_major), a.values, options)) {
}

template <class Scalar>
template <class Offset, class Ordinal>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolver<Scalar>::LinearSolver(
    const BcsrView<Offset, Ordinal, Scalar>& a, const LinearSolveOptions& options)
    : impl_(std::make_unique<Impl>(impl::given_structure(a.block_size, a.row_ptr, a.col_idx, a.values.size(), a.layout),
                                   a.values, options)) {}

template <class Scalar>
LinearSolver<Scalar>::LinearSolver(LinearSolver&&) noexcept = default;
template <class Scalar>
LinearSolver<Scalar>& LinearSolver<Scalar>::operator=(LinearSolver&&) noexcept = default;
template <class Scalar>
LinearSolver<Scalar>::~LinearSolver() = default;

template <class Scalar>
LinearSolveReport LinearSolver<Scalar>::solve(std::span<const Scalar> b, std::span<Scalar> x) {
  return impl_->solve(b, x);
}

template <class Scalar>
void LinearSolver<Scalar>::update_values(std::span<const Scalar> values) {
  impl_->update_values(values);
}

template <class Offset, class Ordinal, class Scalar>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolveReport
solve(const CsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
      std::span<std::type_identity_t<Scalar>> x, const LinearSolveOptions& options) {
  return LinearSolver<Scalar>(a, options).solve(b, x);
}

template <class Offset, class Ordinal, class Scalar>
requires impl::solves_arrays<Offset, Ordinal, Scalar> LinearSolveReport
solve(const BcsrView<Offset, Ordinal, Scalar>& a, std::span<const std::type_identity_t<Scalar>> b,
      std::span<std::type_identity_t<Scalar>> x, const LinearSolveOptions& options) {
  return LinearSolver<Scalar>(a, options).solve(b, x);
}

template class LinearSolver<float>;
template class LinearSolver<double>;

#define ASHLAR_SOLVE(View, Offset, Ordinal, Scalar)                                                                  \
  template LinearSolver<Scalar>::LinearSolver(const View<Offset, Ordinal, Scalar>&, const LinearSolveOptions&);      \
  template LinearSolveReport solve(const View<Offset, Ordinal, Scalar>&, std::span<const Scalar>, std::span<Scalar>, \
                                   const LinearSolveOptions&);
#define ASHLAR_SOLVE_VIEWS(Scalar)                           \
  ASHLAR_SOLVE(CsrView, std::int32_t, std::int32_t, Scalar)  \
  ASHLAR_SOLVE(CsrView, std::int64_t, std::int32_t, Scalar)  \
  ASHLAR_SOLVE(CsrView, std::int64_t, std::int64_t, Scalar)  \
  ASHLAR_SOLVE(BcsrView, std::int32_t, std::int32_t, Scalar) \
  ASHLAR_SOLVE(BcsrView, std::int64_t, std::int32_t, Scalar) \
  ASHLAR_SOLVE(BcsrView, std::int64_t, std::int64_t, Scalar)
ASHLAR_SOLVE_VIEWS(float)
ASHLAR_SOLVE_VIEWS(double)
#undef ASHLAR_SOLVE_VIEWS
#undef ASHLAR_SOLVE

}  // namespace ashlar
