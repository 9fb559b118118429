#include <gtest/gtest.h>

#include <ashlar/problems/cantilever.hpp>

#include "support/compare.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using ashlar::testing::to_host;

using Device = Kokkos::DefaultExecutionSpace;

Cantilever beam(std::array<int, 3> nodes, int dof) {
  return {.nodes = nodes, .lengths = std::array{2.0, 1.5, 0.5}, .dof = dof, .weight = 3, .traction = {0.25, -2, 0.5}};
}
constexpr double volume = 2.0 * 1.5 * 0.5, area = 1.5 * 0.5;

template <class Scalar>
class CantileverLoad : public ::testing::Test {};
using Scalars = ::testing::Types<float, double>;
TYPED_TEST_SUITE(CantileverLoad, Scalars);

TYPED_TEST(CantileverLoad, AddsUpToTractionTimesAreaPlusWeight) {
  const double tolerance = 100 * std::numeric_limits<TypeParam>::epsilon();
  for (const auto& nodes : {std::array{2, 2, 2}, std::array{5, 2, 4}, std::array{6, 3, 5}}) {
    for (const int dof : {1, 3, 6}) {
      const Cantilever problem = beam(nodes, dof);
      const auto load = to_host(cantilever_load_unconstrained<TypeParam>(Device(), problem));
      ASSERT_EQ(load.size(), std::size_t(nodes[0]) * nodes[1] * nodes[2] * dof);
      for (int d = 0; d < dof; ++d) {
        double sum = 0;
        for (std::size_t i = d; i < load.size(); i += dof) sum += load[i];
        const double magnitude = std::sqrt(0.25 * 0.25 + 2 * 2 + 0.5 * 0.5);
        const double expected = dof == 1     ? magnitude * area + 3 * volume
                                : d % 3 == 2 ? 0.5 * area - 3 * volume
                                             : problem.traction[d % 3] * area;
        EXPECT_NEAR(sum, expected, tolerance * magnitude) << "dof " << dof << " unknown " << d;
      }
    }
  }
}

// The moments as well: the load's centre is that of the face and of the volume, so that nothing has slipped to other
// nodes.
TYPED_TEST(CantileverLoad, ActsAtTheCentresOfFaceAndVolume) {
  const double tolerance = 100 * std::numeric_limits<TypeParam>::epsilon();
  const Cantilever problem = beam({4, 3, 5}, 3);
  const std::vector<double> points = hex_points(cantilever_grid(problem));
  const auto load = to_host(cantilever_load_unconstrained<TypeParam>(Device(), problem));
  double moment[3] = {};
  for (std::size_t i = 0; i < load.size(); i += 3) {
    for (int d = 0; d < 3; ++d) moment[d] += load[i + 2] * points[i + d];
  }
  EXPECT_NEAR(moment[0], 0.5 * area * 2.0 - 3 * volume * 1.0, tolerance);
  EXPECT_NEAR(moment[1], (0.5 * area - 3 * volume) * 0.75, tolerance);
  EXPECT_NEAR(moment[2], (0.5 * area - 3 * volume) * 0.25, tolerance);
}

TYPED_TEST(CantileverLoad, IsZeroAtTheClampedNodesAndTheSameElsewhere) {
  for (const int dof : {1, 3, 6}) {
    const Cantilever problem = beam({4, 3, 5}, dof);
    const auto free = to_host(cantilever_load_unconstrained<TypeParam>(Device(), problem));
    const auto held = to_host(cantilever_load<TypeParam>(Device(), problem));
    for (std::size_t i = 0; i < held.size(); ++i) {
      EXPECT_EQ(held[i], i < std::size_t(15 * dof) ? TypeParam(0) : free[i]);
    }
    EXPECT_NE(free[dof - 1], TypeParam(0));
  }
}

}  // namespace
