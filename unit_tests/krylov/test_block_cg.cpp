// Block CG against what it is to be: each column's solution, no more steps than CG needs for the hardest column, and no
// harm from right-hand sides that depend on each other.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/reference/spmv.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::Each;
using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<double>;
using Operator = BcsrOperator<Matrix>;
template <class Layout>
using BlockOf = Kokkos::View<double**, Layout, Space>;
using Block = BlockOf<Kokkos::LayoutRight>;

Matrix cantilever(int dof = 3) { return problems::cantilever_matrix<Matrix>(Exec(), {.nodes = {7, 5, 4}, .dof = dof}); }

template <class B = Block>
B test_block(std::int64_t n, int columns, unsigned seed = 3) {
  return random_block<B>(n, columns, seed);
}

template <class B>
std::vector<double> column(const B& block, int j) {
  const auto host = Kokkos::create_mirror(block);
  Kokkos::deep_copy(host, block);
  std::vector<double> result(block.extent(0));
  for (std::size_t i = 0; i < result.size(); ++i) result[i] = host(i, j);
  return result;
}

template <class B>
void set_column(const B& block, int j, const std::vector<double>& numbers) {
  const auto host = Kokkos::create_mirror(block);
  Kokkos::deep_copy(host, block);
  for (std::size_t i = 0; i < numbers.size(); ++i) host(i, j) = numbers[i];
  Kokkos::deep_copy(block, host);
}

double norm(const std::vector<double>& x) {
  double sum = 0;
  for (const double entry : x) sum += entry * entry;
  return std::sqrt(sum);
}

/// ||b - A x|| / ||b|| by plain loops.
template <class B>
double residual(const Matrix& matrix, const B& b, const B& x, int j) {
  const auto host = copy_to<Kokkos::HostSpace>(Exec(), matrix);
  Exec().fence();
  auto r = column(b, j);
  reference::spmv(-1.0, host, column(x, j), 1.0, r);
  return norm(r) / norm(column(b, j));
}

SolveReport solve_column(const Operator& a, const auto& m, const Block& b, int j, double rtol) {
  const auto b_j = to_device<Space>(column(b, j));
  const Kokkos::View<double*, Space> x("test::x", b.extent(0));
  return cg(Exec(), a, m, b_j, x, {.rtol = rtol});
}

template <class Preconditioner, class B = Block>
void expect_solves(const Matrix& matrix, const Preconditioner& m, int columns) {
  const Exec exec;
  const Operator a(exec, matrix, {.num_vectors = columns});
  const auto b = test_block<B>(matrix.num_rows(), columns);
  const auto x = test_block<B>(matrix.num_rows(), columns, 8);
  const double rtol = 1e-10;
  const BlockSolveReport report = block_cg(exec, a, m, b, x, {.rtol = rtol});
  EXPECT_EQ(report.status, SolveStatus::converged);
  ASSERT_EQ(int(report.columns.size()), columns);
  for (int j = 0; j < columns; ++j) {
    const ColumnReport& of_column = report.columns[j];
    EXPECT_EQ(of_column.status, SolveStatus::converged);
    EXPECT_LE(of_column.relative_residual, rtol);
    EXPECT_NEAR(residual(matrix, b, x, j), of_column.relative_residual, 1e-13);
    EXPECT_EQ(int(of_column.residual_history.size()), report.iterations + 1);
    EXPECT_LE(of_column.residual_history.back(), rtol);
    EXPECT_LE(of_column.iterations, report.iterations);
  }
  EXPECT_EQ(int(report.num_directions.size()), report.iterations);
  EXPECT_EQ(report.num_directions.front(), columns);
}

TEST(BlockCg, SolvesForAllColumns) {
  for (const int dof : {1, 3}) {
    const Matrix matrix = cantilever(dof);
    for (const int columns : {1, 2, 5, 16}) {
      expect_solves(matrix, IdentityPreconditioner(), columns);
      expect_solves(matrix, JacobiPreconditioner(Exec(), matrix), columns);
      expect_solves(matrix, BlockJacobiPreconditioner(Exec(), matrix), columns);
    }
  }
  expect_solves<IdentityPreconditioner, BlockOf<Kokkos::LayoutLeft>>(cantilever(), {}, 4);
}

