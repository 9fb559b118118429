#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::multigrid::impl {

/// Messages between the owners of boxes: numbers, packed and unpacked as a plan says, in one message for each
/// neighbour rank. A rank without neighbours makes no calls. Copies are one and the same.
template <execution_space Exec, class Real>
class BoxMessages {
 public:
  BoxMessages() = default;
  /// Collective. Messages are counted in units of `unit` numbers.
  BoxMessages(const Exec& exec, const Communicator& comm, const std::vector<GhostMessage>& to,
              const std::vector<GhostMessage>& from, std::int64_t unit, const ExchangeOptions& options)
      : has_neighbours_(!to.empty() || !from.empty()),
        exchange_(
            std::make_shared<NeighbourExchange<Exec>>(exec, comm, in_bytes(to, unit), in_bytes(from, unit), options)) {
    for (const GhostMessage& message : to) sent_.add(message.count * unit * std::int64_t(sizeof(Real)));
  }

  /// pack(Real*) fills the outgoing buffer, by kernels on `exec`.
  template <class Pack>
  void send(const Exec& exec, const Pack& pack) const {
    if (!has_neighbours_) return;
    pack(reinterpret_cast<Real*>(exchange_->open(exec)));
    exchange_->start(exec);
  }

  /// unpack(const Real*) reads the incoming buffer, by kernels on `exec`. Each send() is followed by one.
  template <class Unpack>
  void receive(const Exec& exec, const Unpack& unpack) const {
    if (!has_neighbours_) return;
    exchange_->finish(exec);
    unpack(reinterpret_cast<const Real*>(exchange_->received()));
  }

  bool has_neighbours() const { return has_neighbours_; }
  /// As NeighbourExchange has it.
  bool is_stream_ordered() const { return exchange_ && exchange_->is_stream_ordered(); }
  /// Null where this rank has no neighbours, or kernels do not send and take by themselves.
  NeighbourExchange<Exec>* by_kernels() const {
    return has_neighbours_ && exchange_->has_kernels() ? exchange_.get() : nullptr;
  }

  /// What this rank sends each time.
  const HaloCount& sent() const { return sent_; }

  /// As NeighbourExchange::check().
  void check() const {
    if (exchange_) exchange_->check();
  }

  ExchangeMode mode(ExchangeMode otherwise) const { return exchange_ ? exchange_->mode() : otherwise; }
  /// Why it is this mode; empty where there is no message.
  std::string why_mode() const { return exchange_ ? exchange_->why_mode() : ""; }

 private:
  static std::vector<NeighbourMessage> in_bytes(const std::vector<GhostMessage>& messages, std::int64_t unit) {
    const std::int64_t bytes = unit * std::int64_t(sizeof(Real));
    std::vector<NeighbourMessage> result;
    for (const auto& [rank, begin, count] : messages) result.push_back({rank, begin * bytes, count * bytes});
    return result;
  }

  bool has_neighbours_ = false;
  HaloCount sent_;
  std::shared_ptr<NeighbourExchange<Exec>> exchange_;
};

// Between boxes and the buffers of messages.

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

// Ghost cells in the kernel mode: boxes are packed into the neighbours' incoming buffers, and filled from there.

/// A part of a message, which a team packs or unpacks: `copy.buffer` counts from where the message begins.
struct GhostPart {
  GhostCopy copy;
  int message = 0, num_parts = 0;  ///< of that message
};

/// Copies to or from the buffer of these messages, message by message.
inline std::vector<GhostPart> parts_of(const std::vector<GhostCopy>& copies,
                                       const std::vector<GhostMessage>& messages) {
  std::vector<GhostPart> parts;
  std::vector<int> counts(messages.size());
  for (GhostCopy copy : copies) {
    const auto next = std::upper_bound(messages.begin(), messages.end(), copy.buffer,
                                       [](std::int64_t at, const GhostMessage& its) { return at < its.begin; });
    const auto message = static_cast<int>(next - messages.begin()) - 1;
    copy.buffer -= messages[static_cast<std::size_t>(message)].begin;
    parts.push_back({copy, message});
    ++counts[static_cast<std::size_t>(message)];
  }
  for (GhostPart& part : parts) part.num_parts = counts[static_cast<std::size_t>(part.message)];
  return parts;
}

template <class Real>
struct PackGhostParts {
  const GhostPart* parts;
  BeyondBoundary<Real> x;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerSends& sends) const {
    const GhostPart& part = parts[task];
    sends(team, part.message, part.num_parts, [&](const OutgoingMessage& message) {
      if (Real* const plain = message.plain<Real>()) {
        using Buffer = PlainBuffer<Real>;
        at_cells(team, part.copy, PackGhosts<Real, Buffer>{x, {plain}});
      } else {
        at_cells(team, part.copy, PackGhosts<Real, OutgoingMessage>{x, message});
      }
    });
  }
};

template <class Real>
struct UnpackGhostParts {
  const GhostPart* parts;
  Real* x;
  BoxLayout layout;
  bool has_boundary;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerReceives& receives) const {
    const GhostPart& part = parts[task];
    receives(team, part.message, part.num_parts, [&](const IncomingMessage& message) {
      if (const Real* const plain = message.plain<Real>()) {
        using Buffer = PlainBuffer<const Real>;
        at_cells(team, part.copy, UnpackGhosts<Real, Buffer>{x, layout, {plain}, has_boundary});
      } else {
        at_cells(team, part.copy, UnpackGhosts<Real, IncomingMessage>{x, layout, message, has_boundary});
      }
    });
  }
};

}  // namespace ashlar::multigrid::impl
