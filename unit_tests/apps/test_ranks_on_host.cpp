// Ranks that compute on the host beside ranks on devices, and rows by what each of them does. Where there is no device,
// both compute on the host: their roles, and all that they agree on, are the same.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class RanksOnHost : public RankCommandTest {
 protected:
  json report_of(const std::string& arguments, const std::string& before) const {
    const CommandResult result = run("solve " + arguments + " --no-probe --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << before << "\n" << result.err;
    return json::parse(read_file(folder() / "r.json"));
  }
  static std::string lines_of(const json& all) {
    std::string lines;
    for (const json& line : all) lines += line.get<std::string>() + '\n';
    return lines;
  }
  std::vector<double> solution(const char* name) const {
    return io::read_matrix_market_vector<double>((folder() / name).string());
  }
  void expect_same_solution(const char* a, const char* b) const {
    const std::vector<double> x = solution(a), y = solution(b);
    ASSERT_EQ(x.size(), y.size());
    double largest = 0;
    for (const double entry : x) largest = std::max(largest, std::abs(entry));
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 1e-5 * largest) << i;
  }
};

TEST_F(RanksOnHost, SolveWithOthersAsOneDoes) {
  for (const std::string system :
       {"--problem cantilever --nodes 9,5,4", "--problem stencil11 --nodes 9 --dof 2 --preconditioner jacobi"}) {
    const json one = report_of(system + " --solution one.mtx", "OMP_NUM_THREADS=1");
    for (const auto& [ranks, way] : {std::pair(2, " --ranks-on-host 1 --partition nnz"),
                                     {3, " --ranks-on-host 2 --partition rows --decomposition 2d"},
                                     {3, " --ranks-on-host 1 --partition nnz --exchange blocking --halo whole"}}) {
      SCOPED_TRACE(system + way);
      const json several = report_of(system + way + " --solution several.mtx", on(ranks));
      EXPECT_NEAR(several.at("iterations").get<int>(), one.at("iterations").get<int>(), 1);
      expect_same_solution("one.mtx", "several.mtx");
      ASSERT_EQ(several.at("ranks").size(), std::size_t(ranks));
      for (const json& rank : several.at("ranks")) {
        EXPECT_FALSE(rank.at("space").get<std::string>().empty());
        EXPECT_FALSE(rank.at("device").get<std::string>().empty());
        EXPECT_GT(rank.at("num_values").get<std::int64_t>(), 0);
        EXPECT_GE(rank.at("idle_share").get<double>(), 0);
        EXPECT_LE(rank.at("idle_share").get<double>(), 1);
        EXPECT_TRUE(rank.at("nonzeros_per_second").is_null());
      }
      EXPECT_EQ(several.at("ranks").back().at("space"), Kokkos::DefaultHostExecutionSpace::name());
    }
  }
}

TEST_F(RanksOnHost, AreTold) {
  const CommandResult result =
      run("solve --problem cantilever --nodes 5 --no-probe --ranks-on-host 1 --partition nnz --report r.json", on(2));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("rank 0 "));
  EXPECT_THAT(result.out, HasSubstr("rank 1 "));
  EXPECT_THAT(result.out, HasSubstr(" % of the solve"));
  EXPECT_EQ(json::parse(read_file(folder() / "r.json")).at("options").at("ranks_on_host"), 1);
  EXPECT_THAT(run("solve --problem cantilever --nodes 5 --no-probe", on(2)).out, Not(HasSubstr("rank 1 ")));
}

TEST_F(RanksOnHost, HaveRowsByTheRatesThatWereMeasured) {
  write("a.mtx", [] {
    std::string file = "%%MatrixMarket matrix coordinate real general\n3000 3000 8998\n";
    for (int i = 1; i <= 3000; ++i) {
      const std::string row = std::to_string(i);
      if (i > 1) file += row + ' ' + std::to_string(i - 1) + " -1\n";
      file += row + ' ' + row + " 2.5\n";
      if (i < 3000) file += row + ' ' + std::to_string(i + 1) + " -1\n";
    }
    return file;
  }());
  ASSERT_EQ(run("convert a.mtx a.bcsr --block-size 1").exit_code, 0);
  for (const std::string system : {"--problem cantilever --nodes 31,7,7", "--matrix a.mtx --block-size 1",
                                   "--matrix a.bcsr", "--problem stencil11 --nodes 12 --solver block-cg --num-rhs 2"}) {
    SCOPED_TRACE(system);
    const bool is_block = system.find("block-cg") != system.npos;
    const json one = report_of(system + " --solution one.mtx", "OMP_NUM_THREADS=1");
    const json measured = report_of(system + " --partition measured --ranks-on-host 1 --solution measured.mtx", on(2));
    EXPECT_LE(measured.at("relative_residual").get<double>(), 1e-8);
    if (!is_block) expect_same_solution("one.mtx", "measured.mtx");
    EXPECT_EQ(measured.at("residual_history").size(), measured.at("iterations").get<std::size_t>() + 1);
    // Who has nothing, has so for a reason that is told, and is left out; where both have rows, it is told whether they
    // were dealt anew.
    const std::string decided = lines_of(measured.at("partition_decided"));
    if (measured.at("ranks").is_null()) {
      EXPECT_THAT(decided, HasSubstr("has no rows"));
      continue;
    }
    std::int64_t values = 0;
    for (const json& rank : measured.at("ranks")) {
      EXPECT_GT(rank.at("nonzeros_per_second").get<double>(), 0);
      EXPECT_GT(rank.at("num_values").get<std::int64_t>(), 0);
      values += rank.at("num_values").get<std::int64_t>();
    }
    const auto block = measured.at("block_size").get<std::int64_t>();
    EXPECT_EQ(values, measured.at("num_blocks").get<std::int64_t>() * block * block);
    if (!is_block && one.at("iterations").get<int>() > 20) {
      EXPECT_THAT(decided, HasSubstr("the rows "));
    }
  }
}

