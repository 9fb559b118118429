// Iterative refinement: the accuracy of the matrix from products with a cheaper one, what it counts, and each way to
// end.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/rounded.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>
#include <support/message.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Floats = BcsrMatrix<float>;
using Operator = BcsrOperator<Matrix>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

Matrix cantilever() { return problems::cantilever_matrix<Matrix>(Exec(), {.nodes = {9, 5, 5}}); }

/// Blocks of 3: thirds, which floats do not hold.
Matrix stencil() { return problems::stencil11<Matrix>(Exec(), 9, 8, 7, 3); }

Matrix scaled(const Matrix& matrix, double factor) {
  const Matrix result(matrix.block_shape(), matrix.graph(),
                      Matrix::values_view("test::values", matrix.values().extent(0)));
  axpby(Exec(), factor, matrix.values(), 0, result.values());
  Exec().fence();
  return result;
}

BcsrOperator<Floats> in_floats(const Matrix& matrix) {
  const Exec exec;
  return {exec, round_keeping_sums<float>(exec, matrix), {.double_vectors = true}};
}

/// An operator that counts its products.
template <class Op>
struct Counted {
  const Op& op;
  std::int64_t* count;

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    ++*count;
    op.apply(exec, x, y);
  }
  auto space() const { return op.space(); }
  std::int64_t traffic_bytes() const { return op.traffic_bytes(); }
  HeldBytes bytes() const { return op.bytes(); }
  bool is_stream_ordered() const { return op.is_stream_ordered(); }
  std::string explain() const { return op.explain(); }
};

double norm(const std::vector<double>& v) {
  double squared = 0;
  for (const double entry : v) squared += entry * entry;
  return std::sqrt(squared);
}

/// ||b - A x|| / ||b||
double true_residual(const Matrix& a, const std::vector<double>& b, const std::vector<double>& x) {
  const Kokkos::View<double*, Space> ax("test::ax", b.size());
  spmv(Exec(), 1, a, to_device<Space>(x), 0, ax);
  Exec().fence();
  std::vector<double> r = to_host(ax);
  for (std::size_t i = 0; i < b.size(); ++i) r[i] = b[i] - r[i];
  return norm(r) / norm(b);
}

struct Solved {
  RefinementReport report;
  std::vector<double> x;
};

template <class Low, class M = IdentityPreconditioner>
Solved refine(const Matrix& a, const Low& low, const std::vector<double>& b, const RefinementOptions& options = {},
              std::vector<double> x = {}, const M& m = {}) {
  const Exec exec;
  x.resize(b.size(), 0.0);
  const auto x_device = to_device<Space>(x);
  const auto report = refined_cg(exec, Operator(exec, a), low, m, to_device<Space>(b), x_device, options);
  EXPECT_NE(report.status, SolveStatus::running);
  EXPECT_EQ(report.residual_history.size(), report.steps + (report.residual_history.empty() ? 0u : 1u));
  return {report, to_host(x_device)};
}

/// Solves with a matrix of another scale: each step takes away the same part of the residual.
Solved refine_with_scaled(double factor, const RefinementOptions& options, std::vector<double> x = {}) {
  const Matrix a = cantilever();
  return refine(a, Operator(Exec(), scaled(a, factor)), random_vector<double>(a.num_rows(), 1), options, std::move(x));
}

void expect_accuracy_of_doubles_from_floats(const Matrix& a) {
  const Exec exec;
  const auto low = in_floats(a);
  const BlockJacobiPreconditioner m(exec, a);
  const auto b = random_vector<double>(a.num_rows(), 1);

  const Kokkos::View<double*, Space> x("test::x", b.size());
  const auto of_floats = cg(exec, low, m, to_device<Space>(b), x, {.rtol = 1e-12});
  EXPECT_EQ(of_floats.status, SolveStatus::converged) << "to the solution of another matrix";
  const double stalled = true_residual(a, b, to_host(x));
  EXPECT_GT(stalled, 3e-9);
  EXPECT_LT(stalled, 1e-5);

  Kokkos::deep_copy(x, 0.0);
  const auto plain = cg(exec, Operator(exec, a), m, to_device<Space>(b), x, {.rtol = 1e-12});
  const auto [report, refined] = refine(a, low, b, {.rtol = 1e-12}, {}, m);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, 1e-12);
  EXPECT_NEAR(true_residual(a, b, refined), report.relative_residual, 1e-14);
  EXPECT_LE(report.steps, 14);
  // Directions outlive a step. (Steps that lose them take twice as many iterations as CG and more.)
  EXPECT_LE(report.iterations, 1.5 * plain.iterations);
  // Each step gains what was asked for, until nothing is left.
  ASSERT_EQ(report.residual_history.size(), report.steps + 1u);
  EXPECT_EQ(report.residual_history[0], 1);
  for (int k = 1; k < report.steps; ++k) {
    EXPECT_LE(report.residual_history[k], 0.11 * report.residual_history[k - 1]) << "step " << k;
  }
  EXPECT_EQ(report.residual_history.back(), report.relative_residual);
}

