#include <gtest/gtest.h>

#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/probes/device_properties.hpp>

namespace ashlar::testing {
namespace {

TEST(DeviceName, IsToldForDeviceAndHost) {
  EXPECT_NE(device_name(Kokkos::DefaultExecutionSpace()), "");
  EXPECT_EQ(device_name(Kokkos::DefaultHostExecutionSpace()), processor_name());
  EXPECT_EQ(device_name(Kokkos::DefaultExecutionSpace()), device_name(Kokkos::DefaultExecutionSpace()));
}

TEST(DeviceCache, IsThatOfDevicesThatCanBeToldWhatToKeep) {
  EXPECT_EQ(device_cache_bytes(Kokkos::DefaultHostExecutionSpace()), 0);
#ifdef KOKKOS_ENABLE_CUDA
  EXPECT_GE(device_cache_bytes(Kokkos::DefaultExecutionSpace()), 1 << 20);
#endif
}

TEST(DeviceScratch, IsThatOfAMultiprocessor) {
  EXPECT_EQ(device_scratch_bytes(Kokkos::DefaultHostExecutionSpace()), 0);
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) {
    EXPECT_GE(device_scratch_bytes(Kokkos::DefaultExecutionSpace()), Kokkos::TeamPolicy<>::scratch_size_max(0));
  }
}

}  // namespace
}  // namespace ashlar::testing
