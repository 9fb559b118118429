#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

/// Tells the last cache of a device which cache lines to keep when an array is loaded (CUDA from compute capability 8.0
/// on): it keeps a share of them, and evicts the others first. Keep all of an array that fits and is read again soon, a
/// share of a larger one, and none of one so large that it would only evict other data. The device chooses the lines of
/// a share; an H200 chooses the same each time.
///
/// Loads take a policy, whose bits only the device knows. A hint that is made in a kernel has one. On the host
/// cache_hint_for() makes a hint for kernels; a hint that the host makes without it only says how much to keep.
/// Source: PTX ISA 8.8, createpolicy.fractional.
class CacheHint {
 public:
  /// A share is so many parts of a whole.
  static constexpr int parts = 16;

  KOKKOS_INLINE_FUNCTION CacheHint() : CacheHint(0) {}
  explicit CacheHint(bool) = delete;  // a number of lines, not whether any
  /// Keeps `kept` of 16 lines, 0 to 16.
  KOKKOS_INLINE_FUNCTION explicit CacheHint(int kept) : CacheHint(kept, made_policy(kept)) {}
  /// With the policy that a device has made of it.
  KOKKOS_INLINE_FUNCTION CacheHint(int kept, std::uint64_t policy) : kept_(kept), policy_(policy) {}

  /// As the device's loads take it.
  KOKKOS_INLINE_FUNCTION std::uint64_t policy() const { return policy_; }

  /// Of 16 lines those that are kept.
  KOKKOS_INLINE_FUNCTION int kept() const { return kept_; }

 private:
  KOKKOS_INLINE_FUNCTION static std::uint64_t made_policy([[maybe_unused]] int kept) {
    std::uint64_t policy = 0;
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
    // Not volatile: made once where it is asked for several times.
    if (kept == parts) {
      asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy));
    } else {
      asm("createpolicy.fractional.L2::evict_first.b64 %0, %1;" : "=l"(policy) : "f"(1 - float(kept) / parts));
    }
#endif
    return policy;
  }

  int kept_;
  std::uint64_t policy_;
};

namespace impl {

/// As the driver of an instance's GPU has it.
std::int64_t gpu_cache_bytes(const Kokkos::DefaultExecutionSpace& exec);
CacheHint gpu_cache_hint(const Kokkos::DefaultExecutionSpace& exec, int kept);

}  // namespace impl

/// Bytes of the last cache of a GPU, where loads can tell it what to keep (CacheHint: CUDA from compute capability 8.0
/// on); 0 elsewhere.
///
/// Async    none.
template <execution_space Exec>
std::int64_t device_cache_bytes([[maybe_unused]] const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_cache_bytes(exec);
  } else {
    return 0;
  }
}

/// A hint that kernels on `exec` may be passed: it keeps `kept` of CacheHint::parts lines.
///
/// Async    a device is asked for its policies once, in a small kernel on `exec` that the host waits for.
template <execution_space Exec>
CacheHint cache_hint_for([[maybe_unused]] const Exec& exec, int kept) {
  if constexpr (is_gpu_v<Exec>) {
    return impl::gpu_cache_hint(exec, kept);
  } else {
    return CacheHint(kept);
  }
}

}  // namespace ashlar
