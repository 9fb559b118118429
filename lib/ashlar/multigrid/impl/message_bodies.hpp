#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/transfer_plan.hpp>
#include <cstdint>

/// Between boxes and the buffers of messages.
namespace ashlar::multigrid::impl {

KOKKOS_FUNCTION inline std::int64_t place_in_buffer(const GhostCopy& copy, int i, int j, int k) {
  return copy.buffer + (std::int64_t(k) * copy.size[1] + j) * copy.size[0] + i;
}

struct PackGhosts {
  const double* x;
  BoxLayout layout;
  double* buffer;

  KOKKOS_FUNCTION void operator()(const GhostCopy& copy, int i, int j, int k) const {
    buffer[place_in_buffer(copy, i, j, k)] =
        x[layout.at(copy.from_box, copy.from[0] + i, copy.from[1] + j, copy.from[2] + k)];
  }
};

struct UnpackGhosts {
  double* x;
  BoxLayout layout;
  const double* buffer;

  KOKKOS_FUNCTION void operator()(const GhostCopy& copy, int i, int j, int k) const {
    x[layout.at(copy.to_box, copy.to[0] + i, copy.to[1] + j, copy.to[2] + k)] = buffer[place_in_buffer(copy, i, j, k)];
  }
};

/// Coarse cells that another rank has restricted. `blocks` name the coarse box, and as the fine one the place in the
/// buffer.
template <class Blocks>
struct TakeCoarse {
  Blocks blocks;
  BoxLayout buffer_layout, layout;
  const double* buffer;
  double* coarse;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const TransferBlock& b = blocks(block);
    coarse[layout.at(b.coarse_box, b.begin[0] + i, b.begin[1] + j, b.begin[2] + k)] =
        buffer[buffer_layout.at(b.fine_box, i, j, k)];
  }
};

/// The same of faces normal to `direction`: the layer beyond the block counts where it is the coarse box's last.
template <class Blocks>
struct TakeCoarseFaces {
  TakeCoarse<Blocks> take;
  int direction;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const int at = direction == 0 ? i : direction == 1 ? j : k;
    if (at == take.buffer_layout.dim && take.blocks(block).begin[direction] + at != take.layout.dim) return;
    take(block, i, j, k);
  }
};

/// Fine cells that another rank has interpolated. `blocks` name the fine box, and as the coarse one the place in the
/// buffer.
template <class Blocks>
struct TakeFine {
  Blocks blocks;
  BoxLayout buffer_layout, layout;
  const double* buffer;
  double* fine;
  bool adds;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const TransferBlock& b = blocks(block);
    double& cell = fine[layout.at(b.fine_box, i, j, k)];
    const double value = buffer[buffer_layout.at(b.coarse_box, i, j, k)];
    cell = adds ? cell + value : value;
  }
};

}  // namespace ashlar::multigrid::impl
