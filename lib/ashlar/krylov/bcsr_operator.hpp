#pragma once

#include <ashlar/spmv/spmv.hpp>
#include <cstdint>

namespace ashlar {

/// A BCSR matrix with its plan, as the linear operator y := A x (or A^T x) of the solvers.
///
/// Memory   shares the matrix's data; the plan's own memory is SpmvPlan's.
template <bcsr_matrix Matrix>
class BcsrOperator {
 public:
  template <execution_space Exec>
  BcsrOperator(const Exec& exec, Matrix matrix, SpmvOptions options = {})
      : matrix_(std::move(matrix)), plan_(exec, matrix_, options) {}

  /// With a plan made before: by tune(), for example.
  BcsrOperator(Matrix matrix, SpmvPlan<Matrix> plan) : matrix_(std::move(matrix)), plan_(std::move(plan)) {}

  template <execution_space Exec, class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    spmv(exec, plan_, 1, matrix_, x, 0, y);
  }

  std::int64_t num_rows() const { return is_transposed(plan_.mode()) ? matrix_.num_cols() : matrix_.num_rows(); }
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(matrix_, true, plan_.mode()); }
  const Matrix& matrix() const { return matrix_; }
  const SpmvPlan<Matrix>& plan() const { return plan_; }

 private:
  Matrix matrix_;
  SpmvPlan<Matrix> plan_;
};

}  // namespace ashlar