TEST(BlockCg, IsCgForOneColumn) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix);
  const BlockJacobiPreconditioner m(exec, matrix);
  const auto b = test_block(matrix.num_rows(), 1);
  const Block x("test::x", matrix.num_rows(), 1);
  const auto report = block_cg(exec, a, m, b, x, {.rtol = 1e-9});
  const auto single = solve_column(a, m, b, 0, 1e-9);
  EXPECT_NEAR(report.iterations, single.iterations, 2);
  // Until rounding, which both make of their own, has grown.
  const auto& history = report.columns[0].residual_history;
  int compared = 0;
  for (; single.residual_history[compared] > 1e-3; ++compared) {
    EXPECT_NEAR(history[compared], single.residual_history[compared], 1e-4 * single.residual_history[compared]);
  }
  EXPECT_GT(compared, 10);
}

TEST(BlockCg, NeedsFewerStepsThanCg) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix, {.num_vectors = 12});
  const auto b = test_block(matrix.num_rows(), 12);
  const Block x("test::x", matrix.num_rows(), 12);
  const auto report = block_cg(exec, a, IdentityPreconditioner(), b, x, {.rtol = 1e-8});
  int most = 0;
  for (int j = 0; j < 12; ++j) most = std::max(most, solve_column(a, IdentityPreconditioner(), b, j, 1e-8).iterations);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LT(report.iterations, 0.6 * most);
}

TEST(BlockCg, DropsColumnsThatDependOnOthers) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix, {.num_vectors = 6});
  const auto b = test_block(matrix.num_rows(), 6);
  // Twice the first, the sum of the first two, nothing, and the fifth a little beside the second.
  auto sum = column(b, 0), twice = column(b, 0), near = column(b, 1);
  const auto second = column(b, 1), sixth = column(b, 5);
  for (std::size_t i = 0; i < sum.size(); ++i) {
    sum[i] += second[i];
    twice[i] *= 2;
    near[i] += 1e-9 * sixth[i];
  }
  set_column(b, 2, sum);
  set_column(b, 3, std::vector<double>(sum.size(), 0.0));
  set_column(b, 4, near);
  set_column(b, 5, twice);
  const auto x = test_block(matrix.num_rows(), 6, 9);
  set_column(x, 0, std::vector<double>(sum.size(), 0.0));
  set_column(x, 1, std::vector<double>(sum.size(), 0.0));
  set_column(x, 2, std::vector<double>(sum.size(), 0.0));
  set_column(x, 4, std::vector<double>(sum.size(), 0.0));
  set_column(x, 5, std::vector<double>(sum.size(), 0.0));
  const auto report = block_cg(exec, a, BlockJacobiPreconditioner(exec, matrix), b, x, {.rtol = 1e-10});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.num_directions.front(), 3);
  EXPECT_GE(report.num_directions.front(), 2);
  for (const int j : {0, 1, 2, 4, 5}) EXPECT_LE(residual(matrix, b, x, j), 1e-10) << j;
  // Where b is 0, so is x, whatever the guess.
  EXPECT_EQ(norm(column(x, 3)), 0);
  EXPECT_EQ(report.columns[3].iterations, 0);
  EXPECT_EQ(report.columns[3].relative_residual, 0);
}

TEST(BlockCg, ColumnsThatHaveConvergedDoNotSlowTheOthers) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix, {.num_vectors = 6});
  const auto b = test_block(matrix.num_rows(), 6);
  const Block x("test::x", matrix.num_rows(), 6);
  // All but the first begin the nearer to their solutions the later they come.
  for (int j = 1; j < 6; ++j) {
    const auto b_j = to_device<Space>(column(b, j));
    const Kokkos::View<double*, Space> x_j("test::x_j", matrix.num_rows());
    cg(exec, a, IdentityPreconditioner(), b_j, x_j, {.rtol = std::pow(10.0, -1.5 * j)});
    set_column(x, j, to_host(x_j));
  }
  const auto report = block_cg(exec, a, IdentityPreconditioner(), b, x, {.rtol = 1e-8});
  EXPECT_EQ(report.status, SolveStatus::converged);
  for (int j = 0; j < 6; ++j) EXPECT_LE(residual(matrix, b, x, j), 1e-8);
  EXPECT_LT(report.columns[5].iterations, report.columns[0].iterations);
  EXPECT_LT(report.columns[0].iterations, 0.8 * solve_column(a, IdentityPreconditioner(), b, 0, 1e-8).iterations);
}

