// Where a solve of the command starts and when it stops: --initial-guess, --atol and --null-space; a matrix from
// standard input.
#include <gmock/gmock.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;

const std::string cantilever = "--problem cantilever --nodes 9,5,4 --no-probe ";

template <class Base>
class StartAndStopOn : public Base {
 protected:
  json report_of(const std::string& arguments, const std::string& before = "") const {
    const CommandResult result = this->run("solve " + arguments + " --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(this->folder() / "r.json"));
  }
  void write_vector(const std::string& name, int n, const auto& entry) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix array real general\n" << n << " 1\n";
    for (int i = 0; i < n; ++i) file << entry(i) << '\n';
    this->write(name, file.str());
  }
  int iterations_of(const std::string& arguments, const std::string& before = "") const {
    return report_of(arguments, before).at("iterations").template get<int>();
  }
};

using StartAndStop = StartAndStopOn<CommandTest>;
using StartAndStopOverRanks = StartAndStopOn<RankCommandTest>;

TEST_F(StartAndStop, AGuessThatIsTheSolutionTakesNoIteration) {
  for (const std::string solver : {"cg", "minres", "gmres", "bicgstab", "auto"}) {
    SCOPED_TRACE(solver);
    const int from_zero = iterations_of(cantilever + "--solution x.mtx --rtol 1e-10 --solver " + solver);
    EXPECT_GT(from_zero, 10);
    const json again = report_of(cantilever + "--initial-guess x.mtx --solver " + solver);
    EXPECT_EQ(again.at("iterations"), 0);
    EXPECT_EQ(again.at("options").at("initial_guess"), "x.mtx");
  }
}

TEST_F(StartAndStop, AGuessNearTheSolutionTakesFewerIterations) {
  const int from_zero = iterations_of(cantilever);
  iterations_of(cantilever + "--rtol 1e-4 --solution rough.mtx");
  const int from_rough = iterations_of(cantilever + "--initial-guess rough.mtx");
  EXPECT_LT(from_rough, from_zero);
  EXPECT_GT(from_rough, 0);
}

TEST_F(StartAndStopOverRanks, TheGuessIsScattered) {
  iterations_of(cantilever + "--rtol 1e-4 --solution rough.mtx");
  const int on_one = iterations_of(cantilever + "--initial-guess rough.mtx");
  for (const int ranks : {2, 3}) {
    EXPECT_NEAR(iterations_of(cantilever + "--initial-guess rough.mtx", on(ranks)), on_one, 2) << ranks << " ranks";
  }
}

