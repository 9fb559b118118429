// The finest level as an operator of the solvers, a V-cycle as their preconditioner, and their flat vectors.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <cmath>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "levels.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using Flat = Kokkos::View<double*, Exec::memory_space>;
using Shared = std::shared_ptr<const Multigrid<Exec>>;

static_assert(linear_operator<MultigridOperator<Exec>, Exec, Flat>);
static_assert(preconditioner<MultigridPreconditioner<Exec>, Exec, Flat>);

/// Numbers from -1 to 1.
Flat random_vector(std::size_t size, unsigned seed) {
  std::mt19937 bits(seed);
  std::uniform_real_distribution<double> number(-1, 1);
  const Flat x("x", size);
  const auto host = Kokkos::create_mirror(x);
  for (std::size_t i = 0; i < size; ++i) host(i) = number(bits);
  Kokkos::deep_copy(x, host);
  return x;
}

double product(const Flat& x, const Flat& y) {
  const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  double sum = 0;
  for (std::size_t i = 0; i < a.extent(0); ++i) sum += a(i) * b(i);
  return sum;
}

/// |<M r, s> - <r, M s>| of random vectors, over their norms in M, the largest of some.
template <class Map>
double asymmetry(std::size_t size, const Map& map) {
  double worst = 0;
  for (unsigned seed = 0; seed < 3; ++seed) {
    const Flat r = random_vector(size, 2 * seed), s = random_vector(size, 2 * seed + 1);
    const Flat mr("mr", size), ms("ms", size);
    map(r, mr);
    map(s, ms);
    const double norms = product(mr, r) * product(ms, s);
    EXPECT_GT(norms, 0);
    worst = std::max(worst, std::abs(product(mr, s) - product(r, ms)) / std::sqrt(norms));
  }
  return worst;
}

TEST(FlatVectors, HoldCellsBoxAfterBoxWithoutGhosts) {
  const Exec exec;
  const auto level = one_level(2, 4, fv4);
  ASSERT_EQ(flat_size(level), 512);
  const Flat flat("flat", 512), back("back", 512);
  const auto numbers = Kokkos::create_mirror(flat);
  for (std::size_t i = 0; i < 512; ++i) numbers(i) = double(i);
  Kokkos::deep_copy(flat, numbers);
  Kokkos::deep_copy(level.u, -7.0);
  to_boxes(exec, level, flat, level.u);
  HostVector u(level, level.u);
  for (int box = 0; box < 8; ++box) {
    for (int k = -1; k < 5; ++k) {
      for (int j = -1; j < 5; ++j) {
        for (int i = -1; i < 5; ++i) {
          const bool is_ghost = i < 0 || j < 0 || k < 0 || i > 3 || j > 3 || k > 3;
          EXPECT_EQ(u.in_box(box, i, j, k), is_ghost ? -7 : 64 * box + 16 * k + 4 * j + i);
        }
      }
    }
  }
  from_boxes(exec, level, level.u, back);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), back);
  for (std::size_t i = 0; i < 512; ++i) EXPECT_EQ(found(i), numbers(i));
  const std::string message = message_of<ShapeError>([&] { to_boxes(exec, level, Flat("short", 511), level.u); });
  EXPECT_THAT(message, ::testing::HasSubstr("511 entries"));
  EXPECT_THROW(from_boxes(exec, level, level.u, Flat("long", 513)), ShapeError);
}

TEST(MultigridOperator, MultipliesAsTheLevelDoes) {
  const Exec exec;
  const Shared multigrid = benchmark(4, 8, {.discretisation = fv4, .equation = Equation::helmholtz});
  const auto& level = multigrid->level(0);
  const MultigridOperator<Exec> a(multigrid);
  EXPECT_EQ(a.space().num_local(), 512);
  const Flat x = random_vector(512, 1), y("y", 512), expected("expected", 512);
  to_boxes(exec, level, x, level.f);
  apply(exec, level, level.f, level.r);
  from_boxes(exec, level, level.r, expected);
  a.apply(exec, x, y);
  const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto right = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
  for (std::size_t i = 0; i < 512; ++i) ASSERT_EQ(found(i), right(i)) << i;
  // Two columns, by way of an operator of any type.
  const Kokkos::View<double**, Kokkos::LayoutRight, Exec::memory_space> xs("xs", 512, 2), ys("ys", 512, 2);
  Kokkos::deep_copy(Kokkos::subview(xs, Kokkos::ALL, 1), x);
  AnyOperator<double, Exec>(a).apply(exec, xs, ys);
  const auto both = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), ys);
  for (std::size_t i = 0; i < 512; ++i) {
    ASSERT_EQ(both(i, 0), 0) << i;
    ASSERT_EQ(both(i, 1), right(i)) << i;
  }
  EXPECT_THROW(a.apply(exec, Flat("x", 511), y), ShapeError);
  EXPECT_THROW(a.apply(exec, x, Flat("y", 511)), ShapeError);
  EXPECT_THAT(a.explain(), ::testing::HasSubstr("8^3 cells in 8 boxes"));
}

