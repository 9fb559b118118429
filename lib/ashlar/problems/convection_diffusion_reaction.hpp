#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/lattice.hpp>
#include <cstdint>
#include <string>

namespace ashlar::problems {

/// Species that a flow carries, that diffuse, and that react with each other: the problem, as its options.
///
/// Species s of b has the concentration u_s in a box of equal cubes of edge h = 1 / (nz + 1) around the nodes:
///
///     div(v u_s) - div(D_s grad u_s) + sum over t of R_st u_t = f_s,   u_s = 0 at the boundary
///     D_s = diffusion / (s + 1),  k_s = reaction * (s + 1),  R_ss = k_s,  R_ts = -k_s / b for t != s
///
/// Species s decays at the rate k_s; the part 1/b of it becomes each of the other species.
struct ConvectionDiffusionReaction {
  /// Nodes along x, y, z, those at the boundary not among them; at least 1 each.
  std::array<int, 3> nodes{33, 33, 33};
  /// Species, which are the unknowns of a node and the block size: 1 to 6.
  int dof = 1;
  /// Of species 0; greater than 0.
  double diffusion = 0.01;
  /// Speed of the flow, the same everywhere.
  std::array<double, 3> velocity{1, 0.5, 0.25};
  /// The rate at which species 0 decays; at least 0.
  double reaction = 1;
};

/// Throws   ArgumentError if an option is out of range.
void check(const ConvectionDiffusionReaction& problem);

/// The number of blocks: a node is coupled to its neighbours along the axes. Nothing is built.
///
/// Throws   ArgumentError as `check` does, or if 64 bits do not hold the number.
std::int64_t convection_diffusion_reaction_num_blocks(const ConvectionDiffusionReaction& problem);

namespace impl {

/// The points that the 7-point stencil of p reaches: called with the axis (0, 1, 2; of p itself -1) and the direction
/// (-1, 0, 1) of each, ascending in number.
template <class Visit>
KOKKOS_INLINE_FUNCTION void for_stencil7(const Lattice& lattice, const LatticePoint& p, const Visit& visit) {
  if (p.x > 0) visit(0, -1);
  if (p.y > 0) visit(1, -1);
  if (p.z > 0) visit(2, -1);
  visit(-1, 0);
  if (p.z + 1 < lattice.nz()) visit(2, 1);
  if (p.y + 1 < lattice.ny()) visit(1, 1);
  if (p.x + 1 < lattice.nx()) visit(0, 1);
}

struct CountStencil7 {
  Lattice lattice;
  KOKKOS_INLINE_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for_stencil7(lattice, lattice.point(i), [&](int, int) { ++count; });
    return count;
  }
};

/// Writes the balance of each species in the cube of each node, divided by the cube's volume. Convection is upwind: the
/// flow takes the concentration of the cube that it leaves.
template <class Scalar, class Ordinal>
struct FillConvectionDiffusionReaction {
  Lattice lattice;
  double diffusion;                // over h^2
  Kokkos::Array<double, 3> speed;  // over h
  double reaction;

  template <class Row>
  KOKKOS_INLINE_FUNCTION void operator()(Ordinal i, const Row& row) const {
    const LatticePoint p = lattice.point(i);
    int k = 0;
    for_stencil7(lattice, p, [&](int axis, int direction) {
      const LatticePoint q{p.x + (axis == 0 ? direction : 0), p.y + (axis == 1 ? direction : 0),
                           p.z + (axis == 2 ? direction : 0)};
      row.column(k) = static_cast<Ordinal>(lattice.number(q));
      if (direction == 0) {
        write_node(row, k);
      } else {
        write_neighbour(row, k, axis, direction);
      }
      ++k;
    });
  }

  template <class Row>
  KOKKOS_INLINE_FUNCTION void write_neighbour(const Row& row, int k, int axis, int direction) const {
    const double from_there = Kokkos::max(-direction * speed[axis], 0.0);
    for (int s = 0; s < row.block_size(); ++s)
      row.value(k, s, s) = static_cast<Scalar>(-(diffusion / (s + 1) + from_there));
  }

  template <class Row>
  KOKKOS_INLINE_FUNCTION void write_node(const Row& row, int k) const {
    const int b = row.block_size();
    const double outflow = Kokkos::abs(speed[0]) + Kokkos::abs(speed[1]) + Kokkos::abs(speed[2]);
    for (int s = 0; s < b; ++s) {
      const double decay = reaction * (s + 1);
      for (int t = 0; t < b; ++t) row.value(k, t, s) = static_cast<Scalar>(-decay / b);
      row.value(k, s, s) = static_cast<Scalar>(6 * diffusion / (s + 1) + outflow + decay);
    }
  }
};

inline std::string convection_diffusion_reaction_name(const ConvectionDiffusionReaction& problem) {
  const auto& [nx, ny, nz] = problem.nodes;
  return text("convection-diffusion-reaction on ", nx, " x ", ny, " x ", nz, " nodes");
}

template <class Matrix, class Exec>
Matrix convection_diffusion_reaction_rows(const Exec& exec, const ConvectionDiffusionReaction& problem,
                                          const RowRange& rows) {
  const Lattice lattice(problem.nodes);
  const double per_h = lattice.nz() + 1.0;
  const auto& v = problem.velocity;
  const FillConvectionDiffusionReaction<typename Matrix::scalar_type, typename Matrix::ordinal_type> fill{
      lattice, problem.diffusion * per_h * per_h, {v[0] * per_h, v[1] * per_h, v[2] * per_h}, problem.reaction};
  return build_range<Matrix>(exec, problem.dof, lattice.num_points(), rows, CountStencil7{lattice}, fill);
}

}  // namespace impl

/// The finite-volume matrix of the problem: unsymmetric, with blocks that couple all species at a node, and diagonal
/// blocks to its up to six neighbours.
///
/// It is an M-matrix: off the diagonal no entry is positive, and no column adds up to less than its k_s / b. Columns of
/// nodes that have all their neighbours add up to exactly that, since transport loses nothing. Its inverse has no
/// negative entry.
///
/// Shapes   nx*ny*nz block rows of block size dof, numbered as `Lattice` does.
/// Memory   allocates the matrix in Matrix::memory_space, which `exec` reaches.
/// Async    waits for `exec` once; the fill is enqueued.
/// Throws   ArgumentError as `check` does; ShapeError if the types are too narrow; before anything is allocated.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix convection_diffusion_reaction(const Exec& exec, const ConvectionDiffusionReaction& problem) {
  const std::int64_t num_blocks = convection_diffusion_reaction_num_blocks(problem);
  const std::int64_t num_nodes = Lattice(problem.nodes).num_points();
  impl::check_fits<Matrix>(impl::convection_diffusion_reaction_name(problem), problem.dof, num_nodes, num_blocks);
  return impl::convection_diffusion_reaction_rows<Matrix>(exec, problem, {0, num_nodes});
}

/// Some block rows of the same matrix: a rank's part.
///
/// Throws   ArgumentError besides, if there are no such rows; ShapeError if the types are too narrow for these rows.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix convection_diffusion_reaction(const Exec& exec, const ConvectionDiffusionReaction& problem,
                                     const RowRange& rows) {
  check(problem);
  const std::int64_t num_nodes = Lattice(problem.nodes).num_points();
  const std::string name = impl::convection_diffusion_reaction_name(problem);
  impl::check_fits<Matrix>(name, problem.dof, num_nodes);
  impl::check_range(name, rows, num_nodes);
  return impl::convection_diffusion_reaction_rows<Matrix>(exec, problem, rows);
}

}  // namespace ashlar::problems
