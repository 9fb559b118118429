#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <cmath>
#include <vector>

namespace ashlar {

namespace {

using Exec = Kokkos::DefaultExecutionSpace;

// Sizes that are no whole number of chunks, too: what is measured is rounded, never overrun (a sanitizer's to see).
TEST(Bandwidth, IsAPositiveNumber) {
  for (const std::int64_t bytes : {std::int64_t(0), std::int64_t(8), std::int64_t(100'001), std::int64_t(1) << 20}) {
    SCOPED_TRACE(bytes);
    // The sum over the array is checked inside: a part left out would throw.
    const double read = measure_read_bandwidth(Exec(), bytes);
    EXPECT_TRUE(std::isfinite(read) && read > 0) << read;
    const double copy = measure_copy_bandwidth(Exec(), bytes);
    EXPECT_TRUE(std::isfinite(copy) && copy > 0) << copy;
  }
}

TEST(Bandwidth, CopyCopiesEverything) {
  const std::int64_t num_lines = impl::probe_lines(300'000), count = num_lines * impl::numbers_of_line;
  const Exec exec;
  Kokkos::View<double*, Exec::memory_space> from("from", count), to("to", count);
  impl::fill_ones<Exec>(exec, from.data(), num_lines);
  impl::copy_all<Exec>(exec, from.data(), to.data(), num_lines);
  const auto copied = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  for (std::int64_t i = 0; i < count; ++i) ASSERT_EQ(copied(i), 1.0) << i;
}

TEST(Bandwidth, LinkIsMeasuredWhereThereIsOne) {
  const auto link = measure_link_bandwidth(Exec(), std::int64_t(1) << 20);
  EXPECT_EQ(link.has_value(), is_gpu_v<Exec>);
  if (!link) return;
  EXPECT_GT(link->host_to_device, 0);
  EXPECT_GT(link->device_to_host, 0);
}

}  // namespace

}  // namespace ashlar
