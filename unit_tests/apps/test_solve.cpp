#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace ashlar::testing {

namespace {

using Json = nlohmann::json;

class Solve : public CommandTest {
 protected:
  Json report(const std::string& name = "r.json") const { return Json::parse(read_file(folder() / name)); }

  /// To the rounding of two solves.
  void expect_same_solution(const std::string& one, const std::string& other) const {
    const auto x = io::read_matrix_market_vector<double>((folder() / one).string());
    const auto y = io::read_matrix_market_vector<double>((folder() / other).string());
    ASSERT_EQ(x.size(), y.size());
    double largest = 0;
    for (const double entry : x) largest = std::max(largest, std::abs(entry));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-7 * largest);
  }

  /// A tridiagonal matrix, SPD where the diagonal is 2 or more.
  void write_tridiagonal(int n, double diagonal, const std::string& name = "A.mtx") const {
    CooMatrix<double> matrix{n, n, {}, {}, {}};
    const auto add = [&](int i, int j, double value) {
      matrix.rows.push_back(i), matrix.cols.push_back(j), matrix.values.push_back(value);
    };
    for (int i = 0; i < n; ++i) {
      add(i, i, diagonal);
      if (i > 0) add(i, i - 1, -1), add(i - 1, i, -1);
    }
    io::write_matrix_market((folder() / name).string(), matrix);
  }
};

