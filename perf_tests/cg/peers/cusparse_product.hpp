#pragma once

#include <cusparse.h>

#include <cg/peers/aligned_buffer.hpp>
#include <cstddef>
#include <memory>
#include <optional>
#include <spmv/peers/cusparse.hpp>
#include <support/types.hpp>
#include <utility>

namespace ashlar::perf {

/// y := A x by cuSPARSE, preprocessed, with its scalars in the memory of the device.
class CusparseProduct {
 public:
  /// Takes over `matrix`; `one` and `zero` are on the device and are there for as long as this is.
  ///
  /// Throws   Error where this version of the library has no such product.
  CusparseProduct(std::shared_ptr<const CusparseHandle> handle, cusparseSpMatDescr_t matrix,
                  cusparseSpMVAlg_t algorithm, const Vector<double>& x, const Vector<double>& y, const double* one,
                  const double* zero)
      : handle_(std::move(handle)), matrix_(matrix), algorithm_(algorithm), x_(x), y_(y), one_(one), zero_(zero) {
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle_->handle, plain, one_, matrix_.get(), x_.get(), zero_, y_.get(), CUDA_R_64F,
                                  algorithm_, &bytes),
          "cusparseSpMV_bufferSize");
    buffer_.emplace(bytes);
#if CUSPARSE_VERSION >= 12400
    check(cusparseSpMV_preprocess(handle_->handle, plain, one_, matrix_.get(), x_.get(), zero_, y_.get(), CUDA_R_64F,
                                  algorithm_, buffer_->data()),
          "cusparseSpMV_preprocess");
#endif
  }

  void enqueue() const {
    check(cusparseSpMV(handle_->handle, plain, one_, matrix_.get(), x_.get(), zero_, y_.get(), CUDA_R_64F, algorithm_,
                       buffer_->data()),
          "cusparseSpMV");
  }

 private:
  static constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;

  /// One owner for what describes a matrix.
  class MatrixDescription {
   public:
    explicit MatrixDescription(cusparseSpMatDescr_t matrix) : matrix_(matrix) {}
    MatrixDescription(const MatrixDescription&) = delete;
    MatrixDescription& operator=(const MatrixDescription&) = delete;
    ~MatrixDescription() { cusparseDestroySpMat(matrix_); }
    cusparseSpMatDescr_t get() const { return matrix_; }

   private:
    cusparseSpMatDescr_t matrix_;
  };

  class VectorDescription {
   public:
    explicit VectorDescription(const Vector<double>& x) {
      check(cusparseCreateDnVec(&vector_, x.extent(0), x.data(), CUDA_R_64F), "cusparseCreateDnVec");
    }
    VectorDescription(const VectorDescription&) = delete;
    VectorDescription& operator=(const VectorDescription&) = delete;
    ~VectorDescription() { cusparseDestroyDnVec(vector_); }
    cusparseDnVecDescr_t get() const { return vector_; }

   private:
    cusparseDnVecDescr_t vector_ = nullptr;
  };

  std::shared_ptr<const CusparseHandle> handle_;
  MatrixDescription matrix_;
  cusparseSpMVAlg_t algorithm_;
  VectorDescription x_, y_;
  const double *one_, *zero_;
  std::optional<AlignedBuffer> buffer_;
};

}  // namespace ashlar::perf
