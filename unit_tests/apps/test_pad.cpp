// Rows that fill the last block: --pad.
#include <gmock/gmock.h>

#include <ashlar/io/matrix_market.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class Pad : public RankCommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::ostringstream a, b;
    a << "%%MatrixMarket matrix coordinate real symmetric\n7 7 13\n";
    b << "%%MatrixMarket matrix array real general\n7 1\n";
    for (int i = 1; i <= 7; ++i) {
      a << i << ' ' << i << " 2.5\n";
      if (i > 1) a << i << ' ' << i - 1 << " -1\n";
      b << i % 3 << '\n';
    }
    write("a.mtx", a.str());
    write("b.mtx", b.str());
  }

  json report_of(const std::string& arguments, const std::string& before = "") const {
    const CommandResult result =
        run("solve --no-probe --rtol 1e-12 --report r.json --solution x.mtx " + arguments, before);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(folder() / "r.json"));
  }

  /// The rows of x.mtx, all columns.
  std::vector<double> solution(int columns = 1) const {
    const auto x = io::read_matrix_market<double>((folder() / "x.mtx").string());
    EXPECT_EQ(x.num_rows, 7);
    EXPECT_EQ(x.num_cols, columns);
    return x.values;
  }

  static void expect_near(const std::vector<double>& x, const std::vector<double>& y) {
    ASSERT_EQ(x.size(), y.size());
    for (std::size_t i = 0; i < x.size(); ++i) EXPECT_NEAR(x[i], y[i], 1e-10) << i;
  }
};

TEST_F(Pad, SolutionsAreThoseOfTheSystem) {
  report_of("--matrix a.mtx --rhs b.mtx --block-size 1");
  const std::vector<double> expected = solution();
  for (const std::string method :
       {"--block-size 3", "--block-size 4 --preconditioner none", "--block-size 64", "--block-size 3 --solver gmres",
        "--block-size 3 --solver minres --preconditioner jacobi", "--block-size 2 --initial-guess b.mtx"}) {
    SCOPED_TRACE(method);
    const json report = report_of("--matrix a.mtx --rhs b.mtx --pad " + method);
    expect_near(solution(), expected);
    const int b = report.at("block_size").get<int>();
    EXPECT_EQ(report.at("num_rows"), (7 + b - 1) / b * b);
    EXPECT_EQ(report.at("padding"), report.at("num_rows").get<int>() - 7);
  }
  EXPECT_THAT(run("solve --no-probe --matrix a.mtx --block-size 3 --pad").out,
              HasSubstr("7 unknowns and 2 rows that --pad added, "));
}

TEST_F(Pad, WhatIsDividedStaysAsItIs) {
  const json report = report_of("--matrix a.mtx --block-size 7 --pad");
  EXPECT_EQ(report.at("padding"), 0);
  EXPECT_EQ(report.at("num_rows"), 7);
  expect_near(solution(), std::vector<double>(7, 1));
}

TEST_F(Pad, WithoutARightHandSideXIsKnown) {
  const json report = report_of("--matrix a.mtx --block-size 3 --pad");
  EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-10);
  expect_near(solution(), std::vector<double>(7, 1));
}

TEST_F(Pad, SeveralRightHandSides) {
  std::ostringstream both;
  both << "%%MatrixMarket matrix array real general\n7 2\n";
  for (int k = 0; k < 14; ++k) both << k % 7 % 3 + 1 << '\n';
  write("b.mtx", both.str());
  for (const std::string solver : {"cg", "block-cg"}) {
    report_of("--matrix a.mtx --rhs b.mtx --block-size 1 --solver " + solver);
    const std::vector<double> expected = solution(2);
    report_of("--matrix a.mtx --rhs b.mtx --block-size 3 --pad --solver " + solver);
    expect_near(solution(2), expected);
  }
}

TEST_F(Pad, OverRanks) {
  if (mpiexec(2).empty()) GTEST_SKIP() << "there is no MPI, or it starts nothing";
  report_of("--matrix a.mtx --rhs b.mtx --block-size 1");
  const std::vector<double> expected = solution();
  for (const int ranks : {2, 3}) {
    const json report = report_of("--matrix a.mtx --rhs b.mtx --initial-guess b.mtx --block-size 3 --pad", on(ranks));
    EXPECT_EQ(report.at("padding"), 2);
    expect_near(solution(), expected);
  }
}

TEST_F(Pad, OptionsThatDoNotFitAreRefused) {
  expect_refused("solve --matrix a.mtx --block-size 3", {"a.mtx:2: ", "3 does not divide 7", "or add --pad"});
  expect_refused("solve --matrix a.mtx --pad", {"--pad without --block-size N"});
  expect_refused("solve --matrix a.mtx --pad --block-size auto", {"--pad without --block-size N"});
  expect_refused("solve --problem stencil11 --pad", {"--pad with --problem stencil11"});
  expect_refused("solve --matrix a.mtx --rhs b.mtx --pad --block-size 3 --null-space constant",
                 {"--pad with --null-space constant"});
  const std::string amg = "solve --matrix a.mtx --pad --block-size 3 --preconditioner amg ";
  expect_refused(amg + "--near-null b.mtx", {"--pad with --near-null b.mtx"});
  expect_refused(amg + "--coordinates b.mtx", {"--pad with --coordinates b.mtx"});
  ASSERT_EQ(run("convert a.mtx a.bcsr --block-size 7").exit_code, 0);
  expect_refused("solve --matrix a.bcsr --pad --block-size 7", {"--pad with --matrix a.bcsr"});
  write("c.mtx", "%%MatrixMarket matrix array real general\n9 1\n1\n1\n1\n1\n1\n1\n1\n1\n1\n");
  expect_refused("solve --matrix a.mtx --rhs c.mtx --pad --block-size 3", {"c.mtx:2: ", "9 entries", "has 7 rows"});
}

}  // namespace
}  // namespace ashlar::testing
