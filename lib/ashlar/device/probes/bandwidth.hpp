#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/device/probes/impl/bandwidth_kernels.hpp>
#include <ashlar/host/memory.hpp>
#include <cstdint>
#include <optional>
#include <type_traits>

namespace ashlar {

/// The default size of the measurements in bytes: more than any cache holds. On a GPU it is so large that the end of
/// the reduction does not count. At most a quarter of the free memory.
template <execution_space Exec>
std::int64_t bandwidth_probe_bytes() {
  const auto quarter = static_cast<std::int64_t>(available_bytes<typename Exec::memory_space>() / 4);
  return std::min(quarter, is_gpu_v<Exec> ? std::int64_t(4) << 30 : impl::host_probe_bytes());
}

/// The rate at which `exec` reads its memory, in 1e9 bytes a second: the floor under everything that reads a matrix.
///
/// The best of several sums over an array of `bytes`, in large pages as matrices are. 0.1 s on most CPUs, some seconds
/// on those with large caches, 10 ms on a GPU.
///
/// Memory   `bytes` (rounded down to whole lines of 128 bytes, one at least) in the memory space of Exec.
/// Async    waits for `exec`.
/// Throws   NumericalError where the sum is wrong: a memory that returns something else than was written.
template <execution_space Exec>
double measure_read_bandwidth(const Exec& exec, std::int64_t bytes = bandwidth_probe_bytes<Exec>()) {
  using Space = typename Exec::memory_space;
  const std::int64_t num_lines = impl::probe_lines(bytes), count = num_lines * impl::numbers_of_line;
  const Kokkos::View<double*, Space> data(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::bandwidth::data"),
                                          std::size_t(count));
  ask_for_huge_pages(data);
  impl::fill_ones<Exec>(exec, data.data(), num_lines);
  const auto [seconds, sum] = impl::best_sum<Exec>(exec, data.data(), num_lines);
  if (sum != static_cast<double>(count)) {
    throw NumericalError(text("measure_read_bandwidth: ", count, " ones sum up to ", sum),
                         "the memory does not return what was written", "check the hardware");
  }
  return static_cast<double>(count * std::int64_t(sizeof(double))) / seconds * 1e-9;
}

/// The rate at which `exec` copies within its memory, in 1e9 bytes a second; bytes read and bytes written both count.
///
/// Memory   two arrays of bytes / 2 in the memory space of Exec, freed on return.
/// Async    waits for `exec`.
template <execution_space Exec>
double measure_copy_bandwidth(const Exec& exec, std::int64_t bytes = bandwidth_probe_bytes<Exec>()) {
  using Space = typename Exec::memory_space;
  const std::int64_t num_lines = impl::probe_lines(bytes / 2), count = num_lines * impl::numbers_of_line;
  const Kokkos::View<double*, Space> from(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::bandwidth::from"),
                                          std::size_t(count));
  const Kokkos::View<double*, Space> to(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::bandwidth::to"),
                                        std::size_t(count));
  ask_for_huge_pages(from);
  ask_for_huge_pages(to);
  impl::fill_ones<Exec>(exec, from.data(), num_lines);
  impl::fill_ones<Exec>(exec, to.data(), num_lines);
  const double seconds =
      impl::best_seconds(exec, [&] { impl::copy_all<Exec>(exec, from.data(), to.data(), num_lines); });
  return static_cast<double>(2 * count * std::int64_t(sizeof(double))) / seconds * 1e-9;
}

/// The rates of copies between pinned host memory and the device, in 1e9 bytes a second.
struct LinkBandwidth {
  double host_to_device = 0;
  double device_to_host = 0;
};

/// Measures the link between host and device; nothing where the two share one memory.
///
/// Memory   `bytes` on the device and as many of pinned memory on the host, freed on return.
/// Async    waits for `exec`.
template <execution_space Exec>
std::optional<LinkBandwidth> measure_link_bandwidth(const Exec& exec, std::int64_t bytes = std::int64_t(1) << 26) {
  using Space = typename Exec::memory_space;
  if constexpr (Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible) {
    (void)exec, (void)bytes;
    return std::nullopt;
  } else {
    const std::int64_t num_lines = impl::probe_lines(bytes), count = num_lines * impl::numbers_of_line;
    const Kokkos::View<double*, Space> device(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::bandwidth::device"), std::size_t(count));
    const Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> pinned(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::bandwidth::pinned"), std::size_t(count));
    std::fill_n(pinned.data(), count, 1.0);
    const double size = static_cast<double>(count * std::int64_t(sizeof(double))) * 1e-9;
    LinkBandwidth link;
    link.host_to_device = size / impl::best_seconds(exec, [&] { Kokkos::deep_copy(exec, device, pinned); });
    link.device_to_host = size / impl::best_seconds(exec, [&] { Kokkos::deep_copy(exec, pinned, device); });
    return link;
  }
}

}  // namespace ashlar
