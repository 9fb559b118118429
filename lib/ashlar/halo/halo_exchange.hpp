#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/halo_layout.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

/// Exchanges the halo of distributed vectors: one message to each neighbour and one from each.
///
/// begin(exec, x) packs the entries of x that other ranks need and starts the messages. end(exec) waits for the oldest
/// exchange in flight and makes it readable through halo(). next_arrived(exec) returns its pieces one by one as they
/// arrive. Two exchanges may be in flight: begin, begin, end, end. All ranks begin the same exchanges in the same
/// order. Nothing else synchronises them: a neighbour may be any number of exchanges ahead or behind.
///
/// exchange(exec, x) is begin() and end() for callers without work between them.
///
/// A NeighbourExchange moves the bytes in one of its modes; all modes give the same halo. In the kernel mode begin() is
/// one kernel, which packs straight to the halos of the neighbours, end() is one kernel that waits, and exchange() is
/// one kernel. In the blocking mode messages go from and to the memory of `exec` if the transport reaches it.
/// Otherwise, or if HaloOptions::buffers asks for it, they are staged through pinned host memory. explain() and
/// figures() say which.
///
/// Shapes   x: rank 1 with plan().num_own() * block_size entries; or rank 2 with as many rows and num_vectors columns,
///          of any layout. halo(): plan().num_entries() * block_size rows; the rows of neighbour k of plan().from()
///          begin at plan().from()[k].begin * block_size.
/// Memory   the buffers of a NeighbourExchange, allocated by the constructor. Staged messages are in pinned host
///          memory; the device then holds the halo and the packed entries once.
/// Async    depends on mode(). Blocking: begin() waits on the host for the work enqueued on `exec`, and x may change
///          when it returns; end() and next_arrived() wait for messages, and enqueue copies if these are staged.
///          Stream, and kernel on a device: everything is enqueued, the host does not wait, and work enqueued on `exec`
///          later may change x. Kernel on a host: end() and next_arrived() wait for the kernels of the neighbours.
///          There is no barrier. One thread at a time calls this object.
/// Traffic  the entries sent are read once and written once. If staged, sent and received entries also cross the link.
/// Throws   ShapeError, ArgumentError before anything is started. The other ranks then wait for this exchange: a caller
///          that catches it ends the job (Communicator::abort). CommError if the transport fails.
template <scalar Scalar, execution_space Exec = Kokkos::DefaultExecutionSpace>
class HaloExchange {
 public:
  using memory_space = typename Exec::memory_space;
  using halo_view = Kokkos::View<Scalar*, memory_space>;
  using multi_halo_view = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;

  /// Collective. `comm` is the communicator of the plan, or one of the same ranks. Only the stream mode uses it later:
  /// all exchanges and sums of `comm` share its own_streams(), so that all ranks begin these in the same order. On a
  /// device the constructor may try messages (find_direct_messages()), once for each `comm`.
  ///
  /// Throws   on all ranks together: ArgumentError if plan, block size, vectors, scalars or buffers of the ranks do not
  ///          match, or if messages from device memory were asked for and do not work.
  HaloExchange(const Exec& exec, const Communicator& comm, HaloPlan plan, int block_size, int num_vectors = 1,
               ExchangeMode mode = ExchangeMode::automatic)
      : state_(std::make_unique<State>(exec, comm, std::move(plan),
                                       impl::HaloEntries{int(sizeof(Scalar)), block_size, num_vectors}, mode)) {}

  const HaloPlan& plan() const { return state_->plan; }
  int block_size() const { return state_->entries.block_size; }
  int num_vectors() const { return state_->entries.num_vectors; }
  /// Exchanges begun and not ended.
  int num_in_flight() const { return state_->exchange.num_in_flight(); }
  /// The mode in use: never automatic.
  ExchangeMode mode() const { return state_->exchange.mode(); }
  /// The reason for this mode.
  const std::string& why_mode() const { return state_->exchange.why_mode(); }
  /// True if the host never waits.
  bool is_stream_ordered() const { return state_->exchange.is_stream_ordered(); }
  /// Throws   CommError if the device has waited for another rank in vain, in the stream and kernel modes. The next
  ///          exchange throws the same: this is for callers that make none.
  void check() const { state_->exchange.check(); }