TEST(IterativeRefinement, ReachesTheAccuracyOfDoublesOnACantilever) {
  expect_accuracy_of_doubles_from_floats(cantilever());
}

TEST(IterativeRefinement, ReachesTheAccuracyOfDoublesOnAStencil) { expect_accuracy_of_doubles_from_floats(stencil()); }

TEST(IterativeRefinement, GivesTheSameBitsTwiceAndWithAStreamedMatrix) {
  const Exec exec;
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const BlockJacobiPreconditioner m(exec, a);
  const auto low = in_floats(a);
  const auto once = refine(a, low, b, {}, {}, m);
  EXPECT_EQ(once.report.status, SolveStatus::converged);
  const StreamedMatrix<Floats> streamed(
      exec, copy_to<PinnedSpace>(exec, low.matrix()),
      {.num_subdivisions = 5, .num_resident = 1, .copy_always = true, .product = {.double_vectors = true}});
  for (const auto& again : {refine(a, low, b, {}, {}, m), refine(a, streamed, b, {}, {}, m)}) {
    EXPECT_EQ(again.x, once.x);
    EXPECT_EQ(again.report.residual_history, once.report.residual_history);
    EXPECT_EQ(again.report.iterations, once.report.iterations);
  }
}

TEST(IterativeRefinement, CountsItsProducts) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix);
  const auto floats = in_floats(matrix);
  const auto b = to_device<Space>(random_vector<double>(matrix.num_rows(), 1));
  for (const int interval : {1, 7}) {
    const Kokkos::View<double*, Space> x("test::x", matrix.num_rows());
    std::int64_t of_a = 0, of_low = 0;
    const auto report = refined_cg(exec, Counted<Operator>{a, &of_a}, Counted<BcsrOperator<Floats>>{floats, &of_low},
                                   IdentityPreconditioner(), b, x, {.check_interval = interval});
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.products, of_a);
    EXPECT_EQ(of_a, report.steps + 1);
    EXPECT_EQ(report.low_products, of_low);
    // Beside those of iterations are those that come before the host checks. Beside a device it checks one interval
    // while the next is running.
    const int before_check = is_gpu_v<Exec> ? 2 * interval - 1 : interval - 1;
    EXPECT_GE(of_low, report.iterations);
    EXPECT_LE(of_low, report.iterations + before_check * report.steps);
    EXPECT_GE(report.bytes_moved, of_a * a.traffic_bytes() + report.iterations * floats.traffic_bytes());
  }
}

/// A system whose iterations are in single precision: matrix, vectors and preconditioner.
struct Mixed {
  explicit Mixed(const problems::Cantilever& beam)
      : matrix(problems::cantilever_matrix<Matrix>(Exec(), beam)),
        floats(convert_values<float>(Exec(), matrix)),
        a(Exec(), matrix),
        low(Exec(), floats),
        m(Exec(), matrix),
        low_m(Exec(), floats),
        b(random_vector<double>(matrix.num_rows(), 1)) {}

  Solved solve(const RefinementOptions& options) const {
    const Kokkos::View<double*, Space> x("test::x", b.size());
    const auto report = refined_cg<float>(Exec(), a, low, low_m, to_device<Space>(b), x, options);
    return {report, to_host(x)};
  }

  Matrix matrix;
  Floats floats;
  Operator a;
  BcsrOperator<Floats> low;
  BlockJacobiPreconditioner<Matrix> m;
  BlockJacobiPreconditioner<Floats> low_m;
  std::vector<double> b;
};

