// What goes wrong on the device, in the last product of a solve too, is told by the solver.
#include <gmock/gmock.h>

#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <memory>
#include <support/message.hpp>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

using Vector = Kokkos::View<double*, Space>;
using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

constexpr int n = 50;

/// Counts what is enqueued, of which number `bad` goes wrong.
struct Work {
  int done = 0, bad = -1;

  void check() const {
    if (bad >= 0 && done >= bad) throw Error("nobody came", "the test has it so", "none");
  }
};

struct LoseableOperator {
  const BcsrOperator<BcsrMatrix<double>>& a;
  std::shared_ptr<Work> work;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    ++work->done;
    a.apply(exec, x, y);
  }
  auto space() const { return a.space(); }
  std::int64_t traffic_bytes() const { return a.traffic_bytes(); }
  HeldBytes bytes() const { return a.bytes(); }
  bool is_stream_ordered() const { return a.is_stream_ordered(); }
  std::string explain() const { return a.explain(); }
  void check() const { work->check(); }
};

struct LoseablePreconditioner {
  std::shared_ptr<Work> work;

  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    ++work->done;
    Kokkos::deep_copy(exec, z, r);
  }
  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return true; }
  std::int64_t traffic_bytes() const { return 0; }
  void check() const { work->check(); }
};

struct SolversOfLost : ::testing::Test {
  const Exec exec;
  const BcsrMatrix<double> matrix = laplacian_1d(n);
  const BcsrOperator<BcsrMatrix<double>> all_right{exec, matrix};
  const IdentityPreconditioner no_m{};
  const std::shared_ptr<Work> work = std::make_shared<Work>();

  /// solve(b, x) says so where its last product is lost.
  template <class Solve>
  void expect_told(const Solve& solve) const {
    const auto solved = [&] {
      const Vector b("test::b", n), x("test::x", n);
      Kokkos::deep_copy(b, 1);
      *work = {0, work->bad};
      solve(b, x);
    };
    work->bad = -1;
    solved();
    work->bad = work->done;
    EXPECT_GT(work->bad, 0);
    EXPECT_THAT(message_of<Error>(solved), HasSubstr("nobody came"));
  }
};

TEST_F(SolversOfLost, AreAllFormsOfCg) {
  const LoseableOperator a{all_right, work};
  expect_told([&](const auto& b, const auto& x) { cg(exec, a, no_m, b, x); });
  expect_told([&](const auto& b, const auto& x) { single_reduction_cg(exec, a, no_m, b, x); });
  expect_told([&](const auto& b, const auto& x) { pipelined_cg(exec, a, no_m, b, x); });
}

TEST_F(SolversOfLost, AreRefinedAndBlockCg) {
  const LoseableOperator a{all_right, work};
  expect_told([&](const auto& b, const auto& x) { refined_cg(exec, a, all_right, no_m, b, x); });
  expect_told(
      [&](const auto& b, const auto& x) { block_cg(exec, a, no_m, Block(b.data(), n, 1), Block(x.data(), n, 1)); });
}

TEST_F(SolversOfLost, WhateverTheTypeOfTheOperator) {
  const AnyOperator<double, Exec> a{LoseableOperator{all_right, work}};
  const AnyPreconditioner<double, Exec> m{no_m};
  expect_told([&](const auto& b, const auto& x) { cg(exec, a, m, b, x); });
}

TEST_F(SolversOfLost, AndForAPreconditioner) {
  const LoseablePreconditioner m{work};
  expect_told([&](const auto& b, const auto& x) { cg(exec, all_right, m, b, x); });
  const AnyPreconditioner<double, Exec> any{m};
  expect_told([&](const auto& b, const auto& x) { cg(exec, all_right, any, b, x); });
}

}  // namespace
}  // namespace ashlar::testing
