#include <gmock/gmock.h>

#include <algorithm>

#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <cmath>
#include <nlohmann/json.hpp>

#include "command.hpp"

namespace ashlar::testing {

namespace {

using Json = nlohmann::json;
template <class Scalar, class Layout = BlockColumnMajor>
using Host = BcsrMatrix<Scalar, Layout, std::int32_t, std::int32_t, Kokkos::HostSpace>;

class Convert : public CommandTest {
 protected:
  std::string path(const std::string& name) const { return (folder() / name).string(); }

  /// A round trip to blocks and back has these entries, in this order.
  void expect_entries(const std::string& name, const std::vector<std::int32_t>& rows,
                      const std::vector<std::int32_t>& cols, const std::vector<double>& values) const {
    const auto matrix = io::read_matrix_market<double>(path(name));
    EXPECT_EQ(matrix.rows, rows);
    EXPECT_EQ(matrix.cols, cols);
    EXPECT_EQ(matrix.values, values);
  }

  /// The command reports a conversion in one line on standard output.
  std::string line_of(const std::string& arguments) const {
    const CommandResult result = run("convert " + arguments);
    EXPECT_EQ(result.exit_code, 0) << result.err;
    EXPECT_EQ(result.err, "");
    EXPECT_EQ(std::count(result.out.begin(), result.out.end(), '\n'), 1) << result.out;
    return result.out;
  }

