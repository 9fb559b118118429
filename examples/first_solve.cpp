// Solves a system of CSR arrays: a chain of 1000 unknowns, each pulled by its neighbours.
#include <Kokkos_Core.hpp>
#include <ashlar/ashlar.hpp>
#include <cstdio>
#include <string>
#include <vector>

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = 1000;
  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values, b(n, 1.0), x(n, 0.0);
  for (int i = 0; i < n; ++i) {
    for (int j : {i - 1, i, i + 1}) {
      if (j < 0 || j >= n) continue;
      col_idx.push_back(j);
      values.push_back(i == j ? 2.1 : -1.0);
    }
    row_ptr.push_back(int(values.size()));
  }

  const auto report = ashlar::solve(ashlar::CsrView(row_ptr, col_idx, values), b, x, {.rtol = 1e-10});

  std::printf("%s after %d iterations: %s with %s, as %s\n", std::string(to_string(report.status)).c_str(),
              report.iterations, std::string(to_string(report.method)).c_str(),
              std::string(to_string(report.preconditioner)).c_str(), report.why.c_str());
  std::printf("residual %.0e, x in the middle %.4f\n", report.relative_residual, x[n / 2]);
  return report.status == ashlar::SolveStatus::converged ? 0 : 1;
}