TEST(IterativeRefinement, KeepsTheAnswerOfDoublesWithVectorsOfFloats) {
  const Mixed system({.nodes = {17, 5, 5}});
  const Kokkos::View<double*, Space> y("test::y", system.b.size());
  const auto plain = cg(Exec(), system.a, system.m, to_device<Space>(system.b), y, {.rtol = 1e-10});
  const auto [report, x] = system.solve({.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(true_residual(system.matrix, system.b, x), 1e-10);
  // The matrix of doubles is multiplied at updates alone.
  EXPECT_EQ(report.products, report.steps + 1);
  EXPECT_LE(report.steps, 12);
  EXPECT_LE(report.iterations, 2.2 * plain.iterations);
  // Each step lowers the residual in doubles to a tenth, too.
  for (int k = 1; k < report.steps; ++k) {
    EXPECT_LE(report.residual_history[k], 0.15 * report.residual_history[k - 1]) << "step " << k;
  }
}

TEST(IterativeRefinement, KeepsTheDirectionFromStepToStep) {
  // With A itself, updates change rounding alone: as many iterations as CG. Restarts would cost half as many again.
  const Mixed system({.nodes = {17, 5, 5}});
  const Kokkos::View<double*, Space> x("test::x", system.b.size()), y("test::y", system.b.size());
  const auto b = to_device<Space>(system.b);
  const auto plain = cg(Exec(), system.a, system.m, b, y, {.rtol = 0.8e-10});
  const auto report = refined_cg(Exec(), system.a, system.a, system.m, b, x, {.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_GE(report.steps, 10);
  EXPECT_LE(std::abs(report.iterations - plain.iterations), 2);
}

TEST(IterativeRefinement, OfFloatsGivesTheSameBitsInEachLaunchThatAddsAlike) {
  const Mixed system({.nodes = {9, 5, 5}});
  const auto once = system.solve({.rtol = 1e-10, .check_interval = 1, .launch = CgLaunch::one_by_one});
  const auto again = system.solve({.rtol = 1e-10, .check_interval = 7, .launch = CgLaunch::one_by_one});
  EXPECT_EQ(again.x, once.x);
  EXPECT_EQ(again.report.residual_history, once.report.residual_history);
}

TEST(IterativeRefinement, TakesFewStepsWithTheMatrixItself) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto [report, x] = refine(a, Operator(Exec(), a), b, {.rtol = 1e-12, .inner_rtol = 1e-6});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.steps, 3);
  EXPECT_LE(true_residual(a, b, x), 1.01e-12);
}

TEST(IterativeRefinement, ConvergesForEachPartThatAStepMayLeave) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto low = in_floats(a);
  int steps = 0;
  for (const double inner : {0.0, 0.1, 0.49}) {
    const auto [report, x] = refine(a, low, b, {.rtol = 1e-12, .inner_rtol = inner});
    EXPECT_EQ(report.status, SolveStatus::converged) << inner;
    EXPECT_GT(report.steps, steps) << inner;
    steps = report.steps;
  }
}

TEST(IterativeRefinement, AsksForNoMoreThanIsLeft) {
  // One step is enough, and is CG to a little less than the tolerance.
  const Exec exec;
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto [report, x] = refine(a, Operator(exec, a), b, {.rtol = 1e-4, .inner_rtol = 1e-10});
  const Kokkos::View<double*, Space> y("test::y", b.size());
  const auto plain = cg(exec, Operator(exec, a), IdentityPreconditioner(), to_device<Space>(b), y, {.rtol = 0.8e-4});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.steps, 1);
  EXPECT_EQ(report.iterations, plain.iterations);
  EXPECT_EQ(x, to_host(y));
}

TEST(IterativeRefinement, GainsByHowNearTheMatricesAre) {
  // With 1.25 A a fifth of the residual is left by each step.
  const auto [report, x] = refine_with_scaled(1.25, {.rtol = 1e-6, .inner_rtol = 1e-9});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.steps, 9);
  for (int k = 0; k < report.steps; ++k) EXPECT_NEAR(report.residual_history[k], std::pow(0.2, k), 1e-7);
}

