// Views that share memory.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <utility>

namespace ashlar::testing {
namespace {

using View = Kokkos::View<double*, Kokkos::HostSpace>;

TEST(Overlap, IsAnyByteInCommon) {
  const View all("test::all", 20);
  const auto part = [&](int begin, int end) { return View(Kokkos::subview(all, std::make_pair(begin, end))); };
  EXPECT_TRUE(overlap(all, all));
  EXPECT_TRUE(overlap(all, part(19, 20)));
  EXPECT_TRUE(overlap(part(0, 11), part(10, 20)));
  EXPECT_TRUE(overlap(part(10, 20), part(0, 11)));
  EXPECT_FALSE(overlap(part(0, 10), part(10, 20)));
  EXPECT_FALSE(overlap(part(10, 20), part(0, 10)));
  EXPECT_FALSE(overlap(all, View("test::other", 20)));
}

TEST(Overlap, IsNoneOfNothing) {
  const View all("test::all", 20), none;
  EXPECT_FALSE(overlap(all, none));
  EXPECT_FALSE(overlap(none, none));
  EXPECT_FALSE(overlap(all, Kokkos::subview(all, std::make_pair(5, 5))));
}

TEST(Overlap, GoesByBytesWhateverTheTypes) {
  const View doubles("test::doubles", 4);
  const Kokkos::View<const float*, Kokkos::HostSpace> floats(reinterpret_cast<const float*>(doubles.data()) + 7, 1),
      behind(reinterpret_cast<const float*>(doubles.data()) + 8, 1);
  EXPECT_TRUE(overlap(doubles, floats));
  EXPECT_FALSE(overlap(doubles, behind));
}

TEST(Overlap, CountsWhatLiesBetweenEntries) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> all("test::all", 5, 4);
  const auto left = Kokkos::subview(all, Kokkos::ALL, std::make_pair(0, 2));
  const auto right = Kokkos::subview(all, Kokkos::ALL, std::make_pair(2, 4));
  EXPECT_TRUE(overlap(left, right));
  const auto above = Kokkos::subview(all, std::make_pair(0, 2), Kokkos::ALL);
  const auto below = Kokkos::subview(all, std::make_pair(2, 5), Kokkos::ALL);
  EXPECT_FALSE(overlap(above, below));
}

}  // namespace
}  // namespace ashlar::testing
