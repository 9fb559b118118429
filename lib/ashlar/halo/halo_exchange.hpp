#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/held_bytes.hpp>
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

/// Exchanges the halo of distributed vectors: one message to each neighbour and one from it, in buffers of its own.
///
/// begin(exec, x) packs what others need of x and starts the messages; end(exec) waits for those of the oldest exchange
/// on its way, and makes them readable through halo(). next_arrived(exec) gives them one by one as they come, for
/// products that take them so. Two exchanges may be on their way: begin, begin, end, end. All ranks begin the same
/// exchanges, in the same order; nothing else holds them together. A neighbour may be any number of exchanges ahead, or
/// behind.
///
/// exchange(exec, x) does both at once: for those who have nothing to do meanwhile.
///
/// A NeighbourExchange carries the bytes, in one of its modes. In the kernel one begin() is one kernel, which packs
/// straight to where the neighbours have their halo, end() is one that waits, and exchange() is one in all; on hosts
/// the calling thread waits. In the blocking one messages go from and to the memory of `exec` where the transport
/// reaches it. Else, and where HaloOptions::buffers says so, they are staged: through pinned memory of the host, with
/// copies between it and the device. All give the same halo; explain() and figures() say which it is.
///
/// Shapes   x: rank 1 with plan().num_own() * block_size entries; or rank 2 with as many rows and num_vectors columns,
///          of any layout. halo(): plan().num_entries() * block_size rows; those of neighbour k of plan().from() begin
///          at plan().from()[k].begin * block_size.
/// Memory   allocated by the constructor: three slots, for two exchanges on their way and one that is read, each of
///          what is sent and what comes (in the kernel mode of what comes, and twice that again where it comes as
///          packets). Staged, these are pinned memory of the host, and the device holds the halo, and what is packed of
///          listed entries, once.
/// Async    By mode(). Blocking: begin() waits on the host for what was enqueued on `exec`, packing last, and returns
///          when x may be changed; end() and next_arrived() wait for messages; staged, they then enqueue copies on
///          `exec`. Stream, and kernel on a device: all of this is enqueued, the host does not wait, and x may be
///          changed by what is enqueued on `exec` later. Kernel on a host: end() and next_arrived() wait for the
///          neighbours' kernels. There is no barrier. One thread at a time calls these.
/// Traffic  what is sent is read once and written once; staged, that and what comes once more, over the link.
/// Throws   ShapeError, ArgumentError before anything is started. Then this rank's exchange is missing and the others
///          wait for it: who catches it ends the job (Communicator::abort). CommError where the transport fails.
template <scalar Scalar, execution_space Exec = Kokkos::DefaultExecutionSpace>
class HaloExchange {
 public:
  using memory_space = typename Exec::memory_space;
  using halo_view = Kokkos::View<Scalar*, memory_space>;
  using multi_halo_view = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;

  /// Most exchanges on their way at a time.
  static constexpr int max_in_flight = NeighbourExchange<Exec>::max_in_flight;

  /// Collective. `comm` is that of the plan, or one of the same ranks. It is not used later, but for the stream mode,
  /// in which all exchanges and sums of `comm` share its own_streams(): all ranks begin these in one order, too. On a
  /// device it may try messages (find_direct_messages()), once for `comm`.
  ///
  /// Throws   on all ranks together: ArgumentError where plan, block size, vectors, scalars or buffers of the ranks do
  ///          not fit, or where messages from device memory were asked for and do not work.
  HaloExchange(const Exec& exec, const Communicator& comm, HaloPlan plan, int block_size, int num_vectors = 1,
               ExchangeMode mode = ExchangeMode::automatic)
      : state_(std::make_unique<State>(exec, comm, std::move(plan),
                                       impl::HaloEntries{int(sizeof(Scalar)), block_size, num_vectors}, mode)) {}

  const HaloPlan& plan() const { return state_->plan; }
  int block_size() const { return state_->entries.block_size; }
  int num_vectors() const { return state_->entries.num_vectors; }
  /// Exchanges that were begun and not ended.
  int num_in_flight() const { return state_->exchange.num_in_flight(); }
  /// The mode in use: never automatic.
  ExchangeMode mode() const { return state_->exchange.mode(); }
  /// Why that one, for people.
  const std::string& why_mode() const { return state_->exchange.why_mode(); }
  /// Whether nothing here waits on the host.
  bool is_stream_ordered() const { return state_->exchange.is_stream_ordered(); }
  /// Throws CommError where the device has waited for another rank in vain so far, in the stream and kernel modes. So
  /// does the next call otherwise: this is for who makes none.
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

