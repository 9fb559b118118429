#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

namespace impl {

/// True if a kernel has ended when its launch returns, so that a plain call may stand in for it.
template <class Exec>
inline constexpr bool runs_at_launch = false;
#ifdef KOKKOS_ENABLE_SERIAL
template <>
inline constexpr bool runs_at_launch<Kokkos::Serial> = true;
#endif
#ifdef KOKKOS_ENABLE_OPENMP
template <>
inline constexpr bool runs_at_launch<Kokkos::OpenMP> = true;
#endif

/// work(which) for all which < count, on threads of a host. A single piece of work is a plain call: Kokkos takes half a
/// microsecond for a kernel of one thread, and more where it wakes others, as long as a small pass itself. A tool that
/// watches sees a kernel.
template <execution_space Exec, class Work>
void for_each_on_host(const char* label, const Exec& exec, std::int64_t count, const Work& work) {
  static_assert(!is_gpu_v<Exec>);
  if constexpr (runs_at_launch<Exec>) {
    if (count == 1 && !Kokkos::Tools::profileLibraryLoaded()) {
      work(0);
      return;
    }
  }
  Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, count), work);
}

/// Threads of a host that share n entries: each has enough to do.
template <class Exec>
std::int64_t threads_for(const Exec& exec, std::int64_t n) {
  constexpr std::int64_t entries_of_thread = 4096;
  return std::clamp<std::int64_t>(n / entries_of_thread, 1, exec.concurrency());
}

/// The function that a thread calls for its entries: function.for_thread() if it exists, made once by each thread. It
/// holds in registers the values that the function itself points at. Without it a compiler reads them again for each
/// entry, because a store may have changed them.
template <class Function>
KOKKOS_INLINE_FUNCTION decltype(auto) for_thread(const Function& function) {
  if constexpr (requires { function.for_thread(); }) {
    return function.for_thread();
  } else {
    return (function);
  }
}

template <class Function>
struct EachEntry {
  Function function;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const { for_thread(function)(i); }
};

/// The runs of neighbouring entries that threads of a host take.
template <class Function>
struct RunsOfEntries {
  std::int64_t n, runs;
  Function function;

  void operator()(std::int64_t run) const {
    const auto own = for_thread(function);
    const std::int64_t last = n * (run + 1) / runs;
#if defined(__GNUC__) && !defined(__clang__) && !defined(__CUDACC__)
#pragma GCC ivdep
#elif defined(__clang__)
#pragma clang loop vectorize(assume_safety)
#endif
    for (std::int64_t i = n * run / runs; i < last; ++i) own(i);
  }
};

}  // namespace impl

/// function(i) for all i < n, in any order and in parallel: an entry must not read what another entry writes. The
/// function may have for_thread(), which returns the function that a thread calls instead, with scalars loaded.
///
/// Async    enqueued on `exec`; no fence, no allocation. On a host, few entries are a plain loop of the calling thread.
template <execution_space Exec, class Function>
void for_entries(const char* label, const Exec& exec, std::int64_t n, const Function& function) {
  if constexpr (is_gpu_v<Exec>) {
    Kokkos::parallel_for(label, Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                         impl::EachEntry<Function>{function});
  } else {
    const std::int64_t runs = impl::threads_for(exec, n);
    impl::for_each_on_host(label, exec, runs, impl::RunsOfEntries<Function>{n, runs, function});
  }
}

}  // namespace ashlar