  /// Starts an exchange of x.
  template <class X>
  void begin(const Exec& exec, const X& x) {
    static_assert(Kokkos::is_view_v<X> && (X::rank() == 1 || X::rank() == 2),
                  "ashlar::HaloExchange::begin: x must be a view of rank 1 or 2");
    static_assert(std::is_same_v<typename X::non_const_value_type, Scalar>,
                  "ashlar::HaloExchange::begin: x must have the scalars of the exchange");
    static_assert(reachable_from<Exec, X>, "ashlar::HaloExchange::begin: x must be reachable from the execution space");
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::begin");
    check(x);
    State& s = *state_;
    if (s.exchange.has_kernels()) {
      s.exchange.start_by(exec, "ashlar::halo[put]", pack_to_peers(x));
      return;
    }
    auto* const packed = reinterpret_cast<Scalar*>(s.exchange.open(exec));
    impl::pack(exec, impl::ListedEntries{s.send_index.data()}, std::int64_t(s.send_index.extent(0)), x,
               s.entries.block_size, s.entries.num_vectors, packed);
    pack_spans(exec, x, reinterpret_cast<Scalar*>(s.exchange.outgoing()));
    s.exchange.start(exec);
  }

  /// Waits for the oldest exchange in flight, or for its pieces that next_arrived() has not returned. Work enqueued on
  /// `exec` afterwards may read halo().
  void end(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::end");
    state_->exchange.finish(exec);
  }

  /// begin() and end(); in the kernel mode on a device one launch for both. No exchange is in flight.
  ///
  /// Throws   as begin(), and ArgumentError if an exchange is in flight.
  template <class X>
  void exchange(const Exec& exec, const X& x) {
    State& s = *state_;
    if (num_in_flight() > 0) {
      throw ArgumentError("halo: a whole exchange while another is on its way", "the halo would be that of the other",
                          "end it before");
    }
    if (!s.exchange.has_kernels()) {
      begin(exec, x);
      end(exec);
      return;
    }
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::exchange");
    check(x);
    s.exchange.exchange_by(exec, "ashlar::halo[exchange]", pack_to_peers(x));
  }

  /// Waits for a piece of the oldest exchange and returns the place of its neighbour in plan().from(): each once, in
  /// any order. Work enqueued on `exec` afterwards may read that piece of halo(). Returns -1 after the last piece: the
  /// exchange has then ended. All pieces of an exchange are taken with one instance.
  int next_arrived(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::next_arrived");
    return state_->exchange.next_arrived(exec);
  }

  /// The halo of the exchange that ended last, or whose pieces are being taken. It is valid until the next exchange
  /// ends, or its first piece is taken, in the order of the instance. The memory belongs to this object; if messages
  /// are staged, the address never changes. After a replay of captured work: the halo of its last exchange. For several
  /// vectors call multi_halo().
  halo_view halo() const { return halo_view(state_->halo(), state_->num_halo_rows()); }
  multi_halo_view multi_halo() const {
    return multi_halo_view(state_->halo(), state_->num_halo_rows(), state_->entries.num_vectors);
  }

  /// Of one exchange.
  std::int64_t bytes_sent() const { return state_->exchange.bytes_sent(); }
  std::int64_t bytes_received() const { return state_->exchange.bytes_received(); }
  /// Exchanges so far, and the time for which the host has waited for their messages.
  std::int64_t num_exchanges() const { return figures().exchanges; }
  double waited_seconds() const { return figures().waited_seconds; }
  /// True if messages go through pinned host memory.
  bool is_staged() const { return state_->exchange.is_staged(); }
  /// The exchanges so far, with replayed ones.
  HaloFigures figures() const { return state_->exchange.figures(); }
  /// "halo: 12 messages of 4800 bytes sent and 12 of 4800 received in 6 exchanges, staged through pinned memory (...)"
  std::string explain() const { return state_->exchange.explain(); }
  /// The buffers.
  HeldBytes bytes() const {
    return HeldBytes{state_->send_index.size() * sizeof(std::int64_t), 0} + state_->exchange.bytes();
  }

