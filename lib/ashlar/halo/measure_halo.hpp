#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/halo_probe.hpp>
#include <ashlar/halo/impl/staging.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

/// What parts of an exchange cost, the same on all ranks.
struct HaloCosts {
  HaloOptions options = {};    ///< with the costs that choose_halo_form() reckons with
  double message_seconds = 0;  ///< of the smallest message, one way
};

/// Measures what HaloOptions reckons with, in place of its defaults: messages between ranks next to each other, half of
/// them at a time, as exchanges send them (staged or not); and the pass that packs, on `exec`, of entries of
/// options.entry_bytes. Of what the ranks have measured all take the medians, the same bits everywhere: both ends of a
/// message choose the same form, and so does the next run that is given what comes back. Where a rank is alone that is
/// `options`.
///
/// Collective. Some 10 ms; below 0.2 s where messages carry 1e8 bytes a second.
///
/// Memory   some MiB, freed on return.
/// Async    waits for `exec`.
/// Throws   on all ranks together: ArgumentError where options differ between ranks, or as HaloExchange.
template <execution_space Exec>
HaloCosts measure_halo(const Exec& exec, const Communicator& comm, HaloOptions options = {}) {
  impl::check_same_options(comm, options);
  if (comm.is_alone()) return {options, 0};
  using Space = typename Exec::memory_space;
  using Pinned = std::conditional_t<is_gpu_v<Exec>, Kokkos::SharedHostPinnedSpace, Space>;
  using Own = impl::HaloProbe<Exec, Space>;
  using Stage = impl::HaloProbe<Exec, Pinned>;

  impl::MeasuredCosts mine;
  if (impl::find_staging(exec, comm, options.buffers).is_staged) {
    // A copy to the stage, the message, and a copy from there.
    const Stage stage = comm.together([&] { return Stage(exec); });
    mine = impl::measure_messages(comm, stage.to(), stage.from());
    comm.together([&] {
      const Own own(exec);
      if (mine.small_seconds > 0) mine.small_seconds += own.copy_seconds(exec, stage, impl::probe_small_bytes);
      if (mine.large_seconds > 0) mine.large_seconds += own.copy_seconds(exec, stage, impl::probe_bytes);
    });
  } else {
    const Own own = comm.together([&] { return Own(exec); });
    mine = impl::measure_messages(comm, own.to(), own.from());
    comm.together([] {});  // with ranks that measure copies
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
  // The launch is counted by itself; it never takes all of the time.
  const double pass = std::max(agreed.pack_large_seconds - agreed.pack_small_seconds, 0.01 * agreed.pack_large_seconds);
  options.message_gb_s = 1e-9 * double(impl::probe_bytes) / agreed.large_seconds;
  options.pack_gb_s = 1e-9 * double(many * block_size * scalar_bytes) / pass;
  options.pack_seconds = agreed.pack_small_seconds;
  return {options, agreed.small_seconds};
}

}  // namespace ashlar
