// Where a solve of the command starts and when it stops: --initial-guess and --atol; a matrix from standard input.
#include <gmock/gmock.h>

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
