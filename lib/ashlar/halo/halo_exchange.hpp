#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/held_bytes.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/event.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/halo_messages.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <ashlar/halo/impl/staging.hpp>
#include <cstdint>
#include <exception>
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
/// Messages go from and to the memory of `exec` where the transport reaches it. Else, and where HaloOptions::buffers
/// says so, they are staged: through pinned memory of the host, with copies between it and the device. Both ways give
/// the same halo; explain() and figures() say which it is.
///
/// Shapes   x: rank 1 with plan().num_own() * block_size entries; or rank 2 with as many rows and num_vectors columns,
///          of any layout. halo(): plan().num_entries() * block_size rows; those of neighbour k of plan().from() begin
///          at plan().from()[k].begin * block_size.
/// Memory   allocated by the constructor: three slots, for two exchanges on their way and one that is read, each of
///          what is sent and what comes. Staged, these are pinned memory of the host, and the device holds the halo,
///          and what is packed of listed entries, once.
/// Async    begin() waits on the host for what was enqueued on `exec`, packing last, and returns when x may be changed.
///          end() and next_arrived() wait for messages; staged, they then enqueue copies on `exec`. Nothing else
///          waits, and there is no barrier. One thread at a time calls these.
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
  static constexpr int max_in_flight = 2;

  /// Collective. `comm` is that of the plan, or one of the same ranks; it is not used later. On a device it may try
  /// messages (find_direct_messages()), once for `comm`.
  ///
  /// Throws   on all ranks together: ArgumentError where plan, block size, vectors, scalars or buffers of the ranks do
  ///          not fit, or where messages from device memory were asked for and do not work.
  HaloExchange(const Exec& exec, const Communicator& comm, HaloPlan plan, int block_size, int num_vectors = 1)
      : state_(std::make_unique<State>(exec, comm, std::move(plan),
                                       impl::HaloEntries{int(sizeof(Scalar)), block_size, num_vectors})) {}

  HaloExchange(HaloExchange&&) noexcept = default;
  HaloExchange& operator=(HaloExchange&& other) noexcept {
    if (this != &other) {
      let_go();
      state_ = std::move(other.state_);
    }
    return *this;
  }
  /// Waits until what was sent has gone. Exchanges that were begun and not ended, as after an exception, are given up.
  ~HaloExchange() { let_go(); }

  const HaloPlan& plan() const { return state_->plan; }
  int block_size() const { return state_->entries.block_size; }
  int num_vectors() const { return state_->entries.num_vectors; }
  /// Exchanges that were begun and not ended.
  int num_in_flight() const { return static_cast<int>(state_->num_begun - state_->num_ended); }

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
    const int number = static_cast<int>(s.num_begun % num_slots);
    Slot& slot = s.slots[std::size_t(number)];
    s.messages.wait_for_sends(number);
    slot.is_free.wait();
    s.messages.start_receives(number);
    pack(exec, x, slot);
    s.wait_until_done(exec);
    s.messages.start_sends(number);
    ++s.num_begun;
  }

  /// Waits for the oldest exchange on its way, or for what next_arrived() has not yet returned of it. halo() is then
  /// its data, for what is enqueued on `exec`.
  void end(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::end");
    const int number = begin_landing(exec);
    State& s = *state_;
    if (s.is_landing) {
      while (take_next(exec, number) >= 0) {
      }
      return;
    }
    s.messages.wait_for_receives(number);
    land(exec, s.slots[std::size_t(number)], 0, s.plan.num_entries());
    finish_landing(exec, s.slots[std::size_t(number)]);
  }

  /// Waits until another piece of the oldest exchange has come, and returns its neighbour's place in plan().from():
  /// each once, in any order. That piece of halo() is then its data, for what is enqueued on `exec`. Returns -1 when
  /// all have been: this exchange has then ended. One instance takes all pieces of an exchange.
  int next_arrived(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::next_arrived");
    return take_next(exec, begin_landing(exec));
  }

  /// Of the exchange that was ended last, or whose pieces are being taken: until the next one is ended, or its first
  /// piece taken, by what is enqueued on the same instance. The view is of this object's memory, and always the same
  /// one where messages are staged. With several vectors: multi_halo().
  halo_view halo() const { return halo_view(state_->halo(), state_->num_halo_rows()); }
  multi_halo_view multi_halo() const {
    return multi_halo_view(state_->halo(), state_->num_halo_rows(), state_->entries.num_vectors);
  }

  /// Of one exchange.
  std::int64_t bytes_sent() const { return state_->messages.num_sent() * state_->entries.bytes(); }
  std::int64_t bytes_received() const { return state_->plan.num_entries() * state_->entries.bytes(); }
  /// Exchanges so far, and how long the host has waited for their messages.
  std::int64_t num_exchanges() const { return state_->num_begun; }
  double waited_seconds() const { return state_->messages.waited_seconds(); }
  /// Whether messages go through pinned memory of the host.
  bool is_staged() const { return state_->staging.is_staged; }
  /// All that was done so far, counted as it was.
  HaloFigures figures() const {
    const State& s = *state_;
    return {s.num_begun, s.messages.sent(), s.messages.received(), s.staging.is_staged, s.messages.waited_seconds()};
  }
  /// "halo: 12 messages of 4800 bytes sent and 12 of 4800 received in 6 exchanges, staged through pinned memory (...)"
  std::string explain() const { return impl::explain(figures(), state_->staging); }
  /// The buffers.
  HeldBytes bytes() const {
    const auto sent = std::uint64_t(bytes_sent()), received = std::uint64_t(bytes_received());
    const std::uint64_t slots = num_slots * (sent + received), index = state_->send_index.size() * sizeof(std::int64_t);
    const std::uint64_t once = (state_->packed.size() + state_->landed.size()) * sizeof(Scalar);
    const bool are_pinned = is_gpu_v<Exec> && is_staged();
    return {index + once + (are_pinned ? 0 : slots), are_pinned ? slots : 0};
  }

 private:
  // Two on their way, and one that is read while the second of them arrives.
  static constexpr int num_slots = max_in_flight + 1;
  using staging_space = std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, memory_space>;
  using Staging = Kokkos::View<Scalar*, staging_space>;

  struct Slot {
    explicit Slot(const Exec& exec) : is_free(exec) {}

    Staging staged_send, staged_receive;  // where messages are staged
    halo_view send, receive;              // where they are not
    Event<Exec> is_free;                  // what was received before is needed there no more
  };

  // On the heap, so that the exchange moves while messages are on their way.
  struct State {
    State(const Exec& exec, const Communicator& comm, HaloPlan the_plan, const impl::HaloEntries& the_entries)
        : plan(std::move(the_plan)),
          entries(with_buffers(the_entries, plan.buffers())),
          messages(comm, plan, entries),
          staging(impl::find_staging(exec, comm, plan.buffers())),
          reached(exec) {
      comm.together([&] { allocate(exec); });
    }

    static impl::HaloEntries with_buffers(impl::HaloEntries entries, HaloBuffers buffers) {
      entries.buffers = buffers;
      return entries;
    }

    void allocate(const Exec& exec) {
      const auto uninitialized = [&](const std::string& label) {
        return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label);
      };
      const auto num_sent = std::size_t(messages.num_sent() * entries.scalars());
      const auto num_received = std::size_t(plan.num_entries() * entries.scalars());
      const Kokkos::View<const std::int64_t*, Kokkos::HostSpace> listed(plan.send_index().data(),
                                                                        plan.send_index().size());
      send_index = Kokkos::View<std::int64_t*, memory_space>(uninitialized("ashlar::halo::send_index"), listed.size());
      Kokkos::deep_copy(exec, send_index, listed);
      if (staging.is_staged) {
        packed = halo_view(uninitialized("ashlar::halo::packed"), listed.size() * std::size_t(entries.scalars()));
        landed = halo_view(uninitialized("ashlar::halo::landed"), num_received);
      }
      slots.reserve(num_slots);
      for (int i = 0; i < num_slots; ++i) {
        Slot& slot = slots.emplace_back(exec);
        if (staging.is_staged) {
          slot.staged_send = Staging(uninitialized("ashlar::halo::staged_send"), num_sent);
          slot.staged_receive = Staging(uninitialized("ashlar::halo::staged_receive"), num_received);
          messages.add_slot(plan, slot.staged_send.data(), slot.staged_receive.data());
        } else {
          slot.send = halo_view(uninitialized("ashlar::halo::send"), num_sent);
          slot.receive = halo_view(uninitialized("ashlar::halo::receive"), num_received);
          messages.add_slot(plan, slot.send.data(), slot.receive.data());
        }
      }
      wait_until_done(exec);
    }

    /// What is enqueued on `exec` so far.
    void wait_until_done(const Exec& exec) {
      reached.record(exec);
      reached.wait();
    }

    std::int64_t num_halo_rows() const { return plan.num_entries() * entries.block_size; }
    Scalar* halo() const { return staging.is_staged ? landed.data() : slots[std::size_t(current)].receive.data(); }

    HaloPlan plan;
    impl::HaloEntries entries;
    std::vector<Slot> slots;
    impl::HaloMessages messages;  // behind the buffers, so that it goes before them
    impl::HaloStaging staging;
    Kokkos::View<std::int64_t*, memory_space> send_index;
    halo_view packed, landed;  // where messages are staged
    Event<Exec> reached;
    std::int64_t num_begun = 0, num_ended = 0;
    int current = 0;          // the slot that halo() shows
    bool is_landing = false;  // whether the oldest exchange on its way is already `current`
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
    if (num_in_flight() == max_in_flight) {
      throw ArgumentError("halo: a third exchange begun while two are on their way", "there are buffers for two",
                          "end one before, or make another HaloExchange");
    }
  }

  /// x, packed, in the send buffer of `slot`, when what this enqueues has ended.
  template <class X>
  void pack(const Exec& exec, const X& x, const Slot& slot) {
    const State& s = *state_;
    const std::int64_t block_size = s.entries.block_size, num_vectors = s.entries.num_vectors;
    const std::int64_t num_listed = std::int64_t(s.send_index.extent(0));
    // Whether the scalars of an entry, and those of the next, lie one after another.
    bool is_dense = x.stride(0) == std::size_t(num_vectors);
    if constexpr (X::rank() == 2) is_dense = is_dense && (num_vectors == 1 || x.stride(1) == 1);
    const impl::ListedEntries listed{s.send_index.data()};
    if (s.staging.is_staged) {
      impl::pack(exec, listed, num_listed, x, block_size, num_vectors, s.packed.data());
      copy(exec, slot.staged_send, 0, s.packed);
      pack_spans(exec, x, slot.staged_send, is_dense);
    } else {
      impl::pack(exec, listed, num_listed, x, block_size, num_vectors, slot.send.data());
      pack_spans(exec, x, slot.send, is_dense);
    }
  }

  /// Entries one after another, to a send buffer.
  template <class X, class Buffer>
  void pack_spans(const Exec& exec, const X& x, const Buffer& send, bool is_dense) const {
    const State& s = *state_;
    const std::int64_t scalars = s.entries.scalars();
    for (std::size_t k = 0; k < s.plan.to().size(); ++k) {
      const HaloPlan::Neighbour& neighbour = s.plan.to()[k];
      if (neighbour.form == HaloForm::packed) continue;
      const std::int64_t begin = s.messages.send_begin()[k] * scalars;
      if (is_gpu_v<Exec> && is_dense) {
        const Kokkos::View<const Scalar*, typename X::device_type, Kokkos::MemoryUnmanaged> span(
            x.data() + neighbour.first * scalars, neighbour.count * scalars);
        copy(exec, send, begin, span);
      } else {
        impl::pack(exec, impl::SpanOfEntries{neighbour.first}, neighbour.count, x, s.entries.block_size,
                   s.entries.num_vectors, send.data() + begin);
      }
    }
  }

  /// The slot of the oldest exchange on its way, whose pieces come next. With the first of them, nobody reads the halo
  /// of the exchange before any more but by what is enqueued on `exec` so far.
  int begin_landing(const Exec& exec) {
    State& s = *state_;
    if (s.num_begun == s.num_ended) {
      throw ArgumentError("halo: the end of an exchange that was not begun", "none is on its way",
                          "call begin() before each end()");
    }
    if (!s.is_landing && !s.staging.is_staged) s.slots[std::size_t(s.current)].is_free.record(exec);
    s.current = static_cast<int>(s.num_ended % num_slots);
    return s.current;
  }

  void finish_landing(const Exec& exec, Slot& slot) {
    if (state_->staging.is_staged) slot.is_free.record(exec);  // it has been copied from there
    state_->is_landing = false;
    ++state_->num_ended;
  }

  int take_next(const Exec& exec, int number) {
    State& s = *state_;
    s.is_landing = true;
    const int k = s.messages.wait_for_any(number);
    if (k < 0) {
      finish_landing(exec, s.slots[std::size_t(number)]);
    } else {
      const HaloPlan::Neighbour& neighbour = s.plan.from()[std::size_t(k)];
      land(exec, s.slots[std::size_t(number)], neighbour.begin, neighbour.count);
    }
    return k;
  }

  /// Entries of the halo that have been received go to the device.
  void land(const Exec& exec, const Slot& slot, std::int64_t begin, std::int64_t count) {
    if (!state_->staging.is_staged) return;
    const std::int64_t scalars = state_->entries.scalars();
    const auto range = std::pair(begin * scalars, (begin + count) * scalars);
    copy(exec, state_->landed, range.first, Kokkos::subview(slot.staged_receive, range));
  }

  /// to[begin, ...) := from. Enqueued.
  template <class To, class From>
  static void copy(const Exec& exec, const To& to, std::int64_t begin, const From& from) {
    if (from.size() == 0) return;
    Kokkos::deep_copy(exec, Kokkos::subview(to, std::pair(begin, begin + std::int64_t(from.size()))), from);
  }

  void let_go() noexcept {
    if (!state_) return;
    State& s = *state_;
    // The usual end, where the others are there to take what was sent, however slow they are. Else the messages give up
    // what is under way as they are destroyed.
    if (s.num_begun == s.num_ended && std::uncaught_exceptions() == 0) s.messages.wait_for_all_sends();
    for (const Slot& slot : s.slots) slot.is_free.wait();
    state_.reset();
  }

  std::unique_ptr<State> state_;
};

}  // namespace ashlar
