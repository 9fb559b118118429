#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/trace/recorder.hpp>
#include <optional>
#include <vector>

#include "multigrid/reference_rows_of_ranks.hpp"
#include "support/mpi_world.hpp"

// Cycles over ranks that wait for each other in kernels, where they have a device each: replayed as graphs there.

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

constexpr MultigridOptions in_blocking_mode{.discretisation = fv4, .exchange = {.mode = ExchangeMode::blocking}};

MultigridOptions in_kernel_mode(bool graphs) {
  MultigridOptions options = in_blocking_mode;
  options.exchange.mode = ExchangeMode::kernel;
  options.graphs = graphs;
  return options;
}

/// Norms of solves again and again: graphs are captured at a cycle's second run, and what comes between cycles is none.
std::vector<double> norms_of(const Exec& exec, const Multigrid<Exec>& multigrid) {
  std::vector<double> norms;
  for (int repeat = 0; repeat < 3; ++repeat) {
    for (const Cycle cycle : {Cycle::f, Cycle::fv}) {
      const CycleReport report = multigrid.solve(exec, cycle);
      norms.insert(norms.end(), report.norms.begin(), report.norms.end());
    }
  }
  return norms;
}

TEST(MultigridOverMpi, HasTheReferencesNumbersInEachMode) {
  if (!is_gpu_v<Exec> || world().is_alone()) GTEST_SKIP() << "ranks that are threads of a host have them";
  for (const ReferenceRow& row : rows_in_time()) {
    for (const Overlap overlap : {Overlap::off, Overlap::on}) {
      expect_row_over(world(), row, ExchangeMode::blocking, overlap);
    }
    if (find_peer_memory(Exec(), world()).work) expect_row_over(world(), row, ExchangeMode::kernel);
  }
}

TEST(MultigridOverMpi, GivesTheSameBitsByGraphsOfAllRanks) {
  if (world().is_alone()) GTEST_SKIP() << "one rank exchanges nothing";
  if (const PeersFound found = find_peer_memory(Exec(), world()); !found.work) GTEST_SKIP() << found.why;
  const Exec exec = rank_instance<Exec>();
  for (const HierarchyOptions& levels : {over_all_ranks, HierarchyOptions{.min_cells_per_rank = 2048}}) {
    const auto norms = [&](const MultigridOptions& options) {
      return norms_of(exec, *benchmark_of_ranks(exec, world(), 2, 16, options, levels));
    };
    const std::vector<double> expected = norms(in_blocking_mode);
    EXPECT_EQ(norms(in_kernel_mode(false)), expected);
    EXPECT_EQ(norms(in_kernel_mode(true)), expected);
  }
  if (!CapturedWork<Exec>::has_graphs) return;
  const auto multigrid = benchmark_of_ranks(exec, world(), 2, 16, in_kernel_mode(true));
  EXPECT_THAT(multigrid->explain(), HasSubstr("; cycles as graphs"));
}

TEST(MultigridOverMpi, HasNoGraphsWhereAToolWatchesOneRank) {
  if (world().is_alone()) GTEST_SKIP() << "one rank exchanges nothing";
  if (const PeersFound found = find_peer_memory(Exec(), world()); !found.work) GTEST_SKIP() << found.why;
  const Exec exec = rank_instance<Exec>();
  const std::vector<double> expected = norms_of(exec, *benchmark_of_ranks(exec, world(), 2, 16, in_blocking_mode));
  std::optional<trace::Recorder> recorder;
  if (world().rank() == 0) recorder.emplace();
  const auto multigrid = benchmark_of_ranks(exec, world(), 2, 16, in_kernel_mode(true));
  if (CapturedWork<Exec>::has_graphs) {
    EXPECT_THAT(multigrid->explain(), HasSubstr("graphs: none (a rank's stream cannot be captured, or a tool watches"));
  }
  EXPECT_EQ(norms_of(exec, *multigrid), expected);
}

}  // namespace
}  // namespace ashlar::testing
