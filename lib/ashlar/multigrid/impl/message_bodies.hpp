#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/transfer_plan.hpp>
#include <concepts>
#include <cstdint>

/// Between boxes and the buffers of messages.
namespace ashlar::multigrid::impl {

KOKKOS_FUNCTION inline std::int64_t place_in_buffer(const GhostCopy& copy, int i, int j, int k) {
  return copy.buffer + (std::int64_t(k) * copy.size[1] + j) * copy.size[0] + i;
}

/// Buffer: a PlainBuffer, or an OutgoingMessage.
template <class Real, class Buffer>
struct PackGhosts {
  BeyondBoundary<Real> x;
  Buffer buffer;

  template <class Work>
  KOKKOS_FUNCTION void prepare(const GhostCopy& copy, const Work& work) const {
    if constexpr (std::same_as<Buffer, OutgoingMessage>) {
      // Nobody reads these, but all of a message is waited for.
      if (copy.is_outside() && x.weights.points == 0) {
        work([to = buffer, copy](int i, int j, int k) { to.template put<Real>(place_in_buffer(copy, i, j, k), 0); });
      }
    }
    with_copied(copy, x, [&]<class Value>(const Value& value) {
      const std::int64_t row = copy.size[0];
      work([value, to = buffer, first = copy.buffer, row, plane = row * copy.size[1]](int i, int j, int k) {
        to.template put<Real>(first + i + j * row + k * plane, value(i, j, k));
      });
    });
  }
};

/// Buffer: a PlainBuffer, or an IncomingMessage.
template <class Real, class Buffer>
struct UnpackGhosts {
  Real* x;
  BoxLayout layout;
  Buffer buffer;
  bool has_boundary;

  template <class Work>
  KOKKOS_FUNCTION void prepare(const GhostCopy& copy, const Work& work) const {
    if (!has_boundary && copy.is_outside()) return;
    Real* const to = x + layout.at(copy.to_box, copy.to[0], copy.to[1], copy.to[2]);
    work([to, from = buffer, copy, row = layout.row(), plane = layout.plane()](int i, int j, int k) {
      to[i + j * row + k * plane] = from.template get<Real>(place_in_buffer(copy, i, j, k));
    });
  }
};

/// Coarse cells that another rank has restricted. `blocks` name the coarse box, and as the fine one the place in the
/// buffer.
template <class Blocks, class Real>
struct TakeCoarse {
  Blocks blocks;
  BoxLayout buffer_layout, layout;
  const Real* buffer;
  Real* coarse;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const TransferBlock& b = blocks(block);
    coarse[layout.at(b.coarse_box, b.begin[0] + i, b.begin[1] + j, b.begin[2] + k)] =
        buffer[buffer_layout.at(b.fine_box, i, j, k)];
  }
};

/// The same of faces normal to `direction`: the layer beyond the block counts where it is the coarse box's last.
template <class Blocks, class Real>
struct TakeCoarseFaces {
  TakeCoarse<Blocks, Real> take;
  int direction;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const int at = direction == 0 ? i : direction == 1 ? j : k;
    if (at == take.buffer_layout.dim && take.blocks(block).begin[direction] + at != take.layout.dim) return;
    take(block, i, j, k);
  }
};

/// Fine cells that another rank has interpolated. `blocks` name the fine box, and as the coarse one the place in the
/// buffer.
template <class Blocks, class Real>
struct TakeFine {
  Blocks blocks;
  BoxLayout buffer_layout, layout;
  const Real* buffer;
  Real* fine;
  bool adds;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const TransferBlock& b = blocks(block);
    Real& cell = fine[layout.at(b.fine_box, i, j, k)];
    const Real value = buffer[buffer_layout.at(b.coarse_box, i, j, k)];
    cell = adds ? cell + value : value;
  }
};

}  // namespace ashlar::multigrid::impl
