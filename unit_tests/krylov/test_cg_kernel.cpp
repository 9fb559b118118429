// Iterations that one kernel of the operator's makes: the library has such kernels on NVIDIA GPUs alone, so here is one
// of a single thread, for any device.
#include <gmock/gmock.h>

#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <memory>
#include <string>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// Iterates with the tridiagonal matrix of -1, 2, -1.
class OneThread : public CgKernel<Exec> {
 public:
  explicit OneThread(const CgPlace<double>& place) : place_(place) {}

  void enqueue(const Exec& exec, int iterations) override {
    const CgPlace<double> at = place_;
    Kokkos::parallel_for(
        "test::one_thread", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          CgScalars& s = *at.scalars;
          for (int k = 0; k < iterations && s.is_running(); ++k) {
            for (std::int64_t i = 0; i < at.n; ++i) {
              // (What p holds at the start may be no number.)
              if (s.alpha != 0) at.x[i] += s.alpha * at.p[i];
              at.p[i] = s.beta != 0 ? at.r[i] + s.beta * at.p[i] : at.r[i];
            }
            double pq = 0, rr = 0;
            for (std::int64_t i = 0; i < at.n; ++i) {
              const double before = i > 0 ? at.p[i - 1] : 0, after = i + 1 < at.n ? at.p[i + 1] : 0;
              at.q[i] = 2 * at.p[i] - before - after;
              pq += at.p[i] * at.q[i];
            }
            const double step = s.step_length(pq);
            for (std::int64_t i = 0; i < at.n; ++i) {
              at.r[i] -= step * at.q[i];
              rr += at.r[i] * at.r[i];
            }
            s.advance(pq, rr, rr, at.history, at.history_capacity);
          }
        });
  }
  void check() const override {}
  std::string explain() const override { return "one thread"; }

 private:
  CgPlace<double> place_;
};

/// The matrix, which offers that kernel.
struct Offering : BcsrOperator<BcsrMatrix<double>> {
  Offering(int n, bool is_worth_it)
      : BcsrOperator<BcsrMatrix<double>>(Exec(), laplacian_1d(n)), is_worth_it(is_worth_it) {}

  CgKernelOffer<Exec> cg_kernel(const Exec&, const IdentityPreconditioner&, const CgPlace<double>& place) const {
    return {std::make_unique<OneThread>(place), "it is a test", is_worth_it};
  }

  bool is_worth_it;
};

constexpr int n = 120;

struct Solved {
  SolveReport report;
  std::vector<double> x;
};

Solved solve(const Offering& a, CgLaunch launch) {
  const auto x = to_device<Space>(std::vector<double>(n));
  const auto report = cg(Exec(), a, IdentityPreconditioner(), to_device<Space>(random_vector<double>(n, 1)), x,
                         {.rtol = 1e-10, .launch = launch});
  return {report, to_host(x)};
}

TEST(CgKernelTest, ReportSaysThatItIterated) {
  const Offering a(n, true);
  const Solved plain = solve(a, CgLaunch::one_by_one);
  EXPECT_EQ(plain.report.status, SolveStatus::converged);
  EXPECT_FALSE(plain.report.iterates_in_kernel);
  for (const CgLaunch launch : {CgLaunch::automatic, CgLaunch::persistent}) {
    const Solved solved = solve(a, launch);
    EXPECT_TRUE(solved.report.iterates_in_kernel);
    EXPECT_EQ(solved.report.launch, "persistent kernel: one thread");
    EXPECT_EQ(solved.report.status, SolveStatus::converged);
    EXPECT_NEAR(solved.report.iterations, plain.report.iterations, 1);
    EXPECT_LE(max_difference(solved.x, plain.x), 1e-8);
  }
}

// `launch` names the kernel there, too: as what was not taken.
TEST(CgKernelTest, ReportSaysThatItDidNot) {
  const Solved solved = solve(Offering(n, false), CgLaunch::automatic);
  EXPECT_FALSE(solved.report.iterates_in_kernel);
  EXPECT_THAT(solved.report.launch, HasSubstr("(persistent kernel: it is a test)"));
  EXPECT_TRUE(solve(Offering(n, false), CgLaunch::persistent).report.iterates_in_kernel) << "as asked for";
}

TEST(CgKernelTest, OtherFormsTakeNone) {
  const Offering a(n, true);
  const auto b = to_device<Space>(random_vector<double>(n, 1));
  const auto x = to_device<Space>(std::vector<double>(n)), y = to_device<Space>(std::vector<double>(n));
  for (const SolveReport& report : {single_reduction_cg(Exec(), a, IdentityPreconditioner(), b, x),
                                    pipelined_cg(Exec(), a, IdentityPreconditioner(), b, y)}) {
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_FALSE(report.iterates_in_kernel) << report.launch;
  }
}

TEST(CgKernelTest, NobodyIteratesForZero) {
  const auto zero = to_device<Space>(std::vector<double>(n)), x = to_device<Space>(std::vector<double>(n));
  const SolveReport report = cg(Exec(), Offering(n, true), IdentityPreconditioner(), zero, x);
  EXPECT_EQ(report.iterations, 0);
  EXPECT_FALSE(report.iterates_in_kernel);
}

TEST(CgKernelTest, NobodyIteratesForAnAnswer) {
  const Offering a(n, true);
  const auto b = to_device<Space>(random_vector<double>(n, 1)), x = to_device<Space>(std::vector<double>(n));
  cg(Exec(), a, IdentityPreconditioner(), b, x, {.rtol = 1e-12});
  const SolveReport report = cg(Exec(), a, IdentityPreconditioner(), b, x, {.rtol = 1e-6});
  EXPECT_EQ(report.iterations, 0);
  EXPECT_FALSE(report.iterates_in_kernel);
}

/// Counts its kernels.
struct Counting : Offering {
  using Offering::Offering;
  CgKernelOffer<Exec> cg_kernel(const Exec& exec, const IdentityPreconditioner& m, const CgPlace<double>& place) const {
    ++*kernels;
    return Offering::cg_kernel(exec, m, place);
  }
  std::shared_ptr<int> kernels = std::make_shared<int>(0);
};

TEST(CgKernelTest, IsKeptFromSolveToSolve) {
  const Counting a(n, true);
  const IdentityPreconditioner none;
  CgSolver solver(Exec(), a, none, {.rtol = 1e-10});
  const auto expect = [&](int kernels, const Kokkos::View<double*, Space>& x) {
    Kokkos::deep_copy(x, 0);
    const auto report = solver.solve(to_device<Space>(random_vector<double>(n, kernels)), x);
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_TRUE(report.iterates_in_kernel);
    EXPECT_EQ(*a.kernels, kernels);
  };
  const auto x = to_device<Space>(std::vector<double>(n)), y = to_device<Space>(std::vector<double>(n));
  expect(1, x);
  expect(1, x);
  expect(2, y);
  solver.values_changed();
  expect(3, y);
}

}  // namespace
}  // namespace ashlar::testing
