#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/choose_backend.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// Bytes of the small message, and of the large message and the large pass.
inline constexpr std::int64_t probe_small_bytes = 8, probe_bytes = 1048576;

/// Costs measured by one rank, or agreed by all. Zero if a rank has measured nothing.
struct MeasuredCosts {
  double small_seconds = 0, large_seconds = 0;            ///< of a message
  double pack_small_seconds = 0, pack_large_seconds = 0;  ///< of a packing pass
};

/// Collective. Throws ArgumentError on all ranks if the options differ or are invalid.
void check_same_options(const Communicator& comm, const HaloOptions& options);

/// Measures the messages of this rank with the next one, which this rank begins. Buffers of probe_bytes. Collective.
MeasuredCosts measure_messages(const Communicator& comm, const void* to, void* from);

/// The median over ranks of each cost. Collective.
MeasuredCosts agree_on_costs(const Communicator& comm, const MeasuredCosts& mine);

/// The shortest of several times from the enqueueing of `work` on `exec` until the host knows that it has ended.
template <execution_space Exec, class Work>
double least_seconds(const Exec& exec, const Work& work) {
  Event<Exec> ended(exec);
  double least = std::numeric_limits<double>::max();
  for (int k = 0; k < 6; ++k) {
    const auto begin = std::chrono::steady_clock::now();
    work();
    ended.record(exec);
    ended.wait();
    least = std::min(least, std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count());
  }
  return least;
}

/// Buffers for messages in one memory space.
template <memory_space Space>
struct HaloProbe {
  template <execution_space Exec>
  explicit HaloProbe(const Exec& exec)
      : to(Kokkos::view_alloc(exec, "ashlar::halo::probe"), probe_bytes),
        from(Kokkos::view_alloc(exec, "ashlar::halo::probe"), probe_bytes) {
    Event<Exec> ready(exec);
    ready.record(exec);
    ready.wait();
  }

  Kokkos::View<unsigned char*, Space> to, from;
};

/// Seconds to copy so many bytes to a staging buffer, and back.
template <execution_space Exec, class Own, class Stage>
double copy_seconds(const Exec& exec, const Own& own, const Stage& stage, std::int64_t bytes) {
  const auto part = std::pair(std::int64_t(0), bytes);
  return least_seconds(exec, [&] {
    Kokkos::deep_copy(exec, Kokkos::subview(stage.to, part), Kokkos::subview(own.to, part));
    Kokkos::deep_copy(exec, Kokkos::subview(own.from, part), Kokkos::subview(stage.from, part));
  });
}

/// Seconds to pack every second of 2 * count entries, each a block of `block_size` scalars.
template <class Scalar, execution_space Exec>
double pack_seconds(const Exec& exec, std::int64_t block_size, std::int64_t count) {
  using Space = typename Exec::memory_space;
  const Kokkos::View<Scalar*, Space> x(Kokkos::view_alloc(exec, "ashlar::halo::probe"), 2 * count * block_size);
  const Kokkos::View<Scalar*, Space> packed(Kokkos::view_alloc(exec, "ashlar::halo::probe"), count * block_size);
  const Kokkos::View<std::int64_t*, Space> index(Kokkos::view_alloc(exec, "ashlar::halo::probe"), count);
  Kokkos::parallel_for(
      "ashlar::halo[every second]", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t i) { index(i) = 2 * i; });
  return least_seconds(exec, [&] { pack(exec, ListedEntries{index.data()}, count, x, block_size, 1, packed.data()); });
}

}  // namespace ashlar::impl

namespace ashlar {

/// Costs of an exchange, the same on all ranks.
struct HaloCosts {
  HaloOptions options = {};    ///< with the measured costs for choose_halo_form()
  double message_seconds = 0;  ///< of the smallest message, one way
};

/// Measures the costs in HaloOptions, to replace the defaults: messages between neighbouring ranks, half of them at a
/// time, staged or not as exchanges send them; and the packing pass on `exec`, for entries of options.entry_bytes. All
/// ranks take the medians over ranks, so that both ends of a message choose the same form. A later run that gets the
/// result as its options chooses the same forms again. A rank alone returns `options`.
///
/// Collective. Takes about 10 ms; less than 0.2 s if messages carry 1e8 bytes a second.
///
/// Memory   some MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together: ArgumentError if options differ between ranks, or as HaloExchange.
template <execution_space Exec>
HaloCosts measure_halo(const Exec& exec, const Communicator& comm, HaloOptions options = {}) {
  impl::check_same_options(comm, options);
  if (comm.is_alone()) return {options, 0};
  using Space = typename Exec::memory_space;
  using Pinned = std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, Space>;
  using Own = impl::HaloProbe<Space>;
  using Stage = impl::HaloProbe<Pinned>;

  impl::MeasuredCosts mine;
  if (impl::find_staging(exec, comm, options.buffers).is_staged) {
    // A copy to the staging buffer, the message, and a copy back.
    const Stage stage = comm.together([&] { return Stage(exec); });
    mine = impl::measure_messages(comm, stage.to.data(), stage.from.data());
    comm.together([&] {
      const Own own(exec);
      if (mine.small_seconds > 0) mine.small_seconds += impl::copy_seconds(exec, own, stage, impl::probe_small_bytes);
      if (mine.large_seconds > 0) mine.large_seconds += impl::copy_seconds(exec, own, stage, impl::probe_bytes);
    });
  } else {
    const Own own = comm.together([&] { return Own(exec); });
    mine = impl::measure_messages(comm, own.to.data(), own.from.data());
    comm.together([] {});  // for ranks that measure copies
  }

  const std::int64_t scalar_bytes = options.entry_bytes % 8 == 0 ? 8 : 4;
  const std::int64_t block_size = std::max<std::int64_t>(1, options.entry_bytes / scalar_bytes);
  const std::int64_t many = std::max<std::int64_t>(1, impl::probe_bytes / (block_size * scalar_bytes));
  comm.together([&] {
    const auto seconds = [&](std::int64_t count) {
      return scalar_bytes == 8 ? impl::pack_seconds<double>(exec, block_size, count)
                               : impl::pack_seconds<float>(exec, block_size, count);
    };
    mine.pack_small_seconds = seconds(1);
    mine.pack_large_seconds = seconds(many);
  });

  const impl::MeasuredCosts agreed = impl::agree_on_costs(comm, mine);
  // The launch is a cost of its own; it never takes all of the time.
  const double pass = std::max(agreed.pack_large_seconds - agreed.pack_small_seconds, 0.01 * agreed.pack_large_seconds);
  options.message_gb_s = 1e-9 * double(impl::probe_bytes) / agreed.large_seconds;
  options.pack_gb_s = 1e-9 * double(many * block_size * scalar_bytes) / pass;
  options.pack_seconds = agreed.pack_small_seconds;
  return {options, agreed.small_seconds};
}

}  // namespace ashlar
