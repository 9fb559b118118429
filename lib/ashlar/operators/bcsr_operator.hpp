#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/spmv_dot.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace ashlar {

/// A BCSR matrix with its plan, as the linear operator y := A x (or A^T x) of the solvers.
///
/// Shapes   x has as many entries, or rows, as op(A) has columns, y as it has rows.
/// Memory   shares the matrix's data; the plan's own memory is SpmvPlan's. x and y reachable from `exec`, and apart.
/// Async    the constructor waits as SpmvPlan's does; products are enqueued on `exec`, without fence or allocation.
/// Throws   as SpmvPlan and spmv().
template <bcsr_matrix Matrix>
class BcsrOperator {
 public:
  template <execution_space Exec>
  BcsrOperator(const Exec& exec, Matrix matrix, SpmvOptions options = {})
      : matrix_(std::move(matrix)), plan_(exec, matrix_, options) {}

  /// With a plan made before: by tune(), for example.
  BcsrOperator(Matrix matrix, SpmvPlan<Matrix> plan) : matrix_(std::move(matrix)), plan_(std::move(plan)) {}

  /// y := A x, for vectors or multi-vectors.
  template <execution_space Exec, class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    spmv(exec, plan_, 1, matrix_, x, 0, y);
  }

  /// y := A x and *slot := x^H y, its real part, in one pass where there is a kernel for that (spmv_dot).
  template <execution_space Exec, vector_view X, vector_view Y>
  void apply_dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) const {
    spmv_dot(exec, plan_, matrix_, x, y, sums, slot);
  }

  LocalSpace domain_space() const {
    return LocalSpace(is_transposed(plan_.mode()) ? matrix_.num_rows() : matrix_.num_cols());
  }
  LocalSpace range_space() const {
    return LocalSpace(is_transposed(plan_.mode()) ? matrix_.num_cols() : matrix_.num_rows());
  }
  LocalSpace space() const { return range_space(); }
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(matrix_, true, plan_.mode()); }
  /// True if the host never waits: on a device.
  bool is_stream_ordered() const { return is_gpu_v<typename Matrix::memory_space::execution_space>; }
  bool is_capturable() const { return true; }
  HeldBytes bytes() const { return held_bytes(matrix_) + held_bytes(plan_); }
  std::string explain() const { return plan_.explain(); }

  /// A kernel that makes many iterations of CG with this matrix (persistent_cg), or why there is none.
  template <execution_space Exec, class M, class Scalar>
  CgKernelOffer<Exec> cg_kernel(const Exec& exec, const M& m, const CgPlace<Scalar>& place) const {
    return persistent_cg(exec, plan_, matrix_, m, place);
  }

  const Matrix& matrix() const { return matrix_; }
  const SpmvPlan<Matrix>& plan() const { return plan_; }

 private:
  Matrix matrix_;
  SpmvPlan<Matrix> plan_;
};

}  // namespace ashlar
