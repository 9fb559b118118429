#include <gtest/gtest.h>

#include <ashlar/base/device_name.hpp>

namespace ashlar::testing {
namespace {

TEST(DeviceName, IsToldForDeviceAndHost) {
  EXPECT_NE(device_name(Kokkos::DefaultExecutionSpace()), "");
  EXPECT_EQ(device_name(Kokkos::DefaultHostExecutionSpace()), impl::processor_name());
  EXPECT_EQ(device_name(Kokkos::DefaultExecutionSpace()), device_name(Kokkos::DefaultExecutionSpace()));
}

}  // namespace
}  // namespace ashlar::testing
