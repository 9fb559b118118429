#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/version.hpp>

namespace {

using namespace ashlar;
using Host = Kokkos::DefaultHostExecutionSpace;

static_assert(execution_space<Host> && !execution_space<Kokkos::HostSpace> && !execution_space<int>);
static_assert(memory_space<Kokkos::HostSpace> && !memory_space<Host> && !memory_space<int>);
static_assert(vector_view<Kokkos::View<double*>> && vector_view<Kokkos::View<const float*, Kokkos::HostSpace>>);
static_assert(!vector_view<Kokkos::View<double**>> && !vector_view<std::vector<double>>);
static_assert(!vector_view<Kokkos::View<double*, Kokkos::LayoutStride>>);
static_assert(reachable_from<Host, Kokkos::View<double*, Kokkos::HostSpace>>);
static_assert(!is_gpu_v<Host>);

TEST(Concepts, ADeviceIsAGpuUnlessItsMemoryIsTheHosts) {
  using Device = Kokkos::DefaultExecutionSpace;
  EXPECT_EQ(is_gpu_v<Device>, (!reachable_from<Device, Kokkos::View<double*, Kokkos::HostSpace>>));
}

}  // namespace
