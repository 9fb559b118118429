// Solves many systems of one structure: heat spreads along a bar of 1000 nodes, in time steps that grow.
#include <Kokkos_Core.hpp>
#include <ashlar/ashlar.hpp>
#include <cstdio>
#include <vector>

/// The arrays of I + step * (-1, 2, -1).
struct Bar {
  explicit Bar(int n) {
    for (int i = 0; i < n; ++i) {
      for (int j : {i - 1, i, i + 1}) {
        if (j >= 0 && j < n) col_idx.push_back(j);
      }
      row_ptr.push_back(int(col_idx.size()));
    }
    values.resize(col_idx.size());
  }

  void set_step(double step) {
    for (int i = 0; i + 1 < int(row_ptr.size()); ++i) {
      for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) values[k] = col_idx[k] == i ? 1 + 2 * step : -step;
    }
  }

  std::vector<int> row_ptr{0}, col_idx;
  std::vector<double> values;
};

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const int n = 1000;
  Bar bar(n);
  std::vector<double> heat(n, 0.0);
  heat[n / 2] = 1;

  double step = 1;
  bar.set_step(step);
  ashlar::LinearSolver solver(ashlar::CsrView(bar.row_ptr, bar.col_idx, bar.values), {.rtol = 1e-10});
  for (int k = 1; k <= 40; ++k) {
    const std::vector<double> before = heat;
    const auto report = solver.solve(before, heat);
    if (report.status != ashlar::SolveStatus::converged) return 1;
    if (k % 10 > 0) continue;
    std::printf("step of %g: %d iterations, heat in the middle %.4f\n", step, report.iterations, heat[n / 2]);
    step *= 4;
    bar.set_step(step);
    solver.update_values(bar.values);
  }
}