TEST_F(Solve, ReportHoldsWhatItPromises) {
  const CommandResult result = run("solve --problem cantilever --nodes 9,5,5 --rtol 1e-10 --report r.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_EQ(result.err, "");
  const Json json = report();
  EXPECT_EQ(json["status"], "converged");
  EXPECT_LE(json["relative_residual"].get<double>(), 1e-10);
  const int iterations = json["iterations"];
  EXPECT_GT(iterations, 5);
  ASSERT_EQ(json["residual_history"].size(), std::size_t(iterations) + 1);
  EXPECT_EQ(json["residual_history"][0], 1.0);
  EXPECT_LE(json["residual_history"][iterations].get<double>(), 1e-10);
  EXPECT_TRUE(json["error"].is_null());
  EXPECT_EQ(json["block_size"], 3);
  EXPECT_EQ(json["block_fill"], 1.0);
  EXPECT_EQ(json["num_rows"], 9 * 5 * 5 * 3);
  EXPECT_EQ(json["num_blocks"], 25 * 13 * 13);
  EXPECT_EQ(json["versions"]["ashlar"], version_string);
  EXPECT_FALSE(json["versions"]["kokkos"].get<std::string>().empty());
  EXPECT_FALSE(json["versions"]["compiler"].get<std::string>().empty());
  EXPECT_FALSE(json["device"]["name"].get<std::string>().empty());
  EXPECT_EQ(json["rtol"], 1e-10);
  EXPECT_EQ(json["options"]["nodes"], Json({9, 5, 5}));
  EXPECT_EQ(json["options"]["kernel"], "auto");
  EXPECT_NE(json["kernel"], "auto");

  double sum = 0;
  for (const char* phase : {"start", "load", "check", "probe", "setup", "solve"}) {
    ASSERT_TRUE(json["seconds"].contains(phase)) << phase;
    EXPECT_GE(json["seconds"][phase].get<double>(), 0);
    sum += json["seconds"][phase].get<double>();
  }
  EXPECT_GE(json["seconds"]["total"].get<double>(), sum);
  // One product an iteration and one more at each end, by the matrix alone.
  EXPECT_GT(json["bytes_moved"].get<std::int64_t>(), iterations * std::int64_t(25 * 13 * 13) * 76);
  EXPECT_GT(json["read_bandwidth_gb_s"].get<double>(), 0);
  const double rate = json["bytes_moved"].get<double>() * 1e-9 / json["seconds"]["solve"].get<double>();
  EXPECT_NEAR(json["bandwidth_gb_s"].get<double>(), rate, 1e-9 * rate);
  EXPECT_NEAR(json["bandwidth_fraction"].get<double>() * json["read_bandwidth_gb_s"].get<double>(), rate, 1e-9 * rate);
}

/// Then nothing is told of the limit, and it is said why.
TEST_F(Solve, WithoutTheProbe) {
  const CommandResult result = run("solve --problem cantilever --nodes 4 --no-probe --report r.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json json = report();
  EXPECT_TRUE(json["read_bandwidth_gb_s"].is_null());
  EXPECT_TRUE(json["bandwidth_fraction"].is_null());
  EXPECT_GT(json["bandwidth_gb_s"].get<double>(), 0);
  EXPECT_EQ(json["options"]["probe"], false);
  EXPECT_EQ(json["options"]["report"], "r.json");
  EXPECT_EQ(json["options"]["history"], false);
  EXPECT_THAT(result.out, ::testing::HasSubstr("not measured (--no-probe)"));
  EXPECT_EQ(result.out.find("of what the device reads at"), std::string::npos);
}

/// Numbers as people write them.
TEST_F(Solve, NumbersInWhicheverForm) {
  const std::string solve = "solve --problem cantilever --no-probe --report r.json --nodes ";
  for (const auto& [written, bytes] :
       {std::pair("8G", 8LL << 30), std::pair("8GiB", 8LL << 30), std::pair("512M", 512LL << 20),
        std::pair("'1.5 GB'", 1500000000LL), std::pair("1e9", 1000000000LL), std::pair("010000000", 10000000LL)}) {
    ASSERT_EQ(run(solve + "04,4e0,4 --device-memory-limit " + written).exit_code, 0) << written;
    EXPECT_EQ(report()["options"]["device_memory_limit"], bytes) << written;
    EXPECT_EQ(report()["options"]["nodes"], Json({4, 4, 4}));
  }
  for (const auto& [written, number] : {std::pair("0100", 100), std::pair("1e4", 10000), std::pair("2.5e3", 2500)}) {
    ASSERT_EQ(run(solve + "4 --rtol .5e-3 --max-iterations " + written).exit_code, 0) << written;
    EXPECT_EQ(report()["options"]["max_iterations"], number);
    EXPECT_EQ(report()["options"]["rtol"], 0.5e-3);
  }
}

TEST_F(Solve, EveryProblemAndPreconditionerConverges) {
  for (const std::string problem :
       {"cantilever --dof 1", "cantilever --dof 3", "cantilever --dof 6", "stencil11", "stencil11 --dof 5"}) {
    for (const std::string preconditioner : {"none", "jacobi", "block-jacobi"}) {
      SCOPED_TRACE(problem + " " + preconditioner);
      const CommandResult result = run("solve --no-probe --problem " + problem +
                                       " --nodes 5 --report r.json --rtol 1e-9 --preconditioner " + preconditioner);
      ASSERT_EQ(result.exit_code, 0) << result.err;
      const Json json = report();
      EXPECT_LE(json["relative_residual"].get<double>(), 1e-9);
      EXPECT_EQ(json["options"]["preconditioner"], preconditioner);
    }
  }
}

TEST_F(Solve, EveryVariantOfCgConverges) {
  int standard = 0;
  for (const std::string variant : {"standard", "single-reduction", "pipelined"}) {
    const CommandResult result =
        run("solve --no-probe --problem cantilever --nodes 9 --rtol 1e-8 --report r.json --variant " + variant);
    EXPECT_EQ(result.exit_code, 0) << variant << ": " << result.err;
    const Json json = report();
    EXPECT_EQ(json["options"]["variant"], variant);
    EXPECT_LE(json["relative_residual"].get<double>(), 1e-8);
    EXPECT_FALSE(json["launch"].get<std::string>().empty());
    const bool iterates_in_kernel = json["iterates_in_kernel"];
    const bool may_be = is_gpu_v<Kokkos::DefaultExecutionSpace> && variant == "standard";
    EXPECT_TRUE(may_be || !iterates_in_kernel) << variant;
    const int iterations = json["iterations"];
    if (variant == "standard") standard = iterations;
    EXPECT_NEAR(iterations, standard, variant == "pipelined" ? 3 : 1) << variant;
  }
}

TEST_F(Solve, EveryKernelSolves) {
  for (const std::string kernel :
       {"by_block", "by_column", "by_line", "by_tile", "row_per_thread", "block_row_per_thread"}) {
    SCOPED_TRACE(kernel);
    const std::string dof = kernel == "by_tile" ? "1" : "3";  // a tile is of small blocks
    const CommandResult result =
        run("solve --no-probe --problem cantilever --nodes 4 --dof " + dof + " --report r.json --kernel " + kernel);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(report()["kernel"], kernel);
  }
}

TEST_F(Solve, TunesOnceAndKeepsWhatItFound) {
  const std::string solve = "solve --no-probe --problem cantilever --nodes 4 --tune tuning.json --report r.json";
  for (const std::string time : {"first", "second"}) {
    SCOPED_TRACE(time);
    const CommandResult result = run(solve);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(report()["plan"].get<std::string>(), ::testing::HasSubstr("tuned"));
    EXPECT_EQ(report()["options"]["tune"], "tuning.json");
  }
  const auto table = nlohmann::json::parse(read_file(folder() / "tuning.json"));
  EXPECT_EQ(table["choices"].size(), 1);
  // What another run would lose is refused before it starts.
  write("tuning.json", "oops");
  expect_refused(solve, {"tuning.json:1", "not JSON"});
  EXPECT_EQ(read_file(folder() / "tuning.json"), "oops");
}

TEST_F(Solve, ErrorAgainstOnesIsTold) {
  write_tridiagonal(60, 3);
  const CommandResult result = run("solve --no-probe --matrix A.mtx --rtol 1e-12 --report r.json --solution x.mtx");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto x = io::read_matrix_market_vector<double>((folder() / "x.mtx").string());
  ASSERT_EQ(x.size(), 60u);
  double largest = 0, squares = 0;
  for (const double entry : x) {
    largest = std::max(largest, std::abs(entry - 1));
    squares += (entry - 1) * (entry - 1);
  }
  const Json json = report();
  EXPECT_EQ(json["error"]["max_norm"].get<double>(), largest);
  EXPECT_NEAR(json["error"]["relative_2_norm"].get<double>(), std::sqrt(squares / 60), 1e-14);
  EXPECT_LT(largest, 1e-10);
}

TEST_F(Solve, RightHandSideOfAFile) {
  write_tridiagonal(3, 2);
  write("b.mtx", "%%MatrixMarket matrix array real general\n3 1\n0\n0\n4\n");
  const CommandResult result =
      run("solve --no-probe --matrix A.mtx --rhs b.mtx --rtol 1e-13 --report r.json --solution x.mtx");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const auto x = io::read_matrix_market_vector<double>((folder() / "x.mtx").string());
  for (int i = 0; i < 3; ++i) EXPECT_NEAR(x[i], i + 1, 1e-12);
  EXPECT_TRUE(report()["error"].is_null());
}

TEST_F(Solve, BlockSizeIsDetectedOrForced) {
  write_tridiagonal(12, 3);
  ASSERT_EQ(run("solve --no-probe --matrix A.mtx --report r.json").exit_code, 0);
  EXPECT_EQ(report()["block_size"], 1);
  EXPECT_EQ(report()["block_fill"], 1.0);
  ASSERT_EQ(run("solve --no-probe --matrix A.mtx --report r.json --block-size 4").exit_code, 0);
  EXPECT_EQ(report()["block_size"], 4);
  EXPECT_EQ(report()["num_blocks"], 3 + 2 + 2);
  EXPECT_NEAR(report()["block_fill"].get<double>(), 7 * 16 / 34.0, 1e-14);
  EXPECT_EQ(report()["options"]["block_size"], 4);
}

TEST_F(Solve, IterationLimitIsExitCodeTwo) {
  write_tridiagonal(200, 2);
  const CommandResult result =
      run("solve --no-probe --matrix A.mtx --max-iterations 3 --report r.json --solution x.mtx");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_EQ(result.err, "");
  EXPECT_NE(result.out.find("NOT converged after 3 iterations"), std::string::npos) << result.out;
  EXPECT_NE(result.out.find("iteration limit"), std::string::npos) << result.out;
  EXPECT_EQ(report()["status"], "iteration_limit");
  EXPECT_EQ(report()["iterations"], 3);
  EXPECT_TRUE(std::filesystem::exists(folder() / "x.mtx"));
}

TEST_F(Solve, IndefiniteMatrixIsExitCodeTwo) {
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 -1\n");
  const CommandResult result = run("solve --no-probe --matrix A.mtx --preconditioner none --report r.json");
  EXPECT_EQ(result.exit_code, 2);
  EXPECT_NE(result.out.find("not positive definite"), std::string::npos) << result.out;
  EXPECT_EQ(report()["status"], "indefinite_matrix");
}

TEST_F(Solve, OverflowLeavesAReportThatIsJson) {
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1e308\n2 2 1e308\n");
  const CommandResult result = run("solve --no-probe --matrix A.mtx --preconditioner none --report r.json");
  EXPECT_EQ(result.exit_code, 2);
  const Json json = report();
  EXPECT_EQ(json["status"], "non_finite");
  EXPECT_EQ(read_file(folder() / "r.json").find("nan"), std::string::npos);
}

TEST_F(Solve, VtkHoldsTheField) {
  for (const auto& [dof, field] : {std::pair("1", "Name=\"solution\" NumberOfComponents=\"1\""),
                                   std::pair("3", "Name=\"displacement\" NumberOfComponents=\"3\""),
                                   std::pair("6", "Name=\"displacement\" NumberOfComponents=\"3\"")}) {
    SCOPED_TRACE(dof);
    const CommandResult result =
        run(std::string("solve --no-probe --problem cantilever --nodes 4 --vtk v.vtu --dof ") + dof);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const std::string file = read_file(folder() / "v.vtu");
    EXPECT_NE(file.find("NumberOfPoints=\"64\" NumberOfCells=\"27\""), std::string::npos);
    EXPECT_NE(file.find(field), std::string::npos);
  }
}

TEST_F(Solve, HistoryIsPrinted) {
  const CommandResult quiet = run("solve --no-probe --problem cantilever --nodes 4");
  EXPECT_EQ(quiet.out.find("# iteration"), std::string::npos);
  const CommandResult result = run("solve --no-probe --problem cantilever --nodes 4 --history --report r.json");
  EXPECT_NE(result.out.find("          0  1.000000e+00\n"), std::string::npos) << result.out;
  const std::string last = std::to_string(report()["iterations"].get<int>());
  EXPECT_NE(result.out.find("\n" + std::string(11 - last.size(), ' ') + last + "  "), std::string::npos) << result.out;
}

TEST_F(Solve, TraceIsATimeline) {
  const CommandResult result = run("solve --no-probe --problem cantilever --nodes 4 --trace t.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json trace = Json::parse(read_file(folder() / "t.json"));
  bool has_product = false, has_phase = false;
  for (const Json& event : trace["traceEvents"]) {
    const std::string name = event.value("name", "");
    has_product = has_product || name.rfind("ashlar::spmv[", 0) == 0;
    has_phase = has_phase || name == "ashlar solve: solve";
  }
  EXPECT_TRUE(has_product);
  EXPECT_TRUE(has_phase);
}

TEST_F(Solve, TraceOfAStreamedSolveShowsReadsCopiesAndProducts) {
  write_tridiagonal(60, 2.5);
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 3").exit_code, 0);
  const CommandResult result = run("solve --no-probe --matrix A.bcsr --stream file --trace t.json");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  const Json trace = Json::parse(read_file(folder() / "t.json"));
  bool has_product = false, has_load = false;
  double load_end = 0;
  for (const Json& event : trace["traceEvents"]) {
    const std::string name = event.value("name", "");
    if (name == "ashlar solve: load") {
      has_load = true;
      load_end = event["ts"].get<double>() + event["dur"].get<double>();
    }
    if (name.rfind("products with ", 0) != 0) continue;
    has_product = true;
    EXPECT_GE(event["ts"].get<double>(), load_end) << "one clock for both";
  }
  EXPECT_TRUE(has_load);
  EXPECT_TRUE(has_product);
}

TEST_F(Solve, TraceSaysWhereItHoldsLaunchesOnly) {
  const std::string line = "\ntrace      of launches";
  const std::string solve = "solve --no-probe --problem cantilever --nodes 4 --trace t.json";
  EXPECT_EQ(run(solve).out.find(line), std::string::npos);
  setenv("KOKKOS_TOOLS_LIBS", no_fence_tool().c_str(), 1);
  const CommandResult result = run(solve), untraced = run("solve --no-probe --problem cantilever --nodes 4");
  unsetenv("KOKKOS_TOOLS_LIBS");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  // On a CPU a kernel ends before its launch returns.
  EXPECT_EQ(result.out.find(line) != std::string::npos, is_gpu_v<Kokkos::DefaultExecutionSpace>) << result.out;
  EXPECT_EQ(untraced.out.find(line), std::string::npos);
}

TEST_F(Solve, OneOutputThatFailsCostsNoOther) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  const std::set<std::string> outputs{"--report", "--solution", "--vtk", "--trace"};
  for (const std::string& failing : outputs) {
    SCOPED_TRACE(failing);
    std::string arguments = "solve --no-probe --problem cantilever --nodes 4 " + failing + " /dev/full";
    for (const std::string& output : outputs) {
      if (output != failing) arguments += " " + output + " file" + output;
    }
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1);
    expect_message(result.err, {"/dev/full", "cannot be written", "No space left"});
    EXPECT_NE(result.out.find("\nresult     converged after "), std::string::npos) << result.out;
    EXPECT_EQ(files().size(), 3u);
    if (failing != "--report") {
      EXPECT_EQ(report("file--report")["status"], "converged");
    }
    if (failing != "--trace") {
      EXPECT_TRUE(Json::accept(read_file(folder() / "file--trace")));
    }
    for (const std::string& file : files()) std::filesystem::remove(file);
  }
}

TEST_F(Solve, ToleranceIsShownWithAllItsDigits) {
  const CommandResult result = run("solve --no-probe --problem cantilever --nodes 4 --rtol 0.999999");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  EXPECT_NE(result.out.find("(asked for 0.999999)"), std::string::npos) << result.out;
  EXPECT_EQ(result.out.find("residual 1 ("), std::string::npos) << result.out;
}

TEST_F(Solve, MatrixThroughAPipe) {
  write_tridiagonal(30, 3);
  const CommandResult piped = run("solve --no-probe --matrix /dev/stdin --report r.json <A.mtx");
  ASSERT_EQ(piped.exit_code, 0) << piped.err;
  EXPECT_EQ(report()["num_rows"], 30);
}

TEST_F(Solve, LogHasNoProgressLine) {
  const CommandResult result = run("solve --no-probe --problem cantilever --nodes 9");
  EXPECT_EQ(result.err, "");
  EXPECT_EQ(result.out.find('\r'), std::string::npos);
  EXPECT_EQ(result.out.find('\033'), std::string::npos);
}

/// Streamed or not, the same x to rounding, by the same number of steps; in one memory to the last bit.
TEST_F(Solve, AStreamedMatrixGivesTheSameSolution) {
  const std::string problem = "solve --no-probe --problem cantilever --nodes 9,6,5 --rtol 1e-10";
  ASSERT_EQ(run(problem + " --report r.json --solution x.mtx").exit_code, 0);
  const CommandResult result = run(problem + " --stream on --report s.json --solution s.mtx");
  ASSERT_EQ(result.exit_code, 0) << result.err;
  EXPECT_THAT(result.out, ::testing::HasSubstr("in the host's memory: streaming"));
  const Json resident = report(), streamed = report("s.json");
  EXPECT_EQ(resident["streamed"], false);
  EXPECT_EQ(streamed["streamed"], true);
  EXPECT_NEAR(streamed["iterations"].get<int>(), resident["iterations"].get<int>(), 1);
  EXPECT_EQ(streamed["num_blocks"], resident["num_blocks"]);
  expect_same_solution("x.mtx", "s.mtx");
}

/// Half of a symmetric matrix is all of it: the same x to rounding, by the same number of steps.
TEST_F(Solve, HalfOfAMatrixIsSent) {
  for (const std::string preconditioner : {"block-jacobi", "jacobi"}) {
    const std::string problem =
        "solve --no-probe --problem cantilever --nodes 9,6,5 --rtol 1e-10 --preconditioner " + preconditioner;
    ASSERT_EQ(run(problem + " --stream off --report r.json --solution x.mtx").exit_code, 0);
    const CommandResult result =
        run(problem + " --stream on --transfer half --report s.json --solution s.mtx --trace t.json");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("T of a symmetric matrix"));
    const Json all = report(), half = report("s.json");
    EXPECT_EQ(half["streamed"], true);
    EXPECT_EQ(half["options"]["transfer"], "half");
    EXPECT_NEAR(half["iterations"].get<int>(), all["iterations"].get<int>(), 2);
    EXPECT_EQ(half["num_blocks"], all["num_blocks"]);
    EXPECT_THAT(read_file(folder() / "t.json"), ::testing::HasSubstr("streamed products"));
    expect_same_solution("x.mtx", "s.mtx");
  }
}

