// The solvers for matrices that are not symmetric positive definite, as the command offers them.
#include <gmock/gmock.h>

#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;

template <class Base>
class UnsymmetricOn : public Base {
 protected:
  /// n unknowns on a line, tridiagonal.
  void write_line(const std::string& name, int n, double below, double diagonal, double above) const {
    std::ostringstream file;
    file << "%%MatrixMarket matrix coordinate real general\n" << n << ' ' << n << ' ' << 3 * n - 2 << '\n';
    for (int i = 1; i <= n; ++i) {
      if (i > 1) file << i << ' ' << i - 1 << ' ' << below << '\n';
      file << i << ' ' << i << ' ' << (i % 2 == 0 ? diagonal : 1.2 * diagonal) << '\n';
      if (i < n) file << i << ' ' << i + 1 << ' ' << above << '\n';
    }
    this->write(name, file.str());
  }

  json report_of(const std::string& arguments, const std::string& before = "") const {
    const CommandResult result = this->run("solve " + arguments + " --no-probe --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(this->folder() / "r.json"));
  }
};

using Unsymmetric = UnsymmetricOn<CommandTest>;
using UnsymmetricOverRanks = UnsymmetricOn<RankCommandTest>;

TEST_F(Unsymmetric, ConvectionIsSolvedByTheSolversForIt) {
  write_line("A.mtx", 500, -1.4, 2.2, -0.4);
  expect_refused("solve --matrix A.mtx", {"not symmetric", "--solver gmres or bicgstab"});
  expect_refused("solve --matrix A.mtx --solver minres", {"not symmetric", "--solver gmres or bicgstab"});
  const std::pair<const char*, const char*> solvers[] = {
      {"gmres", "GMRES"}, {"gmres --restart 7", "GMRES"}, {"bicgstab", "BiCGStab"}};
  for (const auto& [solver, name] : solvers) {
    for (const std::string preconditioner : {"none", "block-jacobi"}) {
      SCOPED_TRACE(solver + (" with " + preconditioner));
      const std::string arguments =
          std::string("--matrix A.mtx --block-size 2 --solver ") + solver + " --preconditioner " + preconditioner;
      const json report = report_of(arguments);
      EXPECT_EQ(report.at("status"), "converged");
      EXPECT_LE(report.at("relative_residual").get<double>(), 1e-8);
      EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-5) << "x is all ones";
      EXPECT_THAT(run("solve --no-probe " + arguments).out, HasSubstr(name));
    }
  }
  EXPECT_EQ(report_of("--matrix A.mtx --solver gmres").at("options").at("restart"), 30);
}

TEST_F(Unsymmetric, ConvectionIsSolvedWithAmg) {
  write_line("A.mtx", 2000, -1.05, 2, -0.95);
  for (const std::string solver : {"gmres", "bicgstab"}) {
    const std::string arguments = "--matrix A.mtx --block-size 1 --solver " + solver + " --preconditioner ";
    const json amg = report_of(arguments + "amg"), jacobi = report_of(arguments + "block-jacobi");
    EXPECT_LE(amg.at("iterations").get<int>(), jacobi.at("iterations").get<int>()) << solver;
    EXPECT_LE(amg.at("error").at("max_norm").get<double>(), 1e-5) << "x is all ones";
  }
}

TEST_F(Unsymmetric, TheGeneratedProblemIsSolved) {
  const std::string problem = "--problem convection-diffusion --nodes 9,5,7";
  for (const std::string dof : {"", " --dof 4"}) {
    for (const std::string solver : {"gmres", "bicgstab"}) {
      SCOPED_TRACE(solver + dof);
      const json report = report_of(problem + dof + " --solver " + solver);
      EXPECT_EQ(report.at("num_block_rows"), 9 * 5 * 7);
      EXPECT_EQ(report.at("block_size"), dof.empty() ? 1 : 4);
      EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-6) << "x is all ones";
    }
  }
  const json chosen = report_of(problem + " --solver auto");
  EXPECT_EQ(chosen.at("solver"), "gmres");
  EXPECT_EQ(chosen.at("why_solver"), "the problem is not symmetric");
  expect_refused("solve " + problem, {"--solver cg with --problem convection-diffusion", "pass --solver gmres"});
  expect_refused("solve " + problem + " --solver minres", {"--solver minres", "not symmetric"});
  expect_refused("solve " + problem + " --solver gmres --dof 7", {"--dof 7", "1 to 6"});
  expect_refused("solve " + problem + " --solver gmres --vtk v.vtu", {"--vtk v.vtu", "convection-diffusion"});
}

TEST_F(Unsymmetric, IndefiniteIsSolvedByMinres) {
  write_line("A.mtx", 300, 1, 0.3, 1);
  const CommandResult by_cg = run("solve --no-probe --matrix A.mtx");
  EXPECT_EQ(by_cg.exit_code, 2);
  EXPECT_THAT(by_cg.out, HasSubstr("MINRES"));
  const json report = report_of("--matrix A.mtx --block-size 1 --solver minres");
  EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-5);
  for (const std::string norm : {"preconditioned", "natural"}) {
    EXPECT_EQ(report_of("--matrix A.mtx --block-size 1 --solver minres --norm " + norm).at("status"), "converged");
  }
}

