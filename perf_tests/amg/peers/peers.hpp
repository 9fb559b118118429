#pragma once

#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::perf {

/// A system as other libraries take it, in the host's memory: rows of single entries, three to a node.
struct HostSystem {
  std::vector<int> row_ptr, col_idx;
  std::vector<double> values, load, coordinates;

  int num_rows() const { return static_cast<int>(load.size()); }
};

/// One solve of another library.
struct PeerSolve {
  double seconds_set_up = 0, seconds_solve = 0;
  std::optional<double> operator_complexity;
  int iterations = 0;
  std::vector<double> x;
};

/// CG of another library on one thread, to the unpreconditioned residual `rtol`, with a preconditioner of its own.
struct AmgPeer {
  std::string library, preconditioner;
  std::function<PeerSolve(const HostSystem&, double rtol)> solve;
};

/// The peers of each library: none if it was not found when this program was built.
std::vector<AmgPeer> petsc_peers();
std::vector<AmgPeer> hypre_peers();
std::vector<AmgPeer> amgcl_peers();

/// The rigid-body modes of the nodes about their centre: mode after mode, as many entries as the system has rows.
inline std::vector<std::vector<double>> rigid_body_modes_of(const HostSystem& system) {
  const std::size_t n = system.load.size();
  double centre[3] = {0, 0, 0};
  for (std::size_t i = 0; i < n; ++i) centre[i % 3] += system.coordinates[i] / (double(n) / 3);
  std::vector<std::vector<double>> modes(6, std::vector<double>(n, 0));
  for (std::size_t i = 0; i < n; i += 3) {
    for (std::size_t d = 0; d < 3; ++d) {
      const std::size_t e = (d + 1) % 3;  // mode 3 + d turns d to e
      modes[d][i + d] = 1;
      modes[3 + d][i + d] = -(system.coordinates[i + e] - centre[e]);
      modes[3 + d][i + e] = system.coordinates[i + d] - centre[d];
    }
  }
  return modes;
}

}  // namespace ashlar::perf