/// Only where it is streamed, which a small matrix is not unless asked for.
TEST_F(Solve, HalfOfAMatrixThatHasRoomIsNotSent) {
  ASSERT_EQ(run("solve --no-probe --problem cantilever --nodes 5 --transfer half --report r.json").exit_code, 0);
  EXPECT_EQ(report()["streamed"], false);
}

TEST_F(Solve, AStreamedMatrixFromAFile) {
  write_tridiagonal(60, 2.5);
  ASSERT_EQ(run("solve --no-probe --matrix A.mtx --stream on --preconditioner jacobi --report r.json").exit_code, 0);
  EXPECT_EQ(report()["status"], "converged");
  EXPECT_LT(report()["error"]["max_norm"].get<double>(), 1e-7);
}

/// From its file for each product: the same bits as in memory where that is one, the same to rounding elsewhere.
TEST_F(Solve, AMatrixThatStaysInItsFile) {
  write_tridiagonal(6000, 2.05);
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 3").exit_code, 0);
  ASSERT_EQ(run("solve --no-probe --matrix A.bcsr --rtol 1e-10 --report r.json").exit_code, 0);
  for (const std::string options :
       {"", " --device-memory-limit 24MiB", " --preconditioner jacobi", " --solver block-cg --num-rhs 3"}) {
    const CommandResult result =
        run("solve --no-probe --matrix A.bcsr --rtol 1e-10 --stream file --report s.json" + options);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("in its file: streaming"));
    EXPECT_THAT(result.out, ::testing::HasSubstr("A.bcsr is read by"));
    const Json resident = report(), streamed = report("s.json");
    EXPECT_EQ(streamed["streamed"], true);
    for (const char* field : {"num_rows", "num_blocks", "block_fill"})
      EXPECT_EQ(streamed[field], resident[field]) << field;
    EXPECT_LT(streamed["error"]["max_norm"].get<double>(), 1e-8);
    if (options.find("--") == std::string::npos) {
      EXPECT_NEAR(streamed["iterations"].get<int>(), resident["iterations"].get<int>(), 1);
    }
  }
}

