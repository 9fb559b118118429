#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/packets/time_limit.hpp>
#include <ashlar/distributed/idle_clock.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Sums over ranks for which the host does not wait, unless kernels run on the host. One sum at a time.
template <execution_space Exec>
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;
  DeviceSums() = default;
  DeviceSums(const DeviceSums&) = delete;
  DeviceSums& operator=(const DeviceSums&) = delete;

  /// `mine` must not change until end().
  virtual void begin(const Exec& exec, const double* mine, std::size_t count) = 0;
  virtual void end(const Exec& exec, double* sums, std::size_t count) = 0;
  /// Throws   CommError if the device has waited for another rank in vain.
  virtual void check() const = 0;
};

/// The sums of the mode `stream` or `kernel`. Collective. The library defines it for each execution space of Kokkos
/// (lib/src/distributed/device_sums.cpp).
///
/// Throws   as the constructor of DistributedSpace.
template <execution_space Exec>
std::unique_ptr<DeviceSums<Exec>> make_device_sums(const Exec& exec, const Communicator& comm, ExchangeMode mode,
                                                   double time_out_seconds);

}  // namespace ashlar::impl

namespace ashlar {

/// The inner-product space of vectors of which each rank has a part: the inner_product_space of the solvers.
///
/// All ranks gather the local sums and add them in rank order: the same bits on every rank. Work enqueued between
/// sum_begin() and sum_end() runs during the reduction.
///
/// Copies share one state. A sum must end before the next begins: solves that run simultaneously need spaces of their
/// own, each with its own communicator.
///
/// Sums travel as halos do, in one of the modes of ExchangeMode: as messages of the host (blocking; automatic, too),
/// in the order of streams, or through memory that kernels of all ranks write to.
///
/// Memory   blocking: pinned memory of the host, for 64 sums at a time; it grows when more come. Other modes: the
///          device's memory.
/// Async    blocking: the host waits in sum_end() for the device and the other ranks; if kernels run on the host, it
///          waits for them in sum_begin(). Other modes enqueue everything; if kernels run on the host, sum_end() waits
///          for the other ranks. One rank alone sends nothing.
template <execution_space Exec>
class DistributedSpace {
 public:
  /// Collective: each rank passes the length of its part, and all pass the same mode. Nobody else uses `comm`, except
  /// that sums on streams share its own_streams() with its exchanges. In the kernel mode a kernel gives up after
  /// waiting `time_out_seconds` for another rank. `idle_clock` matters if sums are messages; ranks may differ.
  ///
  /// Throws   on all ranks together: ArgumentError if sums are to be on streams and comm has no transport for them, or
  ///          if the time limit is not positive; CommError if no such transport can be made, or the ranks cannot share
  ///          memory.
  DistributedSpace(const Exec& exec, std::shared_ptr<const Communicator> comm, std::int64_t num_local,
                   ExchangeMode mode = ExchangeMode::blocking, double time_out_seconds = default_time_out_seconds,
                   IdleClock idle_clock = IdleClock::host)
      : state_(std::make_shared<State>(exec, std::move(comm), mode, time_out_seconds, idle_clock)),
        num_local_(num_local) {
    num_global_ = state_->comm->sum(num_local);
  }

  /// The same with a duplicate of `comm`.
  DistributedSpace(const Exec& exec, const Communicator& comm, std::int64_t num_local,
                   ExchangeMode mode = ExchangeMode::blocking, double time_out_seconds = default_time_out_seconds,
                   IdleClock idle_clock = IdleClock::host)
      : DistributedSpace(exec, std::make_shared<const Communicator>(comm.duplicate()), num_local, mode,
                         time_out_seconds, idle_clock) {}

  std::int64_t num_local() const { return num_local_; }
  std::int64_t num_global() const { return num_global_; }

  template <class Sums>
  void sum_begin(const Exec& exec, const Sums& sums) const {
    if (is_alone() || sums.extent(0) == 0) return;
    State& state = *state_;
    const std::size_t count = sums.extent(0);
    if (state.on_device) return state.on_device->begin(exec, sums.data(), count);
    state.make_room(count);
    if constexpr (is_gpu_v<Exec>) {
      Kokkos::deep_copy(exec, Kokkos::subview(state.mine, std::make_pair(std::size_t(0), count)), sums);
      state.is_copied.record(exec);
    } else {
      exec.fence("ashlar::distributed_space: sums of this rank");
      std::copy_n(sums.data(), count, state.mine.data());
      state.message(count).start();
    }
  }

