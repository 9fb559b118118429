// Matrices of public collections, where they are: in the folder that ASHLAR_MATRICES names, or beside the sources.
#include <nlohmann/json.hpp>
#include <ostream>

#include "command.hpp"

namespace ashlar::testing {

namespace {

struct RealMatrix {
  const char* name;
  int block_size;      ///< that `auto` takes
  bool must_converge;  ///< whether 10000 iterations are enough by far, whatever the rounding
};
void PrintTo(const RealMatrix& matrix, std::ostream* out) { *out << matrix.name; }

constexpr RealMatrix spd[] = {
    {"1138_bus", 1, true},
    {"bcsstk01", 1, true},
    {"bcsstk13", 1, true},
    {"bcsstk16", 3, true},
    {"bcsstk24", 2, false},
    {"bcsstk27", 3, true},
    {"bcsstk28", 2, false},
    {"ex9", 1, true},
    {"hypre_beam_hex_dof459", 3, true},
    {"hypre_beam_tet_dof2475", 3, true},
    {"ml_cantilever2D", 2, true},
    {"msc01440", 5, true},
    {"nasa4704", 1, false},
    {"nos3", 2, true},
    {"s3rmt3m3", 1, false},
};

constexpr RealMatrix unsymmetric[] = {
    {"2dcyl1", 4, true},   {"GT01R", 5, false}, {"opm_spe1", 3, false},
    {"sherman5", 1, true}, {"steam1", 3, true}, {"steam2", 4, true},
};

class RealMatrices : public CommandTest, public ::testing::WithParamInterface<RealMatrix> {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    const char* named = std::getenv("ASHLAR_MATRICES");
    const std::filesystem::path matrices = named ? named : source_dir() + "/../shared/matrices";
    if (!std::filesystem::is_directory(matrices)) GTEST_SKIP() << "there is no folder " << matrices;
    file_ = std::filesystem::absolute(matrices / (std::string(GetParam().name) + ".mtx")).string();
  }

  std::string file_;
};

class SpdMatrices : public RealMatrices {};
class UnsymmetricMatrices : public RealMatrices {};

TEST_P(SpdMatrices, AreSolvedOrTheLimitIsTold) {
  const CommandResult result = run("solve --no-probe --matrix '" + file_ + "' --rtol 1e-8 --report r.json");
  ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 2) << result.exit_code << ' ' << result.err;
  EXPECT_EQ(result.err, "");
  const auto json = nlohmann::json::parse(read_file(folder() / "r.json"));
  EXPECT_EQ(json["block_size"], GetParam().block_size);
  if (result.exit_code == 0) {
    EXPECT_EQ(json["status"], "converged");
    EXPECT_LE(json["relative_residual"].get<double>(), 1e-8);
  } else {
    EXPECT_FALSE(GetParam().must_converge) << result.out;
    EXPECT_EQ(json["status"], "iteration_limit");
    EXPECT_EQ(json["iterations"], 10000);
    EXPECT_NE(result.out.find("NOT converged after 10000 iterations"), std::string::npos) << result.out;
  }
}

/// They are too small for amg, with which some take more iterations than with block-Jacobi.
TEST_P(SpdMatrices, AutomaticPreconditionerIsBlockJacobi) {
  run("solve --no-probe --matrix '" + file_ + "' --max-iterations 1 --report r.json --preconditioner auto");
  const auto json = nlohmann::json::parse(read_file(folder() / "r.json"));
  EXPECT_EQ(json["preconditioner"], "block-jacobi");
  EXPECT_NE(json["why_preconditioner"], nullptr);
}

TEST_P(UnsymmetricMatrices, AreRefused) {
  expect_refused("solve --no-probe --matrix '" + file_ + "' --report r.json",
                 {std::string(GetParam().name) + ".mtx: ", "not symmetric", "counted from 1"});
  // Row and column, and the two the other way round.
  const std::string err = run("solve --no-probe --matrix '" + file_ + "'").err;
  const std::regex entries(R"(entry \((\d+), (\d+)\) is \S+ and entry \((\d+), (\d+)\) is)");
  std::smatch found;
  ASSERT_TRUE(std::regex_search(err, found, entries)) << err;
  EXPECT_EQ(found[1], found[4]);
  EXPECT_EQ(found[2], found[3]);
  EXPECT_NE(found[1], found[2]);
}

TEST_P(UnsymmetricMatrices, AreSolvedIfAskedOrAVerdictIsTold) {
  for (const std::string solver : {"auto", "bicgstab"}) {
    const CommandResult result =
        run("solve --no-probe --matrix '" + file_ + "' --max-iterations 2000 --report r.json --solver " + solver);
    ASSERT_TRUE(result.exit_code == 0 || result.exit_code == 2) << result.exit_code << ' ' << result.err;
    const auto json = nlohmann::json::parse(read_file(folder() / "r.json"));
    EXPECT_EQ(json["block_size"], GetParam().block_size);
    EXPECT_EQ(json["solver"], solver == "auto" ? "gmres" : solver);
    if (result.exit_code == 0) {
      EXPECT_LE(json["relative_residual"].get<double>(), 1e-8);
      EXPECT_EQ(json["status"], "converged");
    } else {
      EXPECT_FALSE(GetParam().must_converge) << result.out;
      // BiCGStab's residual rises and falls.
      if (solver == "auto") EXPECT_LE(json["relative_residual"].get<double>(), 1);
    }
  }
}

const auto name_of = [](const auto& info) { return std::string(info.param.name); };
INSTANTIATE_TEST_SUITE_P(Real, SpdMatrices, ::testing::ValuesIn(spd), name_of);
INSTANTIATE_TEST_SUITE_P(Real, UnsymmetricMatrices, ::testing::ValuesIn(unsymmetric), name_of);

}  // namespace

}  // namespace ashlar::testing
