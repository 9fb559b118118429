// Ranks of the command that stream their rows from the host's memory.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RanksThatStream : public RankCommandTest {
 protected:
  std::pair<json, std::string> solve_on(int ranks, const std::string& arguments) const {
    const CommandResult result = run("solve " + arguments + " --no-probe --report r.json", on(ranks));
    EXPECT_EQ(result.exit_code, 0) << arguments << "\n" << result.err;
    return {json::parse(read_file(folder() / "r.json")), result.out};
  }

  void expect_refused(const std::string& arguments, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(arguments);
    const CommandResult result = run("solve " + arguments, on(2));
    EXPECT_EQ(result.exit_code, 1);
    std::vector<std::string> told;
    std::istringstream lines(result.err);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("ashlar: ")) told.push_back(line);
    }
    ASSERT_EQ(told.size(), 1u) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(told[0], HasSubstr(part));
  }
};

TEST_F(RanksThatStream, SolveAsThoseThatDoNot) {
  std::ostringstream laplacian;
  laplacian << "%%MatrixMarket matrix coordinate real general\n101 101 301\n";
  for (int i = 1; i <= 101; ++i) {
    if (i > 1) laplacian << i << ' ' << i - 1 << " -1\n";
    laplacian << i << ' ' << i << " 2.5\n";
    if (i < 101) laplacian << i << ' ' << i + 1 << " -1\n";
  }
  write("a.mtx", laplacian.str());
  ASSERT_EQ(run("convert a.mtx a.bcsr").exit_code, 0);
  for (const std::string system :
       {"--problem cantilever --nodes 9,5,4", "--matrix a.bcsr --preconditioner jacobi --solver block-cg --num-rhs 3",
        "--matrix a.mtx --decomposition 2d"}) {
    SCOPED_TRACE(system);
    const auto [resident, of_resident] = solve_on(2, system + " --device-memory-limit 1GiB");
    const auto [streamed, of_streamed] = solve_on(2, system + " --stream on");
    EXPECT_EQ(streamed.at("status"), "converged");
    EXPECT_EQ(streamed.at("iterations"), resident.at("iterations"));
    EXPECT_NEAR(streamed.at("relative_residual").get<double>(), resident.at("relative_residual").get<double>(), 1e-9);
    EXPECT_EQ(resident.at("streamed"), false);
    EXPECT_EQ(streamed.at("streamed"), true);
    EXPECT_EQ(streamed.at("num_blocks"), resident.at("num_blocks"));
    for (const json& rank : resident.at("ranks")) {
      EXPECT_EQ(rank.at("streamed"), false);
      EXPECT_TRUE(rank.at("sent_bytes").is_null());
      EXPECT_GT(rank.at("device_bytes").get<std::int64_t>(), 8 * rank.at("num_blocks").get<std::int64_t>());
    }
    for (const json& rank : streamed.at("ranks")) {
      EXPECT_EQ(rank.at("streamed"), true);
      EXPECT_FALSE(rank.at("sent_bytes").is_null());
    }
    EXPECT_THAT(of_resident, ::testing::Not(HasSubstr("streamed")));
    EXPECT_THAT(of_streamed, HasSubstr("streamed   on 2 of 2 ranks"));
  }
}

TEST_F(RanksThatStream, AreRefusedInOneLine) {
  const std::string solve = "--problem cantilever --nodes 5 --no-probe ";
  expect_refused(solve + "--device-memory-limit 1000",
                 {"on 2 ranks", " needs ", "1000 bytes", "--device-memory-limit"});
  expect_refused(solve + "--stream file", {"--stream file", "2 ranks"});
}

}  // namespace
}  // namespace ashlar::testing
