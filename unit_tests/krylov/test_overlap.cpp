// Solvers whose b and x share memory: refused by name, before anything is computed.
#include <gmock/gmock.h>

#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <support/message.hpp>
#include <utility>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;
using ::testing::StartsWith;

using Vector = Kokkos::View<double*, Space>;

constexpr int n = 50;

struct SolversOfOverlapping : ::testing::Test {
  const Exec exec;
  const BcsrMatrix<double> matrix = laplacian_1d(n);
  const BcsrOperator<BcsrMatrix<double>> a{exec, matrix};
  const IdentityPreconditioner m{};
  const Vector room{"test::room", 2 * n};

  SolversOfOverlapping() { Kokkos::deep_copy(room, 3); }

  Vector from(int begin) const { return Kokkos::subview(room, std::make_pair(begin, begin + n)); }

  /// Of b and x where they share all entries, some, or one.
  template <class Solve>
  void expect_refused(const std::string& name, const Solve& solve) const {
    for (const auto& [b, x] : {std::pair(0, 0), std::pair(0, 7), std::pair(7, 0), std::pair(n - 1, 0)}) {
      const std::string message = message_of<ArgumentError>([&] { solve(from(b), from(x)); });
      EXPECT_THAT(message, AllOf(StartsWith(name), HasSubstr("overlap"))) << b << ", " << x;
      EXPECT_THAT(to_host(room), Each(3.0));
    }
    // Side by side they are apart.
    Kokkos::deep_copy(from(n), 0);
    solve(from(0), from(n));
    exec.fence();
    EXPECT_THAT(to_host(from(0)), Each(3.0));
    EXPECT_NE(to_host(from(n))[0], 0.0);
    Kokkos::deep_copy(room, 3);
  }
};

TEST_F(SolversOfOverlapping, AreAllFormsOfCg) {
  expect_refused("cg", [&](const auto& b, const auto& x) { cg(exec, a, m, b, x); });
  expect_refused("single_reduction_cg", [&](const auto& b, const auto& x) { single_reduction_cg(exec, a, m, b, x); });
  expect_refused("pipelined_cg", [&](const auto& b, const auto& x) { pipelined_cg(exec, a, m, b, x); });
}

TEST_F(SolversOfOverlapping, AreRefinedCg) {
  expect_refused("refined_cg", [&](const auto& b, const auto& x) { refined_cg(exec, a, a, m, b, x); });
}

TEST_F(SolversOfOverlapping, AreBlockCg) {
  const auto as_block = [](const Vector& v) {
    return Kokkos::View<double**, Kokkos::LayoutRight, Space>(v.data(), n, 1);
  };
  expect_refused("block_cg", [&](const auto& b, const auto& x) { block_cg(exec, a, m, as_block(b), as_block(x)); });
}

/// b as it is read, of const entries.
TEST_F(SolversOfOverlapping, WhateverTheTypeOfB) {
  const Kokkos::View<const double*, Space> b = from(0);
  EXPECT_THAT(message_of<ArgumentError>([&] { cg(exec, a, m, b, from(0)); }), HasSubstr("overlap"));
}

}  // namespace
}  // namespace ashlar::testing