TEST_F(Unsymmetric, BlocksWithZerosOnTheDiagonalHaveInverses) {
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n6 6 6\n1 2 1\n2 1 1\n3 4 1\n4 3 1\n5 6 1\n6 5 1\n");
  for (const std::string solver : {"minres", "gmres", "bicgstab", "auto"}) {
    SCOPED_TRACE(solver);
    const json report = report_of("--matrix A.mtx --block-size 2 --solver " + solver);
    EXPECT_EQ(report.at("status"), "converged");
    EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-8) << "x is all ones";
  }
  expect_refused("solve --matrix A.mtx --block-size 1 --solver minres",
                 {"A.mtx: the diagonal entry (1, 1) is 0 or has no inverse", "--preconditioner none"});
}

TEST_F(Unsymmetric, AutoTakesTheSolverForTheMatrix) {
  write_line("spd.mtx", 300, -1, 2.5, -1);
  write_line("indefinite.mtx", 300, 1, 0.3, 1);
  write_line("negative.mtx", 300, -1, -2.5, -1);
  write_line("unsymmetric.mtx", 300, -1.9, 2.05, -0.1);
  const auto chosen = [&](const std::string& arguments, const std::string& why) {
    const json report = report_of(arguments + " --block-size 1 --solver auto");
    EXPECT_THAT(report.at("why_solver").get<std::string>(), HasSubstr(why));
    EXPECT_LE(report.at("error").at("max_norm").get<double>(), 1e-5);
    EXPECT_EQ(report.at("residual_history").size(), report.at("iterations").get<std::size_t>() + 1);
    return report.at("solver").get<std::string>();
  };
  EXPECT_EQ(chosen("--matrix spd.mtx", "the matrix is symmetric"), "cg");
  EXPECT_EQ(chosen("--matrix indefinite.mtx", "not positive definite, as CG found"), "minres");
  EXPECT_EQ(chosen("--matrix negative.mtx", "its preconditioner is not positive definite"), "minres");
  EXPECT_EQ(report_of("--matrix negative.mtx --solver auto").at("preconditioner"), "none");
  EXPECT_EQ(chosen("--matrix unsymmetric.mtx", "the matrix is not symmetric"), "gmres");
  EXPECT_EQ(chosen("--matrix spd.mtx --skip-symmetry-check", "may not be symmetric"), "gmres");
  const json generated = report_of("--problem cantilever --nodes 4 --solver auto");
  EXPECT_EQ(generated.at("solver"), "cg");
  EXPECT_TRUE(report_of("--problem cantilever --nodes 4").at("why_solver").is_null());
}

/// Rows are balanced by some iterations of CG first: they refuse nothing that the solve takes, and the report tells why
/// the solver was chosen. (With much fewer rows one rank would be left out.)
TEST_F(UnsymmetricOverRanks, AutoKeepsItsReasonsWhereRowsAreBalanced) {
  constexpr int n = 40000;
  std::ostringstream zeros;
  zeros << "%%MatrixMarket matrix coordinate real general\n" << n << ' ' << n << ' ' << n << '\n';
  for (int i = 1; i <= n; i += 2) zeros << i << ' ' << i + 1 << " 1\n" << i + 1 << ' ' << i << " 1\n";
  write("zeros.mtx", zeros.str());
  write_line("spd.mtx", n, -1, 2.5, -1);
  write_line("negative.mtx", n, -1, -2.5, -1);
  const auto chosen = [&](const std::string& arguments, const std::string& why) {
    SCOPED_TRACE(arguments);
    const json report = report_of(arguments + " --solver auto --partition measured", on(2));
    EXPECT_EQ(report.at("status"), "converged");
    EXPECT_THAT(report.at("why_solver").get<std::string>(), HasSubstr(why));
    return report.at("solver").get<std::string>();
  };
  EXPECT_EQ(chosen("--matrix spd.mtx --block-size 1", "the matrix is symmetric"), "cg");
  EXPECT_EQ(chosen("--matrix negative.mtx --block-size 1", "its preconditioner is not positive definite"), "minres");
  EXPECT_EQ(chosen("--matrix zeros.mtx --block-size 2", "the matrix is symmetric"), "cg");
}

TEST_F(Unsymmetric, StreamedMatricesAreSolved) {
  write_line("A.mtx", 400, -1.5, 2.5, -0.5);
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 4").exit_code, 0);
  const json in_memory = report_of("--matrix A.bcsr --solver gmres"),
             streamed = report_of("--matrix A.bcsr --solver gmres --stream file");
  EXPECT_TRUE(streamed.at("streamed").get<bool>());
  EXPECT_EQ(streamed.at("iterations"), in_memory.at("iterations"));
}

TEST_F(Unsymmetric, OptionsThatDoNotFitAreRefused) {
  const std::string solve = "solve --problem cantilever --nodes 3 --solver ";
  expect_refused(solve + "gmres --variant pipelined", {"--variant pipelined with --solver gmres"});
  expect_refused(solve + "bicgstab --norm natural", {"--norm natural with --solver bicgstab"});
  expect_refused(solve + "minres --num-rhs 2", {"--num-rhs 2 with --solver minres", "--solver block-cg"});
  expect_refused(solve + "cg --restart 5", {"--restart 5 with --solver cg"});
  expect_refused(solve + "gmres --restart 0", {"--restart 0", "1 to 1000"});
  expect_refused(solve + "gmres --checkpoint c", {"--checkpoint with --solver gmres"});
  expect_refused(solve + "gmres --ranks-on-host 1", {"--ranks-on-host 1 with --solver gmres", "bicgstab"});
  expect_refused(solve + "gmres --stream on --transfer half", {"--transfer half with --solver gmres"});
}

}  // namespace
}  // namespace ashlar::testing