TEST_F(Solve, AFileThatIsDamagedOrNotSymmetricIsRefusedAlsoWhereItStays) {
  write("A.mtx", "%%MatrixMarket matrix coordinate real general\n3 3 4\n1 1 2\n2 2 2\n3 3 2\n1 3 0.5\n");
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 1").exit_code, 0);
  const CommandResult unsymmetric = run("solve --no-probe --matrix A.bcsr --stream file");
  EXPECT_EQ(unsymmetric.exit_code, 1);
  EXPECT_THAT(unsymmetric.err, ::testing::HasSubstr("A.bcsr: the matrix is not symmetric"));
  write_tridiagonal(60, 2.5);
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 1").exit_code, 0);
  EXPECT_EQ(run("solve --no-probe --matrix A.bcsr --stream file").exit_code, 0);
  std::string bytes = read_file(folder() / "A.bcsr");
  bytes[3 * 4096 + 100] ^= 1;  // the header, row pointers and block columns take 4096 bytes each
  write("A.bcsr", bytes);
  const CommandResult damaged = run("solve --no-probe --matrix A.bcsr --stream file");
  EXPECT_EQ(damaged.exit_code, 1);
  EXPECT_THAT(damaged.err, ::testing::HasSubstr("its section values is damaged in bytes 12288 to"));
}

