// The benchmark over ranks: the same numbers, to the last digit.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class HpgmgOverRanks : public RankCommandTest {
 protected:
  /// What `ashlar hpgmg` prints and reports.
  struct Told {
    std::string out;
    json report;

    /// What is printed of norms and errors.
    std::string numbers() const {
      const auto begin = out.find("F-cycle"), end = out.find(" s a solve");
      return begin == out.npos || end == out.npos ? "" : out.substr(begin, out.rfind('\n', end) - begin);
    }
  };

  Told told(const std::string& arguments, const std::string& before) const {
    const CommandResult result = run("hpgmg " + arguments + " --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << before << "\n" << result.err;
    return {result.out, json::parse(read_file(folder() / "r.json"))};
  }
};

TEST_F(HpgmgOverRanks, TwoPrintWhatOneDoes) {
  const Told one = told("4 8", "OMP_NUM_THREADS=1"), two = told("4 8 --min-cells-per-rank 0", on(2));
  EXPECT_THAT(one.numbers(), HasSubstr("F-cycle  norm = 8.412949740"));
  EXPECT_EQ(two.numbers(), one.numbers());
  EXPECT_THAT(two.out, HasSubstr(", on 2 ranks"));
  EXPECT_THAT(two.out, HasSubstr("messages"));
  EXPECT_EQ(two.out.find("HPGMG-FV"), two.out.rfind("HPGMG-FV"));
  for (const char* same : {"norms", "rel", "norm_2h", "norm_4h", "error", "order", "bottom_iterations"}) {
    EXPECT_EQ(two.report.at(same), one.report.at(same)) << same;
  }
  EXPECT_EQ(one.report.at("num_ranks"), 1);
  EXPECT_EQ(two.report.at("num_ranks"), 2);
  // Each way 2560 numbers on 32^3, 768 on 16^3, as the reference has it, and of each of four boxes two edges that lie
  // beyond the domain, too; then there is one box.
  const std::vector<int> bytes{2 * (2560 + 8 * 64) * 8, 2 * (768 + 8 * 32) * 8, 0, 0, 0};
  ASSERT_EQ(two.report.at("levels").size(), bytes.size());
  for (std::size_t l = 0; l < bytes.size(); ++l) {
    const json& level = two.report.at("levels")[l];
    EXPECT_EQ(level.at("exchange_bytes"), bytes[l]);
    EXPECT_EQ(level.at("exchange_messages"), bytes[l] > 0 ? 2 : 0);
    EXPECT_EQ(one.report.at("levels")[l].at("exchange_bytes"), 0);
    EXPECT_EQ(level.at("largest_eigenvalue"), one.report.at("levels")[l].at("largest_eigenvalue"));
  }
  // On GPUs the solver of the coarsest level is part of one kernel from 8^3 cells on.
  const auto seconds = [&](std::size_t level, const char* phase) {
    return two.report.at("levels")[level].at("seconds").at(phase).get<double>();
  };
  EXPECT_GT(seconds(4, "bottom") + seconds(2, "one_kernel"), 0);
}

/// 16^3 cells and fewer, in one kernel as on one rank.
TEST_F(HpgmgOverRanks, LeaveSmallLevelsToOneAndPrintTheSame) {
  const Told one = told("4 8", "OMP_NUM_THREADS=1"),
             two = told("4 8 --min-cells-per-rank 3000 --one-kernel-cells 5000", on(2)),
             apart = told("4 8 --min-cells-per-rank 3000 --keep-boxes", on(2));
  EXPECT_EQ(two.numbers(), one.numbers());
  EXPECT_EQ(apart.numbers(), one.numbers());
  EXPECT_THAT(two.out, HasSubstr("level 0: 32^3 cells in 8 boxes of 16^3, on 2 ranks, "));
  EXPECT_THAT(two.out, HasSubstr("level 1: 16^3 cells in 1 box of 16^3, on 1 rank, "));
  EXPECT_THAT(apart.out, HasSubstr("level 1: 16^3 cells in 8 boxes of 8^3, on 1 rank, "));
  EXPECT_EQ(two.report.at("options").at("min_cells_per_rank"), 3000);
  EXPECT_EQ(two.report.at("error"), one.report.at("error"));
  for (std::size_t l = 0; l < 5; ++l) {
    const json& level = two.report.at("levels")[l];
    EXPECT_EQ(level.at("num_ranks"), l == 0 ? 2 : 1) << l;
    EXPECT_EQ(level.at("exchange_messages"), l == 0 ? 2 : 0) << l;
    EXPECT_EQ(one.report.at("levels")[l].at("num_ranks"), 1) << l;
  }
}

TEST_F(HpgmgOverRanks, PrintTheSameWhereKernelsWriteToEachOther) {
  const Told one = told("4 8", "OMP_NUM_THREADS=1"), two = told("4 8 --exchange kernel", on(2));
  EXPECT_EQ(two.numbers(), one.numbers());
  EXPECT_EQ(two.report.at("options").at("exchange"), "kernel");
}

TEST_F(HpgmgOverRanks, FourTake48CellsADirection) {
  const Told one = told("4 27", "OMP_NUM_THREADS=1"), four = told("4 8", on(4));
  std::vector<int> cells;
  for (const json& level : four.report.at("levels")) cells.push_back(level.at("cells_per_dim").get<int>());
  EXPECT_EQ(cells, (std::vector<int>{48, 24, 12, 6, 3}));
  EXPECT_TRUE(four.report.at("converged").get<bool>());
  EXPECT_EQ(four.report.at("norms"), one.report.at("norms"));
  EXPECT_EQ(four.report.at("error"), one.report.at("error"));
}

TEST_F(HpgmgOverRanks, ErrorsAreToldOnce) {
  expect_one_message("hpgmg 4 1", 3, {"3 ranks for 1 box of 16^3 cells", "take more boxes a rank"});
  expect_one_message("hpgmg 4 8 --report no/r.json", 2, {"no/r.json"});
  expect_one_message(
      "hpgmg 4 8 --exchange kernel --overlap on", 2,
      {"--overlap on with --exchange kernel (only levels in the blocking mode", "pass --exchange blocking"});
  expect_one_message("hpgmg 10 32", 2, {"multigrid of", "bytes"});
}

TEST_F(HpgmgOverRanks, AModeThatTheMachineLacksIsRefusedByName) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "what GPUs can do depends on the machine";
  expect_one_message("hpgmg 4 8 --exchange stream --report r.json", 2,
                     {"an exchange in mode stream", "rank 0 has no transport for streams: it computes on the host",
                      "leave the mode automatic, or take blocking"});
}

TEST_F(HpgmgOverRanks, OneAloneSaysThatItExchangesNothing) {
  const Told plain = told("4 8", "OMP_NUM_THREADS=1"),
             asked = told("4 8 --exchange blocking --overlap on", "OMP_NUM_THREADS=1"),
             mode = told("4 8 --exchange kernel --overlap off", "OMP_NUM_THREADS=1");
  EXPECT_EQ(asked.numbers(), plain.numbers());
  const std::string said = "messages: none, as one rank has all boxes (asked for: exchange blocking, overlap on)";
  EXPECT_THAT(asked.out, HasSubstr("\n  " + said + "\n"));
  EXPECT_THAT(asked.report.at("explain").get<std::string>(), HasSubstr("; " + said + "; "));
  EXPECT_THAT(mode.out, HasSubstr("(asked for: exchange kernel)"));
  EXPECT_THAT(plain.out, ::testing::Not(HasSubstr("messages: none")));
}

}  // namespace
}  // namespace ashlar::testing
