// A method written with the public headers alone runs in the loop of all solvers: verdicts, monitor, ranks.
#include <gmock/gmock.h>

#include <ashlar/blas1/blas1.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/krylov/make_operator.hpp>
#include <ashlar/krylov/solver.hpp>
#include <cmath>
#include <support/message.hpp>
#include <support/thread_ranks.hpp>
#include <vector>

#include "krylov/richardson.hpp"
#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;

/// D x with d_i = first + (i % 4) / 8.
struct Scaling {
  double first;

  template <class OnExec, class X, class Y>
  void operator()(const OnExec& exec, const X& x, const Y& y) const {
    const double smallest = first;
    Kokkos::parallel_for(
        "test::scaling", Kokkos::RangePolicy<OnExec>(exec, 0, x.extent(0)),
        KOKKOS_LAMBDA(int i) { y(i) = (smallest + (i % 4) / 8.0) * x(i); });
  }
};

/// I - A turns the first two entries round, and changes no length.
struct Turning {
  template <class OnExec, class X, class Y>
  void operator()(const OnExec& exec, const X& x, const Y& y) const {
    Kokkos::parallel_for(
        "test::turning", Kokkos::RangePolicy<OnExec>(exec, 0, x.extent(0)),
        KOKKOS_LAMBDA(int i) { y(i) = i > 1 ? x(i) : i == 0 ? x(0) + x(1) : x(1) - x(0); });
  }
};

template <class Op, class M>
SolveReport richardson(const Exec& exec, const Op& a, const M& m, const Vector& b, const Vector& x,
                       const SolverOptions& options = {}) {
  return Solver<Richardson<Exec, Op, M, double>>(exec, a, m, options).solve(b, x);
}

struct RichardsonSolves : ::testing::Test {
  static constexpr int n = 203;
  const Exec exec;
  const Vector b = to_device<Space>(random_vector<double>(n, 1));
  const Vector x = to_device<Space>(std::vector<double>(n));
  const IdentityPreconditioner none{};
};

TEST_F(RichardsonSolves, WithTheRateOfTheory) {
  // I - D has the entries 0.125 to 0.5.
  const auto a = make_operator(n, Scaling{0.5});
  const SolveReport report = richardson(exec, a, none, b, x, {.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, 1e-10);
  EXPECT_NEAR(report.iterations, std::log2(1e10), 2);
  ASSERT_EQ(report.residual_history.size(), std::size_t(report.iterations + 1));
  EXPECT_NEAR(report.residual_history[30] / report.residual_history[29], 0.5, 1e-3);
  const auto right = to_host(b), solution = to_host(x);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(solution[i], right[i] / (0.5 + (i % 4) / 8.0), 1e-9);
}

TEST_F(RichardsonSolves, WithAPreconditioner) {
  const auto matrix = diagonal(std::vector<double>(n, 64));
  const BcsrOperator<Matrix> a(exec, matrix);
  const SolveReport report = richardson(exec, a, JacobiPreconditioner<Matrix>(exec, matrix), b, x);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, 1);
  // (A GPU has enqueued iterations beyond the end.)
  if constexpr (!is_gpu_v<Exec>) {
    EXPECT_EQ(report.products, 2 + 1);
  }
}

TEST_F(RichardsonSolves, ToEachVerdict) {
  const auto slow = make_operator(n, Scaling{0.5}), growing = make_operator(n, Scaling{4});
  const auto status = [&](const auto& a, const SolverOptions& options) {
    Kokkos::deep_copy(x, 0);
    return richardson(exec, a, none, b, x, options).status;
  };
  EXPECT_EQ(status(slow, {.rtol = 1e-10, .max_iterations = 5}), SolveStatus::iteration_limit);
  EXPECT_EQ(status(growing, {}), SolveStatus::diverged);
  EXPECT_LE(max_difference(to_host(x), std::vector<double>(n)), 0) << "x is the best that was found";
  const auto turning = make_operator(n, Turning{});
  EXPECT_EQ(status(turning, {.stagnation_window = 20}), SolveStatus::stagnation);
  EXPECT_EQ(status(slow, {.rtol = 0}), SolveStatus::accuracy_limit);
  Kokkos::deep_copy(b, std::nan(""));
  EXPECT_EQ(status(slow, {}), SolveStatus::non_finite);
}

TEST_F(RichardsonSolves, UntilTheMonitorStopsIt) {
  const auto a = make_operator(n, Scaling{0.5});
  int asked = 0;
  SolverOptions options{.rtol = 1e-10, .check_interval = 1};
  options.monitor = [&](int iterations, double residual) {
    ++asked;
    EXPECT_LE(residual, iterations == 0 ? 1.0 : 0.51);
    return iterations >= 16 ? MonitorAction::stop : MonitorAction::proceed;
  };
  const SolveReport report = richardson(exec, a, none, b, x, options);
  EXPECT_EQ(report.status, SolveStatus::interrupted);
  EXPECT_EQ(report.iterations, 16);
  EXPECT_GE(asked, 17);
}

