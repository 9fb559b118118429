#pragma once

#include <array>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <support/compare.hpp>
#include <vector>

namespace ashlar::testing {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Modes = amg::NearNullSpace<Space>;

/// A generated cantilever with its load and its rigid-body modes.
struct Beam {
  Matrix a;
  Kokkos::View<double*, Space> load;
  Modes modes;

  explicit Beam(std::array<int, 3> nodes, double poissons_ratio = 0.3, int dof = 3) {
    problems::Cantilever problem;
    problem.nodes = nodes;
    problem.dof = dof;
    problem.poissons_ratio = poissons_ratio;
    const Exec exec;
    a = problems::cantilever_matrix<Matrix>(exec, problem);
    load = problems::cantilever_load<double, Space>(exec, problem);
    const auto points = to_device<Space>(problems::hex_points(problems::cantilever_grid(problem)));
    modes = dof == 1 ? amg::constant_modes<Space>(exec, a.num_block_rows(), 1)
                     : amg::rigid_body_modes<Space>(exec, points, 3, dof);
    exec.fence();
  }
};

/// The entries of a view of rank 2, row after row.
inline std::vector<double> entries(const Modes& view) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), view);
  return {host.data(), host.data() + host.size()};
}

}  // namespace ashlar::testing
