#include <gmock/gmock.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <nlohmann/json.hpp>
#include <string>
#include <utility>

#include "command.hpp"
#include "io/vtk_arrays.hpp"

namespace ashlar::testing {

namespace {

class HpgmgCommand : public CommandTest {};

TEST_F(HpgmgCommand, PrintsAndReportsWhatTheReferenceDoes) {
  const CommandResult result = run("hpgmg 4 8 --operator fv2 --one-kernel-cells 0 --report r.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  for (const char* part : {"32^3 cells in 8 boxes of 16^3", "1^3 cells in 1 box of 1^3", "F-cycle  norm = 3.7749573287",
                           "2h  norm = 1.0585158095", "4h  norm = 6.0528764488", "error = 1.17159281877",
                           "order = -0.266", "unknowns a second", "interpolation"}) {
    EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
  }
  const auto report = nlohmann::json::parse(read_file(folder() / "r.json"));
  ASSERT_EQ(report["norms"].size(), 1U);
  EXPECT_NEAR(report["norms"][0].get<double>(), 3.774957328742112e-03, 1e-14);
  EXPECT_NEAR(report["rel"].get<double>(), 4.314753810384798e-03, 1e-14);
  EXPECT_NEAR(report["norm_2h"].get<double>(), 1.058515809569394e-03, 1e-14);
  EXPECT_NEAR(report["norm_4h"].get<double>(), 6.052876448892075e-04, 1e-14);
  EXPECT_NEAR(report["error"].get<double>(), 1.171592818772242e-04, 1e-14);
  EXPECT_NEAR(report["order"].get<double>(), -0.266, 6e-4);
  EXPECT_GT(report["dof_per_second"].get<double>(), 0);
  ASSERT_EQ(report["levels"].size(), 6U);
  EXPECT_EQ(report["levels"][2]["num_boxes"], 1);
  EXPECT_GT(report["levels"][0]["seconds"]["smooth"].get<double>(), 0);
  EXPECT_GT(report["levels"][5]["seconds"]["bottom"].get<double>(), 0);
}

TEST_F(HpgmgCommand, TakesEachMethod) {
  const CommandResult result =
      run("hpgmg 3 8 --operator fv4 --equation helmholtz --smoother chebyshev --cycle fv --report -");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_TRUE(report["converged"].get<bool>());
  EXPECT_GT(report["norms"].size(), 2U);
  EXPECT_LT(report["rel"].get<double>(), 1e-10);
  EXPECT_EQ(report["options"]["equation"], "helmholtz");
  EXPECT_EQ(report["options"]["smoother"], "chebyshev");
}

/// Levels coincide where boxes have 5 cells or more, and so do bits; fv4 has lower orders at the boundary of smaller
/// ones, fv2 has none to lose.
TEST_F(HpgmgCommand, CutsTheSameCellsIntoOtherBoxes) {
  for (const std::string discretisation : {"fv2", "fv4"}) {
    nlohmann::json first;
    for (const auto& [box_dim, boxes] : {std::pair{16, 8}, {32, 1}, {8, 64}, {4, 512}}) {
      const CommandResult result =
          run("hpgmg 4 8 --operator " + discretisation + " --box-dim " + std::to_string(box_dim) + " --report -");
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const auto report = nlohmann::json::parse(result.out);
      EXPECT_EQ(report["levels"][0]["num_boxes"], boxes);
      EXPECT_EQ(report["levels"][0]["cells_per_dim"], 32);
      EXPECT_EQ(report["options"]["box_dim"], box_dim);
      EXPECT_EQ(report["levels"][1]["num_boxes"], box_dim > 4 || discretisation == "fv2" ? 1 : 64) << "on one rank";
      const auto apart = nlohmann::json::parse(run("hpgmg 4 8 --keep-boxes --operator " + discretisation +
                                                   " --box-dim " + std::to_string(box_dim) + " --report -")
                                                   .out);
      EXPECT_EQ(apart["levels"][1]["num_boxes"], box_dim == 32 ? 1 : box_dim > 4 ? 8 : 64);
      EXPECT_EQ(apart["norms"], report["norms"]);
      if (first.is_null()) first = report;
      if (discretisation == "fv2" || box_dim > 4) {
        for (const char* same : {"norms", "norm_2h", "norm_4h", "error"}) EXPECT_EQ(report[same], first[same]) << same;
      } else {
        const double norm = first["norms"][0], other = report["norms"][0];
        EXPECT_NE(other, norm);
        EXPECT_NEAR(other, norm, 0.5 * norm);
      }
    }
  }
  const CommandResult result = run("hpgmg 4 8 --operator fv2 --box-dim 8");
  EXPECT_NE(result.out.find("32^3 cells in 64 boxes of 8^3"), std::string::npos) << result.out;
}

TEST_F(HpgmgCommand, TakesCellsThatAreNoPowerOfTwoTimesBoxes) {
  const auto report = nlohmann::json::parse(run("hpgmg 4 1 --operator fv2 --cells 48 --report -").out);
  EXPECT_EQ(report["levels"][0]["cells_per_dim"], 48);
  EXPECT_EQ(report["levels"][0]["num_boxes"], 27);
  const auto other = nlohmann::json::parse(run("hpgmg 1 1 --operator fv2 --cells 48 --box-dim 24 --report -").out);
  EXPECT_EQ(other["levels"][0]["num_boxes"], 8);
  EXPECT_EQ(other["norms"], report["norms"]);
  for (const auto& [arguments, why] : {std::pair<std::string, std::string>{"--cells 40", "16 does not divide 40"},
                                       {"--cells 0", "there is at least one"},
                                       {"--cells 8192", "more than 4096^3 fit no memory"}}) {
    const CommandResult result = run("hpgmg 4 8 " + arguments);
    EXPECT_EQ(result.exit_code, 1) << arguments;
    EXPECT_NE(result.err.find(why), std::string::npos) << result.err;
  }
}

TEST_F(HpgmgCommand, RecordsTheKernelsOfASolve) {
  const CommandResult result = run("hpgmg 3 8 --one-kernel-cells 0 --trace t.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto trace = nlohmann::json::parse(read_file(folder() / "t.json"));
  // Six sweeps of two colours before and after the coarser level, for each visit of the three levels but the coarsest.
  const auto num_of = [&](const std::string& name) {
    return std::count_if(trace["traceEvents"].begin(), trace["traceEvents"].end(),
                         [&](const auto& event) { return event["ph"] == "X" && event["name"] == name; });
  };
  EXPECT_EQ(num_of("ashlar::multigrid::smooth[gsrb]"), 12 * (1 + 2 + 3));
  EXPECT_EQ(num_of("ashlar::multigrid::residual"), 1 + 2 + 3 + 1) << "and one for the norm";
}

TEST_F(HpgmgCommand, RefusesNamesOfOtherKindsOfFiles) {
  for (const std::string name : {"u.vtu", "u.pvtu", "u.vtk"}) {
    const CommandResult result = run("hpgmg 3 8 --vtk " + name);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_NE(result.err.find("name it like u.vti"), std::string::npos) << result.err;
  }
  // Two names of one file, which is not there yet.
  const CommandResult result = run("hpgmg 3 8 --vtk x --report ./x");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_NE(result.err.find("one would overwrite the other"), std::string::npos) << result.err;
  EXPECT_EQ(run("hpgmg 3 8 --trace x --report ./x").exit_code, 1);
}

/// What runs on the host is told, and changes no digit.
TEST_F(HpgmgCommand, RunsSmallLevelsOnTheHost) {
  for (const std::string solver : {"--cycle fv", "--solver mg-pcg"}) {
    nlohmann::json first;
    for (const auto& [threshold, on_device] : {std::pair{"0", 4U}, {"1e4", 1U}, {"200", 2U}, {"2000000000", 1U}}) {
      const CommandResult result =
          run("hpgmg 3 8 " + solver + " --report r.json --host-threshold " + std::string(threshold));
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const auto report = nlohmann::json::parse(read_file(folder() / "r.json"));
      ASSERT_EQ(report["levels"].size(), 4U);
      for (std::size_t l = 0; l < 4; ++l) EXPECT_EQ(report["levels"][l]["on_host"], l >= on_device) << threshold;
      EXPECT_EQ(result.out.find("on the host") != std::string::npos, on_device < 4);
      if (first.is_null()) first = report;
      for (const char* same : {"norms", "norm_2h", "norm_4h", "error", "residual_history"}) {
        EXPECT_EQ(report[same], first[same]) << same << ", " << threshold;
      }
    }
    EXPECT_EQ(first["options"]["host_threshold"], 0);
  }
}

/// Launches are told, and change no digit.
TEST_F(HpgmgCommand, RunsSmallLevelsAsOneKernel) {
  for (const std::string solver : {"--cycle fv", "--solver mg-pcg"}) {
    nlohmann::json first;
    for (const auto& [switches, first_level] : {std::pair{"--one-kernel-cells 0 --no-graphs", 4U},
                                                {"--one-kernel-cells 0", 4U},
                                                {"--one-kernel-cells 600 --no-graphs", 1U},
                                                {"--one-kernel-cells 2000000000", 0U}}) {
      const CommandResult result = run("hpgmg 3 8 " + solver + " --report r.json " + switches);
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const auto report = nlohmann::json::parse(read_file(folder() / "r.json"));
      ASSERT_EQ(report["levels"].size(), 4U);
      for (std::size_t l = 0; l < 3; ++l) {
        EXPECT_EQ(report["levels"][l]["is_one_kernel"], l >= first_level) << switches << ", " << l;
        EXPECT_EQ(report["levels"][l]["seconds"]["one_kernel"] > 0, l == first_level) << switches << ", " << l;
      }
      if (first.is_null()) first = report;
      for (const char* same : {"norms", "norm_2h", "norm_4h", "error", "bottom_iterations", "residual_history"}) {
        EXPECT_EQ(report[same], first[same]) << same << ", " << switches;
      }
    }
    EXPECT_EQ(first["options"]["one_kernel_cells"], 0);
    EXPECT_FALSE(first["options"]["graphs"].get<bool>());
  }
}

TEST_F(HpgmgCommand, SolvesByCgWithAVCycleInSinglePrecision) {
  const CommandResult result = run("hpgmg 4 8 --solver mg-pcg --precision single --report r.json");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("a V-cycle in single precision in each of "));
  ASSERT_EQ(run("hpgmg 4 8 --solver mg-pcg --report double.json").exit_code, 0);
  const auto single = nlohmann::json::parse(read_file(folder() / "r.json")),
             in_double = nlohmann::json::parse(read_file(folder() / "double.json"));
  EXPECT_TRUE(single["converged"].get<bool>());
  EXPECT_EQ(single["options"]["precision"], "single");
  EXPECT_EQ(in_double["options"]["precision"], "double");
  EXPECT_LE(single["iterations"].get<int>(), in_double["iterations"].get<int>() + 1);
  EXPECT_LT(single["rel"].get<double>(), 1e-9);
  EXPECT_NE(single["residual_history"], in_double["residual_history"]);
  // The phases of its cycles are timed, too.
  EXPECT_GT(single["levels"][1]["seconds"]["smooth"].get<double>(), 0);
}

TEST_F(HpgmgCommand, SolvesByCgWithAVCycle) {
  for (const std::string method : {"--operator fv2", "--operator fv4 --equation helmholtz --smoother chebyshev"}) {
    const CommandResult result = run("hpgmg 4 8 --solver mg-pcg --one-kernel-cells 0 --report r.json " + method);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    const auto report = nlohmann::json::parse(read_file(folder() / "r.json"));
    EXPECT_TRUE(report["converged"].get<bool>());
    EXPECT_EQ(report["options"]["solver"], "mg-pcg");
    EXPECT_TRUE(report["options"]["cycle"].is_null());
    EXPECT_EQ(report["status"], "converged");
    const int iterations = report["iterations"];
    EXPECT_LE(iterations, 6);
    ASSERT_EQ(report["residual_history"].size(), std::size_t(iterations) + 1);
    EXPECT_LT(report["residual_history"].back().get<double>(), 1e-10);
    ASSERT_EQ(report["norms"].size(), 1U);
    EXPECT_LT(report["rel"].get<double>(), 1e-9);
    EXPECT_TRUE(report["error"].is_null());
    EXPECT_GT(report["seconds"].get<double>(), 0);
    EXPECT_GT(report["levels"][0]["seconds"]["smooth"].get<double>(), 0);
    const std::string last =
        "CG " + std::string(3 - std::to_string(iterations).size(), ' ') + std::to_string(iterations);
    for (const std::string& part : {last, std::string("||f - A u|| / ||f|| = "), std::string("norm = ")}) {
      EXPECT_NE(result.out.find(part), std::string::npos) << part << "\n" << result.out;
    }
    EXPECT_EQ(result.out.find("Richardson"), std::string::npos);
  }
  const auto by_cycles = nlohmann::json::parse(run("hpgmg 3 1 --report -").out);
  EXPECT_EQ(by_cycles["options"]["solver"], "cycles");
  EXPECT_TRUE(by_cycles["iterations"].is_null() && by_cycles["residual_history"].is_null());
}

/// The solution by CG and that by cycles, cut into other boxes, are the same picture.
TEST_F(HpgmgCommand, DrawsTheSolution) {
  ASSERT_EQ(run("hpgmg 3 8 --cycle fv --vtk cycles.vti").exit_code, 0);
  ASSERT_EQ(run("hpgmg 3 8 --box-dim 16 --solver mg-pcg --vtk cg.vti").exit_code, 0);
  const std::string first = read_file(folder() / "cycles.vti"), second = read_file(folder() / "cg.vti");
  EXPECT_NE(first.find("<ImageData WholeExtent=\"0 16 0 16 0 16\" Origin=\"0 0 0\" Spacing=\"0.0625 0.0625 0.0625\">"),
            std::string::npos);
  const auto u = array<double>(first, "u", "Float64", 1), v = array<double>(second, "u", "Float64", 1);
  ASSERT_EQ(u.size(), 4096U);
  ASSERT_EQ(v.size(), 4096U);
  const auto at = [&](int i, int j, int k) { return u[std::size_t((k * 16 + j) * 16 + i)]; };
  double largest = 0, difference = 0;
  for (std::size_t n = 0; n < u.size(); ++n) {
    largest = std::max(largest, std::abs(u[n]));
    difference = std::max(difference, std::abs(u[n] - v[n]));
  }
  EXPECT_LT(difference, 1e-8 * largest);
  // f and beta are what they were where two directions are mirrored, or directions change places: so is u.
  for (int i = 0; i < 16; ++i) {
    EXPECT_NEAR(at(i, 3, 5), at(15 - i, 12, 5), 1e-8 * largest);
    EXPECT_NEAR(at(3, i, 5), at(3, 15 - i, 10), 1e-8 * largest);
    EXPECT_NEAR(at(i, 3, 5), at(5, i, 3), 1e-8 * largest);
  }
  EXPECT_GT(at(3, 3, 3), 0.5 * largest);
  EXPECT_LT(at(12, 3, 3), 0);
}

TEST_F(HpgmgCommand, OfFewerThanThreeLevelsThereIsNoAnalysis) {
  const CommandResult result = run("hpgmg 2 1 --operator fv4 --cycle v --report -");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  const auto report = nlohmann::json::parse(result.out);
  EXPECT_EQ(report["levels"].size(), 2U);
  EXPECT_TRUE(report["error"].is_null() && report["order"].is_null() && report["norm_2h"].is_null());
}

TEST_F(HpgmgCommand, RefusesBadInput) {
  expect_refused("hpgmg", {"LOG2_BOX", "hpgmg --help"});
  expect_refused("hpgmg 4", {"BOXES_PER_RANK"});
  expect_refused("hpgmg 0 8", {"2^0", "cannot be coarsened"});
  expect_refused("hpgmg 11 1", {"2^11"});
  expect_refused("hpgmg four 8", {"LOG2_BOX 'four'"});
  expect_refused("hpgmg 4 0", {"0 boxes"});
  expect_refused("hpgmg 4 -- -3", {"-3 boxes"});
  expect_refused("hpgmg 10 2000000000", {"2000000000 boxes"});
  expect_refused("hpgmg 1 2097153", {"2^21"});
  expect_refused("hpgmg 10 1000", {"4096^3"});
  expect_refused("hpgmg 10 64", {"bytes"});
  expect_refused("hpgmg 4 8 --operator fv6", {"--operator 'fv6'", "fv2 or fv4"});
  expect_refused("hpgmg 4 8 --equation heat", {"--equation 'heat'", "poisson or helmholtz"});
  expect_refused("hpgmg 4 8 --smoother sor", {"--smoother 'sor'", "gsrb, chebyshev or jacobi"});
  expect_refused("hpgmg 4 8 --cycle w", {"--cycle 'w'", "f, v or fv"});
  expect_refused("hpgmg 4 8 --box-dim 12", {"32^3 cells in boxes of 12^3", "12 does not divide 32"});
  expect_refused("hpgmg 4 8 --box-dim 64", {"64 does not divide 32"});
  expect_refused("hpgmg 4 8 --box-dim 0", {"boxes of 0^3"});
  expect_refused("hpgmg 4 8 --box-dim=-4", {"boxes of -4^3"});
  expect_refused("hpgmg 4 8 --box-dim 8.5", {"--box-dim '8.5'"});
  expect_refused("hpgmg 4 8 --box-dim 1", {"the operator reaches 2 cells"});
  expect_refused("hpgmg 4 8 --operator fv2 --box-dim 1", {"32^3 boxes of 1^3 cells", "cannot be coarsened"});
  expect_refused("hpgmg 4 27 --box-dim 3", {"16^3 boxes of 3^3 cells", "cannot be coarsened"});
  expect_refused("hpgmg 8 8 --box-dim 2", {"256^3 boxes of 2^3"});
  expect_refused("hpgmg 4 8 --solver amg", {"--solver 'amg'", "cycles or mg-pcg"});
  expect_refused("hpgmg 4 8 --precision single", {"--precision single with --solver cycles"});
  expect_refused("hpgmg 4 8 --solver mg-pcg --precision half", {"--precision 'half'", "double or single"});
  expect_refused("hpgmg 4 8 --solver mg-pcg --cycle v", {"--cycle with --solver mg-pcg"});
  expect_refused("hpgmg 4 8 --cycle v --solver mg-pcg", {"--cycle with --solver mg-pcg"});
  expect_refused("hpgmg 4 8 --vtk no/u.vti", {"no/u.vti"});
  expect_refused("hpgmg 4 8 --vtk u --report u", {"u"});
  expect_refused("hpgmg 4 8 --report no/r.json", {"no/r.json"});
  expect_refused("hpgmg 4 8 --exchange fast", {"--exchange"});
  expect_refused("hpgmg 4 8 --overlap sometimes", {"--overlap 'sometimes'", "auto, on or off"});
  expect_refused("hpgmg 4 8 --host-threshold=-1", {"--host-threshold '-1'", "0: none"});
  expect_refused("hpgmg 4 8 --min-cells-per-rank -1", {"--min-cells-per-rank '-1'", "0: none does"});
  expect_refused("hpgmg 4 8 --min-cells-per-rank 1e30", {"--min-cells-per-rank '1e30'"});
  expect_refused("hpgmg 4 8 --one-kernel-cells -1", {"--one-kernel-cells '-1'"});
  expect_refused("hpgmg 4 8 --host-threshold 1e30", {"--host-threshold '1e30'"});
  expect_refused("hpgmg 4 8 --host-threshold small", {"--host-threshold 'small'"});
}

}  // namespace

}  // namespace ashlar::testing
