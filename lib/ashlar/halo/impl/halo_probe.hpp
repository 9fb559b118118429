#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <chrono>
#include <cstdint>
#include <limits>
#include <utility>

namespace ashlar::impl {

/// The small and the large message, and the large pass.
inline constexpr std::int64_t probe_small_bytes = 8, probe_bytes = 1048576;

/// What measure_halo() has measured, on one rank or agreed. Zero where a rank has measured nothing.
struct MeasuredCosts {
  double small_seconds = 0, large_seconds = 0;            ///< of a message
  double pack_small_seconds = 0, pack_large_seconds = 0;  ///< of a pass
};

/// Collective. Throws ArgumentError on all ranks where these differ, or are not good.
void check_same_options(const Communicator& comm, const HaloOptions& options);

/// The messages of this rank with the next, where it begins them. Buffers of probe_bytes. Collective.
MeasuredCosts measure_messages(const Communicator& comm, const void* to, void* from);

/// The median of what ranks have measured, each cost by itself. Collective.
MeasuredCosts agree_on_costs(const Communicator& comm, const MeasuredCosts& mine);

/// The least time of some that `work`, enqueued on `exec`, takes until the host knows that it has ended.
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

/// Buffers for messages in some memory.
template <execution_space Exec, memory_space Space>
class HaloProbe {
 public:
  explicit HaloProbe(const Exec& exec)
      : to_(Kokkos::view_alloc(exec, "ashlar::halo::probe"), probe_bytes),
        from_(Kokkos::view_alloc(exec, "ashlar::halo::probe"), probe_bytes) {
    Event<Exec> ready(exec);
    ready.record(exec);
    ready.wait();
  }

  const void* to() const { return to_.data(); }
  void* from() const { return from_.data(); }

  /// From here to a stage and from there to here, of so many bytes.
  template <memory_space Other>
  double copy_seconds(const Exec& exec, const HaloProbe<Exec, Other>& stage, std::int64_t bytes) const {
    const auto part = std::pair(std::int64_t(0), bytes);
    return least_seconds(exec, [&] {
      Kokkos::deep_copy(exec, Kokkos::subview(stage.to_, part), Kokkos::subview(to_, part));
      Kokkos::deep_copy(exec, Kokkos::subview(from_, part), Kokkos::subview(stage.from_, part));
    });
  }

 private:
  template <execution_space, memory_space>
  friend class HaloProbe;

  Kokkos::View<unsigned char*, Space> to_, from_;
};

/// Packs every second one of 2 * count entries, blocks of so many scalars.
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