TEST_F(StartAndStop, AGuessIsRefusedBeforeAnyWork) {
  write("short.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  expect_refused("solve " + cantilever + "--initial-guess short.mtx", {"an initial guess of 2 entries", "540 rows"});
  expect_refused("solve " + cantilever + "--initial-guess none.mtx", {"none.mtx: cannot be opened"});
  expect_refused("solve " + cantilever + "--initial-guess short.mtx --solver block-cg", {"block-cg starts from 0"});
  expect_refused("solve " + cantilever + "--initial-guess short.mtx --resume c", {"a checkpoint has an x of its own"});
  expect_refused("solve " + cantilever + "--initial-guess short.mtx --solution short.mtx", {"short.mtx"});
}

TEST_F(StartAndStop, AtolStopsByTheResidualAlone) {
  std::ostringstream matrix, ones;
  matrix << "%%MatrixMarket matrix coordinate real symmetric\n400 400 799\n";
  ones << "%%MatrixMarket matrix array real general\n400 1\n";
  for (int i = 1; i <= 400; ++i) {
    matrix << i << ' ' << i << " 2.01\n";
    if (i < 400) matrix << i + 1 << ' ' << i << " -1\n";
    ones << (i % 2 == 0 ? "1\n" : "-1\n");
  }
  write("A.mtx", matrix.str());
  write("b.mtx", ones.str());  // of norm 20
  for (const std::string solver : {"cg", "minres", "gmres", "bicgstab"}) {
    SCOPED_TRACE(solver);
    const std::string by = "--no-probe --matrix A.mtx --rhs b.mtx --preconditioner none --solver " + solver + " ";
    const int by_atol = iterations_of(by + "--rtol 0 --atol 2e-5");
    EXPECT_GT(by_atol, 3);
    EXPECT_EQ(by_atol, iterations_of(by + "--rtol 1e-6"));
    EXPECT_EQ(iterations_of(by + "--rtol 0 --atol 1e300"), 0);
  }
  EXPECT_EQ(iterations_of(cantilever + "--solver block-cg --num-rhs 2 --rtol 0 --atol 1e300"), 0);
  expect_refused("solve " + cantilever + "--atol -1", {"--atol -1", "a norm of b - A x"});
  expect_refused("solve " + cantilever + "--atol small", {"--atol"});
}

/// A chain with free ends, and forces of which one end is pulled: they do not add up to 0.
template <class Test>
void write_free_chain(const Test& write, int n) {
  std::ostringstream matrix, forces;
  matrix << "%%MatrixMarket matrix coordinate real symmetric\n" << n << ' ' << n << ' ' << 2 * n - 1 << '\n';
  forces << "%%MatrixMarket matrix array real general\n" << n << " 1\n";
  for (int i = 1; i <= n; ++i) {
    matrix << i << ' ' << i << (i == 1 || i == n ? " 1\n" : " 2\n");
    if (i < n) matrix << i + 1 << ' ' << i << " -1\n";
    forces << (i == 1 ? "3\n" : i == n ? "-1\n" : "0\n");
  }
  write("A.mtx", matrix.str());
  write("b.mtx", forces.str());
}

const std::string free_chain = "--no-probe --matrix A.mtx --rhs b.mtx --preconditioner jacobi --block-size 1 ";

template <class Report>
void expect_chain_is_solved(const Report& report, const std::string& x) {
  EXPECT_EQ(report.at("status"), "converged");
  EXPECT_NEAR(report.at("rhs_in_null_space").template get<double>(), 2 / std::sqrt(60 * 10.0), 1e-12);
  std::istringstream file(x.substr(x.find('\n') + 1));
  int n = 0, columns = 0;
  file >> n >> columns;
  double sum = 0, first = 0, second = 0;
  for (int i = 0; i < n; ++i) {
    double entry = 0;
    file >> entry;
    sum += entry;
    if (i == 0) first = entry;
    if (i == 1) second = entry;
  }
  EXPECT_NEAR(sum, 0, 1e-6) << "the least solution";
  EXPECT_NEAR(first - second, 3 - 2.0 / 60, 1e-6) << "the first row";
}

TEST_F(StartAndStop, ASingularSystemIsSolvedWithoutItsNullSpace) {
  write_free_chain([&](const auto&... file) { write(file...); }, 60);
  for (const std::string solver : {"cg", "minres", "gmres --restart 60", "bicgstab", "auto"}) {
    SCOPED_TRACE(solver);
    const auto report = report_of(free_chain + "--null-space constant --solution x.mtx --solver " + solver);
    expect_chain_is_solved(report, read_file(folder() / "x.mtx"));
  }
  expect_refused("solve --no-probe --matrix A.mtx --rhs b.mtx --null-space components --block-size 2",
                 {"the constant vector is not in the null space"});
}

TEST_F(StartAndStop, ANullSpaceIsRefusedWhereItIsNone) {
  write_free_chain([&](const auto&... file) { write(file...); }, 60);
  expect_refused("solve " + cantilever + "--null-space constant", {"without --rhs"});
  expect_refused("solve " + free_chain + "--null-space constant --solver block-cg", {"one vector at a time"});
  expect_refused("solve " + free_chain + "--null-space constant --variant pipelined", {"--variant standard"});
  expect_refused("solve --no-probe --matrix A.mtx --rhs b.mtx --null-space components", {"--block-size N"});
  expect_refused("solve " + free_chain + "--null-space rigit", {"--null-space 'rigit'", "constant", "or a file"});
  expect_refused("solve " + free_chain + "--null-space rigid", {"--null-space rigid without --coordinates"});
  expect_refused("solve " + free_chain + "--null-space none.mtx", {"none.mtx: cannot be opened"});
  write("short.mtx", "%%MatrixMarket matrix array real general\n2 1\n1\n1\n");
  expect_refused("solve " + free_chain + "--null-space rigid --coordinates none.mtx", {"none.mtx: cannot be opened"});
  expect_refused("solve " + cantilever + "--rhs b.mtx --null-space rigid", {"--null-space rigid with --problem"});
  write_vector("zero.mtx", 60, [](int) { return 0; });
  expect_refused("solve " + free_chain + "--null-space zero.mtx", {"A.mtx", "vector 0", "it is 0, or not finite"});
  expect_refused("solve " + free_chain + "--null-space short.mtx", {"vectors of 2 x 1 entries", "60 rows"});
  write_vector("ramp.mtx", 60, [](int i) { return i; });
  expect_refused("solve " + free_chain + "--null-space ramp.mtx", {"vector 1 of the file is not in the null space"});
}

TEST_F(StartAndStop, ANullSpaceComesFromAFile) {
  write_free_chain([&](const auto&... file) { write(file...); }, 60);
  write_vector("twos.mtx", 60, [](int) { return 2; });
  const auto report = report_of(free_chain + "--null-space twos.mtx --solution x.mtx");
  expect_chain_is_solved(report, read_file(folder() / "x.mtx"));
  EXPECT_EQ(report.at("options").at("null_space"), "twos.mtx");
  const auto without_rhs =
      report_of("--no-probe --matrix A.mtx --preconditioner jacobi --block-size 1 --null-space twos.mtx");
  EXPECT_TRUE(without_rhs.at("error").is_null()) << "x has no part in the null space, unlike the ones";
}

TEST_F(StartAndStop, ANullSpaceIsRemovedFromEachRightHandSide) {
  write_free_chain([&](const auto&... file) { write(file...); }, 60);
  write_vector("twos.mtx", 60, [](int) { return 2; });
  std::ostringstream both;
  both << "%%MatrixMarket matrix coordinate real general\n60 2 4\n1 1 3\n60 1 -1\n1 2 1\n60 2 -1\n";
  write("both.mtx", both.str());
  const auto report = report_of(
      "--no-probe --matrix A.mtx --rhs both.mtx --preconditioner jacobi --block-size 1 --null-space twos.mtx "
      "--solution x.mtx");
  EXPECT_EQ(report.at("status"), "converged");
  EXPECT_NEAR(report.at("rhs_in_null_space").get<double>(), 2 / std::sqrt(60 * 10.0), 1e-12) << "the larger share";
  ASSERT_EQ(report.at("columns").size(), 2u);
  std::istringstream file(read_file(folder() / "x.mtx"));
  std::string banner;
  std::getline(file, banner);
  int n = 0, columns = 0;
  file >> n >> columns;
  ASSERT_EQ(n, 60);
  ASSERT_EQ(columns, 2);
  for (int j = 0; j < columns; ++j) {
    double sum = 0, before = 0;
    for (int i = 0; i < n; ++i) {
      double x = 0;
      file >> x;
      sum += x;
      if (i == 1) {
        EXPECT_NEAR(before - x, j == 0 ? 3 - 2.0 / 60 : 1, 1e-6) << "the first row of column " << j;
      }
      before = x;
    }
    EXPECT_NEAR(sum, 0, 1e-6) << "the least solution of column " << j;
  }
}

/// A truss of 3 x 3 nodes in a plane that nothing holds, and a force on one of its corners.
template <class Test>
void write_free_truss(const Test& write) {
  double a[18][18] = {};
  for (int i = 0; i < 9; ++i) {
    for (int j = 0; j < 9; ++j) {
      const double d[2] = {double(j % 3 - i % 3), double(j / 3 - i / 3)}, length = d[0] * d[0] + d[1] * d[1];
      if (i == j || length > 2) continue;
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) {
          a[2 * i + r][2 * i + c] += d[r] * d[c] / length;
          a[2 * i + r][2 * j + c] -= d[r] * d[c] / length;
        }
      }
    }
  }
  std::ostringstream matrix, force, coordinates;
  matrix << "%%MatrixMarket matrix coordinate real general\n18 18 324\n";
  for (int i = 0; i < 18; ++i) {
    for (int j = 0; j < 18; ++j) matrix << i + 1 << ' ' << j + 1 << ' ' << a[i][j] << '\n';
  }
  force << "%%MatrixMarket matrix array real general\n18 1\n1\n";
  for (int i = 1; i < 18; ++i) force << "0\n";
  coordinates << "%%MatrixMarket matrix array real general\n9 2\n";
  for (int d = 0; d < 2; ++d) {
    for (int i = 0; i < 9; ++i) coordinates << (d == 0 ? i % 3 : i / 3) << '\n';
  }
  write("A.mtx", matrix.str());
  write("b.mtx", force.str());
  write("c.mtx", coordinates.str());
}