  template <class Sums>
  void sum_end(const Exec& exec, const Sums& sums) const {
    if (is_alone() || sums.extent(0) == 0) return;
    const Kokkos::Profiling::ScopedRegion region("ashlar::distributed_space::sum_end");
    State& state = *state_;
    const std::size_t count = sums.extent(0);
    if (state.on_device) {
      const auto begin = std::chrono::steady_clock::now();
      state.on_device->end(exec, sums.data(), count);
      if (is_gpu_v<Exec> || state.mode != ExchangeMode::kernel) return;
      state.waited_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
      return;
    }
    Message& message = state.message(count);
    if constexpr (is_gpu_v<Exec>) {
      state.is_copied.wait();
      message.start();
    }
    const auto wait = [&] {
      const auto begin = std::chrono::steady_clock::now();
      message.wait();
      state.waited_seconds += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
    };
    // After the work that was enqueued to run during the sum.
    state.idle.during(exec, wait);
    // The device has read the previous sums, since these depend on them.
    double* const total = is_gpu_v<Exec> ? state.total.data() : sums.data();
    for (std::size_t k = 0; k < count; ++k) {
      double sum = 0;
      for (int rank = 0; rank < state.comm->size(); ++rank) sum += state.all[std::size_t(rank) * count + k];
      total[k] = sum;
    }
    if constexpr (is_gpu_v<Exec>) {
      Kokkos::deep_copy(exec, sums, Kokkos::subview(state.total, std::make_pair(std::size_t(0), count)));
    }
  }

  int agree_max(int number) const { return is_alone() ? number : state_->comm->max(number); }
  bool is_stream_ordered() const {
    return is_alone() || (state_->on_device && (is_gpu_v<Exec> || state_->mode == ExchangeMode::stream));
  }
  /// Throws   CommError if the device has waited for another rank in vain. The next sum throws the same: this is for
  ///          callers that make none.
  void check() const {
    if (state_->on_device) state_->on_device->check();
  }
  /// True if sums need no host, so that they may be captured (CapturedWork).
  bool is_capturable() const { return is_stream_ordered(); }

  /// How long the host has waited for the other ranks' sums so far, in all copies of this.
  double waited_seconds() const { return state_->waited_seconds; }
  /// The idle part of that time, measured by IdleClock.
  double idle_seconds() const { return state_->idle.seconds(waited_seconds()); }

 private:
  using Pinned = Kokkos::View<double*, Kokkos::SharedHostPinnedSpace>;

  struct State {
    State(const Exec& exec, std::shared_ptr<const Communicator> given, ExchangeMode the_mode, double time_out_seconds,
          IdleClock idle_clock)
        : comm(std::move(given)),
          mode(the_mode == ExchangeMode::automatic ? ExchangeMode::blocking : the_mode),
          is_copied(exec) {
      if (comm->is_alone()) return;
      if (mode == ExchangeMode::blocking && idle_clock == IdleClock::device) idle.measure_by_device();
      if (mode == ExchangeMode::blocking) {
        make_room(64);
      } else {
        on_device = impl::make_device_sums(exec, *comm, mode, time_out_seconds);
      }
    }

    void make_room(std::size_t count) {
      if (count <= mine.extent(0)) return;
      messages.clear();  // they refer to the buffers
      const auto pinned = [](const char* label, std::size_t size) {
        return Pinned(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), size);
      };
      mine = pinned("ashlar::distributed_space::mine", count);
      total = pinned("ashlar::distributed_space::total", count);
      all.resize(count * std::size_t(comm->size()));
    }

    /// The message that gathers `count` sums of each rank.
    Message& message(std::size_t count) {
      std::unique_ptr<Message>& message = messages[count];
      if (!message) message = comm->gathering(mine.data(), count * sizeof(double), all.data());
      return *message;
    }

    std::shared_ptr<const Communicator> comm;
    ExchangeMode mode;
    Event<Exec> is_copied;
    Pinned mine, total;
    std::vector<double> all;  // of all ranks, in rank order
    std::map<std::size_t, std::unique_ptr<Message>> messages;
    double waited_seconds = 0;
    impl::IdleMeter<Exec> idle;
    std::unique_ptr<impl::DeviceSums<Exec>> on_device;  // if sums are not messages of the host
  };

  bool is_alone() const { return state_->comm->is_alone(); }

  std::shared_ptr<State> state_;
  std::int64_t num_local_ = 0, num_global_ = 0;
};

}  // namespace ashlar