TEST(MultigridOperator, RefusesASpaceOfOtherVectors) {
  const Shared multigrid = benchmark(4, 8, {.discretisation = fv2});
  EXPECT_THROW(MultigridOperator<Exec>(multigrid, LocalSpace(511)), ArgumentError);
}

/// A coefficient that is 1 within the domain and 0 on its boundary: then fv2 with alpha = 1 is symmetric.
void set_symmetric_problem(const Level<Exec>& level) {
  Kokkos::deep_copy(level.alpha, 1.0);
  const int n = level.layout.dim, last = level.grid.cells_per_dim();
  for (int d = 0; d < 3; ++d) {
    HostVector beta(level, level.beta[d]);
    for (int box = 0; box < level.num_boxes(); ++box) {
      for (int k = 0; k <= n; ++k) {
        for (int j = 0; j <= n; ++j) {
          for (int i = 0; i <= n; ++i) {
            const int cell[3] = {i, j, k};
            bool is_face = true;
            for (int e = 0; e < 3; ++e) is_face = is_face && (e == d || cell[e] < n);
            const int at = level.grid.place(box)[d] * n + cell[d];
            if (is_face) beta.in_box(box, i, j, k) = at == 0 || at == last ? 0 : 1 + 0.1 * ((i + j + k) % 3);
          }
        }
      }
    }
    // Boxes share faces: one of them counts.
    for (int box = 0; box < level.num_boxes(); ++box) {
      Index3 next = level.grid.place(box);
      ++next[d];
      const int other = level.grid.box_at(next);
      if (other < 0) continue;
      for (int b = 0; b < n; ++b) {
        for (int a = 0; a < n; ++a) {
          Index3 here{}, there{};
          here[d] = n;
          here[(d + 1) % 3] = there[(d + 1) % 3] = a;
          here[(d + 2) % 3] = there[(d + 2) % 3] = b;
          beta.in_box(box, here[0], here[1], here[2]) = beta.in_box(other, there[0], there[1], there[2]);
        }
      }
    }
    beta.to_device();
  }
}

/// Without a correction by the coarser level what is left of a V-cycle is smoothing forth and back.
TEST(MultigridPreconditioner, SmoothingForthAndBackIsSymmetric) {
  const Exec exec;
  const std::size_t size = 16 * 16 * 16;
  for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi}) {
    const auto multigrid = std::make_shared<Multigrid<Exec>>(
        exec, std::vector{BoxGrid(2, 8), BoxGrid(1, 8)},
        MultigridOptions{.discretisation = fv2, .equation = Equation::helmholtz, .smoother = smoother});
    set_symmetric_problem(multigrid->level(0));
    multigrid->set_up(exec);
    const auto a = [&](const Flat& x, const Flat& y) { MultigridOperator<Exec>(multigrid).apply(exec, x, y); };
    ASSERT_LT(asymmetry(size, a), 1e-13);
    // The coarser matrix is so large that what it makes of the residual is nothing.
    Kokkos::deep_copy(multigrid->level(1).alpha, 1e30);
    Kokkos::deep_copy(multigrid->level(1).inverse_diagonal, 1e-30);
    const MultigridPreconditioner<Exec> m(multigrid);
    EXPECT_LT(asymmetry(size, [&](const Flat& r, const Flat& z) { m.apply(exec, r, z); }), 1e-12)
        << to_string(smoother);
    // The cycle that solves by itself smooths twice in one order.
    const auto cycle = [&](const Flat& r, const Flat& z) {
      const auto& level = multigrid->level(0);
      to_boxes(exec, level, r, level.r);
      Kokkos::deep_copy(level.u, 0.0);
      multigrid->run_cycle(exec, 0);
      from_boxes(exec, level, level.u, z);
    };
    if (smoother == Smoother::gsrb) {
      EXPECT_GT(asymmetry(size, cycle), 1e-6);
    }
  }
}

