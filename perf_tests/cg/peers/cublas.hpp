#pragma once

#include <cublas_v2.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg/peers/aligned_buffer.hpp>
#include <cstddef>
#include <support/types.hpp>

namespace ashlar::perf {

inline void check(cublasStatus_t status, const char* call) {
  if (status == CUBLAS_STATUS_SUCCESS) return;
  throw Error(text("cuBLAS: ", call, ": ", cublasGetStatusString(status)), "the peer could not be made ready",
              "leave it out with --libraries ashlar");
}

/// With scalars in the memory of the device, and a workspace that it need not allocate while work is captured.
class CublasHandle {
 public:
  explicit CublasHandle(const Exec& exec) : workspace_(workspace_bytes) {
    check(cublasCreate(&handle_), "cublasCreate");
    check(cublasSetStream(handle_, exec.cuda_stream()), "cublasSetStream");
    check(cublasSetWorkspace(handle_, workspace_.data(), workspace_bytes), "cublasSetWorkspace");
    check(cublasSetPointerMode(handle_, CUBLAS_POINTER_MODE_DEVICE), "cublasSetPointerMode");
  }
  CublasHandle(const CublasHandle&) = delete;
  CublasHandle& operator=(const CublasHandle&) = delete;
  ~CublasHandle() { cublasDestroy(handle_); }

  /// result := x.y
  void dot(const Vector<double>& x, const Vector<double>& y, double* result) const {
    check(cublasDdot(handle_, size(x), x.data(), 1, y.data(), 1, result), "cublasDdot");
  }
  /// y := alpha x + y
  void axpy(const double* alpha, const Vector<double>& x, const Vector<double>& y) const {
    check(cublasDaxpy(handle_, size(x), alpha, x.data(), 1, y.data(), 1), "cublasDaxpy");
  }
  /// x := alpha x
  void scale(const double* alpha, const Vector<double>& x) const {
    check(cublasDscal(handle_, size(x), alpha, x.data(), 1), "cublasDscal");
  }

  /// norm := ||x||
  void norm(const Vector<double>& x, double* norm) const {
    check(cublasDnrm2(handle_, size(x), x.data(), 1, norm), "cublasDnrm2");
  }
  /// y := alpha op(A) x + beta y, where A is the first `num_columns` of `columns`
  template <class Columns>
  void multiply(cublasOperation_t op, const Columns& columns, int num_columns, const double* alpha, const double* x,
                const double* beta, double* y) const {
    const int rows = static_cast<int>(columns.extent(0));
    check(cublasDgemv(handle_, op, rows, num_columns, alpha, columns.data(), rows, x, 1, beta, y, 1), "cublasDgemv");
  }

 private:
  static constexpr std::size_t workspace_bytes = std::size_t(32) << 20;

  static int size(const Vector<double>& x) { return static_cast<int>(x.extent(0)); }

  AlignedBuffer workspace_;
  cublasHandle_t handle_ = nullptr;
};

}  // namespace ashlar::perf
