#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_MKL)

#include <mkl_spblas.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <memory>
#include <spmv/matrices.hpp>
#include <utility>

namespace ashlar::perf {

namespace {

void check(sparse_status_t status, const char* call) {
  if (status == SPARSE_STATUS_SUCCESS) return;
  throw Error(text("MKL: ", call, " returned ", int(status)), "the peer could not be made ready",
              "leave it out with --libraries ashlar");
}

/// MKL's handle of a matrix, told that it will be multiplied by often.
using Handle = std::shared_ptr<std::remove_pointer_t<sparse_matrix_t>>;

Handle optimized(sparse_matrix_t matrix) {
  const Handle handle(matrix, mkl_sparse_destroy);
  const matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};
  check(mkl_sparse_set_mv_hint(matrix, SPARSE_OPERATION_NON_TRANSPOSE, general, 1000), "mkl_sparse_set_mv_hint");
  check(mkl_sparse_optimize(matrix), "mkl_sparse_optimize");
  return handle;
}

template <class Keep>
Peer product(const char* kernel, const Handle& handle, const Vector<double>& x, const Vector<double>& y,
             const Keep& keep) {
  return {"MKL", kernel, [=] {
            const matrix_descr general{SPARSE_MATRIX_TYPE_GENERAL, SPARSE_FILL_MODE_FULL, SPARSE_DIAG_NON_UNIT};
            check(mkl_sparse_d_mv(SPARSE_OPERATION_NON_TRANSPOSE, 1, handle.get(), general, x.data(), 0, y.data()),
                  "mkl_sparse_d_mv");
            (void)keep;
          }};
}

}  // namespace

std::vector<Peer> mkl_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y) {
  std::vector<Peer> peers;
  if constexpr (!is_gpu_v<Exec>) {
    int* const row_ptr = const_cast<int*>(a.graph().row_ptr().data());
    int* const col_idx = const_cast<int*>(a.graph().col_idx().data());
    const RowMajorMatrix rows = by_rows(exec, a);
    for (const bool by_columns : {true, false}) {
      sparse_matrix_t matrix = nullptr;
      check(mkl_sparse_d_create_bsr(&matrix, SPARSE_INDEX_BASE_ZERO,
                                    by_columns ? SPARSE_LAYOUT_COLUMN_MAJOR : SPARSE_LAYOUT_ROW_MAJOR,
                                    a.num_block_rows(), a.num_block_cols(), a.block_size(), row_ptr, row_ptr + 1,
                                    col_idx, by_columns ? a.values().data() : rows.values().data()),
            "mkl_sparse_d_create_bsr");
      peers.push_back(
          product(by_columns ? "BSR, by columns" : "BSR, by rows", optimized(matrix), x, y, std::make_pair(a, rows)));
    }
    if (a.num_values() < std::int64_t(1) << 31) {
      const Csr csr = by_entries(exec, a);
      sparse_matrix_t matrix = nullptr;
      check(mkl_sparse_d_create_csr(&matrix, SPARSE_INDEX_BASE_ZERO, static_cast<int>(a.num_rows()),
                                    static_cast<int>(a.num_cols()), csr.row_ptr.data(), csr.row_ptr.data() + 1,
                                    csr.col_idx.data(), csr.values.data()),
            "mkl_sparse_d_create_csr");
      peers.push_back(product("CSR", optimized(matrix), x, y, csr));
    }
  }
  return peers;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<Peer> mkl_peers(const Exec&, const Matrix&, const Vector<double>&, const Vector<double>&) { return {}; }
}  // namespace ashlar::perf

#endif