TEST(MultigridPreconditioner, IsLinearAndAboutAsSymmetricAsTheOperator) {
  const Exec exec;
  for (const Discretisation discretisation : {fv2, fv4}) {
    const Shared multigrid = benchmark(8, 8, {.discretisation = discretisation});
    const auto size = std::size_t(flat_size(multigrid->level(0)));
    const MultigridOperator<Exec> a(multigrid);
    const MultigridPreconditioner<Exec> m(multigrid);
    EXPECT_LT(asymmetry(size, [&](const Flat& r, const Flat& z) { a.apply(exec, r, z); }), 5e-3);
    EXPECT_LT(asymmetry(size, [&](const Flat& r, const Flat& z) { m.apply(exec, r, z); }), 1e-2);
    const Flat r = random_vector(size, 1), s = random_vector(size, 2), sum("sum", size);
    const Flat mr("mr", size), ms("ms", size), msum("msum", size);
    Kokkos::deep_copy(sum, r);
    axpby(exec, 3.0, s, 1.0, sum);
    m.apply(exec, r, mr);
    m.apply(exec, s, ms);
    m.apply(exec, sum, msum);
    axpby(exec, -1.0, mr, 1.0, msum);
    axpby(exec, -3.0, ms, 1.0, msum);
    EXPECT_LT(std::sqrt(product(msum, msum)), 1e-10 * std::sqrt(product(mr, mr)));
    EXPECT_FALSE(m.is_identity());
    EXPECT_THROW(m.apply(exec, r, Flat("z", size - 1)), ShapeError);
  }
}

/// With each method, and the iterations that it takes at 32^3 cells.
using Solve = std::tuple<Discretisation, Equation, Smoother>;
class MultigridCg : public ::testing::TestWithParam<Solve> {};

TEST_P(MultigridCg, FindsTheSolutionOfTheCycles) {
  const Exec exec;
  const auto& [discretisation, equation, smoother] = GetParam();
  const Shared multigrid =
      benchmark(16, 8, {.discretisation = discretisation, .equation = equation, .smoother = smoother});
  const auto& level = multigrid->level(0);
  const auto size = std::size_t(flat_size(level));
  const Flat b("b", size), x("x", size), expected("expected", size);
  from_boxes(exec, level, level.f, b);
  ASSERT_TRUE(multigrid->solve(exec, Cycle::fv, 0, 1e-12).converged);
  from_boxes(exec, level, level.u, expected);
  const AnyOperator<double, Exec> a{MultigridOperator<Exec>(multigrid)};
  const AnyPreconditioner<double, Exec> m{MultigridPreconditioner<Exec>(multigrid)};
  const SolveReport report = cg(exec, a, m, b, x, {.rtol = 1e-11});
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.relative_residual, 1e-11);
  const int fv4_most = smoother == Smoother::gsrb ? 8 : smoother == Smoother::chebyshev ? 6 : 11;
  const int fv2_most = smoother == Smoother::jacobi ? 7 : 6;
  EXPECT_LE(report.iterations, discretisation == fv2 ? fv2_most : fv4_most);
  axpby(exec, -1.0, expected, 1.0, x);
  EXPECT_LT(std::sqrt(product(x, x)), 1e-8 * std::sqrt(product(expected, expected)));
}

INSTANTIATE_TEST_SUITE_P(Methods, MultigridCg,
                         ::testing::Combine(::testing::Values(fv2, fv4),
                                            ::testing::Values(Equation::poisson, Equation::helmholtz),
                                            ::testing::Values(Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi)),
                         [](const auto& info) {
                           return std::string(to_string(std::get<0>(info.param))) + "_" +
                                  std::string(to_string(std::get<1>(info.param))) + "_" +
                                  std::string(to_string(std::get<2>(info.param)));
                         });

TEST(Traffic, CountsWhatCyclesReadAndWrite) {
  // 12 sweeps of 7 vectors, a residual of 6, and 3 in transfers.
  EXPECT_EQ(cycle_bytes(Smoother::gsrb, Equation::poisson), 8 * (12 * 7 + 6 + 3));
  EXPECT_EQ(cycle_bytes(Smoother::jacobi, Equation::helmholtz), 8 * (12 * 8 + 7 + 3));
  EXPECT_EQ(cycle_bytes(Smoother::chebyshev, Equation::poisson), 8 * (12 * 7 + 10 + 6 + 3));
  // 8^3, 4^3 and, which does not count, 2^3 cells.
  const auto multigrid = benchmark(8, 1, {.discretisation = fv4});
  ASSERT_EQ(multigrid->num_levels(), 3U);
  EXPECT_EQ(v_cycle_bytes(*multigrid), 744 * (512 + 64));
  EXPECT_EQ(f_cycle_bytes(*multigrid), 744 * (512 + 2 * 64) + 16 * (512 + 64) + 72 * 512);
}

}  // namespace
}  // namespace ashlar::testing
