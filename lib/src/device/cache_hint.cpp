#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/runtime/impl/gpu_runtime.hpp>

#ifdef ASHLAR_HAS_GPU_RUNTIME
#include <array>
#include <cstdint>
#include <map>
#include <mutex>

namespace ashlar::impl {

namespace {

/// The policies of a device, by the share that is kept.
using Policies = std::array<std::uint64_t, CacheHint::parts + 1>;

struct MakePolicies {
  std::uint64_t* made;
  KOKKOS_FUNCTION void operator()(int kept) const { made[kept] = CacheHint(kept).policy(); }
};

Policies policies_made_by(const gpu::Exec& exec) {
  Policies policies{};
  const Kokkos::View<std::uint64_t*, gpu::Exec::memory_space> made(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::cache_hint::policies"), policies.size());
  Kokkos::parallel_for("ashlar::cache_hint[policies]", Kokkos::RangePolicy<gpu::Exec>(exec, 0, policies.size()),
                       MakePolicies{made.data()});
  Kokkos::deep_copy(exec, Kokkos::View<std::uint64_t*, Kokkos::HostSpace>(policies.data(), policies.size()), made);
  exec.fence("ashlar::cache_hint: policies");
  return policies;
}

}  // namespace

CacheHint gpu_cache_hint(const Kokkos::DefaultExecutionSpace& exec, int kept) {
  if (gpu::cache_bytes(exec) == 0) return CacheHint(kept);
  static std::mutex mutex;
  static std::map<int, Policies> of_device;
  const std::lock_guard lock(mutex);
  auto found = of_device.find(gpu::device_of(exec));
  if (found == of_device.end()) found = of_device.emplace(gpu::device_of(exec), policies_made_by(exec)).first;
  return CacheHint(kept, found->second[kept]);
}

}  // namespace ashlar::impl
#endif