 private:
  // On the heap, so that the object may move while messages are in flight.
  struct State {
    State(const Exec& exec, const Communicator& comm, HaloPlan the_plan, const impl::HaloEntries& the_entries,
          ExchangeMode mode)
        : plan(std::move(the_plan)),
          entries(the_entries),
          layout(comm, plan, entries),
          exchange(exec, comm, layout.to, layout.from,
                   {mode, plan.buffers(), plan.time_out_seconds(),
                    plan.packet_bytes().value_or(default_halo_packet_bytes<Exec>)},
                   layout.packed_bytes) {
      comm.together([&] {
        send_index = impl::view_from(exec, "ashlar::halo::send_index", plan.send_index());
        if (exchange.has_kernels()) list_for_peers(exec);
      });
    }

    /// The entries of each message that a team packs.
    void list_for_peers(const Exec& exec) {
      std::vector<impl::PeerChunk> its_chunks;
      std::vector<impl::MessageEntries> its_entries;
      for (const HaloPlan::Neighbour& to : plan.to()) {
        const std::int64_t bytes = impl::chunk_of(to.count * entries.bytes());
        impl::add_chunks(its_chunks, int(its_entries.size()), to.count,
                         std::max<std::int64_t>(1, bytes / entries.bytes()));
        its_entries.push_back(to.form == HaloForm::packed ? impl::MessageEntries{send_index.data() + to.begin, 0}
                                                          : impl::MessageEntries{nullptr, to.first});
      }
      chunks = impl::view_from(exec, "ashlar::halo::peers", its_chunks);
      message_entries = impl::view_from(exec, "ashlar::halo::peers", its_entries);
    }

    std::int64_t num_halo_rows() const { return plan.num_entries() * entries.block_size; }
    Scalar* halo() const {
      // Callers may write the view.
      return const_cast<Scalar*>(reinterpret_cast<const Scalar*>(exchange.received()));
    }

    HaloPlan plan;
    impl::HaloEntries entries;
    impl::HaloLayout layout;
    // Declared before the exchange, and destroyed after it: freeing a view waits for the device, and the exchange gives
    // up messages that the device waits for.
    Kokkos::View<std::int64_t*, memory_space> send_index;
    Kokkos::View<impl::PeerChunk*, memory_space> chunks;  // of entries; in the kernel mode, as the next
    Kokkos::View<impl::MessageEntries*, memory_space> message_entries;
    NeighbourExchange<Exec> exchange;
  };

  template <class X>
  void check(const X& x) const {
    const impl::HaloEntries& entries = state_->entries;
    const std::int64_t num_rows = plan().num_own() * entries.block_size;
    const std::int64_t num_columns = X::rank() == 1 ? 1 : std::int64_t(x.extent(1));
    if (std::int64_t(x.extent(0)) != num_rows || num_columns != entries.num_vectors) {
      throw ShapeError(text("halo: an exchange of ", num_columns, " vectors of ", x.extent(0), " rows"),
                       text("it was made for ", entries.num_vectors, " vectors of ", num_rows,
                            " rows: ", plan().num_own(), " block entries of ", entries.block_size),
                       "pass this rank's part of the vectors");
    }
  }

  template <class X>
  PeerTasks<impl::PackToPeers<X>> pack_to_peers(const X& x) const {
    const State& s = *state_;
    return {int(s.chunks.extent(0)),
            {s.chunks.data(), s.message_entries.data(), x, s.entries.block_size, s.entries.num_vectors}};
  }

  /// Packs consecutive entries to a send buffer.
  template <class X>
  void pack_spans(const Exec& exec, const X& x, Scalar* send) const {
    const State& s = *state_;
    for (std::size_t k = 0; k < s.plan.to().size(); ++k) {
      const HaloPlan::Neighbour& neighbour = s.plan.to()[k];
      if (neighbour.form == HaloForm::packed) continue;
      impl::pack(exec, impl::SpanOfEntries{neighbour.first}, neighbour.count, x, s.entries.block_size,
                 s.entries.num_vectors, send + s.layout.to[k].begin / std::int64_t(sizeof(Scalar)));
    }
  }

  std::unique_ptr<State> state_;
};

}  // namespace ashlar
