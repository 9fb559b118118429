// A multigrid in single precision: the same algorithm, as a preconditioner of solvers in double.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <cmath>
#include <memory>
#include <random>
#include <string>
#include <tuple>
#include <vector>

#include "rank_levels.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using Flat = Kokkos::View<double*, Exec::memory_space>;
using Single = Multigrid<Exec, float>;

static_assert(preconditioner<MultigridPreconditioner<Exec, float>, Exec, Flat>);

/// The benchmark's problem, over ranks where there are any.
template <class Real>
std::shared_ptr<const Multigrid<Exec, Real>> benchmark_in(const Exec& exec, int boxes_per_dim, int box_dim,
                                                          const MultigridOptions& options,
                                                          const Communicator& comm = {}) {
  auto result = std::make_shared<Multigrid<Exec, Real>>(
      exec, grids_of(comm, boxes_per_dim, box_dim, options.discretisation), options, comm);
  set_benchmark_problem(exec, result->level(0));
  result->set_up(exec);
  return result;
}

std::vector<double> random_numbers(std::size_t size) {
  std::mt19937 bits(5);
  std::uniform_real_distribution<double> number(-1, 1);
  std::vector<double> numbers(size);
  for (double& x : numbers) x = number(bits);
  return numbers;
}

/// What a preconditioner makes of such numbers: of all of them from `first` on that this rank has. More than once, as a
/// graph is captured at the second.
template <class Real>
std::vector<double> preconditioned(const Exec& exec, std::shared_ptr<const Multigrid<Exec, Real>> multigrid,
                                   const std::vector<double>& numbers, std::size_t first = 0) {
  const auto size = std::size_t(flat_size(multigrid->level(0)));
  const Flat r("r", size), z("z", size);
  const auto host = Kokkos::create_mirror(r);
  std::copy_n(numbers.begin() + std::ptrdiff_t(first), size, host.data());
  Kokkos::deep_copy(exec, r, host);
  const MultigridPreconditioner<Exec, Real> m(multigrid);
  for (int repeat = 0; repeat < 3; ++repeat) m.apply(exec, r, z);
  Kokkos::deep_copy(exec, host, z);
  exec.fence("test: copied");
  return {host.data(), host.data() + size};
}

using Methods = std::tuple<Discretisation, Equation, Smoother>;
class SinglePrecision : public ::testing::TestWithParam<Methods> {
 protected:
  static MultigridOptions options() {
    const auto& [discretisation, equation, smoother] = GetParam();
    return {.discretisation = discretisation, .equation = equation, .smoother = smoother};
  }
};

TEST_P(SinglePrecision, VCyclesAreThoseOfDoubleButForRounding) {
  const Exec exec;
  const auto r = random_numbers(16 * 16 * 16);
  const auto z = preconditioned(exec, benchmark_in<double>(exec, 2, 8, options()), r),
             rounded = preconditioned(exec, benchmark_in<float>(exec, 2, 8, options()), r);
  double largest = 0, difference = 0;
  for (std::size_t i = 0; i < z.size(); ++i) {
    largest = std::max(largest, std::abs(z[i]));
    difference = std::max(difference, std::abs(z[i] - rounded[i]));
  }
  EXPECT_LT(difference, 1e-5 * largest);
  EXPECT_GT(difference, 1e-9 * largest);  // it is single precision
}

TEST_P(SinglePrecision, PreconditionsAsWellAsDouble) {
  const Exec exec;
  const auto multigrid = benchmark_in<double>(exec, 2, 16, options());
  const auto single = benchmark_in<float>(exec, 2, 16, options());
  const auto& level = multigrid->level(0);
  const auto size = std::size_t(flat_size(level));
  const Flat b("b", size), x("x", size), y("y", size);
  from_boxes(exec, level, level.f, b);
  const MultigridOperator<Exec> a(multigrid);
  const CgOptions to_the_end{.rtol = 1e-11};
  const SolveReport in_double = cg(exec, a, MultigridPreconditioner<Exec>(multigrid), b, x, to_the_end),
                    in_single = cg(exec, a, MultigridPreconditioner<Exec, float>(single), b, y, to_the_end);
  EXPECT_EQ(in_single.status, SolveStatus::converged);
  EXPECT_LE(in_single.relative_residual, 1e-11);
  EXPECT_LE(in_single.iterations, in_double.iterations + 1);
  double largest = 0, difference = 0;
  const auto expected = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x),
             found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  for (std::size_t i = 0; i < size; ++i) {
    largest = std::max(largest, std::abs(expected(i)));
    difference = std::max(difference, std::abs(expected(i) - found(i)));
  }
  EXPECT_LT(difference, 1e-9 * largest);
}