TEST(IterativeRefinement, StartsFromTheGuessItIsGiven) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto low = in_floats(a);
  const auto rough = refine(a, low, b, {.rtol = 1e-6});
  const auto again = refine(a, low, b, {.rtol = 1e-6}, rough.x);
  EXPECT_EQ(again.report.status, SolveStatus::converged);
  EXPECT_EQ(again.report.steps, 0);
  EXPECT_EQ(again.x, rough.x);
  EXPECT_EQ(again.report.relative_residual, rough.report.relative_residual);
  const auto further = refine(a, low, b, {.rtol = 1e-9}, rough.x);
  EXPECT_EQ(further.report.status, SolveStatus::converged);
  EXPECT_EQ(further.report.residual_history[0], rough.report.relative_residual);
  EXPECT_LT(further.report.iterations, refine(a, low, b, {.rtol = 1e-9}).report.iterations);
}

TEST(IterativeRefinement, SolvesForZeroAtOnce) {
  const Matrix a = stencil();
  const std::vector<double> zero(a.num_rows(), 0.0);
  const auto [report, x] = refine(a, in_floats(a), zero, {}, std::vector<double>(a.num_rows(), 5.0));
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.steps, 0);
  EXPECT_EQ(report.products, 0);
  EXPECT_THAT(report.residual_history, ElementsAre(0));
  EXPECT_EQ(x, zero);
}

TEST(IterativeRefinement, EndsAtTheLimitOfAllIterations) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto low = in_floats(a);
  const auto whole = refine(a, low, b, {.rtol = 1e-12, .inner_rtol = 1e-5});
  const auto one = refine(a, low, b, {.rtol = 0.9 * whole.report.residual_history[1], .inner_rtol = 1e-5});
  ASSERT_GE(whole.report.steps, 2);
  // Within the second step.
  const int limit = one.report.iterations + (whole.report.iterations - one.report.iterations) / 2;
  const auto [report, x] = refine(a, low, b, {.rtol = 1e-12, .inner_rtol = 1e-5, .max_iterations = limit});
  EXPECT_EQ(report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(report.iterations, limit);
  EXPECT_EQ(report.steps, 2);
  EXPECT_NEAR(true_residual(a, b, x), report.relative_residual, 1e-14);

  const auto none = refine(a, low, b, {.max_iterations = 0});
  EXPECT_EQ(none.report.status, SolveStatus::iteration_limit);
  EXPECT_EQ(none.report.steps, 0);
  EXPECT_EQ(none.report.relative_residual, 1);
}

TEST(IterativeRefinement, SaysWhenTheCheaperMatrixIsOfNoUse) {
  const Matrix a = cantilever();
  const std::vector<double> guess = random_vector<double>(a.num_rows(), 7);
  const RefinementOptions exact{.inner_rtol = 1e-6};
  const auto negated = refine_with_scaled(-1, exact, guess);
  EXPECT_EQ(negated.report.status, SolveStatus::indefinite_matrix);
  EXPECT_EQ(negated.report.steps, 1);
  EXPECT_EQ(negated.x, guess);
  const auto nan = refine_with_scaled(std::numeric_limits<double>::quiet_NaN(), exact, guess);
  EXPECT_EQ(nan.report.status, SolveStatus::non_finite);
  EXPECT_EQ(nan.x, guess);
  // Steps three times too long: x - 2 of the error, which is worse. x stays.
  const auto diverging = refine_with_scaled(1.0 / 3, exact, guess);
  EXPECT_EQ(diverging.report.status, SolveStatus::accuracy_limit);
  EXPECT_EQ(diverging.x, guess);
  EXPECT_EQ(diverging.report.relative_residual, diverging.report.residual_history[0]);
  EXPECT_NEAR(diverging.report.residual_history[1] / diverging.report.residual_history[0], 2, 1e-3);
  // A third of the way: better, and too little.
  const auto slow = refine_with_scaled(3, exact, guess);
  EXPECT_EQ(slow.report.status, SolveStatus::accuracy_limit);
  EXPECT_EQ(slow.report.steps, 1);
  EXPECT_NEAR(slow.report.relative_residual / slow.report.residual_history[0], 2.0 / 3, 1e-3);
  EXPECT_NE(slow.x, guess);
}