  /// A chain of nodes with two unknowns each: SPD, of full blocks of 2 x 2.
  void write_chain(int nodes) const {
    CooMatrix<double> matrix{2 * nodes, 2 * nodes, {}, {}, {}};
    for (int i = 0; i < nodes; ++i) {
      for (int j = std::max(i - 1, 0); j <= std::min(i + 1, nodes - 1); ++j) {
        for (int k = 0; k < 4; ++k) {
          matrix.rows.push_back(2 * i + k / 2), matrix.cols.push_back(2 * j + k % 2);
          matrix.values.push_back(i != j ? -0.5 : k % 3 == 0 ? 3 : 0.25);
        }
      }
    }
    io::write_matrix_market(path("A.mtx"), matrix);
  }
};

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";

TEST_F(Convert, ToBlocksAndBack) {
  write("A.mtx", banner + "4 6 5\n1 1 0.1\n2 2 -3\n4 3 1e-300\n3 4 0.2\n1 6 7\n");
  EXPECT_EQ(line_of("A.mtx A.bcsr --block-size 2"),
            "A.bcsr: 4 x 6, 3 blocks of 2 x 2 (fill 2.4), double, 16,408 bytes\n");
  EXPECT_EQ(std::filesystem::file_size(path("A.bcsr")), 16408);
  const io::BlockFile file(path("A.bcsr"));
  EXPECT_EQ(file.block_shape(), BlockShape(2));
  EXPECT_EQ(file.num_block_rows(), 2);
  EXPECT_EQ(file.num_block_cols(), 3);
  EXPECT_EQ(file.row_ptr(), (std::vector<std::int64_t>{0, 2, 3}));
  EXPECT_EQ(file.scalar_name(), "double");
  std::vector<double> values(12);
  file.read_values(0, 3, values.data());
  EXPECT_EQ(values, (std::vector<double>{0.1, 0, 0, -3, 0, 0, 7, 0, 0, 1e-300, 0.2, 0}));

  const std::string line = line_of("A.bcsr B.mtx");
  EXPECT_EQ(line, "B.mtx: 4 x 6, 5 entries of 3 blocks of 2 x 2, " + std::to_string(read_file(path("B.mtx")).size()) +
                      " bytes\n");
  expect_entries("B.mtx", {0, 0, 1, 2, 3}, {0, 5, 1, 3, 2}, {0.1, 7, -3, 0.2, 1e-300});
}

TEST_F(Convert, FindsTheBlockSize) {
  write_chain(10);
  EXPECT_THAT(line_of("A.mtx A.bcsr"), ::testing::HasSubstr("20 x 20, 28 blocks of 2 x 2 (fill 1)"));
  EXPECT_THAT(line_of("A.mtx A.bcsr --block-size auto"), ::testing::HasSubstr("28 blocks of 2 x 2"));
  EXPECT_THAT(line_of("A.mtx A.bcsr --block-size 5"), ::testing::HasSubstr(" blocks of 5 x 5"));
  EXPECT_EQ(io::BlockFile(path("A.bcsr")).block_shape(), BlockShape(5));
}

TEST_F(Convert, MatricesWithoutEntries) {
  write("A.mtx", banner + "3 2 0\n");
  line_of("A.mtx A.bcsr");
  line_of("A.bcsr B.mtx");
  const auto header = io::read_matrix_market_header(path("B.mtx"));
  EXPECT_EQ(header.rows, 3);
  EXPECT_EQ(header.columns, 2);
  EXPECT_EQ(header.entries, 0);
  write("A.mtx", banner + "0 0 0\n");
  line_of("A.mtx A.bcsr");
  line_of("A.bcsr B.mtx");
}

TEST_F(Convert, ComplexAndSymmetric) {
  write("A.mtx", "%%MatrixMarket matrix coordinate complex hermitian\n2 2 2\n1 1 4 0\n2 1 0.1 -2\n");
  EXPECT_THAT(line_of("A.mtx A.bcsr --block-size 2"), ::testing::HasSubstr("complex<double>"));
  line_of("A.bcsr B.mtx");
  const auto matrix = io::read_matrix_market<Kokkos::complex<double>>(path("B.mtx"));
  EXPECT_EQ(matrix.rows, (std::vector<std::int32_t>{0, 0, 1}));
  EXPECT_EQ(matrix.cols, (std::vector<std::int32_t>{0, 1, 0}));
  EXPECT_EQ(matrix.values[1], Kokkos::complex<double>(0.1, 2));
  EXPECT_EQ(matrix.values[2], Kokkos::complex<double>(0.1, -2));
}

// Files of other programs: other types, layouts and shapes.
TEST_F(Convert, BlockFilesOfAnyKind) {
  const Kokkos::DefaultHostExecutionSpace exec;
  using Matrix = Host<float, BlockRowMajor>;
  const auto matrix = reference::random_bcsr<Matrix>(4, 3, BlockShape(3, 2), [](std::int64_t i) { return i % 3; });
  io::write_block_file(exec, path("A.bcsr"), matrix);
  EXPECT_THAT(line_of("A.bcsr A.mtx"), ::testing::HasSubstr("12 x 6, 18 entries of 3 blocks of 3 x 2"));
  const auto entries = io::read_matrix_market<double>(path("A.mtx"));
  ASSERT_EQ(entries.values.size(), 18);
  // Block row 1 has one block.
  const int column = matrix.graph().col_idx()(0);
  for (int k = 0; k < 6; ++k) {
    EXPECT_EQ(entries.rows[k], 3 + k / 2);
    EXPECT_EQ(entries.cols[k], 2 * column + k % 2);
    EXPECT_EQ(entries.values[k], double(matrix.values()(k)));
  }
}

TEST_F(Convert, BlockFileIsSolved) {
  write_chain(50);
  line_of("A.mtx A.bcsr");
  ASSERT_EQ(run("solve --no-probe --matrix A.mtx --report mtx.json --solution x_mtx.mtx").exit_code, 0);
  for (const std::string options : {"", " --block-size auto", " --block-size 2"}) {
    const CommandResult result = run("solve --no-probe --matrix A.bcsr --report bcsr.json --solution x.mtx" + options);
    ASSERT_EQ(result.exit_code, 0) << result.err;
    const Json of_blocks = Json::parse(read_file(folder() / "bcsr.json"));
    const Json of_entries = Json::parse(read_file(folder() / "mtx.json"));
    for (const char* field : {"status", "iterations", "relative_residual", "block_size", "block_fill", "num_rows",
                              "num_blocks", "residual_history"}) {
      EXPECT_EQ(of_blocks[field], of_entries[field]) << field;
    }
    EXPECT_EQ(read_file(folder() / "x.mtx"), read_file(folder() / "x_mtx.mtx"));
  }
}

TEST_F(Convert, SolveRefusesBlockFilesThatItCannotSolve) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto refused = [&](const auto& matrix, const std::vector<std::string>& parts, const std::string& options = "") {
    io::write_block_file(exec, path("A.bcsr"), matrix);
    expect_refused("solve --matrix A.bcsr --report r.json" + options, parts);
  };
  const auto full = [](std::int64_t) { return 2; };
  const auto good = reference::random_bcsr<Host<double>>(2, 2, 3, full);
  refused(good, {"A.bcsr: ", "--block-size 2", "blocks of size 3", "auto"}, " --block-size 2");
  refused(good, {"A.bcsr: ", "not symmetric"});
  refused(reference::random_bcsr<Host<double>>(3, 2, 3, full), {"A.bcsr: ", "9 rows and 6 columns", "square"});
  refused(reference::random_bcsr<Host<double>>(3, 2, BlockShape(2, 3), full), {"A.bcsr: ", "blocks of 2 x 3"});
  refused(reference::random_bcsr<Host<double>>(2, 2, 65, full), {"A.bcsr: ", "blocks of 65", "64"});
  refused(reference::random_bcsr<Host<double, BlockRowMajor>>(2, 2, 3, full), {"A.bcsr: ", "row_major"});
  refused(reference::random_bcsr<Host<Kokkos::complex<double>>>(2, 2, 3, full), {"A.bcsr: ", "complex", "real"});
  refused(Host<double>(3, {}, {}), {"A.bcsr: ", "0 rows"});
  write("b.mtx", "%%MatrixMarket matrix array real general\n5 1\n1\n1\n1\n1\n1\n");
  refused(good, {"b.mtx:2: ", "5 entries", "A.bcsr has 6 rows"}, " --rhs b.mtx");
  refused(good, {"A.bcsr: ", " needs ", "1000 bytes are available"}, " --device-memory-limit 1000");
  good.values()(7) = std::nan("");
  refused(good, {"A.bcsr: ", "nan", "finite"});
  // As a Matrix Market file of it, too.
  expect_refused("convert A.bcsr A.mtx", {"A.bcsr: ", "nan", "finite"});
}

TEST_F(Convert, SolvesSinglePrecisionAsDouble) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const Kokkos::View<int*, Kokkos::HostSpace> rows("rows", 3), cols("cols", 2);
  rows(1) = 1, rows(2) = 2, cols(1) = 1;
  const Kokkos::View<float*, Kokkos::HostSpace> values("values", 8);
  for (int k = 0; k < 8; ++k) values(k) = k % 4 == 1 || k % 4 == 2 ? 0.1f : 1;
  io::write_block_file(exec, path("A.bcsr"), Host<float>(2, {2, rows, cols}, values));
  EXPECT_EQ(run("solve --no-probe --matrix A.bcsr").exit_code, 0);
}

