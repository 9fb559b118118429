// Verdicts of solvers in a program compiled with -ffast-math: NaN or infinity anywhere in a system is never
// "converged".
#include <gtest/gtest.h>

#include <ashlar/bcsr/copy.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <functional>
#include <string>

#include "fast_math/numbers.hpp"
#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using Operator = BcsrOperator<BcsrMatrix<double>>;
using Vector = Kokkos::View<double*, Space>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

constexpr int n = 50;

/// Multiplies by a number.
struct Scaling {
  double factor = 1;

  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    const double by = factor;
    Kokkos::parallel_for(
        "test::scale", Kokkos::RangePolicy<Exec>(exec, 0, z.extent(0)), KOKKOS_LAMBDA(std::size_t i) {
          if constexpr (Z::rank() == 1) {
            z(i) = by * r(i);
          } else {
            for (std::size_t j = 0; j < z.extent(1); ++j) z(i, j) = by * r(i, j);
          }
        });
  }
  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return is_gpu_v<Exec>; }
  std::int64_t traffic_bytes() const { return 0; }
};

/// The tridiagonal system of -1, 2, -1.
struct System {
  BcsrMatrix<double> a = laplacian_1d(n);
  std::vector<double> b = random_vector<double>(n, 1), x = std::vector<double>(n, 0.0);
};

struct Ended {
  SolveStatus status;
  std::vector<double> x;
};

/// Each solver, with no preconditioner or with one.
struct Solver {
  std::string name;
  std::function<Ended(const System&)> solve;
  std::function<Ended(const System&, const Scaling&)> solve_with;
};

template <class Solve>
Solver single(const std::string& name, const Solve& solve) {
  const auto solve_with = [solve](const System& system, const auto& m) {
    const Exec exec;
    const Vector x = to_device<Space>(system.x);
    const auto report = solve(exec, system.a, m, to_device<Space>(system.b), x);
    return Ended{report.status, to_host(x)};
  };
  return {name, [=](const System& system) { return solve_with(system, IdentityPreconditioner{}); }, solve_with};
}

template <class Solve>
Solver by_operator(const std::string& name, const Solve& solve) {
  return single(name, [solve](const Exec& exec, const auto& a, const auto&... rest) {
    return solve(exec, Operator(exec, a), rest...);
  });
}

/// The system's vectors are the second of three columns.
Ended solve_block(const System& system, const auto& m) {
  const Exec exec;
  const Vectors b("test::b", n, 3), x("test::x", n, 3);
  Kokkos::deep_copy(b, 1.0);
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 2), to_device<Space>(random_vector<double>(n, 7)));
  Kokkos::deep_copy(Kokkos::subview(b, Kokkos::ALL, 1), to_device<Space>(system.b));
  Kokkos::deep_copy(Kokkos::subview(x, Kokkos::ALL, 1), to_device<Space>(system.x));
  const auto report = block_cg(exec, Operator(exec, system.a), m, b, x);
  for (const ColumnReport& column : report.columns) {
    EXPECT_EQ(column.status == SolveStatus::converged, report.status == SolveStatus::converged);
  }
  const Vector second("test::second", n);
  Kokkos::deep_copy(second, Kokkos::subview(x, Kokkos::ALL, 1));
  return {report.status, to_host(second)};
}

std::vector<Solver> solvers() {
  return {by_operator("cg", [](const auto&... system) { return cg(system...); }),
          by_operator("cg kernel by kernel",
                      [](const auto&... system) { return cg(system..., {.launch = CgLaunch::one_by_one}); }),
          by_operator("single_reduction_cg", [](const auto&... system) { return single_reduction_cg(system...); }),
          by_operator("pipelined_cg", [](const auto&... system) { return pipelined_cg(system...); }),
          single("refined_cg",
                 [](const Exec& exec, const auto& a, const auto&... rest) {
                   const BcsrOperator<BcsrMatrix<float>> low(exec, convert_values<float>(exec, a),
                                                             {.double_vectors = true});
                   return refined_cg(exec, Operator(exec, a), low, rest...);
                 }),
          {"block_cg", [](const System& system) { return solve_block(system, IdentityPreconditioner{}); },
           [](const System& system, const Scaling& m) { return solve_block(system, m); }}};
}

TEST(FastMathVerdicts, FiniteSystemsConverge) {
  for (const Solver& solver : solvers()) {
    SCOPED_TRACE(solver.name);
    EXPECT_EQ(solver.solve({}).status, SolveStatus::converged);
    EXPECT_EQ(solver.solve_with({}, {0.5}).status, SolveStatus::converged);
  }
}

/// `spoil(system, value)` puts what is not finite into the system. No solver changes x then.
template <class Spoil>
void expect_non_finite(const char* what, const Spoil& spoil) {
  for (const NamedNumber& number : not_finite_numbers()) {
    for (const Solver& solver : solvers()) {
      SCOPED_TRACE(solver.name + ", " + number.name + " in " + what);
      System system;
      spoil(system, number.value);
      for (const bool preconditioned : {false, true}) {
        const Ended ended = preconditioned ? solver.solve_with(system, {0.5}) : solver.solve(system);
        EXPECT_EQ(ended.status, SolveStatus::non_finite) << to_string(ended.status);
        EXPECT_EQ(bits_of(ended.x), bits_of(system.x));
      }
    }
  }
}

TEST(FastMathVerdicts, OfAMatrixThatIsNotFinite) {
  // (Row i begins at entry 3i - 1.)
  for (const int place : {0, 1, 3 * 25, 3 * 25 + 1, 3 * n - 3}) {
    expect_non_finite(
        "A", [place](System& system, double value) { set_entry(system.a.values(), std::size_t(place), value); });
  }
}

TEST(FastMathVerdicts, OfARightHandSideThatIsNotFinite) {
  for (const int row : {0, 25, n - 1}) {
    expect_non_finite("b", [row](System& system, double value) { system.b[std::size_t(row)] = value; });
  }
}

TEST(FastMathVerdicts, OfAFirstGuessThatIsNotFinite) {
  for (const int row : {0, 25, n - 1}) {
    expect_non_finite("x", [row](System& system, double value) { system.x[std::size_t(row)] = value; });
  }
}

TEST(FastMathVerdicts, OfAPreconditionerThatIsNotFinite) {
  for (const NamedNumber& number : not_finite_numbers()) {
    for (const Solver& solver : solvers()) {
      SCOPED_TRACE(solver.name + ", " + number.name);
      const System system;
      const Ended ended = solver.solve_with(system, {number.value});
      EXPECT_EQ(ended.status, SolveStatus::non_finite) << to_string(ended.status);
      EXPECT_EQ(bits_of(ended.x), bits_of(system.x));
    }
  }
}

TEST(FastMathVerdicts, OfARefinementWhoseCheaperMatrixIsNotFinite) {
  const Exec exec;
  for (const NamedNumber& number : not_finite_numbers()) {
    const System system;
    const auto cheaper = laplacian_1d(n);
    set_entry(cheaper.values(), 25, number.value);
    const Vector x = to_device<Space>(system.x);
    const auto report = refined_cg(exec, Operator(exec, system.a), Operator(exec, cheaper), IdentityPreconditioner{},
                                   to_device<Space>(system.b), x);
    EXPECT_EQ(report.status, SolveStatus::non_finite) << number.name << ": " << to_string(report.status);
    EXPECT_EQ(bits_of(to_host(x)), bits_of(system.x));
  }
}

}  // namespace
}  // namespace ashlar::testing
