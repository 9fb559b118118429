// Systems of very large and very small numbers, whose squares overflow or underflow: they are solved as well as others,
// or refused with the reason. No verdict is wrong.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <string>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

constexpr int n = 50;

/// How large the numbers are: A is `of_a` times the matrix of -1, 2, -1, and b is of this size.
struct Scales {
  double of_a, of_b;
};

constexpr Scales scales_of_doubles[] = {{1, 1e-158},      {1, 1e-154},      {1, 1e-290},      {1, 1e150},
                                        {1, 1e155},       {1, 1e290},       {1e-120, 1},      {1e-120, 1e-120},
                                        {1e-160, 1e-160}, {1e-200, 1e-200}, {1e-120, 1e-280}, {1e120, 1},
                                        {1e120, 1e120},   {1e160, 1e160},   {1e200, 1e200}};
constexpr Scales scales_of_floats[] = {{1, 1e-25},     {1, 1e-30},     {1, 1e20}, {1, 1e30},    {1e-25, 1},
                                       {1e-25, 1e-25}, {1e-30, 1e-30}, {1e20, 1}, {1e20, 1e20}, {1e30, 1e30}};

template <class S>
constexpr double rtol = sizeof(S) == 8 ? 1e-8 : 1e-4;

template <class S>
struct System {
  explicit System(const Scales& scales, unsigned seed = 1) : of_a(scales.of_a), b(random_vector<S>(n, seed)) {
    for (S& entry : b) entry = static_cast<S>(entry * scales.of_b);
  }

  BcsrMatrix<S> matrix() const {
    const Exec exec;
    const auto a = convert_values<S>(exec, laplacian_1d(n));
    const auto values = a.values();
    const S factor = static_cast<S>(of_a);
    Kokkos::parallel_for(
        "test::scale", Kokkos::RangePolicy<Exec>(exec, 0, values.extent(0)),
        KOKKOS_LAMBDA(int k) { values(k) *= factor; });
    exec.fence();
    return a;
  }

  /// ||b - A x|| / ||b||, serially, by numbers with a range of their own.
  double residual(const std::vector<S>& x) const {
    long double left = 0, all = 0;
    for (int i = 0; i < n; ++i) {
      const auto at = [&](int j) { return j < 0 || j >= n ? 0.0L : static_cast<long double>(x[std::size_t(j)]); };
      const long double b_i = b[std::size_t(i)];
      const long double r = b_i - static_cast<long double>(static_cast<S>(of_a)) * (2 * at(i) - at(i - 1) - at(i + 1));
      left += r * r;
      all += b_i * b_i;
    }
    return static_cast<double>(std::sqrt(left) / std::sqrt(all));
  }

  double of_a;
  std::vector<S> b;
};

/// What `solve` says is true: converged, with the residual that it reports, or an error that says what to do.
template <class S>
void expect_solved_or_refused(const System<S>& system, const auto& solve) {
  std::vector<S> x;
  SolveStatus status = SolveStatus::running;
  double reported = 0;
  try {
    solve(x, status, reported);
  } catch (const NumericalError& error) {
    EXPECT_THAT(error.what(), HasSubstr("by a power of ten"));
    return;
  }
  EXPECT_EQ(status, SolveStatus::converged) << to_string(status);
  // (Half of what the tolerance leaves is rounding's.)
  const double residual = system.residual(x);
  EXPECT_LE(residual, 1.5 * rtol<S>);
  EXPECT_NEAR(reported, residual, 0.5 * rtol<S>);
}

/// Each form of CG, with no preconditioner and with Jacobi.
template <class S, class Form>
void expect_solved_or_refused_by(const char* name, const Scales& scales, const Form& form) {
  SCOPED_TRACE(text(name, ", ", scalar_name<S>(), ", A of ", scales.of_a, ", b of ", scales.of_b));
  const Exec exec;
  const System<S> system(scales);
  const BcsrMatrix<S> matrix = system.matrix();
  const auto solve_with = [&](const char* preconditioner, const auto& m) {
    SCOPED_TRACE(preconditioner);
    expect_solved_or_refused(system, [&](std::vector<S>& solution, SolveStatus& status, double& reported) {
      const Kokkos::View<S*, Space> x("test::x", n);
      const auto report = form(exec, matrix, m, to_device<Space>(system.b), x);
      solution = to_host(x);
      status = report.status;
      reported = report.relative_residual;
    });
  };
  solve_with("no preconditioner", IdentityPreconditioner{});
  solve_with("Jacobi", JacobiPreconditioner<BcsrMatrix<S>>(exec, matrix));
}

