// Cycles that several executors share.
#include <gmock/gmock.h>

#include <ashlar/cycles/executors.hpp>
#include <limits>
#include <utility>
#include <vector>

#include "listing_level.hpp"

namespace ashlar::cycles {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
constexpr int none = std::numeric_limits<int>::max();

std::vector<std::pair<Executor, std::size_t>> executors_of(const std::vector<Part>& parts) {
  std::vector<std::pair<Executor, std::size_t>> result;
  for (const Part& part : parts) result.emplace_back(part.executor, part.steps.size());
  return result;
}

TEST(Parts, AreCutWhereTheListEntersAndLeavesTheLevelsOfAnExecutor) {
  using ::testing::ElementsAre, ::testing::Pair;
  PartCutter cutter;
  const auto v = cycle_steps(CycleKind::v, 4);  // 3 + 3 + 3, solve, 2 + 2 + 2
  EXPECT_THAT(executors_of(cutter.cut(v, {none, none, none})), ElementsAre(Pair(Executor::kernels, 16U)));
  EXPECT_THAT(executors_of(cutter.cut(v, {none, 2, none})),
              ElementsAre(Pair(Executor::kernels, 6U), Pair(Executor::one_kernel, 6U), Pair(Executor::kernels, 4U)));
  EXPECT_THAT(executors_of(cutter.cut(v, {none, none, 1})),
              ElementsAre(Pair(Executor::kernels, 3U), Pair(Executor::host, 11U), Pair(Executor::kernels, 2U)));
  const auto graph = cutter.cut(v, {0, 3, none});
  ASSERT_THAT(executors_of(graph), ElementsAre(Pair(Executor::graph, 16U)));
  EXPECT_THAT(executors_of(graph[0].parts),
              ElementsAre(Pair(Executor::kernels, 9U), Pair(Executor::one_kernel, 1U), Pair(Executor::kernels, 6U)));
  // On level 1 the F-cycle is there twice: with a V-cycle from its start, and with the cycle below level 0.
  EXPECT_THAT(executors_of(cutter.cut(cycle_steps(CycleKind::f, 3), {1, none, none})),
              ElementsAre(Pair(Executor::kernels, 1U), Pair(Executor::graph, 9U), Pair(Executor::kernels, 4U),
                          Pair(Executor::graph, 6U), Pair(Executor::kernels, 2U)));
}

TEST(Parts, HaveOneNumberForEqualSteps) {
  PartCutter cutter;
  const ExecutorLevels from_2{none, 2, none};
  const auto v = cutter.cut(cycle_steps(CycleKind::v, 4), from_2),
             shorter = cutter.cut(cycle_steps(CycleKind::v, 4, {.first_level = 1}), from_2),
             plain = cutter.cut(cycle_steps(CycleKind::v, 4, {.is_symmetric = false}), from_2);
  EXPECT_EQ(v[1].id, shorter[1].id);
  EXPECT_NE(v[1].id, plain[1].id);
  EXPECT_NE(v[0].id, shorter[0].id);
}

TEST(Parts, AreTold) {
  PartCutter cutter;
  EXPECT_EQ(describe(cutter.cut(cycle_steps(CycleKind::v, 2), {0, 1, none})),
            "graph\n"
            "  kernel by kernel\n"
            "    level 0: smooth from zero\n"
            "    level 0: residual\n"
            "    level 0: restrict the residual\n"
            "  one kernel\n"
            "    level 1: solve\n"
            "  kernel by kernel\n"
            "    level 0: prolong and add\n"
            "    level 0: smooth, adjoint\n");
}

/// Executors that write down the steps of their parts, as the levels do.
struct ListingExecutors {
  struct Counts {
    int graphs = 0, kernels = 0, hosts = 0;
  };
  std::vector<Step>* steps;
  Counts* counts;

  template <class Work>
  void graph(const Exec&, const Part&, const Work& work) const {
    ++counts->graphs;
    work();
  }
  void one_kernel(const Exec&, const Part& part) const {
    ++counts->kernels;
    steps->insert(steps->end(), part.steps.begin(), part.steps.end());
  }
  void host(const Exec&, const Part& part) const {
    ++counts->hosts;
    steps->insert(steps->end(), part.steps.begin(), part.steps.end());
  }
};

/// However the list is cut.
TEST(Parts, RunAllStepsInTheirOrder) {
  for (const CycleKind kind : {CycleKind::v, CycleKind::w, CycleKind::f}) {
    const auto steps = cycle_steps(kind, 5);
    for (const int graph : {0, 2, none}) {
      for (const int one_kernel : {1, 3, none}) {
        for (const int host : {2, 4, none}) {
          std::vector<Step> done;
          const std::vector<Listing> levels{{0, &done}, {1, &done}, {2, &done}, {3, &done}, {4, &done}};
          ListingExecutors::Counts counts;
          PartCutter cutter;
          run(Exec(), cutter.cut(steps, {graph, one_kernel, host}), levels, ListingExecutors{&done, &counts});
          EXPECT_EQ(done, steps) << to_string(kind) << ' ' << graph << ' ' << one_kernel << ' ' << host;
          EXPECT_EQ(counts.graphs > 0, graph != none);
          EXPECT_EQ(counts.kernels > 0, one_kernel < host);
          EXPECT_EQ(counts.hosts > 0, host != none);
        }
      }
    }
  }
}

/// Its work is done at each run, by launches or by a replay.
TEST(Graphs, DoTheirWorkAtEachRun) {
  const Exec exec;
  const Kokkos::View<int, Exec::memory_space> count("count");
  Graphs<Exec> graphs;
  for (int repeat = 0; repeat < 4; ++repeat) {
    for (const int id : {0, 1}) {
      graphs.run(exec, id, [&] { Kokkos::deep_copy(exec, count, id); });
      int found = -1;
      Kokkos::deep_copy(exec, found, count);
      exec.fence();
      EXPECT_EQ(found, id);
    }
  }
}

}  // namespace
}  // namespace ashlar::cycles
