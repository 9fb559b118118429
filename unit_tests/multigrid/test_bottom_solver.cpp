// The coarsest level's solver, and how many iterations it makes.
#include <gmock/gmock.h>

#include <string>
#include <utility>

#include "levels.hpp"

namespace ashlar::testing {
namespace {

/// The reference's counts for 8 boxes of 16^3, 32^3 and 64^3 cells.
struct BottomRow {
  const char* name;
  MultigridOptions options;
  int of_32, of_64, of_128;
};

class BottomIterations : public ::testing::TestWithParam<BottomRow> {};

/// With fv2 the coarsest cell's right-hand side is 0 up to rounding: chance has it whether a cycle needs an iteration.
TEST_P(BottomIterations, AreAsManyAsTheReferenceMakes) {
  const BottomRow& row = GetParam();
  for (const auto& [box_dim, count] : {std::pair{16, row.of_32}, {32, row.of_64}, {64, row.of_128}}) {
    if (box_dim == 64 && !is_gpu_v<Exec>) continue;  // (minutes of a CPU, where what is executed is checked)
    const int found = benchmark(box_dim, 8, row.options)->solve(Exec(), Cycle::f).bottom_iterations;
    EXPECT_NEAR(found, count, row.options.discretisation == fv2 ? 2 : 0) << box_dim;
  }
}

INSTANTIATE_TEST_SUITE_P(
    Rows, BottomIterations,
    ::testing::Values(BottomRow{"Fv2Gsrb", {.discretisation = fv2}, 6, 6, 8},
                      BottomRow{"Fv2Chebyshev", {.discretisation = fv2, .smoother = Smoother::chebyshev}, 5, 6, 8},
                      BottomRow{"Fv4Gsrb", {.discretisation = fv4}, 8, 10, 12},
                      BottomRow{"Fv4Chebyshev", {.discretisation = fv4, .smoother = Smoother::chebyshev}, 9, 11, 12}),
    [](const auto& info) { return std::string(info.param.name); });

/// 5^3 cells, as found by the solver of levels that are not in scratch memory.
TEST(BottomSolver, SolvesAsManyCellsAsScratchMemoryTakes) {
  const auto multigrid = benchmark(40, 1, {.discretisation = fv4});
  EXPECT_EQ(multigrid->grid(multigrid->num_levels() - 1).cells_per_dim(), 5);
  const CycleReport f_cycle = multigrid->solve(Exec(), Cycle::f);
  EXPECT_EQ(f_cycle.bottom_iterations, 24);
  EXPECT_NEAR(f_cycle.norms.back(), 4.099478282270086e-04, 1e-12);
  EXPECT_EQ(multigrid->solve(Exec(), Cycle::v).bottom_iterations, 33);
}

}  // namespace
}  // namespace ashlar::testing
