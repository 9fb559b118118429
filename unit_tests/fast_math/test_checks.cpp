// Checks in a program compiled with -ffast-math: what is not finite is found, and where beta is 0 it does not spread.
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <fstream>
#include <limits>

#include "fast_math/numbers.hpp"
#include "krylov/systems.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

constexpr int n = 50;

BcsrMatrix<double> laplacian_with(int place, double value) {
  const auto a = laplacian_1d(n);
  set_entry(a.values(), std::size_t(place), value);
  return a;
}

TEST(FastMathChecks, NumbersThatAreFinite) {
  for (const double number : {0.0, -1.0, std::numeric_limits<double>::denorm_min(), std::numeric_limits<double>::max(),
                              std::numeric_limits<double>::lowest()}) {
    EXPECT_TRUE(is_finite(number)) << number;
    EXPECT_TRUE(is_finite(Kokkos::complex<double>(1, number))) << number;
  }
  EXPECT_TRUE(is_finite(std::numeric_limits<float>::max()));
  for (const auto& [name, number] : not_finite_numbers()) {
    EXPECT_FALSE(is_finite(number)) << name;
    EXPECT_FALSE(is_finite(static_cast<float>(number))) << name;
    EXPECT_FALSE(is_finite(Kokkos::complex<double>(number, 1))) << name;
    EXPECT_FALSE(is_finite(Kokkos::complex<float>(1, static_cast<float>(number)))) << name;
  }
}

TEST(FastMathChecks, MatricesThatAreNotFinite) {
  const Exec exec;
  EXPECT_NO_THROW(validate(exec, laplacian_1d(n), {.finite_values = true}));
  EXPECT_EQ(hermitian_defect(exec, laplacian_1d(n)).relative, 0);
  for (const auto& [name, number] : not_finite_numbers()) {
    for (const int place : {0, 1, 3 * 25, 3 * 25 + 1, 3 * n - 3}) {
      SCOPED_TRACE(name);
      const auto a = laplacian_with(place, number);
      EXPECT_THROW(validate(exec, a, {.finite_values = true}), NumericalError);
      const auto defect = hermitian_defect(exec, a);
      EXPECT_FALSE(is_finite(defect.relative));
      EXPECT_GE(defect.row, 0);
    }
  }
}

TEST(FastMathChecks, DiagonalsThatAreNotFinite) {
  const Exec exec;
  for (const auto& [name, number] : not_finite_numbers()) {
    SCOPED_TRACE(name);
    const auto a = laplacian_with(0, number);
    EXPECT_THROW(JacobiPreconditioner(exec, a), NumericalError);
    EXPECT_THROW(BlockJacobiPreconditioner(exec, a), NumericalError);
    const auto blocks = block_diagonal<double>(
        4, 3, [value = number](int i, int r, int c) { return i == 2 && r + c == 2 ? value : r == c; });
    EXPECT_THROW(BlockJacobiPreconditioner(exec, blocks), NumericalError);
  }
}

TEST(FastMathChecks, NormsOfWhatIsNotFinite) {
  const Exec exec;
  for (const auto& [name, number] : not_finite_numbers()) {
    for (const int place : {0, 25, n - 1}) {
      auto x = random_vector<double>(n, 1);
      x[std::size_t(place)] = number;
      EXPECT_FALSE(is_finite(norm_inf(exec, to_device<Space>(x)))) << name;
    }
  }
}

TEST(FastMathChecks, WhatYHeldDoesNotSpread) {
  const Exec exec;
  const auto a = laplacian_1d(n);
  const auto x = to_device<Space>(random_vector<double>(n, 1));
  for (const auto& [name, number] : not_finite_numbers()) {
    for (const double alpha : {0.0, 1.0}) {
      const Kokkos::View<double*, Space> product("test::product", n), sum("test::sum", n);
      fill(product, number);
      fill(sum, number);
      spmv(exec, alpha, a, x, 0, product);
      axpby(exec, alpha, x, 0, sum);
      exec.fence();
      for (const double entry : to_host(product)) EXPECT_TRUE(is_finite(entry)) << name;
      for (const double entry : to_host(sum)) EXPECT_TRUE(is_finite(entry)) << name;
    }
  }
}

TEST(FastMathChecks, LevelsOfMultigridThatAreNotFinite) {
  using namespace multigrid;
  const Exec exec;
  Level<Exec> level(exec, BoxGrid(1, 4), Discretisation::fv2, Equation::poisson, 0);
  for (const auto& [name, number] : not_finite_numbers()) {
    SCOPED_TRACE(name);
    for (int d = 0; d < 3; ++d) fill(level.beta[d], number);
    EXPECT_THROW(find_diagonal(exec, level), NumericalError);
    fill(level.u, number);
    EXPECT_FALSE(is_finite(max_norm(exec, level, level.u)));
  }
}

TEST(FastMathChecks, FilesAndProblemsThatAreNotFinite) {
  const TemporaryFolder folder;
  for (const auto& [name, number] : not_finite_numbers()) {
    SCOPED_TRACE(name);
    const std::string path = folder / "matrix.mtx";
    std::ofstream(path) << "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 "
                        << (name[0] == 'N' ? "nan" : "inf") << "\n";
    EXPECT_THROW(io::read_matrix_market<double>(path), FileError);
    EXPECT_THROW(
        problems::cantilever_matrix<BcsrMatrix<double>>(Exec(), {.nodes = {3, 3, 3}, .youngs_modulus = number}),
        ArgumentError);
  }
}

}  // namespace
}  // namespace ashlar::testing