TEST_F(RichardsonSolves, TheSameHoweverItIsLaunched) {
  const auto matrix = diagonal(std::vector<double>(n, 0.75));
  const BcsrOperator<Matrix> a(exec, matrix);
  const SolveReport plain = richardson(exec, a, none, b, x, {.launch = Launch::one_by_one});
  const auto expected = to_host(x);
  for (const int interval : {0, 3, 50}) {
    Kokkos::deep_copy(x, 0);
    const SolveReport report = richardson(exec, a, none, b, x, {.check_interval = interval});
    EXPECT_EQ(report.residual_history, plain.residual_history) << report.launch;
    EXPECT_EQ(to_host(x), expected);
  }
}

TEST_F(RichardsonSolves, NothingItCannot) {
  const auto a = make_operator(n, Scaling{0.5});
  const JacobiPreconditioner<Matrix> m(exec, diagonal(std::vector<double>(n, 1)));
  EXPECT_THAT(message_of<ArgumentError>(
                  [&] { richardson(exec, a, m, b, x, {.norm = ResidualNorm::preconditioned}); }),
              HasSubstr("richardson: the preconditioned norm"));
  EXPECT_THAT(message_of<ArgumentError>([&] { richardson(exec, a, none, b, x, {.launch = Launch::persistent}); }),
              HasSubstr("this method has none"));
}

/// Richardson's iteration again, whose progress the host computes: it waits in each iteration.
template <class Exec, class Op, class M, class Scalar>
class OnHost : public IterativeMethod<Exec, Op, M, Scalar, IterationScalars, true> {
  using Base = IterativeMethod<Exec, Op, M, Scalar, IterationScalars, true>;

 public:
  using typename Base::Vector, typename Base::RightHandSide;
  static constexpr const char* name = "on_host";

  OnHost(const Exec& exec, const Op& a, const M& m, const SolverOptions&)
      : Base(exec, a, m, 1), r_(Base::vector(exec, "on_host::r")), q_(Base::vector(exec, "on_host::q")) {}
  const Vector& r() const { return r_; }
  void start(const Exec& exec, const RightHandSide& b) {
    Base::form_residual(exec, b, r_);
    const double rr = sum(exec);
    Base::memory_.scalars().begin(rr, rr, rr);
  }
  void iterate(const Exec& exec) {
    if (!Base::memory_.scalars().is_running()) return;
    Base::a_.apply(exec, r_, q_);
    axpby(exec, 1, r_, 1, Base::x_);
    axpby(exec, -1, q_, 1, r_);
    Base::memory_.scalars().end_iteration(std::sqrt(sum(exec)), 0, Base::memory_.history.data());
  }
  std::int64_t traffic_bytes() const { return Base::traffic_bytes_with(6); }

 private:
  double sum(const Exec& exec) const {
    Base::dot(exec, r_, r_, 0);
    return Base::template sums_on_host<1>(exec)[0];
  }
  Vector r_, q_;
};

TEST_F(RichardsonSolves, WithProgressOfTheHost) {
  const auto a = make_operator(n, Scaling{0.5});
  const SolveReport report = richardson(exec, a, none, b, x, {.rtol = 1e-10});
  const Vector y("y", n);
  Solver<OnHost<Exec, std::decay_t<decltype(a)>, IdentityPreconditioner, double>> solver(exec, a, none,
                                                                                         {.rtol = 1e-10});
  const SolveReport on_host = solver.solve(b, y);
  EXPECT_EQ(on_host.status, SolveStatus::converged);
  EXPECT_EQ(on_host.iterations, report.iterations);
  EXPECT_EQ(on_host.products, on_host.iterations + 2) << "none behind the end";
  EXPECT_LE(max_difference(to_host(y), to_host(x)), 1e-12);
}

TEST(RichardsonOverRanks, IsTheSameAsWithout) {
  if (is_gpu_v<Exec>) GTEST_SKIP() << "ranks are threads of the host";
  const int of_rank = 40;
  for (const int ranks : {1, 2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      const Exec exec = rank_instance<Exec>();
      const auto a = make_operator(DistributedSpace<Exec>(exec, comm, of_rank), Scaling{0.5});
      const Vector b("b", of_rank), x("x", of_rank);
      Kokkos::deep_copy(exec, b, 1.0);
      const SolveReport report = richardson(exec, a, IdentityPreconditioner(), b, x, {.rtol = 1e-10});
      EXPECT_EQ(report.status, SolveStatus::converged);
      EXPECT_NEAR(report.iterations, 33, 1);
      EXPECT_LE(report.relative_residual, 1e-10);
      for (int i = 0; i < of_rank; ++i) EXPECT_NEAR(x(i), 1 / (0.5 + (i % 4) / 8.0), 1e-8);
      // A monitor that stops on one rank stops all.
      SolverOptions options{.rtol = 1e-10};
      options.monitor = [&](int, double) { return comm.rank() == 0 ? MonitorAction::stop : MonitorAction::proceed; };
      Kokkos::deep_copy(exec, x, 0.0);
      EXPECT_EQ(richardson(exec, a, IdentityPreconditioner(), b, x, options).status, SolveStatus::interrupted);
      const int most = comm.rank() == 1 ? 3 : 4;
      if (ranks > 1) {
        EXPECT_THROW(richardson(exec, a, IdentityPreconditioner(), b, x, {.max_iterations = most}), ArgumentError);
      }
    });
  }
}

}  // namespace
}  // namespace ashlar::testing