TEST_F(Solve, SeveralRightHandSidesAtOnce) {
  for (const std::string stream : {"off", "on", "on --transfer half"}) {
    const CommandResult result =
        run("solve --no-probe --problem stencil11 --nodes 8 --dof 3 --solver block-cg --num-rhs 4 --stream " + stream +
            " --report r.json --solution x.mtx");
    ASSERT_EQ(result.exit_code, 0) << result.err;
    EXPECT_THAT(result.out, ::testing::HasSubstr("block CG for 4 right-hand sides"));
    const Json json = report();
    ASSERT_EQ(json["columns"].size(), 4u);
    int most = 0;
    for (const Json& column : json["columns"]) {
      EXPECT_EQ(column["status"], "converged");
      EXPECT_LE(column["relative_residual"].get<double>(), 1e-8);
      most = std::max(most, column["iterations"].get<int>());
    }
    EXPECT_EQ(json["iterations"], most);
    EXPECT_EQ(json["residual_history"].size(), std::size_t(most) + 1);
    EXPECT_LT(json["error"]["max_norm"].get<double>(), 1e-6);
    const std::string file = read_file(folder() / "x.mtx");
    EXPECT_THAT(file, ::testing::HasSubstr("\n1536 4\n"));
  }
}

/// What is needed is told first without the matrix, which is not looked at before; then, where that is more, with it.
/// That works.
TEST_F(Solve, TheMemoryThatAStreamedFileNeedsIsTold) {
  write_tridiagonal(1200, 2.05);
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 3").exit_code, 0);
  std::string limit = "1";
  for (const std::string told : {", without the matrix needs ", "A.bcsr, streamed needs "}) {
    const CommandResult refused = run("solve --no-probe --matrix A.bcsr --stream file --device-memory-limit " + limit);
    // What a device needs besides is enough for this matrix.
    if (is_gpu_v<Kokkos::DefaultExecutionSpace> && limit != "1" && refused.exit_code == 0) break;
    EXPECT_EQ(refused.exit_code, 1);
    const std::size_t at = refused.err.find(told);
    ASSERT_NE(at, std::string::npos) << refused.err;
    EXPECT_THAT(refused.err, ::testing::HasSubstr("(" + limit + " byte"));
    EXPECT_THAT(refused.err, ::testing::HasSubstr(" by --device-memory-limit)"));
    limit = std::to_string(std::stoull(refused.err.substr(at + told.size())));
  }
  EXPECT_EQ(run("solve --no-probe --matrix A.bcsr --stream file --device-memory-limit " + limit).exit_code, 0);
}

