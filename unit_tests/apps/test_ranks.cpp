// The command over ranks: what one rank finds, several find too; what goes wrong is told once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

class Ranks : public RankCommandTest {
 protected:
  json report_of(const std::string& arguments, const std::string& before) const {
    const CommandResult result = run("solve " + arguments + " --no-probe --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << before << "\n" << result.err;
    return json::parse(read_file(folder() / "r.json"));
  }

  /// As GPUs do that reach each other's memory.
  static bool iterates_in_kernels(const json& report) { return report.at("iterates_in_kernel").get<bool>(); }

  /// A Matrix Market file of a one-dimensional Laplacian, and what it says of itself.
  void write_laplacian(int n) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix coordinate real general\n" << n << ' ' << n << ' ' << 3 * n - 2 << '\n';
    for (int i = 1; i <= n; ++i) {
      if (i > 1) file << i << ' ' << i - 1 << " -1\n";
      file << i << ' ' << i << " 2.5\n";
      if (i < n) file << i << ' ' << i + 1 << " -1\n";
    }
    write("a.mtx", file.str());
  }
};

TEST_F(Ranks, SolveAsOneDoes) {
  for (const std::string system :
       {"--problem cantilever --nodes 9,5,4", "--problem stencil11 --nodes 8 --dof 2 --preconditioner none",
        "--problem cantilever --nodes 7,4,4 --dof 1 --variant single-reduction --preconditioner jacobi",
        "--problem cantilever --nodes 7,4,4 --variant pipelined",
        "--problem stencil11 --nodes 7 --solver block-cg --num-rhs 3",
        "--problem cantilever --nodes 7,4,4 --solver gmres --restart 20",
        "--problem cantilever --nodes 7,4,4 --solver bicgstab", "--problem cantilever --nodes 7,4,4 --solver minres",
        "--problem convection-diffusion --nodes 7,4,5 --dof 2 --solver bicgstab"}) {
    const json one = report_of(system, "");
    EXPECT_TRUE(one.at("ranks").is_null());
    for (const auto& [ranks, way] :
         {std::pair(2, std::string()), {3, " --decomposition 2d --halo whole --partition rows"}}) {
      SCOPED_TRACE(system + way);
      const json several = report_of(system + way, on(ranks));
      EXPECT_EQ(several.at("ranks").size(), static_cast<std::size_t>(ranks));
      EXPECT_NEAR(several.at("iterations").get<int>(), one.at("iterations").get<int>(), 3);
      EXPECT_LE(several.at("relative_residual").get<double>(), 1e-8);
      for (const char* same : {"num_rows", "num_blocks", "num_block_rows", "block_size"}) {
        EXPECT_EQ(several.at(same), one.at(same)) << same;
      }
      std::int64_t rows = 0, blocks = 0;
      for (const json& rank : several.at("ranks")) {
        rows += rank.at("num_block_rows").get<std::int64_t>();
        blocks += rank.at("num_blocks").get<std::int64_t>();
        EXPECT_GT(rank.at("busy_seconds").get<double>(), 0);
        EXPECT_GE(rank.at("waited_seconds").get<double>(), 0);
        EXPECT_EQ(rank.at("idle_share").is_null(), iterates_in_kernels(several));
      }
      EXPECT_EQ(rows, one.at("num_block_rows").get<std::int64_t>());
      EXPECT_EQ(blocks, one.at("num_blocks").get<std::int64_t>());
      if (!iterates_in_kernels(several)) {
        EXPECT_GT(several.at("pipeline_efficiency").get<double>(), 0);
        EXPECT_LE(several.at("pipeline_efficiency").get<double>(), 1);
      }
    }
  }
}