  /// Waits for the oldest exchange on its way, or for what next_arrived() has not yet returned of it. halo() is then
  /// its data, for what is enqueued on `exec`.
  void end(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::end");
    state_->exchange.finish(exec);
  }

  /// begin() and end() of an exchange, and in the kernel mode on a device one launch for both. None is on its way.
  ///
  /// Throws   as begin(), and ArgumentError where one is on its way.
  template <class X>
  void exchange(const Exec& exec, const X& x) {
    State& s = *state_;
    if (num_in_flight() > 0) {
      throw ArgumentError("halo: an exchange at once while another is on its way", "the halo would be that one's",
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

  /// Waits until another piece of the oldest exchange has come, and returns its neighbour's place in plan().from():
  /// each once, in any order. That piece of halo() is then its data, for what is enqueued on `exec`. Returns -1 when
  /// all have been: this exchange has then ended. One instance takes all pieces of an exchange.
  int next_arrived(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::next_arrived");
    return state_->exchange.next_arrived(exec);
  }

  /// Of the exchange that was ended last, or whose pieces are being taken: until the next one is ended, or its first
  /// piece taken, by what is enqueued on the same instance. The view is of this object's memory, and always the same
  /// one where messages are staged. After a replay of captured work: of the last exchange there. With several vectors:
  /// multi_halo().
  halo_view halo() const { return halo_view(state_->halo(), state_->num_halo_rows()); }
  multi_halo_view multi_halo() const {
    return multi_halo_view(state_->halo(), state_->num_halo_rows(), state_->entries.num_vectors);
  }

  /// Of one exchange.
  std::int64_t bytes_sent() const { return state_->exchange.bytes_sent(); }
  std::int64_t bytes_received() const { return state_->exchange.bytes_received(); }
  /// Exchanges so far, and how long the host has waited for their messages.
  std::int64_t num_exchanges() const { return figures().exchanges; }
  double waited_seconds() const { return figures().waited_seconds; }
  /// Whether messages go through pinned memory of the host.
  bool is_staged() const { return state_->exchange.is_staged(); }
  /// All that was done so far, counted as it was.
  HaloFigures figures() const { return state_->exchange.figures(); }
  /// "halo: 12 messages of 4800 bytes sent and 12 of 4800 received in 6 exchanges, staged through pinned memory (...)"
  std::string explain() const { return state_->exchange.explain(); }
  /// The buffers.
  HeldBytes bytes() const {
    return HeldBytes{state_->send_index.size() * sizeof(std::int64_t), 0} + state_->exchange.bytes();
  }

 private:
  // On the heap, so that the exchange moves while messages are on their way.
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
        const Kokkos::View<const std::int64_t*, Kokkos::HostSpace> listed(plan.send_index().data(),
                                                                          plan.send_index().size());
        send_index = Kokkos::View<std::int64_t*, memory_space>(
            Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::halo::send_index"), listed.size());
        Kokkos::deep_copy(exec, send_index, listed);
        if (exchange.has_kernels()) list_for_peers(exec);
        exec.fence("ashlar::halo: list of entries");
      });
    }

    /// What of each message a team packs, and from where.
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
      chunks = impl::listed(exec, its_chunks);
      message_entries = impl::listed(exec, its_entries);
    }

    std::int64_t num_halo_rows() const { return plan.num_entries() * entries.block_size; }
    Scalar* halo() const {
      return const_cast<Scalar*>(reinterpret_cast<const Scalar*>(exchange.received()));  // a view of it may be written
    }

    HaloPlan plan;
    impl::HaloEntries entries;
    impl::HaloLayout layout;
    // Before the exchange, which gives up what is on its way: to free a view waits for the device, and so for that.
    Kokkos::View<std::int64_t*, memory_space> send_index;
    Kokkos::View<impl::PeerChunk*, memory_space> chunks;  // of entries; these two in the kernel mode
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

  /// Entries one after another, to a send buffer.
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