TEST_F(Solve, AStreamedMatrixKeepsToTheLimitWhereThereIsOneMemory) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "the device has a memory of its own";
  const CommandResult result =
      run("solve --no-probe --problem cantilever --nodes 40 --stream on --device-memory-limit 1MiB");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_THAT(result.err, ::testing::HasSubstr("1048576 bytes = 1 MiB are available"));
}

TEST_F(Solve, SeveralRightHandSidesAreForBlockCg) {
  const auto refused = [&](const std::string& arguments, const std::string& what) {
    const CommandResult result = run("solve --no-probe --problem cantilever " + arguments);
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_THAT(result.err, ::testing::HasSubstr(what));
  };
  refused("--num-rhs 2", "pass --solver block-cg");
  refused("--solver block-cg --num-rhs 65", "1 to 64");
  refused("--solver block-cg --num-rhs 2 --rhs b.mtx", "the columns of the file are the right-hand sides");
  refused("--solver qmr", "--solver 'qmr'");
  refused("--stream maybe", "auto, on, file or off");
  refused("--stream file", "name a file that ends in .bcsr");
  refused("--transfer some", "pass all or half");
  refused("--stream off --transfer half", "--transfer half with --stream off");
  refused("--transfer half --skip-symmetry-check", "--transfer half with --skip-symmetry-check");
  refused("--transfer half --tune t.json", "--tune t.json with --transfer half");
  refused("--stream on --tune t.json", "--tune t.json with --stream on");
}

}  // namespace

}  // namespace ashlar::testing
