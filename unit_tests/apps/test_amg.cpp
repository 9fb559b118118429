// Algebraic multigrid as the command offers it.
#include <gmock/gmock.h>

#include <functional>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::AllOf;
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

  /// A file of n rows, whose columns are `modes`.
  void write_modes(int n, const std::vector<std::function<double(int)>>& modes) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix array real general\n" << n << ' ' << modes.size() << '\n';
    for (const auto& mode : modes) {
      for (int row = 0; row < n; ++row) file << mode(row) << '\n';
    }
    write("modes.mtx", file.str());
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

TEST_F(AmgCommand, TakesSmoothers) {
  for (const std::string smoother : {"chebyshev", "l1-jacobi", "gauss-seidel"}) {
    const json report = report_of("--problem cantilever --nodes 9 --amg-smoother " + smoother);
    EXPECT_EQ(report.at("status"), "converged") << smoother;
    EXPECT_LE(report.at("iterations").get<int>(), 40) << smoother;
    EXPECT_EQ(report.at("options").at("amg_smoother"), smoother);
    EXPECT_EQ(report.at("hierarchy").get<std::string>().find(smoother) == std::string::npos, smoother == "chebyshev");
  }
}

/// Amg where it pays: not for a small system, nor without evidence.
TEST_F(AmgCommand, IsChosenWhereItPays) {
  const auto chosen = [&](const std::string& arguments) {
    const CommandResult result =
        run("solve --preconditioner auto --no-probe --max-iterations 2 --report r.json " + arguments);
    EXPECT_EQ(result.exit_code, 2) << arguments << '\n' << result.err << result.out;
    EXPECT_THAT(result.out, HasSubstr("precond.   chosen since "));
    return json::parse(read_file(folder() / "r.json"));
  };
  const json small = chosen("--problem cantilever --nodes 9");
  EXPECT_EQ(small.at("preconditioner"), "block-jacobi");
  EXPECT_THAT(small.at("why_preconditioner").get<std::string>(), HasSubstr("faster only for larger systems"));
  const json large = chosen("--problem cantilever --nodes 81,20,20");
  if (large.at("device").at("backend") != "Cuda" && large.at("device").at("backend") != "HIP") {
    EXPECT_EQ(large.at("preconditioner"), "amg");
    EXPECT_THAT(large.at("why_preconditioner").get<std::string>(),
                HasSubstr("block-jacobi takes about 277 iterations"));
    EXPECT_THAT(large.at("hierarchy").get<std::string>(), HasSubstr("blocks of 6 x 6"));
  }
  const auto why = [&](const std::string& arguments) {
    const json report = chosen(arguments);
    EXPECT_EQ(report.at("preconditioner"), "block-jacobi") << arguments;
    return report.at("why_preconditioner").get<std::string>();
  };
  EXPECT_THAT(why("--problem cantilever --nodes 9 --checkpoint c"), HasSubstr("checkpoints"));
  EXPECT_THAT(why("--problem cantilever --nodes 9 --solver gmres"), HasSubstr("CG and MINRES"));
  write_bar(400);
  EXPECT_THAT(why("--matrix A.mtx --block-size 2 --skip-symmetry-check"), HasSubstr("not checked"));
  EXPECT_THAT(why("--matrix A.mtx --block-size 2"), HasSubstr("faster only for larger systems"));
  EXPECT_TRUE(report_of("--problem cantilever --nodes 5").at("why_preconditioner").is_null());
  expect_refused("solve --preconditioner auto --problem cantilever --near-null rigid --dof 1", {"no displacements"});
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

/// The modes of a bar along x, written down, are those that coordinates make.
TEST_F(AmgCommand, TakesModesOfAFile) {
  write_bar(400);
  write_coordinates(400, 2);
  const auto along = [](int row) { return row % 2 == 0 ? 1.0 : 0.0; };
  const auto across = [](int row) { return row % 2 == 0 ? 0.0 : 1.0; };
  const auto turn = [](int row) { return row % 2 == 0 ? 0.0 : 0.5 * (row / 2) - 99.75; };
  write_modes(800, {along, across, turn});
  const std::string bar = "--matrix A.mtx --block-size 2 ";
  const json modes = report_of(bar + "--near-null modes.mtx"), rigid = report_of(bar + "--coordinates xy.mtx");
  EXPECT_EQ(modes.at("hierarchy"), rigid.at("hierarchy"));
  EXPECT_EQ(modes.at("iterations"), rigid.at("iterations"));
  EXPECT_EQ(modes.at("options").at("near_null"), "modes.mtx");
  write_modes(800, {along, across});
  EXPECT_EQ(report_of(bar + "--near-null modes.mtx").at("hierarchy"),
            report_of(bar + "--near-null constants").at("hierarchy"));
}

/// Many modes make coarse levels that are much larger than the matrix.
TEST_F(AmgCommand, PlansMemoryForTheModes) {
  write_bar(400);
  const std::string solve = "solve --preconditioner amg --no-probe --matrix A.mtx --block-size 2 ";
  const std::string limited = solve + "--near-null modes.mtx --device-memory-limit 4MiB --stream off";
  const auto every = [](int period, int first) { return [=](int row) { return row % period == first ? 1.0 : 0.0; }; };
  write_modes(800, {every(2, 0), every(2, 1)});
  EXPECT_EQ(run(limited).exit_code, 0);
  std::vector<std::function<double(int)>> many;
  for (int k = 0; k < 64; ++k) many.push_back(every(64, k));
  write_modes(800, many);
  expect_refused(limited, {"A.mtx", "needs", "--device-memory-limit"});
}

TEST_F(AmgCommand, RefusesModesThatDoNotFit) {
  write_bar(40);
  const auto one = [](int) { return 1.0; };
  const auto two = [](int row) { return 1.0 + row; };
  const std::string solve = "solve --preconditioner amg --no-probe --matrix A.mtx --block-size 2 --near-null ";
  write_modes(79, {one});
  expect_refused(solve + "modes.mtx", {"modes.mtx", "modes of 79 rows", "the matrix has 80 rows", "--coordinates"});
  write_modes(80, {one, two, [](int row) { return 3.0 + 2 * row; }});
  expect_refused(solve + "modes.mtx", {"A.mtx", "mode 2 (from 0) depends on those before it", "leave it out"});
  write_modes(80, {one, [](int) { return 0.0; }});
  expect_refused(solve + "modes.mtx", {"mode 1 is 0", "leave it out"});
  write_modes(80, std::vector<std::function<double(int)>>(65, one));
  expect_refused(solve + "modes.mtx", {"65 modes", "1 to 64"});
  expect_refused(solve + "rigdi", {"--near-null 'rigdi'", "none of this name", "constants or rigid, or a file"});
  expect_refused(solve + "none.mtx", {"none.mtx: cannot be opened"});
  write_modes(80, {one});
  expect_refused(solve + "modes.mtx --coordinates modes.mtx", {"the file has the modes"});
  expect_refused("solve --matrix A.mtx --near-null modes.mtx", {"--near-null modes.mtx", "pass --preconditioner amg"});
  expect_refused(solve + "modes.mtx --solution modes.mtx", {"--solution", "--near-null"});
}

TEST_F(AmgCommand, RefusesMatricesOfNoHierarchy) {
  const std::string solve = "solve --preconditioner amg --no-probe --matrix A.mtx --block-size 2 ";
  const auto write_diagonal = [&](const std::string& last) {
    write("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 4 " + last + "\n");
  };
  write_diagonal("0");
  expect_refused(solve, {"A.mtx", "the diagonal entry (4, 4) is 0"});
  write_diagonal("-1");
  expect_refused(solve, {"A.mtx", "the diagonal entry of row 3 (from 0) is negative", "not positive definite"});
  write("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n2 2 2\n1 1 2\n2 2 2\n");
  write("xy.mtx", "%%MatrixMarket matrix array real general\n1 2\n0\n0\n");
  expect_refused(solve + "--coordinates xy.mtx", {"rigid-body modes of one node", "no rotations"});
}

/// Streamed or not, the same levels and as many iterations; all of the matrix, or its half for CG.
TEST_F(AmgCommand, TakesAStreamedMatrix) {
  for (const std::string problem : {"cantilever --nodes 17,9,9", "stencil11 --nodes 16"}) {
    for (const std::string solver : {"cg", "gmres"}) {
      const std::string arguments = "--problem " + problem + " --solver " + solver + " ";
      const json resident = report_of(arguments + "--stream off");
      for (const std::string transfer : {"all", "half"}) {
        if (solver == "gmres" && transfer == "half") continue;
        const json streamed = report_of(arguments + "--amg-smoother chebyshev --stream on --transfer " + transfer);
        EXPECT_EQ(streamed.at("streamed"), true);
        EXPECT_EQ(streamed.at("status"), "converged");
        EXPECT_EQ(streamed.at("preconditioner"), "amg");
        EXPECT_NEAR(streamed.at("iterations").get<int>(), resident.at("iterations").get<int>(), 1);
        EXPECT_THAT(streamed.at("hierarchy").get<std::string>(),
                    AllOf(HasSubstr(resident.at("hierarchy").get<std::string>()),
                          HasSubstr("level 0 is streamed: 4 products a cycle send ")));
      }
    }
  }
  const std::string amg = "solve --preconditioner amg --no-probe --problem cantilever --nodes 9 --stream on ";
  expect_refused(amg + "--preconditioner-precision single", {"single with --stream on", "leave one of them out"});
  expect_refused(amg + "--amg-smoother gauss-seidel",
                 {"smoother gauss-seidel for a streamed matrix", "chebyshev or l1-jacobi"});
  expect_refused("solve --preconditioner amg --matrix A.bcsr --stream file", {"amg with --stream file", "--stream on"});
  write("A.mtx", "%%MatrixMarket matrix coordinate real symmetric\n4 4 4\n1 1 2\n2 2 2\n3 3 2\n4 4 0\n");
  expect_refused("solve --preconditioner amg --no-probe --matrix A.mtx --block-size 2 --stream on",
                 {"A.mtx", "the diagonal entry (4, 4) is 0"});
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
  expect_refused(beam + "--checkpoint c", {"checkpoint"});
  expect_refused(beam + "--preconditioner-precision half", {"'half'", "single"});
  const std::string other = "solve --problem cantilever --nodes 5 ";
  for (const std::string option :
       {"--near-null rigid", "--preconditioner-precision single", "--amg-smoother l1-jacobi"}) {
    expect_refused(other + option, {option, "pass --preconditioner amg"});
  }
  expect_refused("solve --matrix A.mtx --coordinates xy.mtx", {"--coordinates xy.mtx", "pass --preconditioner amg"});
  expect_refused(other + "--coordinates xy.mtx", {"--coordinates xy.mtx with --problem", "a problem knows its own"});
}

}  // namespace
}  // namespace ashlar::testing
