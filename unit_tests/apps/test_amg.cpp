// Algebraic multigrid as the command offers it.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

class AmgCommand : public CommandTest {
 protected:
  json report_of(const std::string& arguments) const {
    const CommandResult result = run("solve --preconditioner amg --no-probe --report r.json " + arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(folder() / "r.json"));
  }

  /// A bar of n nodes in the plane, fixed at its first node: springs along it and, weaker, across.
  void write_bar(int n) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix coordinate real symmetric\n"
         << 2 * n << ' ' << 2 * n << ' ' << 2 * n + 2 * (n - 1) << '\n';
    for (int i = 0; i < n; ++i) {
      const double springs = i + 1 < n ? 2 : 1;
      for (int d = 0; d < 2; ++d) {
        const double k = d == 0 ? 1 : 0.25;
        file << 2 * i + d + 1 << ' ' << 2 * i + d + 1 << ' ' << springs * k << '\n';
        if (i > 0) file << 2 * i + d + 1 << ' ' << 2 * i + d - 1 << ' ' << -k << '\n';
      }
    }
    write("A.mtx", file.str());
  }

  void write_coordinates(int n, int dimensions) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix array real general\n" << n << ' ' << dimensions << '\n';
    for (int d = 0; d < dimensions; ++d) {
      for (int i = 0; i < n; ++i) file << (d == 0 ? 0.5 * i : 0.25) << '\n';
    }
    write("xy.mtx", file.str());
  }
};

TEST_F(AmgCommand, SolvesElasticityInFewIterations) {
  const std::string beam = "--problem cantilever --nodes 17";
  const json amg = report_of(beam);
  EXPECT_EQ(amg.at("status"), "converged");
  EXPECT_LE(amg.at("iterations").get<int>(), 20);
  EXPECT_LE(amg.at("relative_residual").get<double>(), 1e-8);
  EXPECT_EQ(amg.at("preconditioner"), "amg");
  EXPECT_THAT(amg.at("hierarchy").get<std::string>(), HasSubstr("blocks of 6 x 6")) << "six rigid-body modes a node";
  const json constants = report_of(beam + " --near-null constants");
  EXPECT_THAT(constants.at("hierarchy").get<std::string>(), ::testing::Not(HasSubstr("6 x 6")));
  EXPECT_GT(constants.at("iterations"), amg.at("iterations"));
  const json single = report_of(beam + " --preconditioner-precision single --rtol 1e-11");
  EXPECT_THAT(single.at("hierarchy").get<std::string>(), HasSubstr("in float"));
  EXPECT_LE(single.at("relative_residual").get<double>(), 1e-11) << "the true residual, in double";
  EXPECT_THAT(run("solve --no-probe --preconditioner amg " + beam).out, HasSubstr("level 1: "));
}

TEST_F(AmgCommand, ServesOtherSolvers) {
  for (const std::string solver : {"minres", "gmres", "bicgstab", "block-cg --num-rhs 3", "cg --variant pipelined",
                                   "cg --variant single-reduction"}) {
    const json report = report_of("--problem cantilever --nodes 9 --solver " + solver);
    EXPECT_EQ(report.at("status"), "converged") << solver;
    EXPECT_LE(report.at("iterations").get<int>(), 25) << solver;
  }
  EXPECT_LE(report_of("--problem stencil11 --nodes 20").at("iterations").get<int>(), 15);
}

TEST_F(AmgCommand, TakesCoordinates) {
  write_bar(400);
  write_coordinates(400, 2);
  const json report = report_of("--matrix A.mtx --block-size 2 --coordinates xy.mtx");
  EXPECT_EQ(report.at("status"), "converged");
  EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-3) << "x is all ones";
  EXPECT_THAT(report.at("hierarchy").get<std::string>(), HasSubstr("blocks of 3 x 3")) << "three modes in the plane";
}

TEST_F(AmgCommand, RefusesWhatDoesNotFit) {
  write_bar(40);
  write_coordinates(39, 2);
  const std::string amg = "solve --preconditioner amg --no-probe ", matrix = amg + "--matrix A.mtx --block-size 2 ";
  expect_refused(matrix + "--coordinates xy.mtx", {"xy.mtx", "39 nodes", "40 block rows of size 2"});
  expect_refused(matrix + "--near-null rigid", {"--near-null rigid without --coordinates", "--coordinates FILE"});
  expect_refused(matrix + "--near-null constants --coordinates xy.mtx", {"constants need no coordinates"});
  expect_refused(matrix + "--coordinates nothing.mtx", {"nothing.mtx"});
  write_coordinates(40, 3);
  expect_refused(matrix + "--coordinates xy.mtx", {"3 dimensions for blocks of size 2"});
  write_coordinates(40, 1);
  expect_refused(matrix + "--coordinates xy.mtx", {"1 dimension", "2 or 3"});
  const std::string beam = amg + "--problem cantilever --nodes 5 ";
  expect_refused(beam + "--coordinates xy.mtx", {"a problem knows its own"});
  expect_refused(beam + "--dof 1 --near-null rigid", {"no displacements"});
  expect_refused(beam + "--stream on", {"--stream on", "--stream off"});
  expect_refused(beam + "--checkpoint c", {"checkpoint"});
  expect_refused(beam + "--preconditioner-precision half", {"'half'", "single"});
  const std::string other = "solve --problem cantilever --nodes 5 ";
  for (const std::string option : {"--near-null rigid", "--coordinates xy.mtx", "--preconditioner-precision single"}) {
    expect_refused(other + option, {option, "pass --preconditioner amg"});
  }
}

}  // namespace
}  // namespace ashlar::testing