TEST_F(Convert, NamesThatDoNotGoTogether) {
  write("A.mtx", banner + "2 2 2\n1 1 1\n2 2 1\n");
  write("A.txt", "text");
  expect_refused("convert", {"required", "convert --help"});
  expect_refused("convert A.mtx", {"required", "convert --help"});
  expect_refused("convert A.mtx A.bcsr B.bcsr", {"B.bcsr"});
  expect_refused("convert A.mtx B.mtx", {"A.mtx", "B.mtx", "one kind"});
  expect_refused("convert A.bcsr B.bcsr", {"A.bcsr", "B.bcsr", "one kind"});
  expect_refused("convert A.txt A.bcsr", {"A.txt", ".mtx", ".bcsr"});
  expect_refused("convert A.mtx A.bin", {"A.bin", ".mtx", ".bcsr"});
  expect_refused("convert A.mtx A.bcsr --block-size 65", {"--block-size '65'"});
  expect_refused("convert A.bcsr A.mtx --block-size 2", {"--block-size", "A.bcsr"});
  expect_refused("convert A.mtx nowhere/A.bcsr", {"nowhere/A.bcsr", "cannot be written", "no folder"});
  std::filesystem::create_symlink("A.mtx", folder() / "link.bcsr");
  expect_refused("convert A.mtx link.bcsr", {"link.bcsr", "overwrite"});
}

TEST_F(Convert, InputsThatAreBad) {
  expect_refused("convert A.mtx A.bcsr", {"A.mtx", "No such file"});
  expect_refused("convert A.bcsr A.mtx", {"A.bcsr", "No such file"});
  write("A.mtx", banner + "4 6 2\n1 1 1\n9 2 1\n");
  expect_refused("convert A.mtx A.bcsr", {"A.mtx:4: ", "row 9"});
  expect_refused("convert A.mtx A.bcsr --block-size 3", {"A.mtx:2: ", "does not divide 4", "1, 2"});
  write("A.mtx", banner + "6 4 2\n1 1 1\n2 2 1\n");
  expect_refused("convert A.mtx A.bcsr --block-size 3", {"A.mtx:2: ", "4 columns", "does not divide 4", "1, 2"});
  write("A.bcsr", read_file(path("A.mtx")));
  expect_refused("convert A.bcsr B.mtx", {"A.bcsr: ", "is no block file"});
  expect_refused("solve --matrix A.bcsr", {"A.bcsr: ", "is no block file"});
  line_of("A.mtx A.bcsr");
  const std::string file = read_file(path("A.bcsr"));
  write("A.bcsr", file.substr(0, file.size() - 5));
  expect_refused("convert A.bcsr B.mtx", {"A.bcsr: ", "5 bytes are missing"});
  std::string damaged = file;
  damaged[4096 * 3] = static_cast<char>(damaged[4096 * 3] ^ 1);
  write("A.bcsr", damaged);
  expect_refused("convert A.bcsr B.mtx", {"A.bcsr: ", "values", "damaged in bytes 12288 to "});
}

