// Levels that run on the host for they are small. Where kernels run there anyway, both parts of the hierarchy are in
// one space, and what lies between them is the same.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <utility>

#include "levels.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

TEST(FirstHostLevel, HasFewerCellsOnEachRank) {
  // 32^3 cells in 8 boxes, 16^3 in 8, then 8^3, 4^3 and 2^3 in one.
  const auto first = [](std::int64_t threshold, int ranks = 1) {
    return first_host_level(make_hierarchy(2, 16, 2, ranks, 0, {.min_cells_per_rank = 0}), threshold);
  };
  EXPECT_EQ(first(0), 5U);
  EXPECT_EQ(first(8), 5U);
  EXPECT_EQ(first(9), 4U);
  EXPECT_EQ(first(512), 3U);
  EXPECT_EQ(first(4096), 2U);
  EXPECT_EQ(first(4097), 1U);
  EXPECT_EQ(first(std::numeric_limits<std::int64_t>::max()), 1U) << "never the finest";
  // Three boxes on some ranks, two on others: 1536 cells.
  EXPECT_EQ(first(1536, 3), 2U);
  EXPECT_EQ(first(1537, 3), 1U);
  EXPECT_EQ(first(513, 8), 1U);
  // Where half of the ranks have two boxes each: 1024 cells.
  EXPECT_EQ(first_host_level(make_hierarchy(2, 16, 2, 8, 0, {.min_cells_per_rank = 1000}), 1024), 2U);
  EXPECT_EQ(first_host_level(make_hierarchy(2, 16, 2, 8, 0, {.min_cells_per_rank = 1000}), 1025), 1U);
  EXPECT_THAT(message_of<ArgumentError>([&] { first(-1); }),
              ::testing::AllOf(::testing::HasSubstr("a host threshold of -1 cells"),
                               ::testing::HasSubstr("0: none runs there")));
  EXPECT_EQ(first_host_level({BoxGrid(1, 4)}, 1000), 1U);
}

/// All numbers that solves on the three finest levels tell.
std::vector<double> numbers_of(MultigridOptions options, std::int64_t threshold, Cycle cycle) {
  options.host_threshold = threshold;
  const auto multigrid = benchmark(8, 8, options);
  const auto found = richardson(Exec(), *multigrid, cycle);
  std::vector<double> numbers;
  for (std::size_t l = 0; l < multigrid->num_levels(); ++l) {
    numbers.push_back(multigrid->with_level(l, [](const auto& level) { return level.largest_eigenvalue; }));
  }
  for (const CycleReport& solve : {found->h, found->h2, found->h4}) {
    EXPECT_TRUE(solve.converged);
    numbers.insert(numbers.end(), solve.norms.begin(), solve.norms.end());
    numbers.insert(numbers.end(), {solve.norm_of_f, double(solve.bottom_iterations)});
  }
  numbers.push_back(found->error);
  return numbers;
}

TEST(HostLevels, MakeTheSameDigitsForAnyThreshold) {
  for (const auto& [options, cycle] :
       {std::pair{MultigridOptions{.discretisation = fv4}, Cycle::f},
        {MultigridOptions{.discretisation = fv4, .equation = Equation::helmholtz}, Cycle::fv},
        {MultigridOptions{.discretisation = fv2, .smoother = Smoother::chebyshev}, Cycle::v},
        {MultigridOptions{.discretisation = fv2}, Cycle::fv}}) {
    const std::vector<double> without = numbers_of(options, 0, cycle);
    // 16^3 cells, 8^3, ...: the part on the host begins at the coarsest level, at the next ones, at all but the finest.
    for (const std::int64_t threshold : {10, 100, 513, 1 << 30}) {
      SCOPED_TRACE(threshold);
      EXPECT_EQ(numbers_of(options, threshold, cycle), without);
    }
  }
}

TEST(HostLevels, AreTold) {
  const auto multigrid = benchmark(8, 8, {.discretisation = fv4, .host_threshold = 513});
  ASSERT_EQ(multigrid->num_levels(), 4U);
  EXPECT_FALSE(multigrid->is_on_host(0));
  for (std::size_t l = 1; l < 4; ++l) {
    EXPECT_TRUE(multigrid->is_on_host(l));
    EXPECT_EQ(multigrid->grid(l).cells_per_dim(), 16 >> l);
    EXPECT_EQ(multigrid->with_level(l, [](const auto& level) { return level.number; }), l);
    if (is_gpu_v<Exec>) {
      EXPECT_THROW(multigrid->level(l), ArgumentError);
    } else {
      EXPECT_EQ(multigrid->level(l).number, l);
    }
  }
  EXPECT_THAT(multigrid->explain(), ::testing::HasSubstr("level 0: 16^3 cells in 8 boxes ("));
  EXPECT_THAT(multigrid->explain(), ::testing::HasSubstr("level 1: 8^3 cells in 1 box, on the host ("));
  EXPECT_EQ(multigrid->seconds_on_host(), 0) << "nothing has been solved";
  multigrid->solve(Exec(), Cycle::f);
  EXPECT_GT(multigrid->seconds_on_host(), 0);
  EXPECT_THAT(message_of<ArgumentError>([] { benchmark(8, 8, {.discretisation = fv4, .host_threshold = -1}); }),
              ::testing::HasSubstr("a host threshold of -1 cells"));
}

/// A solve on a level of the host alone, and phases by level.
TEST(HostLevels, AreTimedAndSolvedAsOthersAre) {
  const auto multigrid = benchmark(8, 8, {.discretisation = fv4, .host_threshold = 100});
  PhaseTimes times(multigrid->num_levels());
  multigrid->count_times(&times);
  const CycleReport report = multigrid->solve(Exec(), Cycle::f, 2);
  EXPECT_GT(report.bottom_iterations, 0);
  EXPECT_EQ(times.of(0, Phase::smooth), 0);
  EXPECT_EQ(times.of(1, Phase::smooth), 0);
  EXPECT_GT(times.of(2, Phase::smooth), 0);
  EXPECT_GT(times.of(3, Phase::bottom), 0);
  multigrid->solve(Exec(), Cycle::f);
  EXPECT_GT(times.of(1, Phase::restriction), 0);
  EXPECT_GT(times.of(1, Phase::interpolation), 0);
}

TEST(HostLevels, PreconditionTheSame) {
  const Exec exec;
  const auto preconditioned = [&](std::int64_t threshold) {
    const std::shared_ptr<const Multigrid<Exec>> multigrid =
        benchmark(8, 8, {.discretisation = fv4, .host_threshold = threshold});
    const Kokkos::View<double*, Exec::memory_space> r("r", 4096), z("z", 4096);
    from_boxes(exec, multigrid->level(0), multigrid->level(0).f, r);
    MultigridPreconditioner<Exec>(multigrid).apply(exec, r, z);
    const auto found = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), z);
    return std::vector<double>(found.data(), found.data() + found.size());
  };
  const std::vector<double> without = preconditioned(0);
  for (const std::int64_t threshold : {10, 513}) EXPECT_EQ(preconditioned(threshold), without);
  const MultigridOperator<Exec> a(std::shared_ptr<const Multigrid<Exec>>(benchmark(8, 8, {.host_threshold = 100})));
  EXPECT_THAT(a.explain(), ::testing::HasSubstr("levels 2 to 3 on the host"));
  EXPECT_EQ(a.bytes().host > 0, is_gpu_v<Exec>);
}

}  // namespace
}  // namespace ashlar::testing
