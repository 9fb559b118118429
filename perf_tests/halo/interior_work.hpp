#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <support/rank_timing.hpp>
#include <support/types.hpp>

namespace ashlar::perf {

/// What a rank does while messages travel: passes over two vectors, which read and write memory as products do, of a
/// length such that they take about as long as is wanted.
class InteriorWork {
 public:
  explicit InteriorWork(const Exec& exec) : x_("perf::x", most), y_("perf::y", most) {
    Kokkos::deep_copy(exec, x_, 1.0);
  }

  /// From here on run() takes about so many seconds; a kernel takes some in any case. Collective, the same work on all
  /// ranks.
  void calibrate(const Exec& exec, const Communicator& comm, double seconds) {
    const RankWork work{[&] { run(exec); }, [&] { exec.fence("perf::work"); }};
    entries_ = 4096;
    for (int k = 0; k < 8; ++k) {
      const double taken = std::max(seconds_over_ranks(comm, work, 5), 1e-9);
      if (taken > 0.95 * seconds && taken < 1.05 * seconds) return;
      const double wanted = static_cast<double>(entries_) * seconds / taken;
      entries_ = std::clamp(static_cast<std::int64_t>(wanted), std::int64_t(1), 64 * most);
    }
  }

  /// Enqueued.
  void run(const Exec& exec) const {
    const std::int64_t passes = (entries_ + most - 1) / most;
    for (std::int64_t pass = 0; pass < passes; ++pass) update(exec, entries_ / passes);
  }

 private:
  static constexpr std::int64_t most = std::int64_t(1) << 22;

 public:  // (nvcc wants it so of functions with kernels)
  void update(const Exec& exec, std::int64_t count) const {
    const auto x = x_, y = y_;
    Kokkos::parallel_for(
        "perf::interior_work", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count),
        KOKKOS_LAMBDA(std::int64_t i) { y(i) = 0.5 * y(i) + x(i); });
  }

 private:
  Vector<double> x_, y_;
  std::int64_t entries_ = 4096;
};

}  // namespace ashlar::perf