/// Entries of one place are added, to a sum that no solver takes.
TEST_F(Convert, SumsThatOverflow) {
  write("A.mtx", banner + "3 3 4\n1 1 1\n2 3 1.7e308\n2 3 1.7e308\n3 3 1\n");
  expect_refused("convert A.mtx A.bcsr", {"A.mtx: ", "row 2 and column 3", "inf"});
  expect_refused("solve --matrix A.mtx --skip-symmetry-check", {"A.mtx: ", "row 2 and column 3", "inf"});
  write("A.mtx", "%%MatrixMarket matrix coordinate complex general\n2 2 2\n2 1 1 -1.7e308\n2 1 1 -1.7e308\n");
  expect_refused("convert A.mtx A.bcsr", {"A.mtx: ", "row 2 and column 1", "inf"});
}

/// diag(2, 4) with an entry beside it, in the formats of other programs.
TEST_F(Convert, FilesOfOtherPrograms) {
  const auto field = [](const std::string& word) { return std::string(14 - word.size(), ' ') + word; };
  write("A.rua", "title\n" + field("4") + field("1") + field("1") + field("1") + field("1") + "\nRUA           " +
                     field("2") + field("2") + field("3") + field("0") + "\n(3I4)           (3I4)           (3F8.2)\n" +
                     "F             " + field("1") + field("0") + "\n   1   2   4\n   1   1   2\n" +
                     "    2.00    1.00    4.00\n    1.00    1.00\n");
  write("A.petsc", std::string("\0\x12\x7b\x50\0\0\0\2\0\0\0\2\0\0\0\3\0\0\0\2\0\0\0\1"
                               "\0\0\0\0\0\0\0\1\0\0\0\1"
                               "\x40\0\0\0\0\0\0\0\x3f\xf0\0\0\0\0\0\0\x40\x10\0\0\0\0\0\0",
                               60));
  write("b.petsc", std::string("\0\x12\x7b\x4e\0\0\0\2\x40\x08\0\0\0\0\0\0\x40\x10\0\0\0\0\0\0", 24));
  const CommandResult harwell = run("convert A.rua A.mtx");
  EXPECT_EQ(harwell.exit_code, 0) << harwell.err;
  EXPECT_EQ(harwell.err, "ashlar: A.rua: only the matrix is read, not its right-hand sides\n");
  EXPECT_THAT(harwell.out, ::testing::StartsWith("A.mtx: 2 x 2, 3 entries, "));
  expect_entries("A.mtx", {0, 0, 1}, {0, 1, 1}, {2, 1, 4});
  line_of("A.petsc B.mtx");
  EXPECT_EQ(read_file(path("B.mtx")), read_file(path("A.mtx")));
  EXPECT_THAT(line_of("A.petsc A.bcsr --block-size 2"), ::testing::HasSubstr("1 block of 2 x 2"));
  EXPECT_EQ(run("convert A.petsc -").out, read_file(path("A.mtx")));
  for (const std::string matrix : {"A.rua", "A.petsc"}) {
    const CommandResult solved =
        run("solve --no-probe --solver gmres --rhs b.petsc --solution x.mtx --matrix " + matrix);
    ASSERT_EQ(solved.exit_code, 0) << solved.err;
    const auto x = io::read_matrix_market_vector<double>(path("x.mtx"));
    ASSERT_EQ(x.size(), 2u);
    EXPECT_NEAR(x[0], 1, 1e-7);
    EXPECT_NEAR(x[1], 1, 1e-7);
  }
  expect_refused("solve --matrix A.petsc", {"not symmetric", "(1, 2)"});
  expect_refused("solve --matrix A.petsc --block-size 3", {"A.petsc: ", "does not divide 2"});
  expect_refused("solve --matrix b.petsc --solver gmres", {"b.petsc: it holds a vector"});
  expect_refused("solve --matrix A.mtx --solver gmres --rhs A.petsc", {"A.petsc: it holds a matrix"});
  expect_refused("convert A.mtx A.petsc", {"'A.petsc'", ".mtx nor in .bcsr"});
  write("B.rsa", "no header");
  expect_refused("convert B.rsa B.bcsr", {"B.rsa:1: the file ends before"});
}