TEST(BlockCg, TakesMoreColumnsThanRows) {
  const Exec exec;
  const Matrix matrix = problems::stencil11<Matrix>(exec, 2, 2, 2, 1);
  const auto b = test_block(8, 20);
  const Block x("test::x", 8, 20);
  const auto report =
      block_cg(exec, Operator(exec, matrix, {.num_vectors = 20}), IdentityPreconditioner(), b, x, {.rtol = 1e-11});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.num_directions.front(), 8);
  EXPECT_LE(report.iterations, 3);
}

TEST(BlockCg, GivesTheSameBitsTwiceAndWithAStreamedMatrix) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const auto b = test_block(matrix.num_rows(), 5);
  const BlockJacobiPreconditioner m(exec, matrix);
  const auto solve = [&](const auto& a) {
    const Block x("test::x", matrix.num_rows(), 5);
    const auto report = block_cg(exec, a, m, b, x, {.rtol = 1e-9});
    EXPECT_EQ(report.status, SolveStatus::converged);
    std::vector<double> all{double(report.iterations)};
    for (int j = 0; j < 5; ++j) {
      const auto of_column = column(x, j);
      all.insert(all.end(), of_column.begin(), of_column.end());
    }
    return all;
  };
  const Operator a(exec, matrix, {.num_vectors = 5});
  const auto once = solve(a);
  EXPECT_EQ(solve(a), once);
  const StreamedMatrix<Matrix> streamed(
      exec, copy_to<PinnedSpace>(exec, matrix),
      {.num_subdivisions = 4, .num_resident = 1, .copy_always = true, .product = {.num_vectors = 5}});
  EXPECT_EQ(solve(streamed), once);
}

/// A preconditioner that makes nothing of anything.
struct Annihilator : IdentityPreconditioner {
  template <class R, class Z>
  void apply(const Exec& exec, const R&, const Z& z) const {
    Kokkos::deep_copy(exec, z, 0.0);
  }
  bool is_identity() const { return false; }
};

TEST(BlockCg, SaysWhyItEnded) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const auto b = test_block(matrix.num_rows(), 3);
  const auto status = [&](const Matrix& of, BlockCgOptions options) {
    const Block x("test::x", matrix.num_rows(), 3);
    return block_cg(exec, Operator(exec, of), IdentityPreconditioner(), b, x, options);
  };
  const auto limited = status(matrix, {.rtol = 1e-10, .max_iterations = 5});
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.iterations, 5);
  for (const ColumnReport& of_column : limited.columns) EXPECT_EQ(of_column.status, SolveStatus::iteration_limit);
  EXPECT_EQ(status(matrix, {.rtol = 1e-17}).status, SolveStatus::accuracy_limit);
  const auto changed = [&](double factor) {
    const Matrix copy(matrix.block_shape(), matrix.graph(),
                      Matrix::values_view("test::values", matrix.values().extent(0)));
    const auto host = Kokkos::create_mirror(matrix.values());
    Kokkos::deep_copy(host, matrix.values());
    for (std::size_t i = 0; i < host.extent(0); ++i) host(i) *= factor;
    Kokkos::deep_copy(copy.values(), host);
    return copy;
  };
  EXPECT_EQ(status(changed(-1), {}).status, SolveStatus::indefinite_matrix);
  EXPECT_EQ(status(changed(std::numeric_limits<double>::quiet_NaN()), {}).status, SolveStatus::non_finite);
  EXPECT_EQ(status(matrix, {.rtol = 0}).status, SolveStatus::accuracy_limit);
  EXPECT_EQ(status(matrix, {.atol = 1e9}).iterations, 0);
  EXPECT_EQ(status(matrix, {.max_iterations = 0}).status, SolveStatus::iteration_limit);
  const Block nowhere("test::x", matrix.num_rows(), 3);
  EXPECT_EQ(block_cg(exec, Operator(exec, matrix), Annihilator(), b, nowhere).status, SolveStatus::breakdown);
  int calls = 0;
  const auto report = status(matrix, {.rtol = 1e-6, .monitor = [&](int k, double) { EXPECT_EQ(k, ++calls); }});
  EXPECT_EQ(calls, report.iterations);
}