/// Of so few rows messages take longer than all products. Who is left alone solves as by itself.
TEST_F(RanksOnHost, AreLeftOutWhereTheyCostMoreThanTheyDo) {
  const std::string system = "--problem cantilever --nodes 3";
  const json one = report_of(system + " --solution one.mtx", "OMP_NUM_THREADS=1");
  for (const int ranks : {2, 3}) {
    // What is measured while others use the machine may say otherwise: again then.
    json left;
    for (int attempt = 0; attempt < 10; ++attempt) {
      left = report_of(system + " --partition measured --ranks-on-host 1 --solution left.mtx", on(ranks));
      if (left.at("ranks").is_null()) break;
    }
    EXPECT_TRUE(left.at("ranks").is_null());
    EXPECT_EQ(left.at("residual_history"), one.at("residual_history"));
    EXPECT_EQ(solution("left.mtx"), solution("one.mtx"));
    const std::string decided = lines_of(left.at("partition_decided"));
    EXPECT_THAT(decided, HasSubstr("has no rows: it would cost the others more than it saves"));
    EXPECT_EQ(left.at("options").at("ranks_on_host"), 1);
  }
  const CommandResult told = run("solve " + system + " --no-probe --partition measured --ranks-on-host 1", on(2));
  EXPECT_EQ(told.exit_code, 0);
  EXPECT_THAT(told.out, HasSubstr("\npartition  "));
}

// Ranks whose rows are streamed are measured as they stream them.
TEST_F(RanksOnHost, HaveRowsOfAStreamedMatrixByTheRatesThatWereMeasured) {
  const std::string system = "--problem cantilever --nodes 31,7,7";
  report_of(system + " --solution one.mtx", "OMP_NUM_THREADS=1");
  for (const std::string way : {"", " --ranks-on-host 1"}) {
    SCOPED_TRACE(way);
    const json streamed = report_of(system + " --stream on --partition measured --solution streamed.mtx" + way, on(2));
    expect_same_solution("one.mtx", "streamed.mtx");
    const std::string decided = lines_of(streamed.at("partition_decided"));
    EXPECT_THAT(decided, ::testing::AnyOf(HasSubstr("has no rows"), HasSubstr("the rows ")));
    if (!streamed.at("ranks").is_null()) {
      for (const json& rank : streamed.at("ranks")) EXPECT_GT(rank.at("nonzeros_per_second").get<double>(), 0);
    }
  }
}

// Where nothing is asked for, ranks on the host beside devices have what they are worth; all others as many blocks.
TEST_F(RanksOnHost, HaveAsManyBlocksUnlessDevicesStandBesideThem) {
  const json both = report_of("--problem cantilever --nodes 31,7,7 --ranks-on-host 1", on(2));
  EXPECT_EQ(both.at("options").at("partition"), "auto");
  const bool is_measured = !lines_of(both.at("partition_decided")).empty();
  EXPECT_EQ(is_measured, is_gpu_v<Kokkos::DefaultExecutionSpace>);
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) {
    // One device that streams lets its host multiply a share by itself.
    const json streamed = report_of("--problem cantilever --nodes 31,9,9 --ranks-on-host 1 --stream on", on(2));
    EXPECT_TRUE(streamed.at("ranks").is_null());
    EXPECT_THAT(lines_of(streamed.at("partition_decided")), HasSubstr("rank 1 has no rows: the matrix is streamed"));
  }
  const json alike = report_of("--problem cantilever --nodes 9,5,4", on(2));
  EXPECT_EQ(lines_of(alike.at("partition_decided")), "");
  EXPECT_EQ(alike.at("ranks").at(0).at("num_block_rows"), alike.at("ranks").at(1).at("num_block_rows"));
}

TEST_F(RanksOnHost, TellWhatIsWrongOnce) {
  const std::string solve = "solve --problem cantilever --nodes 3 ";
  expect_one_message(solve + "--ranks-on-host 2", 2, {"--ranks-on-host 2", "has 2 ranks", "none would be left"});
  expect_one_message(solve + "--ranks-on-host 7", 3, {"--ranks-on-host 7", "has 3 ranks"});
  expect_one_message(solve + "--ranks-on-host -1", 2, {"--ranks-on-host -1", "counts ranks"});
  expect_one_message(solve + "--ranks-on-host two", 2, {"--ranks-on-host 'two'"});
  expect_refused(solve + "--ranks-on-host 1", {"--ranks-on-host 1", "has 1 rank,"});
  // On one rank, too, which deals no rows.
  expect_refused(solve + "--partition measurd", {"--partition 'measurd'", "no such file", "nnz"});
  expect_one_message(solve + "--partition measurd", 2, {"--partition 'measurd'", "no such file", "nnz"});
  // Of a rank on the host alone.
  write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 4 0\n");
  expect_one_message("solve --matrix zero.mtx --block-size 1 --ranks-on-host 1 --partition nnz", 2,
                     {"zero.mtx", "(4, 4)"});
  expect_one_message("solve --matrix zero.mtx --block-size 1 --ranks-on-host 1 --partition measured", 2,
                     {"zero.mtx", "(4, 4)"});
  write("empty.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 0\n");
  expect_one_message("solve --matrix empty.mtx --block-size 1 --partition measured", 2, {"no blocks"});
}

}  // namespace
}  // namespace ashlar::testing
