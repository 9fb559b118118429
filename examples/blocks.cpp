// Finite elements with three unknowns a node: assembles a matrix from element matrices, solves with block-Jacobi and
// with algebraic multigrid, then for three loads, then for another material.
#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/ashlar.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cstdio>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = ashlar::BcsrMatrix<double>;

/// Nodes and elements, as a mesh generator lists them.
struct Mesh {
  std::vector<double> coordinates;           // x, y and z of node 0, then of node 1, and so on
  std::vector<std::array<int, 8>> elements;  // the nodes of each element

  int num_nodes() const { return int(coordinates.size() / 3); }
  bool is_held(int node) const { return coordinates[3 * node] == 0; }  // the face x = 0
};

/// A beam of nx * ny * nz cubes.
Mesh beam(int nx, int ny, int nz) {
  Mesh mesh;
  const auto node = [&](int i, int j, int k) { return (i * (ny + 1) + j) * (nz + 1) + k; };
  for (int i = 0; i <= nx; ++i) {
    for (int j = 0; j <= ny; ++j) {
      for (int k = 0; k <= nz; ++k) {
        mesh.coordinates.insert(mesh.coordinates.end(), {double(i), double(j), double(k)});
        if (i == nx || j == ny || k == nz) continue;
        std::array<int, 8>& nodes = mesh.elements.emplace_back();
        for (int a = 0; a < 8; ++a) nodes[a] = node(i + a / 4, j + a / 2 % 2, k + a % 2);
      }
    }
  }
  return mesh;
}

/// A block for each pair of nodes of each element. Blocks of one place are added later. Held nodes keep their diagonal.
ashlar::BlockCoo<double> assemble(const Mesh& mesh, double poissons_ratio) {
  const auto element = ashlar::problems::hex8_stiffness({1, 1, 1}, 1.0, poissons_ratio);  // 24 x 24
  ashlar::BlockCoo<double> blocks{mesh.num_nodes(), mesh.num_nodes(), 3, {}, {}, {}};
  for (const std::array<int, 8>& nodes : mesh.elements) {
    for (int a = 0; a < 8; ++a) {
      for (int b = 0; b < 8; ++b) {
        const bool is_held = mesh.is_held(nodes[a]) || mesh.is_held(nodes[b]);
        if (is_held && a != b) continue;
        blocks.rows.push_back(nodes[a]);
        blocks.cols.push_back(nodes[b]);
        for (int k = 0, r = 0, c = 0; k < 9; ++k, r = k % 3, c = k / 3) {  // column after column
          blocks.values.push_back(is_held ? double(r == c) : element[24 * (3 * a + r) + 3 * b + c]);
        }
      }
    }
  }
  return blocks;
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  const Mesh mesh = beam(40, 8, 8);
  const auto a = ashlar::bcsr_from_block_coo<Matrix>(exec, assemble(mesh, 0.3));
  std::printf("%d nodes, %d blocks of 3 x 3\n", a.num_block_rows(), a.num_blocks());

  // Load j pulls all nodes of the other end along axis j.
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> b("b", a.num_rows(), 3), x("x", a.num_rows(), 3);
  const auto b_host = Kokkos::create_mirror_view(b);
  for (int i = 0; i < mesh.num_nodes(); ++i) {
    for (int j = 0; j < 3 && mesh.coordinates[3 * i] == 40; ++j) b_host(3 * i + j, j) = 1e-3;
  }
  Kokkos::deep_copy(b, b_host);
  const auto b_of_load = Kokkos::subview(b, Kokkos::ALL, 2), x_of_load = Kokkos::subview(x, Kokkos::ALL, 2);

  const ashlar::BcsrOperator<Matrix> op(exec, a);
  const ashlar::BlockJacobiPreconditioner<Matrix> block_jacobi(exec, a);
  const auto with_block_jacobi = ashlar::cg(exec, op, block_jacobi, b_of_load, x_of_load, {.rtol = 1e-8});
  std::printf("block-Jacobi: %d iterations\n", with_block_jacobi.iterations);

  ashlar::BcsrSolver solver(
      exec, a, {.preconditioner = ashlar::SolvePreconditioner::amg, .rtol = 1e-8, .coordinates = mesh.coordinates});
  Kokkos::deep_copy(exec, x, 0.0);
  std::printf("multigrid: %d iterations\n", solver.solve(b_of_load, x_of_load).iterations);

  Kokkos::deep_copy(exec, x, 0.0);
  const auto of_loads = ashlar::block_cg(exec, op, block_jacobi, b, x, {.rtol = 1e-8});
  std::printf("block-Jacobi, three loads: %d steps\n", of_loads.iterations);

  const auto other = ashlar::bcsr_from_block_coo<Matrix>(exec, assemble(mesh, 0.4));
  Kokkos::deep_copy(exec, a.values(), other.values());
  solver.values_changed();
  const auto with_new_values = solver.solve(b_of_load, x_of_load);
  std::printf("multigrid, another material: %d iterations\n", with_new_values.iterations);
  return with_new_values.status == ashlar::SolveStatus::converged ? 0 : 1;
}