TEST_F(Ranks, FilesAreReadByTheirRowsOrHandedOut) {
  write_laplacian(101);
  ASSERT_EQ(run("convert a.mtx a.bcsr").exit_code, 0);
  std::ostringstream b;
  b << "%%MatrixMarket matrix array real general\n101 1\n";
  for (int i = 0; i < 101; ++i) b << 1 + i % 7 << '\n';
  write("b.mtx", b.str());
  for (const std::string system : {"--matrix a.mtx", "--matrix a.bcsr --rhs b.mtx"}) {
    SCOPED_TRACE(system);
    const json one = report_of(system + " --solution one.mtx", ""),
               three = report_of(system + " --solution three.mtx", on(3));
    EXPECT_NEAR(three.at("iterations").get<int>(), one.at("iterations").get<int>(), 1);
    const auto x = io::read_matrix_market_vector<double>((folder() / "one.mtx").string());
    const auto y = io::read_matrix_market_vector<double>((folder() / "three.mtx").string());
    ASSERT_EQ(x.size(), 101u);
    ASSERT_EQ(y.size(), x.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(y[i], x[i], 1e-6) << i;
  }
}

TEST_F(Ranks, PartitionsAreTakenAsTheyAreGiven) {
  write("rows.txt", "20 0 80\n");
  EXPECT_EQ(
      run("solve --problem stencil11 --nodes 5,5,4 --partition rows.txt --no-probe --report r.json", on(3)).exit_code,
      0);
  const json report = json::parse(read_file(folder() / "r.json"));
  EXPECT_EQ(report.at("ranks")[0].at("num_block_rows"), 20);
  EXPECT_EQ(report.at("ranks")[1].at("num_block_rows"), 0);
  EXPECT_EQ(report.at("ranks")[2].at("num_block_rows"), 80);
  const std::string solve = "solve --problem stencil11 --nodes 5,5,4 --partition ";
  write("short.txt", "20 80");
  expect_one_message(solve + "short.txt", 3, {"short.txt", "2 ranks", "it runs on 3 ranks"});
  write("sum.txt", "20 20 20");
  expect_one_message(solve + "sum.txt", 3, {"sum.txt", "add up to 60", "100 block rows"});
  write("word.txt", "20 x 80");
  expect_one_message(solve + "word.txt", 3, {"word.txt", "'x'"});
  expect_one_message(solve + "none.txt", 3, {"none.txt", "no such file"});
}

TEST_F(Ranks, WeightedPartsFollowTheRatesThatWereMeasured) {
  write_laplacian(20001);
  ASSERT_EQ(run("convert a.mtx a.bcsr --block-size 1").exit_code, 0);
  // A row has 11 blocks or fewer.
  for (const std::string system :
       {"--problem stencil11 --nodes 20 --preconditioner none", "--matrix a.mtx --block-size 1", "--matrix a.bcsr"}) {
    SCOPED_TRACE(system);
    const CommandResult result = run("solve " + system + " --partition weighted --report r.json", on(2));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const json report = json::parse(read_file(folder() / "r.json"));
    double all = 0;
    for (const json& rank : report.at("ranks")) all += rank.at("read_bandwidth_gb_s").get<double>();
    EXPECT_NEAR(report.at("read_bandwidth_gb_s").get<double>(), all, 1e-9 * all);
    const double blocks = report.at("num_blocks").get<double>();
    for (const json& rank : report.at("ranks")) {
      const double share = rank.at("read_bandwidth_gb_s").get<double>() / all;
      EXPECT_GT(share, 0);
      EXPECT_NEAR(rank.at("num_blocks").get<double>(), share * blocks, 11);
    }
  }
  // Rates that were not measured are none.
  EXPECT_TRUE(report_of("--problem cantilever --nodes 3", on(2)).at("ranks")[0].at("read_bandwidth_gb_s").is_null());
  expect_one_message("solve --problem cantilever --nodes 3 --partition weighted --no-probe", 2,
                     {"--partition weighted with --no-probe", "is not measured", "leave one"});
}

TEST_F(Ranks, EfficiencyIsCountedFromOneRank) {
  for (const std::string system :
       {"--problem cantilever --nodes 9,5,4", "--problem stencil11 --nodes 9 --solver block-cg --num-rhs 2"}) {
    SCOPED_TRACE(system);
    ASSERT_EQ(run("solve " + system + " --no-probe --report one.json", "OMP_NUM_THREADS=1").exit_code, 0);
    const json one = json::parse(read_file(folder() / "one.json"));
    EXPECT_TRUE(one.at("efficiency").is_null());
    const CommandResult result = run("solve " + system + " --no-probe --efficiency one.json --report r.json", on(2));
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const CommandResult over = run("solve " + system + " --no-probe --efficiency one.json --report one.json", on(2));
    EXPECT_NE(over.exit_code, 0);
    EXPECT_THAT(over.err, HasSubstr("named by --report and by --efficiency"));
    const json report = json::parse(read_file(folder() / "r.json"));
    EXPECT_THAT(result.out, HasSubstr(iterates_in_kernels(report) ? "without granularity" : "= granularity "));
    double alone = 0, busy = 0, waited = 0;
    for (const json& rank : report.at("ranks")) {
      EXPECT_EQ(rank.at("alone_seconds").is_null(), iterates_in_kernels(report));
      if (!rank.at("alone_seconds").is_null()) alone += rank.at("alone_seconds").get<double>();
      busy += rank.at("busy_seconds").get<double>();
      waited += rank.at("waited_seconds").get<double>();
    }
    const double serial = one.at("seconds").at("solve").get<double>() / one.at("iterations").get<double>() *
                          report.at("iterations").get<double>();
    const json& e = report.at("efficiency");
    EXPECT_NEAR(e.at("total").get<double>(), serial / (busy + waited), 1e-6 * serial / (busy + waited));
    if (iterates_in_kernels(report)) {
      EXPECT_TRUE(e.at("granularity").is_null());
      EXPECT_THAT(e.at("missing").get<std::string>(), HasSubstr("granularity, tasks and pipeline"));
      continue;
    }
    EXPECT_GT(alone, 0);
    EXPECT_NEAR(e.at("granularity").get<double>(), serial / alone, 1e-6 * serial / alone);
    EXPECT_NEAR(e.at("tasks").get<double>(), alone / busy, 1e-6 * alone / busy);
    EXPECT_NEAR(e.at("pipeline").get<double>(), busy / (busy + waited), 1e-6);
    EXPECT_NEAR(e.at("pipeline").get<double>(), report.at("pipeline_efficiency").get<double>(), 1e-6);
    EXPECT_TRUE(e.at("missing").is_null());
    EXPECT_GT(report.at("seconds").at("alone").get<double>(), 0);
  }
}

TEST_F(Ranks, EfficiencyOfWhatIsNotTheSameIsRefused) {
  const std::string system = "--problem stencil11 --nodes 6 --dof 2";
  const json two = report_of(system, on(2)), one = report_of(system, "OMP_NUM_THREADS=1");
  EXPECT_TRUE(two.at("efficiency").at("granularity").is_null());
  EXPECT_TRUE(two.at("efficiency").at("total").is_null());
  EXPECT_EQ(two.at("efficiency").at("pipeline"), two.at("pipeline_efficiency"));
  EXPECT_THAT(two.at("efficiency").at("missing").get<std::string>(), HasSubstr("--efficiency FILE"));
  EXPECT_TRUE(two.at("ranks")[0].at("alone_seconds").is_null());

  const auto refused = [&](const json& reference, const std::vector<std::string>& parts) {
    write("one.json", reference.dump());
    expect_one_message("solve " + system + " --no-probe --efficiency one.json", 2, parts);
  };
  refused(two, {"one.json", "2 ranks"});
  json other = one;
  other["options"]["preconditioner"] = "none";
  refused(other, {"preconditioner \"none\", not \"block-jacobi\""});
  other = one;
  other["num_blocks"] = one.at("num_blocks").get<int>() + 1;
  refused(other, {"a matrix of 432 rows", "11-point stencil on 6 x 6 x 6"});
  other = one;
  other["device"]["concurrency"] = 7;
  refused(other, {"7 threads in parallel", "1 thread,"});
  refused(json::object(), {"no report of ashlar solve"});
  write("one.json", one.dump());
  expect_refused("solve " + system + " --efficiency one.json", {"--efficiency one.json on one rank"});
}

TEST_F(Ranks, MayBeMoreThanBlockRows) {
  write_laplacian(6);
  ASSERT_EQ(run("convert a.mtx a.bcsr --block-size 3").exit_code, 0);
  for (const std::string solve :
       {"--matrix a.mtx --block-size 3", "--matrix a.bcsr --variant pipelined --preconditioner none",
        "--matrix a.bcsr --solver gmres", "--matrix a.bcsr --solver bicgstab --preconditioner jacobi",
        "--matrix a.bcsr --solver minres --partition rows", "--matrix a.bcsr --solver block-cg --num-rhs 2",
        "--matrix a.bcsr --preconditioner amg", "--matrix a.bcsr --partition measured"}) {
    SCOPED_TRACE(solve);
    const json report = report_of(solve + " --solution x.mtx", on(4));
    EXPECT_EQ(report.at("num_block_rows"), 2);
    const auto x = io::read_matrix_market<double>((folder() / "x.mtx").string());
    ASSERT_EQ(x.num_rows, 6);
    for (int i = 0; i < 6; ++i) EXPECT_NEAR(x.values[std::size_t(i)], 1, 1e-6) << i;
  }
}

TEST_F(Ranks, TellErrorsOnce) {
  expect_one_message("solve --problem cantilever --nodes 2 --rtol 7", 2, {"--rtol 7"});
  expect_one_message("solve --what", 2, {"--what"});
  expect_one_message("solve", 2, {"nothing to solve"});
  expect_one_message("solve --matrix none.mtx", 3, {"none.mtx", "cannot be opened"});
  // Of a diagonal block that one rank alone has.
  write("zero.mtx", "%%MatrixMarket matrix coordinate real general\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 4 0\n");
  expect_one_message("solve --matrix zero.mtx --block-size 1", 2, {"zero.mtx", "(4, 4)"});
  expect_one_message("solve --problem cantilever --nodes 3 --report no/r.json", 2, {"no/r.json"});
  expect_one_message("solve --problem cantilever --nodes 3 --device-memory-limit 1000", 2,
                     {"2 ranks", "1000 bytes", "--device-memory-limit"});
  expect_one_message("solve --problem cantilever --nodes 100000", 2, {"cantilever"});
  write("skew.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n1 2 1\n");
  expect_one_message("solve --matrix skew.mtx", 2, {"not symmetric", "(1, 2)"});
  ASSERT_EQ(run("convert skew.mtx skew.bcsr").exit_code, 0);
  expect_one_message("solve --matrix skew.bcsr", 2, {"not symmetric"});
}

TEST_F(Ranks, SayOnceWhatOneSays) {
  const CommandResult result = run("solve --problem cantilever --nodes 5 --no-probe --history", on(3));
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, HasSubstr("ranks      3, with"));
  EXPECT_EQ(result.out.find("system "), result.out.rfind("system "));
  EXPECT_EQ(run("--version", on(2)).out, run("--version").out);
  EXPECT_EQ(run("solve --problem cantilever --nodes 9 --max-iterations 2 --no-probe", on(2)).exit_code, 2);
}

