// Builds a block-sparse matrix on the device, row by row, and solves with it: a chain of nodes with two unknowns each.
#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cstdio>

// Each node is tied to its neighbours, and its two unknowns to each other.
struct Chain {
  int nodes;

  // How many blocks block row i has ...
  KOKKOS_FUNCTION int operator()(int i) const { return 1 + (i > 0) + (i + 1 < nodes); }

  // ... and what they are.
  template <class Row>
  KOKKOS_FUNCTION void operator()(int i, const Row& row) const {
    int k = 0;
    for (int j = i - 1; j <= i + 1; ++j) {
      if (j < 0 || j >= nodes) continue;
      row.column(k) = j;
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) row.value(k, r, c) = i == j ? (r == c ? 3.0 : 0.5) : (r == c ? -1.0 : 0.0);
      }
      ++k;
    }
  }
};

int main(int argc, char** argv) {
  Kokkos::ScopeGuard kokkos(argc, argv);
  const Kokkos::DefaultExecutionSpace exec;
  const int nodes = 10000;

  using Matrix = ashlar::BcsrMatrix<double>;
  const auto a = ashlar::build_by_rows<Matrix>(exec, 2, nodes, nodes, Chain{nodes}, Chain{nodes});

  const ashlar::BcsrOperator<Matrix> op(exec, a);
  const ashlar::BlockJacobiPreconditioner<Matrix> preconditioner(exec, a);
  const Kokkos::View<double*> b("b", a.num_rows()), x("x", a.num_rows());
  Kokkos::deep_copy(exec, b, 1.0);

  const ashlar::SolveReport report = ashlar::cg(exec, op, preconditioner, b, x, {.rtol = 1e-10});
  std::printf("%s\n%s after %d iterations, residual %.2e\n", op.plan().explain().c_str(),
              std::string(ashlar::to_string(report.status)).c_str(), report.iterations, report.relative_residual);
  return report.status == ashlar::SolveStatus::converged ? 0 : 1;
}
