#include <spmv/peers/peer.hpp>

#if defined(ASHLAR_PERF_EIGEN)

#include <Eigen/Sparse>
#include <memory>
#include <spmv/matrices.hpp>

namespace ashlar::perf {

// Eigen multiplies in parallel where its rows are stored one after another, with OpenMP's threads.
std::vector<Peer> eigen_peers(const Exec& exec, const Matrix& a, const Vector<double>& x, const Vector<double>& y) {
  if constexpr (is_gpu_v<Exec>) {
    return {};
  } else {
    using Sparse = Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor, int>>;
    if (a.num_values() >= std::int64_t(1) << 31) return {};
    const Csr csr = by_entries(exec, a);
    const auto matrix = std::make_shared<Sparse>(a.num_rows(), a.num_cols(), a.num_values(), csr.row_ptr.data(),
                                                 csr.col_idx.data(), csr.values.data());
    return {{"Eigen", "CSR", [=] {
               const Eigen::Map<const Eigen::VectorXd> from(x.data(), x.extent(0));
               Eigen::Map<Eigen::VectorXd> to(y.data(), y.extent(0));
               to.noalias() = *matrix * from;
               (void)csr;
             }}};
  }
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<Peer> eigen_peers(const Exec&, const Matrix&, const Vector<double>&, const Vector<double>&) { return {}; }
}  // namespace ashlar::perf

#endif
