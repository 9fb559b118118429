#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_CUSPARSE)

#include <memory>
#include <spmv/matrices.hpp>
#include <spmv/peers/cusparse.hpp>

namespace ashlar::perf {

namespace {

/// A product of a matrix and several vectors through the generic interface.
struct Product {
  std::shared_ptr<CusparseHandle> handle;
  cusparseSpMatDescr_t matrix = nullptr;
  cusparseDnMatDescr_t x = nullptr, y = nullptr;
  cusparseSpMMAlg_t algorithm;
  Kokkos::View<char*, Space> buffer;
  double alpha = 1, beta = 0;

  Product(std::shared_ptr<CusparseHandle> with, cusparseSpMatDescr_t of, const MultiVectorPair& vectors, bool by_rows,
          cusparseSpMMAlg_t by)
      : handle(std::move(with)), matrix(of), algorithm(by) {
    const std::int64_t k = vectors.x_by_rows.extent(1), rows = vectors.y_by_rows.extent(0),
                       cols = vectors.x_by_rows.extent(0);
    const cusparseOrder_t order = by_rows ? CUSPARSE_ORDER_ROW : CUSPARSE_ORDER_COL;
    check(cusparseCreateDnMat(&x, cols, k, by_rows ? k : cols,
                              by_rows ? vectors.x_by_rows.data() : vectors.x_by_columns.data(), CUDA_R_64F, order),
          "cusparseCreateDnMat");
    check(cusparseCreateDnMat(&y, rows, k, by_rows ? k : rows,
                              by_rows ? vectors.y_by_rows.data() : vectors.y_by_columns.data(), CUDA_R_64F, order),
          "cusparseCreateDnMat");
    std::size_t bytes = 0;
    constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check(cusparseSpMM_bufferSize(handle->handle, plain, plain, &alpha, matrix, x, &beta, y, CUDA_R_64F, algorithm,
                                  &bytes),
          "cusparseSpMM_bufferSize");
    buffer = Kokkos::View<char*, Space>("perf::cusparse::buffer", bytes + 1);
    check(cusparseSpMM_preprocess(handle->handle, plain, plain, &alpha, matrix, x, &beta, y, CUDA_R_64F, algorithm,
                                  buffer.data()),
          "cusparseSpMM_preprocess");
  }
  Product(const Product&) = delete;
  Product& operator=(const Product&) = delete;
  ~Product() {
    cusparseDestroyDnMat(x);
    cusparseDestroyDnMat(y);
    cusparseDestroySpMat(matrix);
  }

  void apply() const {
    constexpr auto plain = CUSPARSE_OPERATION_NON_TRANSPOSE;
    check(cusparseSpMM(handle->handle, plain, plain, &alpha, matrix, x, &beta, y, CUDA_R_64F, algorithm, buffer.data()),
          "cusparseSpMM");
  }
};

}  // namespace

std::vector<MultiPeer> cusparse_multi_peers(const Exec& exec, const Matrix& a, const MultiVectorPair& vectors) {
  std::vector<MultiPeer> peers;
  const auto handle = std::make_shared<CusparseHandle>(exec);
  const auto add = [&](const std::string& kernel, cusparseSpMatDescr_t matrix, bool by_rows,
                       cusparseSpMMAlg_t algorithm, const auto& keep) {
    try {
      const auto product = std::make_shared<Product>(handle, matrix, vectors, by_rows, algorithm);
      product->apply();
      peers.push_back({{"cuSPARSE", kernel + (by_rows ? ", vectors by rows" : ", vectors by columns"),
                        [product, keep] { product->apply(); }},
                       by_rows});
    } catch (const Error&) {
      // Not for this version of the library.
    }
  };
  const RowMajorMatrix rows = by_rows(exec, a);
  for (const bool vectors_by_rows : {true, false}) {
    if (a.block_size() > 1) {
      add("SpMM, BSR by columns", cusparse_bsr(a, a.values(), CUSPARSE_ORDER_COL), vectors_by_rows,
          CUSPARSE_SPMM_ALG_DEFAULT, a);
      add("SpMM, BSR by rows", cusparse_bsr(a, rows.values(), CUSPARSE_ORDER_ROW), vectors_by_rows,
          CUSPARSE_SPMM_ALG_DEFAULT, rows);
    }
    if (a.num_values() < std::int64_t(1) << 31) {
      const Csr csr = by_entries(exec, a);
      // The second is for vectors by rows, the first for vectors by columns; the third for both, and deterministic.
      for (const auto& [name, algorithm] : {std::pair("SpMM, CSR, algorithm 1", CUSPARSE_SPMM_CSR_ALG1),
                                            std::pair("SpMM, CSR, algorithm 2", CUSPARSE_SPMM_CSR_ALG2),
                                            std::pair("SpMM, CSR, algorithm 3", CUSPARSE_SPMM_CSR_ALG3)}) {
        add(name, cusparse_csr(a, csr), vectors_by_rows, algorithm, csr);
      }
    }
  }
  return peers;
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<MultiPeer> cusparse_multi_peers(const Exec&, const Matrix&, const MultiVectorPair&) { return {}; }
}  // namespace ashlar::perf

#endif
