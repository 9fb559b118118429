#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_CUSPARSE)

#include <memory>
#include <spmv/matrices.hpp>
#include <spmv/peers/cusparse.hpp>

namespace ashlar::perf {

namespace {

/// A product through the generic interface.
struct Generic {
  std::shared_ptr<CusparseHandle> handle;
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnVecDescr_t x = nullptr, y = nullptr;
  cusparseSpMVAlg_t algorithm;
  Kokkos::View<char*, Space> buffer;
  double alpha = 1, beta = 0;

  Generic(std::shared_ptr<CusparseHandle> with, cusparseSpMatDescr_t of, const Vector<double>& from,
          const Vector<double>& to, cusparseSpMVAlg_t by)
      : handle(std::move(with)), matrix(of), algorithm(by) {
    check(cusparseCreateDnVec(&x, from.extent(0), from.data(), CUDA_R_64F), "cusparseCreateDnVec");
    check(cusparseCreateDnVec(&y, to.extent(0), to.data(), CUDA_R_64F), "cusparseCreateDnVec");
    std::size_t bytes = 0;
    check(cusparseSpMV_bufferSize(handle->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x, &beta, y,
                                  CUDA_R_64F, algorithm, &bytes),
          "cusparseSpMV_bufferSize");
    buffer = Kokkos::View<char*, Space>("perf::cusparse::buffer", bytes + 1);
#if CUSPARSE_VERSION >= 12400
    check(cusparseSpMV_preprocess(handle->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x, &beta, y,
                                  CUDA_R_64F, algorithm, buffer.data()),
          "cusparseSpMV_preprocess");
#endif
  }
  Generic(const Generic&) = delete;
  Generic& operator=(const Generic&) = delete;
  ~Generic() {
    cusparseDestroyDnVec(x);
    cusparseDestroyDnVec(y);
    cusparseDestroySpMat(matrix);
  }

  void apply() const {
    check(cusparseSpMV(handle->handle, CUSPARSE_OPERATION_NON_TRANSPOSE, &alpha, matrix, x, &beta, y, CUDA_R_64F,
                       algorithm, buffer.data()),
          "cusparseSpMV");
  }
};

/// Adds a generic product, unless this version or this matrix has none.
template <class Keep>
void add_generic(std::vector<Peer>& peers, const char* kernel, const std::shared_ptr<CusparseHandle>& handle,
                 cusparseSpMatDescr_t matrix, const Vector<double>& x, const Vector<double>& y,
                 cusparseSpMVAlg_t algorithm, const Keep& keep) {
  try {
    const auto product = std::make_shared<Generic>(handle, matrix, x, y, algorithm);
    product->apply();
    peers.push_back({"cuSPARSE", kernel, [product, keep] { product->apply(); }});
  } catch (const Error&) {
    // Not for this version of the library.
  }
}

#if CUSPARSE_VERSION < 13000
/// The older interface, for blocks by rows or by columns.
template <class Values>
void add_bsrmv(std::vector<Peer>& peers, const char* kernel, const std::shared_ptr<CusparseHandle>& handle,
               const Matrix& a, const Values& values, cusparseDirection_t direction, const Vector<double>& x,
               const Vector<double>& y) {
  cusparseMatDescr_t created = nullptr;
  check(cusparseCreateMatDescr(&created), "cusparseCreateMatDescr");
  const std::shared_ptr<std::remove_pointer_t<cusparseMatDescr_t>> description(created, cusparseDestroyMatDescr);
  peers.push_back({"cuSPARSE", kernel, [=] {
                     const double alpha = 1, beta = 0;
                     check(cusparseDbsrmv(handle->handle, direction, CUSPARSE_OPERATION_NON_TRANSPOSE,
                                          a.num_block_rows(), a.num_block_cols(), a.num_blocks(), &alpha,
                                          description.get(), values.data(), a.graph().row_ptr().data(),
                                          a.graph().col_idx().data(), a.block_size(), x.data(), &beta, y.data()),
                           "cusparseDbsrmv");
                   }});
}
#endif

}  // namespace

std::vector<Peer> cusparse_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y) {
  std::vector<Peer> peers;
  const auto handle = std::make_shared<CusparseHandle>(exec);
  const RowMajorMatrix rows = by_rows(exec, a);
  if (a.block_size() > 1) {
#if CUSPARSE_VERSION < 13000
    add_bsrmv(peers, "bsrmv, by columns", handle, a, a.values(), CUSPARSE_DIRECTION_COLUMN, x, y);
    add_bsrmv(peers, "bsrmv, by rows", handle, a, rows.values(), CUSPARSE_DIRECTION_ROW, x, y);
#endif
    add_generic(peers, "BSR, by columns", handle, cusparse_bsr(a, a.values(), CUSPARSE_ORDER_COL), x, y,
                CUSPARSE_SPMV_ALG_DEFAULT, a);
    add_generic(peers, "BSR, by rows", handle, cusparse_bsr(a, rows.values(), CUSPARSE_ORDER_ROW), x, y,
                CUSPARSE_SPMV_ALG_DEFAULT, rows);
  }
  if (a.num_values() < std::int64_t(1) << 31) {
    const Csr csr = by_entries(exec, a);
    for (const auto& [name, algorithm] : {std::pair("CSR, algorithm 1", CUSPARSE_SPMV_CSR_ALG1),
                                          std::pair("CSR, algorithm 2", CUSPARSE_SPMV_CSR_ALG2)}) {
      add_generic(peers, name, handle, cusparse_csr(a, csr), x, y, algorithm, csr);
    }
  }
  return peers;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<Peer> cusparse_peers(const Exec&, const Matrix&, const Vector<double>&, const Vector<double>&) {
  return {};
}
}  // namespace ashlar::perf

#endif
