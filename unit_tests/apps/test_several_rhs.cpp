// Files of several right-hand sides.
#include <gmock/gmock.h>

#include <algorithm>
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

constexpr int num_rows = 60, num_columns = 3;

/// Entry i of the solution in column j; the last column is 0.
double solution_of(int i, int j) { return j == 2 || i < 0 || i >= num_rows ? 0 : (i * (j + 2)) % 7 - 2.5; }

class SeveralRhs : public RankCommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    std::ostringstream a, b;
    a << "%%MatrixMarket matrix coordinate real symmetric\n60 60 119\n";
    for (int i = 1; i <= num_rows; ++i) {
      a << i << ' ' << i << " 2.5\n";
      if (i > 1) a << i << ' ' << i - 1 << " -1\n";
    }
    write("a.mtx", a.str());
    b << "%%MatrixMarket matrix array real general\n60 3\n";
    for (int j = 0; j < num_columns; ++j) {
      for (int i = 0; i < num_rows; ++i) {
        b << 2.5 * solution_of(i, j) - solution_of(i - 1, j) - solution_of(i + 1, j) << '\n';
      }
    }
    write("b.mtx", b.str());
  }

  json solved(const std::string& arguments, const std::string& before = "", int exit_code = 0) const {
    const CommandResult result =
        run("solve --no-probe --matrix a.mtx --rhs b.mtx --solution x.mtx --report r.json " + arguments, before);
    EXPECT_EQ(result.exit_code, exit_code) << result.err << result.out;
    EXPECT_THAT(result.out, HasSubstr("columns    3 right-hand sides, of which "));
    return json::parse(read_file(folder() / "r.json"));
  }

  void expect_solution() const {
    const auto x = io::read_matrix_market<double>((folder() / "x.mtx").string());
    ASSERT_EQ(x.num_rows, num_rows);
    ASSERT_EQ(x.num_cols, num_columns);
    for (std::size_t k = 0; k < x.values.size(); ++k) {
      ASSERT_NEAR(x.values[k], solution_of(x.rows[k], x.cols[k]), 1e-6) << x.rows[k] << ' ' << x.cols[k];
    }
  }
};

TEST_F(SeveralRhs, EachIsSolvedFor) {
  for (const std::string solver : {"cg", "gmres", "bicgstab", "minres", "auto", "cg --preconditioner amg"}) {
    SCOPED_TRACE(solver);
    const json report = solved("--block-size 2 --solver " + solver);
    expect_solution();
    EXPECT_EQ(report.at("status"), "converged");
    int iterations = 0;
    std::size_t histories = 0;
    ASSERT_EQ(report.at("columns").size(), 3u);
    for (const json& column : report.at("columns")) {
      EXPECT_EQ(column.at("status"), "converged");
      EXPECT_LE(column.at("relative_residual").get<double>(), 1e-8);
      iterations += column.at("iterations").get<int>();
      histories += column.at("residual_history").size();
    }
    EXPECT_GT(iterations, 0);
    EXPECT_EQ(report.at("columns")[2].at("iterations"), 0);
    EXPECT_EQ(report.at("iterations"), iterations);
    EXPECT_EQ(report.at("residual_history").size(), histories);
  }
}

TEST_F(SeveralRhs, BlockCgSolvesForAllTogether) {
  const json report = solved("--block-size 2 --solver block-cg");
  expect_solution();
  EXPECT_EQ(report.at("columns").size(), 3u);
  EXPECT_EQ(report.at("options").at("num_rhs"), 3);
}

TEST_F(SeveralRhs, OneThatDoesNotConvergeIsTold) {
  const json report = solved("--block-size 1 --max-iterations 3", "", 2);
  EXPECT_EQ(report.at("status"), "iteration_limit");
  EXPECT_EQ(report.at("columns")[1].at("status"), "iteration_limit");
  EXPECT_EQ(report.at("columns")[1].at("iterations"), 3);
  EXPECT_EQ(report.at("columns")[2].at("status"), "converged");
  EXPECT_EQ(report.at("iterations"), 6);
  EXPECT_EQ(report.at("relative_residual").get<double>(),
            std::max(report.at("columns")[0].at("relative_residual").get<double>(),
                     report.at("columns")[1].at("relative_residual").get<double>()));
}

TEST_F(SeveralRhs, OverRanks) {
  if (mpiexec(2).empty()) GTEST_SKIP() << "there is no MPI, or it starts nothing";
  for (const std::string solver : {"cg", "gmres", "block-cg"}) {
    SCOPED_TRACE(solver);
    const json report = solved("--block-size 2 --solver " + solver, on(2));
    expect_solution();
    EXPECT_EQ(report.at("columns").size(), 3u);
  }
}

TEST_F(SeveralRhs, OptionsThatDoNotFitAreRefused) {
  const std::string solve = "solve --matrix a.mtx --rhs b.mtx ";
  expect_refused(solve + "--solver block-cg --num-rhs 3", {"--rhs b.mtx with --num-rhs 3", "columns of the file"});
  write("x0.mtx", "%%MatrixMarket matrix coordinate real general\n60 1 0\n");
  expect_refused(solve + "--initial-guess x0.mtx", {"--initial-guess x0.mtx with --rhs b.mtx, of 3 columns"});
  expect_refused(solve + "--checkpoint c", {"--checkpoint with --rhs b.mtx, of 3 columns"});
  expect_refused("solve --matrix a.mtx --initial-guess b.mtx", {"b.mtx:2: an initial guess of 3 columns"});
  write("c.mtx", "%%MatrixMarket matrix coordinate real general\n60 65 0\n");
  expect_refused("solve --matrix a.mtx --rhs c.mtx", {"c.mtx:2: a right-hand side of 65 columns", "1 to 64"});
  write("c.mtx", "%%MatrixMarket matrix coordinate real general\n60 0 0\n");
  expect_refused("solve --matrix a.mtx --rhs c.mtx", {"c.mtx:2: a right-hand side of 0 columns"});
  const CommandResult piped = run_lines("cat b.mtx | \"$ashlar\" solve --no-probe --matrix a.mtx --rhs /dev/stdin");
  EXPECT_EQ(piped.exit_code, 1);
  EXPECT_THAT(piped.err, HasSubstr("of 3 columns (a pipe may have one column)"));
}

}  // namespace
}  // namespace ashlar::testing
