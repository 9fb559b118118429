#include <gtest/gtest.h>

#include <ashlar/krylov/cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>

#include "support/compare.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::problems;
using namespace ashlar::testing;

/// The displacements (or the potential) of a problem at its nodes.
std::vector<double> solve(const Cantilever& problem, double rtol) {
  const Kokkos::DefaultExecutionSpace exec;
  const auto matrix = cantilever_matrix<BcsrMatrix<double>>(exec, problem);
  const auto load = cantilever_load<double>(exec, problem);
  const Kokkos::View<double*, typename decltype(load)::memory_space> u("test::u", load.extent(0));
  CgOptions options;
  options.rtol = rtol;
  const SolveReport report =
      cg(exec, BcsrOperator(exec, matrix), BlockJacobiPreconditioner(exec, matrix), load, u, options);
  EXPECT_EQ(report.status, SolveStatus::converged) << describe(report.status);
  return to_host(u);
}

constexpr double youngs_modulus = 200, poissons_ratio = 0.3, pull = 0.01;

/// The mean deflection in z of the end face of a beam 10 x 1 x 1, pulled there across its axis.
double tip_deflection(std::array<int, 3> nodes) {
  const Cantilever problem{.nodes = nodes,
                           .lengths = std::array{10.0, 1.0, 1.0},
                           .youngs_modulus = youngs_modulus,
                           .poissons_ratio = poissons_ratio,
                           .traction = {0, 0, -pull}};
  const std::vector<double> u = solve(problem, 1e-8);
  const int face = nodes[1] * nodes[2];
  double sum = 0;
  for (std::size_t node = u.size() / 3 - face; node < u.size() / 3; ++node) sum += u[3 * node + 2];
  return -sum / face;
}

// Timoshenko's beam: P L^3 / (3 E I) + P L / (kappa G A), kappa = 5/6 for a rectangle. Trilinear elements are too stiff
// in bending, ever less so as they get smaller; with 8 over the height the deflection is within 3 %.
TEST(Beam, TipDeflectionApproachesTimoshenkosFromBelow) {
  const double inertia = 1.0 / 12, shear_modulus = youngs_modulus / (2 * (1 + poissons_ratio));
  const double timoshenko = pull * 1000 / (3 * youngs_modulus * inertia) + pull * 10 / (5.0 / 6 * shear_modulus);
  const double coarse = tip_deflection({21, 3, 3}) / timoshenko;
  const double medium = tip_deflection({41, 5, 5}) / timoshenko;
  const double fine = tip_deflection({81, 9, 9}) / timoshenko;
  RecordProperty("coarse", std::to_string(coarse));
  RecordProperty("medium", std::to_string(medium));
  RecordProperty("fine", std::to_string(fine));
  EXPECT_LT(coarse, medium);
  EXPECT_LT(medium, fine);
  EXPECT_LT(fine, 1);
  EXPECT_GT(fine, 0.97);
  // Second order: each halving of the elements takes away about three quarters of the error.
  EXPECT_NEAR((medium - coarse) / (fine - medium), 4, 1);
}

// A bar pulled along its axis: the stretch of one dimension, F L / (E A), up to what the clamped face holds back.
TEST(Beam, StretchesAlongItsAxis) {
  const Cantilever problem{.nodes = {21, 3, 3},
                           .lengths = std::array{10.0, 1.0, 1.0},
                           .youngs_modulus = youngs_modulus,
                           .poissons_ratio = 0,
                           .traction = {pull, 0, 0}};
  const std::vector<double> u = solve(problem, 1e-12);
  const std::vector<double> points = hex_points(cantilever_grid(problem));
  // Without a Poisson's ratio nothing is held back, and the solution is linear: the elements have it exactly.
  for (std::size_t i = 0; i < u.size(); ++i) {
    EXPECT_NEAR(u[i], i % 3 == 0 ? pull / youngs_modulus * points[i] : 0, 1e-11);
  }
}

// The Laplacian between u = 0 and a given slope has the linear solution, with a source the parabola f x (L - x/2).
TEST(Beam, LaplacianHasTheParabolaAtItsNodes) {
  const Cantilever problem{
      .nodes = {9, 3, 4}, .lengths = std::array{2.0, 1.0, 1.5}, .dof = 1, .weight = 3, .traction = {0.3, 0, -0.4}};
  const std::vector<double> u = solve(problem, 1e-13);
  const std::vector<double> points = hex_points(cantilever_grid(problem));
  for (std::size_t i = 0; i < u.size(); ++i) {
    const double x = points[3 * i];
    EXPECT_NEAR(u[i], 0.5 * x + 3 * x * (2 - x / 2), 1e-11);
  }
}

}  // namespace