/// The space of one of some parts, of which this process has no other: those are like it, so that sums over all are
/// `factor` times its own.
struct OnePart : LocalSpace {
  std::int64_t all;
  double factor;

  OnePart(std::int64_t local, std::int64_t global, double times = 1) : LocalSpace(local), all(global), factor(times) {}

  std::int64_t num_global() const { return all; }
  template <class Sums>
  void sum_end(const Exec& exec, const Sums& sums) const {
    const double times = factor;
    Kokkos::parallel_for(
        "test::sum", Kokkos::RangePolicy<Exec>(exec, 0, sums.extent(0)), KOKKOS_LAMBDA(int i) { sums(i) *= times; });
  }
};

/// What an operator has beside apply(), for tests.
template <class Space = LocalSpace>
struct TestOperator {
  Space part;

  Space space() const { return part; }
  std::int64_t traffic_bytes() const { return 0; }
  HeldBytes bytes() const { return {}; }
  bool is_stream_ordered() const { return true; }
  std::string explain() const { return "a test's"; }
};

/// A chain on which all of CG is exact in floating point: with b = e_0 the residual of step k is ratio^k e_k, up to its
/// sign, for a ratio that is a power of 2; after as many steps as there are links it is 0. Links after the first may be
/// stiffer, by a power of 2: step k then lowers the energy of the error by ratio^2k / stiffness.
template <class Space = LocalSpace>
struct Chain : TestOperator<Space> {
  double ratio = 1, stiffness = 1;
  int* num_products = nullptr;

  Chain(const Space& part, double of_residuals, int* products = nullptr)
      : TestOperator<Space>{part}, ratio(of_residuals), num_products(products) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if (num_products != nullptr) ++*num_products;
    const std::int64_t n = x.extent(0);
    const double along = ratio, d = stiffness;
    Kokkos::parallel_for(
        "test::chain", Kokkos::RangePolicy<Exec>(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
          for (std::size_t j = 0; j < x.extent(1); ++j) {
            const double before = i == 1 ? 1 : d, here = i == 0 ? 1 : d;
            double sum = (i == 0 ? here : here + along * along * before) * x(i, j);
            if (i > 0) sum -= along * before * x(i - 1, j);
            if (i + 1 < n) sum -= along * here * x(i + 1, j);
            y(i, j) = sum;
          }
        });
  }
};

/// Solves for the one right-hand side e_0.
template <class Space>
BlockSolveReport solve_chain(const Chain<Space>& a, const BlockCgOptions& options) {
  const std::int64_t n = a.space().num_local();
  const Block b("test::b", n, 1), x("test::x", n, 1);
  Kokkos::deep_copy(Kokkos::subview(b, 0, 0), 1.0);
  return block_cg(Exec(), a, IdentityPreconditioner(), b, x, options);
}

TEST(BlockCg, TakesTheLargerOfBothTolerances) {
  const Chain<> a{LocalSpace(40), 0.5};
  // The residual of step 9 is 2^-9: above each of both tolerances, below their sum.
  const double nine = std::pow(2.0, -9);
  for (const auto& [rtol, atol] : {std::pair{0.6, 0.5}, {0.5, 0.6}, {0.6, 0.0}, {0.0, 0.6}}) {
    const auto report = solve_chain(a, {.rtol = rtol * nine, .atol = atol * nine});
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(report.iterations, 10) << rtol << ", " << atol;
    EXPECT_EQ(report.columns[0].residual_history[9], nine);
  }
}

