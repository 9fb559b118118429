#include <cg/peers/peer.hpp>

#if defined(ASHLAR_PERF_CUSPARSE) && defined(ASHLAR_PERF_CUBLAS)

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cg/floor.hpp>
#include <cg/peers/cusparse_cg.hpp>
#include <cg/peers/cusparse_gmres.hpp>
#include <cg/peers/replayed_cg.hpp>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <spmv/matrices.hpp>
#include <spmv/peers/cusparse.hpp>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::perf {

namespace {

/// CG with each product that the libraries have for a system, each in graphs of one iteration and of several.
class Peers {
 public:
  Peers(const Exec& exec, const CgSystem& system, const Vector<double>& x)
      : exec_(exec),
        matrix_(system.matrix),
        libraries_(std::make_shared<const CudaLibraries>(exec)),
        b_(system.b),
        x_(x) {}

  /// Adds one, unless this version of the library has no such product or it cannot be captured. `describe` describes
  /// the matrix, which `keep` keeps.
  template <class Describe, class Keep>
  void add(const char* product, cusparseSpMVAlg_t algorithm, const Describe& describe, const Keep& keep) {
    try {
      const auto cg = std::make_shared<const CusparseCg>(exec_, libraries_, describe(), algorithm, b_, x_);
      cg->start();
      cg->iterate();
      exec_.fence("perf: the first iteration of a peer");
      for (const int iterations_of_graph : {1, ReplayedCg::interval}) {
        const auto replayed = std::make_shared<const ReplayedCg>(cg, iterations_of_graph);
        peers_.push_back({{library, text(product, ", ", replayed->launch()), iteration_bytes(matrix_)},
                          replayed->launch(),
                          [replayed, keep](double tolerance, int most) { return replayed->solve(tolerance, most); },
                          [replayed, keep](int num_iterations) { return replayed->seconds_of(num_iterations); }});
      }
    } catch (const Error& error) {
      std::printf("  %s: left out: %s\n", product, error.what());
    }
  }

  /// The same with GMRES.
  template <class Describe, class Keep>
  void add_gmres(const char* product, cusparseSpMVAlg_t algorithm, const Describe& describe, const Keep& keep) {
    try {
      const auto gmres = std::make_shared<CusparseGmres>(exec_, libraries_, describe, algorithm, b_, x_);
      const std::string launch = gmres->is_captured() ? "graph of a cycle" : "call by call";
      peers_.push_back({{library, text("GMRES, ", product, ", ", launch), gmres_bytes(matrix_, CusparseGmres::restart)},
                        launch,
                        [gmres, keep](double tolerance, int most) { return gmres->solve(tolerance, most); },
                        [gmres, keep](int num_iterations) { return gmres->seconds_of(num_iterations); },
                        CusparseGmres::restart});
    } catch (const Error& error) {
      std::printf("  GMRES, %s: left out: %s\n", product, error.what());
    }
  }

  std::vector<CgPeer> take() { return std::move(peers_); }

 private:
  static constexpr const char* library = "cuSPARSE and cuBLAS";

  Exec exec_;
  Matrix matrix_;
  std::shared_ptr<const CudaLibraries> libraries_;
  Vector<double> b_, x_;
  std::vector<CgPeer> peers_;
};

}  // namespace

std::vector<CgPeer> cusparse_cg_peers(const Exec& exec, const CgSystem& system, const Vector<double>& x) {
  const Matrix& a = system.matrix;
  Peers peers(exec, system, x);
  if (a.num_values() < std::int64_t(1) << 31) {
    const Csr csr = by_entries(exec, a);
    const auto describe = [&] { return cusparse_csr(a, csr); };
    peers.add("CSR, algorithm 1", CUSPARSE_SPMV_CSR_ALG1, describe, csr);
    peers.add("CSR, algorithm 2", CUSPARSE_SPMV_CSR_ALG2, describe, csr);
    peers.add_gmres("CSR, algorithm 1", CUSPARSE_SPMV_CSR_ALG1, describe, csr);
  }
  if (a.block_size() > 1) {
    const RowMajorMatrix rows = by_rows(exec, a);
    const auto by_columns = [&] { return cusparse_bsr(a, a.values(), CUSPARSE_ORDER_COL); };
    peers.add("BSR, by columns", CUSPARSE_SPMV_ALG_DEFAULT, by_columns, a);
    peers.add_gmres("BSR, by columns", CUSPARSE_SPMV_ALG_DEFAULT, by_columns, a);
    peers.add(
        "BSR, by rows", CUSPARSE_SPMV_ALG_DEFAULT, [&] { return cusparse_bsr(a, rows.values(), CUSPARSE_ORDER_ROW); },
        rows);
  }
  return peers.take();
}

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<CgPeer> cusparse_cg_peers(const Exec&, const CgSystem&, const Vector<double>&) { return {}; }
}  // namespace ashlar::perf

#endif