TEST_F(Ranks, TracesOfAllAreOneFile) {
  ASSERT_EQ(run("solve --problem cantilever --nodes 4 --no-probe --trace t.json", on(2)).exit_code, 0);
  const json trace = json::parse(read_file(folder() / "t.json"));
  std::set<std::string> processes;
  std::set<int> with_exchanges;
  for (const json& event : trace.at("traceEvents")) {
    if (event.at("name") == "process_name") processes.insert(event.at("args").at("name").get<std::string>());
    if (event.at("name") == "ashlar::halo::end") with_exchanges.insert(event.at("pid").get<int>());
  }
  EXPECT_EQ(processes, (std::set<std::string>{"rank 0: ashlar", "rank 1: ashlar"}));
  EXPECT_EQ(with_exchanges.size(), 2u);
}

TEST_F(Ranks, AreTold) {
  const CommandResult result = run("info --json", on(2));
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const json info = json::parse(result.out);
  EXPECT_EQ(info.at("ranks").size(), 2u);
  EXPECT_TRUE(info.at("latency_us")[0][0].is_null());
  EXPECT_GT(info.at("latency_us")[0][1].get<double>(), 0);
  EXPECT_GT(info.at("message_gb_s")[1][0].get<double>(), 0);
  EXPECT_THAT(info.at("transport").get<std::string>(), HasSubstr("2 ranks on 1 host"));
}

}  // namespace
}  // namespace ashlar::testing