/// A system that was written and read is the system that is generated.
TEST_F(Convert, GeneratedProblems) {
  const auto solution_of = [&](const std::string& arguments) {
    const CommandResult result = run("solve --no-probe --solution x.mtx --rtol 1e-12 " + arguments);
    EXPECT_EQ(result.exit_code, 0) << arguments << '\n' << result.err << result.out;
    return io::read_matrix_market_vector<double>(path("x.mtx"));
  };
  const auto expect_same = [&](const std::string& generated, const std::string& read) {
    SCOPED_TRACE(generated + " and " + read);
    const auto x = solution_of(generated), y = solution_of(read);
    ASSERT_EQ(x.size(), y.size());
    double largest = 0;
    for (const double each : x) largest = std::max(largest, std::abs(each));
    for (std::size_t i = 0; i < x.size(); ++i) ASSERT_NEAR(x[i], y[i], 1e-8 * largest) << i;
  };
  const std::string beam = "--problem cantilever --nodes 4,3,3";
  const CommandResult written = run("convert " + beam + " A.mtx --rhs b.mtx");
  ASSERT_EQ(written.exit_code, 0) << written.err;
  EXPECT_THAT(written.out, ::testing::HasSubstr("A.mtx: 108 x 108, "));
  EXPECT_THAT(written.out, ::testing::HasSubstr(" of 490 blocks of 3 x 3, "));
  EXPECT_THAT(written.out, ::testing::HasSubstr("\nb.mtx: right-hand side of 108 rows, "));
  expect_same(beam, "--matrix A.mtx --rhs b.mtx --block-size 3");
  EXPECT_THAT(line_of(beam + " A.bcsr"), ::testing::StartsWith("A.bcsr: 108 x 108, 490 blocks of 3 x 3, double, "));
  EXPECT_EQ(io::BlockFile(path("A.bcsr")).block_shape(), BlockShape(3));
  expect_same(beam, "--matrix A.bcsr --rhs b.mtx");
  const std::string flow = "--problem convection-diffusion --nodes 3,4,5 --dof 2";
  line_of("A.bcsr " + flow);
  line_of("A.mtx " + flow);
  expect_same(flow + " --solver gmres", "--matrix A.bcsr --solver gmres");
  expect_same(flow + " --solver gmres", "--matrix A.mtx --solver gmres");
  const CommandResult printed = run("convert --problem stencil11 --nodes 2 -");
  EXPECT_EQ(printed.exit_code, 0);
  EXPECT_THAT(printed.out, ::testing::StartsWith("%%MatrixMarket matrix coordinate real general\n8 8 "));
}

TEST_F(Convert, GeneratedProblemsThatAreNone) {
  const std::string convert = "convert --nodes 3 --problem ";
  expect_refused(convert + "bridge A.mtx", {"--problem 'bridge'", "convection-diffusion"});
  expect_refused(convert + "cantilever --dof 2 A.mtx", {"--dof 2", "1, 3 or 6"});
  expect_refused(convert + "cantilever A.txt", {"A.txt", ".mtx", ".bcsr"});
  expect_refused(convert + "cantilever A.mtx B.bcsr", {"A.mtx with --problem cantilever"});
  expect_refused(convert + "cantilever --block-size 3 A.mtx", {"--block-size", "--dof"});
  expect_refused(convert + "stencil11 --rhs b.mtx A.mtx", {"--rhs b.mtx", "no right-hand side of its own"});
  expect_refused(convert + "cantilever --rhs A.mtx A.mtx", {"A.mtx", "overwrite"});
  expect_refused(convert + "cantilever --rhs nowhere/b.mtx A.mtx", {"nowhere/b.mtx", "cannot be written"});
  expect_refused(convert + "cantilever", {"required", "convert --help"});
  write("A.mtx", banner + "2 2 1\n1 1 1\n");
  expect_refused("convert A.mtx A.bcsr --nodes 3", {"--nodes without --problem"});
  expect_refused("convert A.mtx A.bcsr --rhs b.mtx", {"--rhs without --problem"});
}

TEST_F(Convert, FailureKeepsWhatWasThere) {
  write("A.mtx", banner + "2 2 1\n1 1 1\n");
  line_of("A.mtx A.bcsr");
  const std::string before = read_file(path("A.bcsr"));
  write("A.mtx", banner + "2 2 1\n1 1 nan\n");
  expect_refused("convert A.mtx A.bcsr", {"A.mtx:3: ", "'nan'"});
  EXPECT_EQ(read_file(path("A.bcsr")), before);
}

}  // namespace

}  // namespace ashlar::testing