TEST(BlockCg, TakesNoStepBeyondTheLimit) {
  for (const int limit : {0, 1, 9, 10}) {
    int num_products = 0;
    const Chain<> a{LocalSpace(40), 0.5, &num_products};
    const auto report = solve_chain(a, {.rtol = std::pow(2.0, -10), .max_iterations = limit});
    EXPECT_EQ(report.status, limit < 10 ? SolveStatus::iteration_limit : SolveStatus::converged);
    EXPECT_EQ(report.iterations, limit);
    EXPECT_EQ(int(report.num_directions.size()), limit);
    // Those of the steps, and the true residuals: at the start, at the end, and where the recurrence claims one.
    EXPECT_EQ(num_products, limit + (limit < 10 ? 2 : 3));
    EXPECT_EQ(int(report.columns[0].residual_history.size()), limit + 1);
    EXPECT_EQ(report.columns[0].iterations, limit);
  }
}

TEST(BlockCg, DoesNotStartAgainAtTheLimit) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix, {.num_vectors = 2});
  const auto b = test_block(matrix.num_rows(), 2);
  const double rtol = 1e-17;  // which the recurrence comes to, and the true residual does not
  const auto solve = [&](BlockCgOptions options) {
    const Block x("test::x", matrix.num_rows(), 2);
    options.rtol = rtol;
    return block_cg(exec, a, IdentityPreconditioner(), b, x, options);
  };
  int end = 0;  // of the first recurrence
  const auto all = solve({.monitor = [&](int k, double largest) {
    if (end == 0 && largest <= rtol) end = k;
  }});
  ASSERT_GT(end, 0);
  ASSERT_GT(all.restarts, 0);
  const auto limited = solve({.max_iterations = end}), more = solve({.max_iterations = end + 1});
  EXPECT_EQ(limited.status, SolveStatus::iteration_limit);
  EXPECT_EQ(limited.iterations, end);
  EXPECT_EQ(limited.restarts, 0);
  EXPECT_EQ(more.status, SolveStatus::iteration_limit);
  EXPECT_EQ(more.iterations, end + 1);
  EXPECT_EQ(more.restarts, 1);
}

TEST(BlockCg, StagnatesAfterAWindowWithoutProgress) {
  // The residual stays until the last link, and steps after the first hardly lower the energy of the error.
  Chain<> a{LocalSpace(40), 1};
  a.stiffness = std::pow(2.0, 52);
  for (const int window : {1, 7, 38}) {
    const auto report = solve_chain(a, {.stagnation_window = window});
    EXPECT_EQ(report.status, SolveStatus::stagnation);
    EXPECT_EQ(report.iterations, window + 1);
  }
  EXPECT_EQ(solve_chain(a, {.stagnation_window = 39}).status, SolveStatus::converged);
  // While the error falls the residual may stay.
  EXPECT_EQ(solve_chain(Chain<>{LocalSpace(40), 1}, {.stagnation_window = 1}).status, SolveStatus::converged);
  // While it falls the window does not matter.
  EXPECT_EQ(solve_chain(Chain<>{LocalSpace(40), 0.5}, {.stagnation_window = 1}).status, SolveStatus::converged);
}

TEST(BlockCg, FindsAWindowOfItsOwn) {
  // As many steps as there are unknowns in all parts, and no fewer than 2000.
  const std::int64_t n = 2100;
  for (const std::int64_t all : {10, 2050}) {
    Chain<OnePart> a{OnePart(n, all), 1};
    a.stiffness = std::pow(2.0, 52);
    const auto report = solve_chain(a, {});
    EXPECT_EQ(report.status, SolveStatus::stagnation);
    EXPECT_EQ(report.iterations, std::max<std::int64_t>(all, 2000) + 1);
  }
  const auto report = solve_chain(Chain<>{LocalSpace(n), 1}, {});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_EQ(report.iterations, n);
}

/// A matrix that stands for the many that are like it.
struct PartOfMany : TestOperator<OnePart> {
  const Operator& one;

