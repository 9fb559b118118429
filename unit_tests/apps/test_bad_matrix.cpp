// Each way in which a file can be bad, seen from the command line. Outputs are named in every call, so that one written
// by mistake is found.
#include <unistd.h>

#include "command.hpp"

namespace ashlar::testing {

namespace {

class BadMatrix : public CommandTest {
 protected:
  /// Solves what is in A.mtx and expects a refusal that holds `parts`.
  void expect_bad(const std::string& content, const std::vector<std::string>& parts, const std::string& options = "") {
    write("A.mtx", content);
    expect_refused("solve --matrix A.mtx --report r.json --solution x.mtx --trace t.json " + options, parts);
  }
};

const std::string banner = "%%MatrixMarket matrix coordinate real general\n";
/// SPD, 4 x 4.
const std::string good = banner + "4 4 6\n1 1 4\n2 2 4\n3 3 4\n4 4 4\n1 2 -1\n2 1 -1\n";

TEST_F(BadMatrix, NoFile) { expect_refused("solve --matrix A.mtx --report r.json", {"A.mtx", "No such file"}); }

TEST_F(BadMatrix, AFolder) {
  std::filesystem::create_directory(folder() / "A.mtx");
  expect_refused("solve --matrix A.mtx --report r.json", {"A.mtx", "folder"});
}

TEST_F(BadMatrix, NameThatIsTooLong) {
  const std::string name = std::string(300, 'x') + ".mtx";
  expect_refused("solve --matrix " + name + " --report r.json", {name, "cannot be opened", "too long"});
  write("A.mtx", good);
  expect_refused("solve --matrix A.mtx --report r.json --rhs " + name, {name, "cannot be opened", "too long"});
}

TEST_F(BadMatrix, FolderWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may read everything";
  write("B.mtx", good);
  std::filesystem::create_directory(folder() / "locked");
  std::filesystem::permissions(folder() / "locked", std::filesystem::perms::none);
  expect_refused("solve --matrix locked/A.mtx --report r.json", {"locked/A.mtx", "cannot be opened", "ermission"});
  expect_refused("solve --matrix B.mtx --rhs locked/b.mtx", {"locked/b.mtx", "cannot be opened", "ermission"});
  std::filesystem::permissions(folder() / "locked", std::filesystem::perms::owner_all);
}

TEST_F(BadMatrix, EmptyFile) { expect_bad("", {"A.mtx", "empty"}); }

TEST_F(BadMatrix, WrongBanner) {
  expect_bad("%%MatrixMarkt matrix coordinate real general\n1 1 1\n1 1 1\n", {"A.mtx:1: ", "%%MatrixMarkt"});
  expect_bad("%%MatrixMarket matrix coordinate quaternion general\n1 1 1\n1 1 1\n", {"A.mtx:1: ", "quaternion"});
  expect_bad("1 1 1\n1 1 1\n", {"A.mtx:1: ", "banner"});
}

/// It is not read until memory ends.
TEST_F(BadMatrix, EndlessFile) {
#ifdef __SANITIZE_ADDRESS__  // whose shadow memory is larger than the limit
  const std::string limit;
#else
  const std::string limit = "ulimit -v 4000000;";
#endif
  for (const std::string option : {"--matrix ", "--matrix B.mtx --rhs "}) {
    write("B.mtx", good);
    expect_refused("solve " + option + "/dev/zero --report r.json", {"/dev/zero:1: ", "a line of 32768 characters"},
                   limit);
  }
}

TEST_F(BadMatrix, RightHandSideInTheFile) {
  expect_bad(good + "1\n2\n3\n4\n", {"A.mtx:9: ", "may be a right-hand side", "a file of its own"});
  expect_bad(good + "%%MatrixMarket matrix array real general\n4 1\n1\n2\n3\n4\n",
             {"A.mtx:9: ", "a second Matrix Market banner", "a file of its own"});
}

TEST_F(BadMatrix, ByteOrderMark) { expect_bad("\xef\xbb\xbf" + good, {"A.mtx:1: ", "byte order mark", "save it as"}); }

TEST_F(BadMatrix, IntegerThatIsNoDouble) {
  expect_bad("%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 9007199254740993\n",
             {"A.mtx:3: ", "9007199254740993 is no double"});
}

TEST_F(BadMatrix, NoSizeLine) { expect_bad(banner + "% only a comment\n", {"A.mtx:2: ", "size line"}); }

TEST_F(BadMatrix, TooFewEntries) {
  expect_bad(banner + "2 2 3\n1 1 1\n2 2 1\n", {"A.mtx:2: ", "too few entries: 2 found, 3 promised"});
}

TEST_F(BadMatrix, TooManyEntries) {
  expect_bad(banner + "2 2 2\n1 1 1\n2 2 1\n1 2 5\n", {"A.mtx:5: ", "too many entries: 3 found, 2 promised"});
}

TEST_F(BadMatrix, FarMoreEntriesPromisedThanMemoryHolds) {
  // The file is too small to hold them: what is wrong is the line, not the machine.
  expect_bad(banner + "% a comment\n2 2 4000000000000000000\n1 1 1\n2 2 1\n",
             {"A.mtx:3: ", "too few entries", "4000000000000000000"});
}

TEST_F(BadMatrix, MoreRowsThanMemoryHolds) {
  expect_bad(banner + "2000000000 2000000000 1\n1 1 1\n",
             {"A.mtx:2: ", "2000000000 rows", " needs ", "8589934592 bytes"}, "--device-memory-limit 8GiB");
}

TEST_F(BadMatrix, SizeThatNoIndexCounts) {
  expect_bad(banner + "3000000000 3000000000 1\n1 1 1\n", {"A.mtx:2: ", "3000000000"});
}

TEST_F(BadMatrix, IndexOutOfRange) {
  expect_bad(banner + "2 2 2\n1 1 1\n3 2 1\n", {"A.mtx:4: ", "row 3"});
  expect_bad(banner + "2 2 2\n1 1 1\n2 7 1\n", {"A.mtx:4: ", "column 7"});
  expect_bad(banner + "2 2 2\n1 1 1\n-1 2 1\n", {"A.mtx:4: ", "row -1"});
}

TEST_F(BadMatrix, IndexZero) { expect_bad(banner + "2 2 2\n0 1 1\n2 2 1\n", {"A.mtx:3: ", "row 0", "from 1"}); }

TEST_F(BadMatrix, TextWhereANumberBelongs) {
  expect_bad(banner + "2 2 2\n1 1 one\n2 2 1\n", {"A.mtx:3: ", "'one'"});
  expect_bad(banner + "2 2 2\n1 1 1\n2 b 1\n", {"A.mtx:4: ", "'b'"});
  expect_bad(banner + "2 two 2\n1 1 1\n2 2 1\n", {"A.mtx:2: ", "'two'"});
}

TEST_F(BadMatrix, NanAndInfinity) {
  expect_bad(banner + "2 2 2\n1 1 nan\n2 2 1\n", {"A.mtx:3: ", "'nan'"});
  expect_bad(banner + "2 2 2\n1 1 1\n2 2 -inf\n", {"A.mtx:4: ", "'-inf'"});
}

TEST_F(BadMatrix, NotSquare) {
  expect_bad(banner + "% a comment\n3 2 2\n1 1 1\n2 2 1\n", {"A.mtx:3: ", "3 rows and 2 columns", "square"});
}

TEST_F(BadMatrix, NoRows) { expect_bad(banner + "0 0 0\n", {"A.mtx:2: ", "0 rows"}); }

TEST_F(BadMatrix, BlockSizeThatDoesNotDivide) {
  expect_bad(good, {"A.mtx:2: ", "--block-size 3", "does not divide 4", "1, 2, 4, or add --pad"}, "--block-size 3");
}

TEST_F(BadMatrix, ZeroOnTheDiagonal) {
  const std::string zero = banner + "3 3 4\n1 1 4\n3 3 4\n1 2 -1\n2 1 -1\n";
  expect_bad(zero, {"A.mtx: ", "(2, 2)", "--preconditioner none"}, "--preconditioner jacobi");
  expect_bad(zero, {"A.mtx: ", "(2, 2)", "--preconditioner none"}, "--block-size 1");
  const std::string stored_zero = banner + "3 3 5\n1 1 4\n2 2 0\n3 3 4\n1 2 -1\n2 1 -1\n";
  expect_bad(stored_zero, {"A.mtx: ", "(2, 2)"}, "--preconditioner jacobi");
  // Rows of the matrix, whatever the size of its blocks.
  const std::string last = banner + "4 4 3\n1 1 4\n2 2 4\n3 3 4\n";
  expect_bad(last, {"A.mtx: ", "(4, 4)", "counted from 1"}, "--preconditioner jacobi --block-size 2");
  // Though the block has an inverse, with which CG ends after one iteration.
  expect_bad(banner + "2 2 2\n1 2 1\n2 1 1\n", {"A.mtx: ", "(1, 1) is 0", "an SPD matrix has none"}, "");
  expect_bad(banner + "2 2 2\n1 2 1\n2 1 1\n", {"A.mtx: ", "(1, 1) is 0", "Jacobi divides by it"},
             "--solver minres --preconditioner jacobi");
  expect_bad(banner + "4 4 6\n1 1 4\n2 2 4\n3 3 4\n3 4 1\n4 3 1\n4 4 0\n", {"A.mtx: ", "(4, 4) is 0"},
             "--block-size 2");
}

TEST_F(BadMatrix, SingularDiagonalBlock) {
  const std::string singular = banner + "4 4 6\n1 1 1\n2 2 1\n3 3 1\n3 4 1\n4 3 1\n4 4 1\n";
  expect_bad(singular, {"A.mtx: ", "rows 3 to 4", "block size is 2", "counted from 1", "--preconditioner none"},
             "--block-size 2");
}

TEST_F(BadMatrix, Unsymmetric) {
  const std::string unsymmetric = banner + "3 3 5\n1 1 4\n2 2 4\n3 3 4\n1 3 -1.5\n3 1 -1.25\n";
  for (const std::string options : {"", "--block-size 1", "--block-size 3"}) {
    expect_bad(unsymmetric, {"A.mtx: ", "not symmetric", "(1, 3) is -1.5", "(3, 1) is -1.25", "--skip-symmetry-check"},
               options);
  }
  // No mirror image at all.
  expect_bad(banner + "3 3 4\n1 1 4\n2 2 4\n3 3 4\n1 3 -1.5\n", {"(1, 3) is -1.5", "(3, 1) is 0"}, "--block-size 1");
}

TEST_F(BadMatrix, UnsymmetricButNotToBeChecked) {
  write("A.mtx", banner + "3 3 5\n1 1 4\n2 2 4\n3 3 4\n1 3 -1.5\n3 1 -1.25\n");
  const CommandResult result = run("solve --no-probe --matrix A.mtx --skip-symmetry-check --report r.json");
  EXPECT_NE(result.exit_code, 1) << result.err;
  EXPECT_EQ(result.err, "");
  EXPECT_TRUE(std::filesystem::exists(folder() / "r.json"));
}

TEST_F(BadMatrix, Complex) {
  expect_bad("%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 1 0\n", {"A.mtx:1: ", "complex", "real"});
}

TEST_F(BadMatrix, RightHandSideOfTheWrongLength) {
  write("b.mtx", "%%MatrixMarket matrix array real general\n5 1\n1\n1\n1\n1\n1\n");
  expect_bad(good, {"b.mtx:2: ", "5 entries", "A.mtx has 4 rows"}, "--rhs b.mtx");
}

TEST_F(BadMatrix, RightHandSideWithFaults) {
  expect_bad(good, {"b.mtx", "No such file"}, "--rhs b.mtx");
  write("b.mtx", "%%MatrixMarket matrix array real general\n4 65\n1\n");
  expect_bad(good, {"b.mtx:2: ", "65 columns"}, "--rhs b.mtx");
  write("b.mtx", "%%MatrixMarket matrix array complex general\n4 1\n1 0\n1 0\n1 0\n1 0\n");
  expect_bad(good, {"b.mtx:1: ", "complex"}, "--rhs b.mtx");
  write("b.mtx", "%%MatrixMarket matrix array real general\n4 1\n1\n1\nnan\n1\n");
  expect_bad(good, {"b.mtx:5: ", "'nan'"}, "--rhs b.mtx");
}

TEST_F(BadMatrix, KernelThatCannotTakeTheBlockSize) {
  std::string diagonal = banner + "24 24 24\n";
  for (int i = 1; i <= 24; ++i) diagonal += std::to_string(i) + " " + std::to_string(i) + " 2\n";
  expect_bad(diagonal, {"by_tile", "block size 24"}, "--block-size 24 --kernel by_tile");
}

TEST_F(BadMatrix, MoreMemoryThanThereIs) {
  // 6 entries: 76 bytes of values in the least case, but 4 rows' vectors and the history come to more.
  expect_bad(good, {"A.mtx:2: ", " needs ", " bytes", "1000 bytes are available"}, "--device-memory-limit 1000");
}

}  // namespace

}  // namespace ashlar::testing
