#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <vector>

namespace {

using namespace ashlar;

static_assert(sizeof(bfloat16) == 2 && std::is_trivial_v<bfloat16>);
static_assert(matrix_value<bfloat16> && matrix_value<double> && !matrix_value<int> && !scalar<bfloat16>);
static_assert(std::is_same_v<vector_scalar_t<bfloat16>, double> && std::is_same_v<vector_scalar_t<float>, double>);
static_assert(std::is_same_v<vector_scalar_t<Kokkos::complex<float>>, Kokkos::complex<float>>);

TEST(Bfloat16, KeepsEightBits) {
  for (const double exact : {0.0, 1.0, -1.5, 255.0, 0x1.fep127, 0x1p-126, 0x1p-133, 3.140625}) {
    EXPECT_EQ(static_cast<double>(bfloat16(exact)), exact);
    EXPECT_EQ(static_cast<float>(bfloat16(static_cast<float>(exact))), static_cast<float>(exact));
  }
  EXPECT_EQ(bfloat16(-0.0).bits(), 0x8000);
  EXPECT_EQ(bfloat16(1.0f).bits(), 0x3f80);
  EXPECT_EQ(bfloat16::from_bits(0x4049), bfloat16(3.140625));
}

TEST(Bfloat16, RoundsToTheNearestTiesToEven) {
  EXPECT_EQ(bfloat16(0x1.01p0).bits(), 0x3f80);  // between 0x3f80 and 0x3f81
  EXPECT_EQ(bfloat16(0x1.03p0).bits(), 0x3f82);  // between 0x3f81 and 0x3f82
  EXPECT_EQ(bfloat16(-0x1.03p0).bits(), 0xbf82);
  EXPECT_EQ(bfloat16(0x1.010002p0f).bits(), 0x3f81);
  EXPECT_EQ(bfloat16(257).bits(), bfloat16(256.0).bits());
}

TEST(Bfloat16, RoundsDoublesOnce) {
  // Rounded to a float first these would be ties.
  EXPECT_EQ(bfloat16(0x1.0100000000001p0).bits(), 0x3f81);
  EXPECT_EQ(bfloat16(0x1.02ffffffffffep0).bits(), 0x3f81);
  EXPECT_EQ(bfloat16(-0x1.0100000000001p0).bits(), 0xbf81);
  EXPECT_EQ(bfloat16(-0x1.02ffffffffffep0).bits(), 0xbf81);
}

TEST(Bfloat16, HoldsWhatIsNotFinite) {
  const double infinity = std::numeric_limits<double>::infinity();
  EXPECT_EQ(static_cast<double>(bfloat16(infinity)), infinity);
  EXPECT_EQ(static_cast<double>(bfloat16(-infinity)), -infinity);
  EXPECT_EQ(static_cast<double>(bfloat16(0x1.ffp127)), infinity);  // nearer to 2^128 than to the largest
  EXPECT_EQ(static_cast<double>(bfloat16(1e300)), infinity);
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(std::nan("")))));
  EXPECT_TRUE(std::isnan(static_cast<float>(bfloat16(Kokkos::bit_cast<float>(0x7f800001u)))));  // its bits are the last
  EXPECT_TRUE(is_finite(bfloat16(1e38)));
  EXPECT_FALSE(is_finite(bfloat16(infinity)));
  EXPECT_FALSE(is_finite(bfloat16(std::nan(""))));
}

/// A function of its own, as nvcc takes no device lambda in a test's body.
void round_on_the_device(const Kokkos::View<double*>& from, const Kokkos::View<bfloat16*>& to) {
  Kokkos::parallel_for(
      "round", from.extent(0), KOKKOS_LAMBDA(int i) { to(i) = from(i); });
}

TEST(Bfloat16, IsTheSameOnTheDevice) {
  const std::vector<double> numbers{0.1, -1.0 / 3, 1e-40, 0x1.0100000000001p0, 65535.0};
  const Kokkos::View<double*> from("from", numbers.size());
  const Kokkos::View<bfloat16*> to("to", numbers.size());
  const auto from_host = Kokkos::create_mirror_view(from);
  for (std::size_t i = 0; i < numbers.size(); ++i) from_host(i) = numbers[i];
  Kokkos::deep_copy(from, from_host);
  round_on_the_device(from, to);
  const auto to_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), to);
  for (std::size_t i = 0; i < numbers.size(); ++i) EXPECT_EQ(to_host(i).bits(), bfloat16(numbers[i]).bits());
}

TEST(Bfloat16, HasAName) { EXPECT_EQ(scalar_name<bfloat16>(), "bfloat16"); }

}  // namespace