  PartOfMany(const Operator& a, std::int64_t n, int parts)
      : TestOperator<OnePart>{OnePart(n, parts * n, parts)}, one(a) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    one.apply(exec, x, y);
  }
};

TEST(BlockCg, SumsOverAllParts) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const std::int64_t n = matrix.num_rows();
  const Operator one(exec, matrix, {.num_vectors = 4});
  const auto b = test_block(n, 4);
  set_column(b, 3, std::vector<double>(n, 0.0));
  const auto expect_alike = [&](const auto& m) {
    const Block x("test::x", n, 4), x_of_all("test::x", n, 4);
    const auto report = block_cg(exec, one, m, b, x, {.rtol = 1e-9});
    // Of four parts norms are twice as large: all numbers are those of one, or that times a power of 2.
    const auto of_all = block_cg(exec, PartOfMany(one, n, 4), m, b, x_of_all, {.rtol = 1e-9});
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_EQ(of_all.status, SolveStatus::converged);
    EXPECT_EQ(of_all.iterations, report.iterations);
    EXPECT_EQ(of_all.num_directions, report.num_directions);
    for (int j = 0; j < 4; ++j) {
      EXPECT_EQ(column(x_of_all, j), column(x, j));
      EXPECT_EQ(of_all.columns[j].residual_history, report.columns[j].residual_history);
      EXPECT_EQ(of_all.columns[j].relative_residual, report.columns[j].relative_residual);
    }
  };
  expect_alike(IdentityPreconditioner());
  expect_alike(BlockJacobiPreconditioner(exec, matrix));
}

/// z := r, which may say so.
struct Copying : IdentityPreconditioner {
  bool says_so;
  int* num_applied;

  Copying(bool says, int* applied) : says_so(says), num_applied(applied) {}

  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    ++*num_applied;
    Kokkos::deep_copy(exec, z, r);
  }
  bool is_identity() const { return says_so; }
};

TEST(BlockCg, AppliesNoPreconditionerThatSaysItIsNone) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix, {.num_vectors = 3});
  const auto b = test_block(matrix.num_rows(), 3);
  const Block x("test::x", matrix.num_rows(), 3), y("test::x", matrix.num_rows(), 3), z("test::x", b.extent(0), 3);
  const auto none = block_cg(exec, a, IdentityPreconditioner(), b, x);
  int num_applied = 0;
  const auto silent = block_cg(exec, a, Copying{true, &num_applied}, b, y);
  EXPECT_EQ(num_applied, 0);
  EXPECT_EQ(silent.iterations, none.iterations);
  const auto applied = block_cg(exec, a, Copying{false, &num_applied}, b, z);
  EXPECT_EQ(num_applied, applied.iterations + 3);
  EXPECT_EQ(applied.iterations, none.iterations);
  for (int j = 0; j < 3; ++j) {
    EXPECT_EQ(column(y, j), column(x, j));
    EXPECT_LE(residual(matrix, b, z, j), 1e-8);
  }
}

TEST(BlockCg, RefusesWhatCannotBe) {
  const Exec exec;
  const Matrix matrix = cantilever();
  const Operator a(exec, matrix);
  const std::int64_t n = matrix.num_rows();
  const auto with = [&](const Block& b, const Block& x, BlockCgOptions options = {}) {
    block_cg(exec, a, IdentityPreconditioner(), b, x, options);
  };
  const Block two("b", n, 2), other_two("x", n, 2), three("x", n, 3), many("b", n, 65), short_ones("b", n - 1, 2);
  EXPECT_THAT(message_of<ShapeError>([&] { with(two, three); }), HasSubstr("x 3"));
  EXPECT_THAT(message_of<ShapeError>([&] { with(short_ones, short_ones); }), HasSubstr("the matrix has"));
  EXPECT_THAT(message_of<ArgumentError>([&] { with(many, many); }), AllOf(HasSubstr("65"), HasSubstr("1 to 64")));
  EXPECT_THROW(with(two, other_two, {.rtol = -1}), ArgumentError);
  EXPECT_THROW(with(two, other_two, {.max_iterations = -1}), ArgumentError);
  EXPECT_THROW(with(two, other_two, {.stagnation_window = -1}), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
