// Which version a program sees: in its headers, for its preprocessor, and of the library that it runs with.
#include <gtest/gtest.h>

#include <Kokkos_Macros.hpp>
#include <ashlar/base/version.hpp>
#include <string>

namespace ashlar {
namespace {

std::string joined(int major, int minor, int patch) {
  return std::to_string(major) + "." + std::to_string(minor) + "." + std::to_string(patch);
}

TEST(Version, IsOneInHeadersMacrosAndLibrary) {
  EXPECT_EQ(joined(version_major, version_minor, version_patch), version_string);
  EXPECT_EQ(joined(ASHLAR_VERSION_MAJOR, ASHLAR_VERSION_MINOR, ASHLAR_VERSION_PATCH), version_string);
  EXPECT_STREQ(linked_version(), version_string);
}

TEST(Version, OfKokkosIsThatOfTheLibrary) {
  EXPECT_EQ(joined(KOKKOS_VERSION / 10000, KOKKOS_VERSION / 100 % 100, KOKKOS_VERSION % 100), linked_kokkos_version());
}

}  // namespace
}  // namespace ashlar
