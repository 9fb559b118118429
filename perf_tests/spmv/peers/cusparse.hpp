#pragma once

#include <cusparse.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <spmv/matrices.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

inline void check(cusparseStatus_t status, const char* call) {
  if (status == CUSPARSE_STATUS_SUCCESS) return;
  throw Error(text("cuSPARSE: ", call, ": ", cusparseGetErrorString(status)), "the peer could not be made ready",
              "leave it out with --libraries ashlar");
}

struct CusparseHandle {
  cusparseHandle_t handle = nullptr;

  explicit CusparseHandle(const Exec& exec) {
    check(cusparseCreate(&handle), "cusparseCreate");
    check(cusparseSetStream(handle, exec.cuda_stream()), "cusparseSetStream");
  }
  CusparseHandle(const CusparseHandle&) = delete;
  CusparseHandle& operator=(const CusparseHandle&) = delete;
  ~CusparseHandle() { cusparseDestroy(handle); }
};

/// The matrix with its blocks in `values`, which lie as `order` says.
template <class Values>
cusparseSpMatDescr_t cusparse_bsr(const Matrix& a, const Values& values, cusparseOrder_t order) {
  cusparseSpMatDescr_t matrix = nullptr;
  check(cusparseCreateBsr(&matrix, a.num_block_rows(), a.num_block_cols(), a.num_blocks(), a.block_size(),
                          a.block_size(), const_cast<int*>(a.graph().row_ptr().data()),
                          const_cast<int*>(a.graph().col_idx().data()), const_cast<double*>(values.data()),
                          CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO, CUDA_R_64F, order),
        "cusparseCreateBsr");
  return matrix;
}

inline cusparseSpMatDescr_t cusparse_csr(const Matrix& a, const Csr& csr) {
  cusparseSpMatDescr_t matrix = nullptr;
  check(cusparseCreateCsr(&matrix, a.num_rows(), a.num_cols(), a.num_values(), csr.row_ptr.data(), csr.col_idx.data(),
                          csr.values.data(), CUSPARSE_INDEX_32I, CUSPARSE_INDEX_32I, CUSPARSE_INDEX_BASE_ZERO,
                          CUDA_R_64F),
        "cusparseCreateCsr");
  return matrix;
}

}  // namespace ashlar::perf