INSTANTIATE_TEST_SUITE_P(Methods, SinglePrecision,
                         ::testing::Combine(::testing::Values(fv2, fv4),
                                            ::testing::Values(Equation::poisson, Equation::helmholtz),
                                            ::testing::Values(Smoother::gsrb, Smoother::chebyshev, Smoother::jacobi)),
                         [](const auto& info) {
                           return std::string(to_string(std::get<0>(info.param))) + "_" +
                                  std::string(to_string(std::get<1>(info.param))) + "_" +
                                  std::string(to_string(std::get<2>(info.param)));
                         });

TEST(SinglePrecisionForms, HaveTheSameBits) {
  const Exec exec;
  const auto r = random_numbers(32 * 32 * 32);
  for (const Discretisation kind : {fv2, fv4}) {
    const auto found = [&](MultigridOptions options) {
      options.discretisation = kind;
      return preconditioned(exec, benchmark_in<float>(exec, 1, 32, options), r);
    };
    const auto plain = found({.one_kernel_cells = 0, .graphs = false, .sweeps = SweepForm::cells});
    EXPECT_EQ(found({.one_kernel_cells = 0, .sweeps = SweepForm::cells}), plain) << "graphs";
    EXPECT_EQ(found({.one_kernel_cells = 4096}), plain) << "one kernel for 16^3 cells";
    EXPECT_EQ(found({.sweeps = SweepForm::planes}), plain) << "planes";
    EXPECT_EQ(found({.host_threshold = 1000}), plain) << "on the host";
  }
}

TEST(SinglePrecisionForms, HaveTheSameBitsOnAnyNumberOfRanks) {
  const auto r = random_numbers(16 * 16 * 16);
  for (const Discretisation kind : {fv2, fv4}) {
    const MultigridOptions options{.discretisation = kind};
    const auto one = preconditioned(Exec(), benchmark_in<float>(Exec(), 2, 8, options), r);
    for (const int ranks : {2, 3}) {
      run_ranks(
          ranks,
          [&](Communicator& comm) {
            const Exec exec = rank_instance<Exec>();
            const auto multigrid = benchmark_in<float>(exec, 2, 8, options, comm);
            const BoxGrid& grid = multigrid->grid(0);
            const std::size_t first = std::size_t(grid.first_own()) * 512, size = std::size_t(grid.num_own()) * 512;
            const auto mine = preconditioned(exec, multigrid, r, first);
            const auto begin = one.begin() + std::ptrdiff_t(first);
            EXPECT_EQ(mine, std::vector<double>(begin, begin + std::ptrdiff_t(size))) << ranks << " ranks";
          },
          with_delays);
    }
  }
}

TEST(SinglePrecisionTraffic, IsHalf) {
  const Exec exec;
  const MultigridOptions options{.equation = Equation::helmholtz};
  const auto multigrid = benchmark_in<double>(exec, 2, 8, options);
  const auto single = benchmark_in<float>(exec, 2, 8, options);
  const BoxGrid& grid = single->grid(0);
  EXPECT_EQ(2 * level_bytes<float>(grid, fv4, Equation::helmholtz), level_bytes(grid, fv4, Equation::helmholtz));
  EXPECT_EQ(2 * v_cycle_bytes(*single), v_cycle_bytes(*multigrid));
  // Of a residual in double: to single precision and back.
  EXPECT_EQ(MultigridPreconditioner<Exec>(multigrid).traffic_bytes(), v_cycle_bytes(*multigrid) + 32 * 4096);
  EXPECT_EQ((MultigridPreconditioner<Exec, float>(single).traffic_bytes()), v_cycle_bytes(*single) + 24 * 4096);
}

/// Of any problem, not the benchmark's alone.
TEST(CopyCoefficients, RoundsThoseOfDouble) {
  const Exec exec;
  const auto grids = make_hierarchy(2, 8, reach_of(fv4));
  const MultigridOptions options{.discretisation = fv4, .equation = Equation::helmholtz};
  const auto multigrid = benchmark_in<double>(exec, 2, 8, options);
  const auto single = std::make_shared<Single>(exec, grids, options);
  copy_coefficients(exec, multigrid->level(0), single->level(0));
  single->set_up(exec);
  const auto r = random_numbers(4096);
  EXPECT_EQ(preconditioned<float>(exec, single, r), preconditioned(exec, benchmark_in<float>(exec, 2, 8, options), r));

  const Single poisson(exec, grids, {.discretisation = fv4});
  const std::string message =
      message_of<ShapeError>([&] { copy_coefficients(exec, multigrid->level(0), poisson.level(0)); });
  EXPECT_THAT(message, ::testing::HasSubstr("8 boxes of 8^3 cells for fv4 and poisson"));
  EXPECT_THROW(copy_coefficients(exec, multigrid->level(0), single->level(1)), ShapeError);
}

}  // namespace
}  // namespace ashlar::testing
