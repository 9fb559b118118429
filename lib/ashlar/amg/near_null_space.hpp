#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::amg {

/// Vectors that A maps to nearly zero, as columns: coarse levels represent them exactly.
///
/// Shapes   a row for each row of A. The columns are the unknowns that a node of a coarse level has.
template <memory_space Space>
using NearNullSpace = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

/// The most vectors of a near-null space: the kernels take blocks up to this size.
inline constexpr int max_modes = 64;

/// For each of `block_size` unknowns its constant vector: for diffusion, and if nothing is known of the problem.
///
/// Async    enqueued on `exec`; the allocation is not.
template <memory_space Space, execution_space Exec>
NearNullSpace<Space> constant_modes(const Exec& exec, std::int64_t num_nodes, int block_size) {
  const NearNullSpace<Space> modes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::modes"),
                                   std::size_t(num_nodes) * block_size, block_size);
  Kokkos::parallel_for(
      "ashlar::amg[constant modes]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, num_nodes * block_size),
      KOKKOS_LAMBDA(std::int64_t row) {
        for (int k = 0; k < block_size; ++k) modes(row, k) = row % block_size == k ? 1 : 0;
      });
  return modes;
}

namespace impl {

/// The communicator of a matrix that is one rank's alone.
inline const Communicator& one_rank() {
  static const Communicator alone;
  return alone;
}

inline void check_coordinates(std::int64_t length, int dimensions, int block_size) {
  if ((dimensions != 2 && dimensions != 3) || block_size < 1 || block_size % dimensions != 0) {
    throw ArgumentError(
        text("amg: rigid-body modes of ", block_size, " unknowns a node in ", dimensions, " dimensions"),
        "a node has as many displacements as there are dimensions, 2 or 3, or a multiple",
        "pass constant_modes(), or modes of your own");
  }
  if (length % dimensions != 0) {
    throw ShapeError(text("amg: ", length, " coordinates in ", dimensions, " dimensions"),
                     "each node has one for each dimension", "pass x y z of node 0, then of node 1, and so on");
  }
}

}  // namespace impl

/// The number of rigid_body_modes(): 3 or 6 for each body, of which a node has block_size / dimensions.
inline int num_rigid_body_modes(int dimensions, int block_size) {
  return block_size / dimensions * (dimensions == 2 ? 3 : 6);
}

/// Translations and rotations of an elastic body whose unknowns are the displacements of its nodes: 3 modes in two
/// dimensions, 6 in three. They are made about the centre of all nodes.
///
/// Shapes   `coordinates` has num_nodes * D entries, node after node, D = 2 or 3. A node has D unknowns or a multiple
/// of
///          it, as two solids in one place have: each has modes of its own.
/// Memory   coordinates reachable from `exec`.
/// Async    waits for `exec`, to learn the centre. Over the ranks of `comm`: collective; each rank passes the
///          coordinates of its nodes, some may have none.
/// Throws   on all ranks together: ShapeError; ArgumentError if there is one node, or a coordinate is not finite.
template <memory_space Space, execution_space Exec, vector_view Coordinates>
NearNullSpace<Space> rigid_body_modes(const Exec& exec, const Coordinates& coordinates, int dimensions, int block_size,
                                      const Communicator& comm = impl::one_rank()) {
  comm.together([&] { impl::check_coordinates(std::int64_t(coordinates.extent(0)), dimensions, block_size); });
  const std::int64_t num_nodes = std::int64_t(coordinates.extent(0)) / dimensions;
  if (comm.sum(num_nodes) == 1) {
    throw ArgumentError("amg: rigid-body modes of one node", "a node has no rotations", "pass constant_modes()");
  }
  const int bodies = block_size / dimensions, of_body = num_rigid_body_modes(dimensions, dimensions);
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  // The middle of the bounding box: the same for any number of threads, which a sum is not.
  Kokkos::Array<double, 3> centre{0, 0, 0};
  for (int d = 0; d < dimensions; ++d) {
    Kokkos::MinMaxScalar<double> range;
    Kokkos::parallel_reduce(
        "ashlar::amg[centre]", Policy(exec, 0, num_nodes),
        KOKKOS_LAMBDA(std::int64_t i, Kokkos::MinMaxScalar<double> & found) {
          const double x = coordinates(i * dimensions + d);
          const double value = Kokkos::isfinite(x) ? x : Kokkos::Experimental::infinity_v<double>;
          if (value < found.min_val) found.min_val = value;
          if (value > found.max_val) found.max_val = value;
        },
        Kokkos::MinMax<double>(range));
    exec.fence("ashlar::amg: centre of the nodes");
    // (Of a rank without nodes: minus infinity.)
    constexpr double none = -Kokkos::Experimental::infinity_v<double>;
    const double lowest = -comm.max(num_nodes > 0 ? -range.min_val : none);
    const double highest = comm.max(num_nodes > 0 ? range.max_val : none);
    if (highest == none) continue;
    if (!Kokkos::isfinite(highest)) {
      throw ArgumentError("amg: a coordinate is not finite", "rigid-body modes are made of coordinates",
                          "check the coordinates");
    }
    centre[d] = lowest + (highest - lowest) / 2;
  }
  const NearNullSpace<Space> modes = comm.together([&] {
    return NearNullSpace<Space>(Kokkos::view_alloc(exec, "ashlar::amg::modes"), std::size_t(num_nodes) * block_size,
                                bodies * of_body);
  });
  Kokkos::parallel_for(
      "ashlar::amg[rigid-body modes]", Policy(exec, 0, num_nodes), KOKKOS_LAMBDA(std::int64_t i) {
        double p[3] = {0, 0, 0};
        for (int d = 0; d < dimensions; ++d) p[d] = coordinates(i * dimensions + d) - centre[d];
        for (int body = 0; body < bodies; ++body) {
          const std::int64_t row = i * block_size + body * dimensions;
          const int first = body * of_body;
          for (int d = 0; d < dimensions; ++d) modes(row + d, first + d) = 1;
          if (dimensions == 2) {
            modes(row, first + 2) = -p[1];
            modes(row + 1, first + 2) = p[0];
            continue;
          }
          for (int axis = 0; axis < 3; ++axis) {  // the vector product of the axis with p
            const int u = (axis + 1) % 3, v = (axis + 2) % 3;
            modes(row + u, first + 3 + axis) = -p[v];
            modes(row + v, first + 3 + axis) = p[u];
          }
        }
      });
  return modes;
}

}  // namespace ashlar::amg
