// Memory plans of algebraic multigrid cover its allocations.
#include <gtest/gtest.h>

#include <ashlar/amg/level.hpp>
#include <ashlar/amg/preconditioner_bytes.hpp>
#include <ashlar/amg/streamed_level.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cstdint>
#include <limits>
#include <memory>

#include "amg/systems.hpp"
#include "support/held_bytes.hpp"

namespace ashlar::testing {
namespace {

std::uint64_t planned(const Matrix& a, const Modes& modes) {
  return amg::preconditioner_bytes<Matrix>(std::uint64_t(a.num_block_rows()), std::uint64_t(a.num_blocks()),
                                           std::uint64_t(a.block_size()), modes.extent(1));
}

/// The most bytes held while a preconditioner is made and takes new values.
std::uint64_t measured(const Matrix& a, const Modes& modes) {
  const Exec exec;
  exec.fence();
  const HeldBytes held;
  const amg::Preconditioner<Matrix> m(exec, a, modes);
  m.update_values(exec, a);
  return std::uint64_t(held.most());
}

TEST(AmgBytes, OfElasticity) {
  for (const int side : {11, 17}) {
    const Beam beam({side, side, side});
    EXPECT_LE(measured(beam.a, beam.modes), planned(beam.a, beam.modes)) << side;
  }
}

/// Prolongators grow with the number of modes, and coarse matrices with its square.
TEST(AmgBytes, OfManyModes) {
  const Exec exec;
  for (const int b : {1, 2}) {
    const auto a = problems::stencil11<Matrix>(exec, 14, 14, 14, b);
    for (const int m : {1, 2, 3, 6, 16, 24}) {
      const Modes modes("modes", std::size_t(a.num_rows()), std::size_t(m));
      const auto random = random_vector<double>(a.num_rows() * m, 3);
      Kokkos::deep_copy(Kokkos::View<double*, Space>(modes.data(), modes.size()), to_device<Space>(random));
      const std::uint64_t most = measured(a, modes), plan = planned(a, modes);
      EXPECT_LE(most, plan) << m << " modes, blocks of size " << b;
      EXPECT_LE(plan, 20 * most) << m << " modes, blocks of size " << b;
    }
  }
}

TEST(AmgBytes, AreTheLargestNumberIfTheyDoNotFit) {
  constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
  EXPECT_EQ(amg::preconditioner_bytes<Matrix>(std::uint64_t(1) << 50, std::uint64_t(1) << 55, 1, 64), largest);
}

/// New values are inverted while the inverses of the old ones are there.
TEST(AmgBytes, OfAStreamedFinestLevel) {
  const Exec exec;
  const Beam beam({13, 9, 9});
  using Product = StreamedMatrix<Matrix>;
  using OnDevice = amg::StreamedLevelMatrix<Matrix, Product>;
  const Product::host_type pinned = copy_to<Product::host_type::memory_space>(exec, beam.a);
  const OnDevice::OnHost here = copy_to<Kokkos::HostSpace>(exec, beam.a);
  exec.fence();
  const auto product = std::make_shared<Product>(exec, pinned, StreamingOptions{.copy_always = true});
  const std::uint64_t n = std::uint64_t(beam.a.num_block_rows()), blocks = block_jacobi_bytes<Matrix>(n, 3);
  for (const auto smoother : {amg::SmootherKind::chebyshev, amg::SmootherKind::l1_jacobi}) {
    const amg::Options options{.smoother = smoother};
    const HeldBytes held(Space::name());
    amg::Level<OnDevice> level(exec, OnDevice(exec, product, here), options, 2.0);
    level.set_matrix(exec, OnDevice(exec, product, here), options, 2.0);
    exec.fence();
    const std::uint64_t most = std::uint64_t(held.most());
    const std::uint64_t plan = amg::streamed_level_bytes<Matrix>(n, 3, smoother);
    EXPECT_LE(most, plan + blocks / 16) << to_string(smoother) << ": plans of products have a few numbers more";
    EXPECT_GE(most + blocks / 2, plan) << to_string(smoother);
  }
}

}  // namespace
}  // namespace ashlar::testing
