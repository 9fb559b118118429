// Algebraic multigrid over ranks as the command offers it.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class RankAmg : public RankCommandTest {
 protected:
  json report_on(int ranks, const std::string& arguments) const {
    const CommandResult result = run("solve --preconditioner amg --no-probe --report r.json " + arguments,
                                     ranks == 1 ? std::string() : on(ranks));
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(folder() / "r.json"));
  }

  /// A chain of n nodes in the plane, fixed at its first node, and the coordinates of all its nodes but `missing`.
  void write_chain(int n, int missing = 0) const {
    std::ostringstream file, points;
    file << "%%MatrixMarket matrix coordinate real symmetric\n" << 2 * n << ' ' << 2 * n << ' ' << 4 * n - 2 << '\n';
    for (int i = 0; i < n; ++i) {
      for (int d = 0; d < 2; ++d) {
        const double k = d == 0 ? 1 : 0.25;
        file << 2 * i + d + 1 << ' ' << 2 * i + d + 1 << ' ' << (i + 1 < n ? 2 : 1) * k << '\n';
        if (i > 0) file << 2 * i + d + 1 << ' ' << 2 * i + d - 1 << ' ' << -k << '\n';
      }
    }
    write("A.mtx", file.str());
    points << "%%MatrixMarket matrix array real general\n" << n - missing << " 2\n";
    for (int d = 0; d < 2; ++d) {
      for (int i = 0; i < n - missing; ++i) points << (d == 0 ? 0.5 * i : 0.25) << '\n';
    }
    write("xy.mtx", points.str());
  }
};

TEST_F(RankAmg, TakesTheIterationsOfOneRank) {
  const std::string beam = "--problem cantilever --nodes 17,9,9 ";
  const json one = report_on(1, beam);
  for (const std::string more : {"", "--preconditioner-precision single", "--partition rows"}) {
    const json two = report_on(2, beam + more);
    EXPECT_EQ(two.at("status"), "converged");
    EXPECT_LE(two.at("iterations").get<int>(), one.at("iterations").get<int>() + 3) << more;
    EXPECT_THAT(two.at("hierarchy").get<std::string>(), HasSubstr("level 0: 4131 rows")) << "of all ranks";
    EXPECT_THAT(two.at("hierarchy").get<std::string>(), HasSubstr("blocks of 6 x 6"));
  }
}

TEST_F(RankAmg, TakesCoordinatesAndConstants) {
  write_chain(400);
  const std::string chain = "--matrix A.mtx --block-size 2 ";
  const json rigid = report_on(2, chain + "--coordinates xy.mtx");
  EXPECT_EQ(rigid.at("status"), "converged");
  EXPECT_THAT(rigid.at("hierarchy").get<std::string>(), HasSubstr("blocks of 3 x 3")) << "three modes in the plane";
  const json constants = report_on(2, chain + "--near-null constants");
  EXPECT_EQ(constants.at("status"), "converged");
  std::ostringstream modes;
  modes << "%%MatrixMarket matrix array real general\n800 2\n";
  for (int entry = 0; entry < 1600; ++entry) modes << (entry % 2 == entry / 800) << '\n';
  write("modes.mtx", modes.str());
  const json of_file = report_on(2, chain + "--near-null modes.mtx");
  EXPECT_EQ(of_file.at("hierarchy"), constants.at("hierarchy")) << "each rank has the rows of its own nodes";
  EXPECT_EQ(of_file.at("iterations"), constants.at("iterations"));
}

TEST_F(RankAmg, OneRankSaysWhatIsWrong) {
  write_chain(40, 1);
  const std::string solve = "solve --preconditioner amg --no-probe ";
  expect_one_message(solve + "--matrix A.mtx --block-size 2 --coordinates xy.mtx", 2, {"xy.mtx", "39 nodes"});
  expect_one_message(solve + "--problem cantilever --nodes 5 --efficiency e.json", 2, {"--efficiency"});
}

}  // namespace
}  // namespace ashlar::testing