template <class S>
class CgScales : public ::testing::Test {};
using Scalars = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CgScales, Scalars);

template <class S>
std::vector<Scales> scales_of() {
  if constexpr (std::is_same_v<S, float>) {
    return {std::begin(scales_of_floats), std::end(scales_of_floats)};
  } else {
    return {std::begin(scales_of_doubles), std::end(scales_of_doubles)};
  }
}

TYPED_TEST(CgScales, EachFormSolvesOrRefuses) {
  using S = TypeParam;
  const auto on = [](const auto& solver) {
    return [solver](const Exec& exec, const BcsrMatrix<S>& matrix, const auto&... rest) {
      return solver(exec, BcsrOperator<BcsrMatrix<S>>(exec, matrix), rest..., CgOptions{.rtol = rtol<S>});
    };
  };
  for (const Scales& scales : scales_of<S>()) {
    expect_solved_or_refused_by<S>("cg", scales, on([](const auto&... all) { return cg(all...); }));
    expect_solved_or_refused_by<S>("single_reduction_cg", scales,
                                   on([](const auto&... all) { return single_reduction_cg(all...); }));
    expect_solved_or_refused_by<S>("pipelined_cg", scales, on([](const auto&... all) { return pipelined_cg(all...); }));
  }
}

TEST(CgScalesOfRefinement, SolvesOrRefuses) {
  for (const Scales& scales : scales_of_doubles) {
    if (scales.of_a != 1) continue;  // floats do not hold it
    expect_solved_or_refused_by<double>("refined_cg", scales,
                                        [](const Exec& exec, const BcsrMatrix<double>& matrix, const auto&... rest) {
                                          const BcsrOperator<BcsrMatrix<float>> low(
                                              exec, convert_values<float>(exec, matrix), {.double_vectors = true});
                                          return refined_cg(exec, BcsrOperator<BcsrMatrix<double>>(exec, matrix), low,
                                                            rest..., RefinementOptions{.rtol = rtol<double>});
                                        });
  }
}

/// Right-hand sides of one system, of three sizes: one that is like other systems' beside two that are not.
TYPED_TEST(CgScales, BlockCgSolvesOrRefuses) {
  using S = TypeParam;
  const Exec exec;
  for (const Scales& scales : scales_of<S>()) {
    SCOPED_TRACE(text(scalar_name<S>(), ", A of ", scales.of_a, ", b of ", scales.of_b));
    const std::vector<System<S>> systems{System<S>(scales, 1), System<S>({scales.of_a, scales.of_a}, 2),
                                         System<S>(scales, 3)};
    const auto matrix = systems[0].matrix();
    const auto solve_with = [&](const char* preconditioner, const auto& m) {
      SCOPED_TRACE(preconditioner);
      using Vectors = Kokkos::View<S**, Kokkos::LayoutRight, Space>;
      const Vectors b("test::b", n, systems.size()), x("test::x", n, systems.size());
      for (std::size_t j = 0; j < systems.size(); ++j) {
        Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, j), to_device<Space>(systems[j].b));
      }
      BlockSolveReport report;
      try {
        report = block_cg(exec, BcsrOperator<BcsrMatrix<S>>(exec, matrix), m, b, x, {.rtol = rtol<S>});
      } catch (const NumericalError& error) {
        EXPECT_THAT(error.what(), HasSubstr("by a power of ten"));
        return;
      }
      EXPECT_EQ(report.status, SolveStatus::converged) << to_string(report.status);
      for (std::size_t j = 0; j < systems.size(); ++j) {
        SCOPED_TRACE(text("column ", j));
        expect_solved_or_refused(systems[j], [&](std::vector<S>& solution, SolveStatus& status, double& reported) {
          const Kokkos::View<S*, Space> column("test::column", n);
          Kokkos::deep_copy(column, Kokkos::subview(x, Kokkos::ALL, j));
          solution = to_host(column);
          status = report.columns[j].status;
          reported = report.columns[j].relative_residual;
        });
      }
    };
    solve_with("no preconditioner", IdentityPreconditioner{});
    solve_with("Jacobi", JacobiPreconditioner<BcsrMatrix<S>>(exec, matrix));
  }
}

}  // namespace
}  // namespace ashlar::testing