TEST(IterativeRefinement, SaysWhenNothingIsLeftToGain) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  for (const double rtol : {0.0, 1e-17}) {
    const auto [report, x] = refine(a, in_floats(a), b, {.rtol = rtol});
    EXPECT_EQ(report.status, SolveStatus::accuracy_limit);
    EXPECT_LE(report.relative_residual, 1e-13);
    EXPECT_NEAR(true_residual(a, b, x), report.relative_residual, 1e-15);
  }
}

/// A preconditioner that makes nothing of anything.
struct Annihilator {
  template <class R, class Z>
  void apply(const Exec& exec, const R&, const Z& z) const {
    Kokkos::deep_copy(exec, z, 0.0);
  }
  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return true; }
  std::int64_t traffic_bytes() const { return 0; }
};

TEST(IterativeRefinement, SaysWhenThePreconditionerBreaksDown) {
  const Matrix a = cantilever();
  const auto b = random_vector<double>(a.num_rows(), 1);
  EXPECT_EQ(refine(a, in_floats(a), b, {}, {}, Annihilator()).report.status, SolveStatus::breakdown);
}

TEST(IterativeRefinement, SaysWhenNumbersAreNotFinite) {
  const Matrix a = cantilever();
  const double nan = std::numeric_limits<double>::quiet_NaN(), inf = std::numeric_limits<double>::infinity();
  const auto good = random_vector<double>(a.num_rows(), 1);
  for (const double bad : {nan, inf}) {
    auto b = good, guess = good;
    b[5] = guess[5] = bad;
    for (const auto& solved : {refine(a, in_floats(a), b), refine(a, in_floats(a), good, {}, guess),
                               refine(scaled(a, bad), in_floats(a), good)}) {
      EXPECT_EQ(solved.report.status, SolveStatus::non_finite);
      EXPECT_EQ(solved.report.steps, 0);
    }
  }
}

TEST(IterativeRefinement, TellsTheMonitorOfItsProgress) {
  const Matrix a = cantilever();
  std::vector<int> iterations;
  std::vector<double> residuals;
  RefinementOptions options{.rtol = 1e-12};
  options.check_interval = 1;
  options.monitor = [&](int k, double residual) {
    iterations.push_back(k);
    residuals.push_back(residual);
  };
  const auto report = refine(a, in_floats(a), random_vector<double>(a.num_rows(), 1), options).report;
  EXPECT_TRUE(std::is_sorted(iterations.begin(), iterations.end()));
  EXPECT_EQ(iterations.front(), 0);
  EXPECT_EQ(iterations.back(), report.iterations);
  EXPECT_EQ(residuals.front(), 1);
  EXPECT_NEAR(residuals.back(), report.relative_residual, 0.5e-12);
}

TEST(IterativeRefinement, RefusesBadArgumentsBeforeAnyWork) {
  const Matrix a = cantilever();
  const auto low = in_floats(a);
  const auto b = random_vector<double>(a.num_rows(), 1);
  const auto refused = [&](const RefinementOptions& options) {
    return message_of<ArgumentError>([&] { refine(a, low, b, options); });
  };
  const double nan = std::nan("");
  EXPECT_THAT(refused({.rtol = -1}), HasSubstr("refined_cg: tolerances rtol -1"));
  EXPECT_THAT(refused({.rtol = nan}), HasSubstr("refined_cg: tolerances"));
  EXPECT_THAT(refused({.atol = -1}), HasSubstr("refined_cg: tolerances"));
  for (const double inner : {-1.0, 0.5, 0.9, 1.0, nan}) {
    EXPECT_THAT(refused({.inner_rtol = inner}), HasSubstr("refined_cg: inner_rtol"));
  }
  EXPECT_THAT(refused({.inner_rtol = 0.5}), HasSubstr("leaves more than half ends the solve"));
  EXPECT_THAT(refused({.max_iterations = -1}), HasSubstr("refined_cg: max_iterations -1"));
  EXPECT_THAT(message_of<ShapeError>([&] { refine(a, low, {1, 2}); }), HasSubstr("refined_cg: b has 2 entries"));
  EXPECT_THAT(message_of<ShapeError>([&] { refine(a, in_floats(stencil()), b); }), HasSubstr("1512 rows"));
}

}  // namespace
}  // namespace ashlar::testing
