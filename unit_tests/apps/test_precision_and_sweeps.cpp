// The command with --precision mixed, and with --preconditioner ilu0 and ssor: solves and refusals.
#include <gmock/gmock.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::HasSubstr;
using ::testing::Not;

const std::string beam = "--problem cantilever --nodes 17,5,5 --no-probe --rtol 1e-10 ";

template <class Base>
class PrecisionOn : public Base {
 protected:
  json report_of(const std::string& arguments, const std::string& before = "") const {
    const CommandResult result = this->run("solve " + arguments + " --report r.json", before);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return json::parse(read_file(this->folder() / "r.json"));
  }
};

using Precision = PrecisionOn<CommandTest>;
using PrecisionOverRanks = PrecisionOn<RankCommandTest>;
using Sweeps = PrecisionOn<CommandTest>;
using SweepsOverRanks = PrecisionOn<RankCommandTest>;

void expect_mixed(const json& mixed, int iterations_in_double, double most = 1.7) {
  EXPECT_EQ(mixed.at("status"), "converged");
  EXPECT_LE(mixed.at("relative_residual").get<double>(), 1e-10);
  EXPECT_LE(mixed.at("iterations").get<int>(), most * iterations_in_double);
  EXPECT_GE(mixed.at("true_residuals").size(), 9u) << "residuals in double";
  EXPECT_LE(mixed.at("true_residuals").size(), 16u);
  EXPECT_EQ(mixed.at("options").at("precision"), "mixed");
}

TEST_F(Precision, MixedKeepsTheAnswer) {
  for (const std::string preconditioner : {"none", "jacobi", "block-jacobi"}) {
    SCOPED_TRACE(preconditioner);
    const std::string with = beam + "--preconditioner " + preconditioner;
    const json in_double = report_of(with);
    expect_mixed(report_of(with + " --precision mixed"), in_double.at("iterations").get<int>());
  }
  const CommandResult told = run("solve " + beam + "--precision mixed");
  EXPECT_NE(told.out.find("precision  iterations with the matrix in single, "), std::string::npos) << told.out;
}

TEST_F(PrecisionOverRanks, MixedKeepsTheAnswer) {
  const int in_double = report_of(beam).at("iterations").get<int>();
  // (Ranks round value by value.)
  for (const int ranks : {2, 3}) expect_mixed(report_of(beam + "--precision mixed", on(ranks)), in_double, 2.5);
}

TEST_F(Precision, MixedIsRefusedWhereItIsNone) {
  const std::string mixed = "solve " + beam + "--precision mixed ";
  expect_refused(mixed + "--solver gmres", {"--precision mixed with --solver gmres"});
  expect_refused(mixed + "--variant pipelined", {"--precision mixed with --variant pipelined"});
  expect_refused(mixed + "--norm natural", {"--precision mixed with --norm natural"});
  expect_refused(mixed + "--stream on", {"--precision mixed with --stream on"});
  expect_refused(mixed + "--ranks-on-host 1", {"--precision mixed with --ranks-on-host 1"});
  expect_refused(mixed + "--partition measured", {"--precision mixed with --partition measured"});
  expect_refused(mixed + "--checkpoint c", {"--precision mixed with a checkpoint"});
  expect_refused("solve " + beam + "--precision single", {"--precision 'single'", "double or mixed"});
}

/// Convection with the wind on a line, which block-Jacobi knows nothing of.
void write_convection(const auto& write, int n) {
  std::ostringstream matrix;
  matrix << "%%MatrixMarket matrix coordinate real general\n" << n << ' ' << n << ' ' << 3 * n - 2 << '\n';
  for (int i = 1; i <= n; ++i) {
    if (i > 1) matrix << i << ' ' << i - 1 << " -1.9\n";
    matrix << i << ' ' << i << " 2.01\n";
    if (i < n) matrix << i << ' ' << i + 1 << " -0.1\n";
  }
  write("A.mtx", matrix.str());
}

TEST_F(Sweeps, SolveWithFewerIterations) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) {
    expect_refused("solve " + beam + "--preconditioner ilu0", {"--preconditioner ilu0 on a GPU"});
    return;
  }
  const int of_block_jacobi = report_of(beam).at("iterations").get<int>();
  for (const std::string preconditioner : {"ilu0", "ssor"}) {
    SCOPED_TRACE(preconditioner);
    const json report = report_of(beam + "--preconditioner " + preconditioner);
    EXPECT_EQ(report.at("preconditioner"), preconditioner);
    EXPECT_LE(report.at("relative_residual").get<double>(), 1e-10);
    EXPECT_LE(report.at("iterations").get<int>(), 0.85 * of_block_jacobi);
  }
  expect_mixed(report_of(beam + "--preconditioner ilu0 --precision mixed"), of_block_jacobi);
  write_convection([&](const auto&... file) { this->write(file...); }, 200);
  const std::string convection = "--matrix A.mtx --block-size 1 --no-probe --solver gmres --preconditioner ";
  // A band has no fill: the factors are complete.
  EXPECT_LE(report_of(convection + "ilu0").at("iterations").get<int>(), 2);
}

TEST_F(SweepsOverRanks, AreOfEachRanksDiagonalPart) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "sweeps run on CPUs";
  const std::string with = beam + "--preconditioner ilu0";
  const int alone = report_of(with).at("iterations").get<int>();
  const int of_two = report_of(with, on(2)).at("iterations").get<int>();
  EXPECT_GE(of_two, alone);
  EXPECT_LE(of_two, 2 * alone);
}

TEST_F(Sweeps, AreRefusedWhereTheyAreNone) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "sweeps run on CPUs";
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 1\n");
  expect_refused("solve --matrix A.mtx --block-size 1 --no-probe --solver gmres --preconditioner ilu0",
                 {"the diagonal entry (2, 2) is 0 or has no inverse once the rows before it are eliminated"});
  write("B.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1\n1 2 1\n2 1 1\n2 2 -3\n");
  expect_refused("solve --matrix B.mtx --block-size 1 --no-probe --solver cg --preconditioner ilu0",
                 {"the diagonal entry (2, 2) is not positive definite once the rows before it are eliminated"});
  write("C.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 1\n2 3 1\n3 2 1\n3 3 1\n");
  for (const std::string kind : {"ilu0", "ssor"}) {
    const CommandResult result =
        run("solve --matrix C.mtx --block-size 1 --no-probe --solver gmres --preconditioner " + kind);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, HasSubstr("the diagonal entry (2, 2) is missing (each row is divided by its own")) << kind;
    EXPECT_THAT(result.err, Not(HasSubstr("eliminated"))) << kind;
  }
  expect_refused("solve " + beam + "--preconditioner ssor --stream on", {"--preconditioner ssor with --stream on"});
}

}  // namespace
}  // namespace ashlar::testing