const std::string free_truss =
    "--no-probe --matrix A.mtx --rhs b.mtx --block-size 2 --null-space rigid --coordinates c.mtx ";

/// The force's parts along a translation and along the rotation about the middle: 1/9 and 1/12 of its square.
template <class Report>
void expect_truss_is_solved(const Report& report) {
  EXPECT_EQ(report.at("status"), "converged");
  EXPECT_NEAR(report.at("rhs_in_null_space").template get<double>(), std::sqrt(7.0) / 6, 1e-12);
}

TEST_F(StartAndStop, ABodyThatNothingHoldsIsSolvedWithoutRigidMotions) {
  write_free_truss([&](const auto&... file) { write(file...); });
  expect_truss_is_solved(report_of(free_truss));
}

TEST_F(StartAndStopOverRanks, RigidMotionsAreOfTheWholeBody) {
  write_free_truss([&](const auto&... file) { this->write(file...); });
  for (const int ranks : {2, 3}) expect_truss_is_solved(report_of(free_truss, on(ranks)));
}

TEST_F(StartAndStopOverRanks, TheNullSpaceIsThatOfAllRanks) {
  write_free_chain([&](const auto&... file) { this->write(file...); }, 60);
  for (const int ranks : {2, 3}) {
    const auto report = report_of(free_chain + "--null-space constant --solution x.mtx", on(ranks));
    expect_chain_is_solved(report, read_file(folder() / "x.mtx"));
  }
}

TEST_F(StartAndStop, AMatrixComesFromStandardInput) {
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 2\n2 2 4\n1 2 0\n");
  for (const std::string from : {" <A.mtx", " < <(cat A.mtx)"}) {
    const CommandResult result = run_lines("bash -c '\"'\"$ashlar\"'\" solve --no-probe --matrix - " + from + "'");
    EXPECT_EQ(result.exit_code, 0) << from << '\n' << result.err;
    EXPECT_NE(result.out.find("converged"), std::string::npos) << result.out;
  }
}

}  // namespace
}  // namespace ashlar::testing
