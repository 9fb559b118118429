#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/convection_diffusion_reaction.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

class CantileverConduct : public ::testing::TestWithParam<int> {
 protected:
  const Exec exec = other_instance();
  const problems::Cantilever problem{.nodes = {5, 4, 3}, .dof = GetParam(), .weight = 1};
};

TEST_P(CantileverConduct, Matrix) {
  expect_kept(exec, Promise::waits, [&] { return problems::cantilever_matrix<Matrix>(exec, problem); });
}

TEST_P(CantileverConduct, MatrixUnconstrained) {
  expect_kept(exec, Promise::waits, [&] { return problems::cantilever_matrix_unconstrained<Matrix>(exec, problem); });
}

TEST_P(CantileverConduct, Load) {
  expect_kept(exec, Promise::allocates, [&] { return problems::cantilever_load<double, Space>(exec, problem); });
}

TEST_P(CantileverConduct, LoadUnconstrained) {
  expect_kept(exec, Promise::allocates,
              [&] { return problems::cantilever_load_unconstrained<double, Space>(exec, problem); });
}

INSTANTIATE_TEST_SUITE_P(Dof, CantileverConduct, ::testing::Values(1, 3, 6));

TEST(ProblemsConduct, Stencil11) {
  const Exec exec = other_instance();
  expect_kept(exec, Promise::waits, [&] { return problems::stencil11<Matrix>(exec, 5, 4, 3, 2); });
}

TEST(ProblemsConduct, ConvectionDiffusionReaction) {
  const Exec exec = other_instance();
  const problems::ConvectionDiffusionReaction problem{.nodes = {5, 4, 3}, .dof = 2};
  expect_kept(exec, Promise::waits, [&] { return problems::convection_diffusion_reaction<Matrix>(exec, problem); });
}

TEST(ProblemsConduct, Grid27) {
  const Exec exec = other_instance();
  expect_kept(exec, Promise::waits, [&] { return problems::grid27<Matrix>(exec, 5, 4, 3, 2); });
}

}  // namespace
}  // namespace ashlar::testing
