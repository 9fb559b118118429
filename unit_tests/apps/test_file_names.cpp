// Names that the command is given: endings, "-", links, and what no terminal should get.
#include <gmock/gmock.h>

#include <ashlar/io/matrix_market.hpp>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>

#include "command.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::HasSubstr;
using ::testing::Not;

class FileNames : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 4\n2 2 4\n");
  }
};

const std::string cantilever = "solve --problem cantilever --nodes 4 --no-probe ";

TEST_F(FileNames, OfMeshesEndInWhatIsWritten) {
  for (const std::string name : {"x.vtk", "x.vti", "x.stl", "x.VTK", "x.", "beam.v2"}) {
    expect_refused(cantilever + "--vtk " + name, {"--vtk '" + name + "'", "the mesh is written", "name it like x.vtu"});
  }
  for (const std::string name : {"x.vtk", "x.vtu", "X.VTU", "x.stl"}) {
    expect_refused("hpgmg 3 8 --vtk " + name, {"--vtk '" + name + "'", "name it like u.vti"});
  }
  ASSERT_EQ(run(cantilever + "--vtk X.VTU").exit_code, 0);
  ASSERT_EQ(run(cantilever + "--vtk Y.PVTU").exit_code, 0);
  ASSERT_EQ(run(cantilever + "--vtk without_an_ending").exit_code, 0);
  EXPECT_TRUE(read_file(folder() / "X.VTU") == read_file(folder() / "without_an_ending"));
  EXPECT_TRUE(read_file(folder() / "X.VTU") == read_file(folder() / "Y_0.vtu"));
  EXPECT_THAT(read_file(folder() / "Y.PVTU"), HasSubstr("Source=\"Y_0.vtu\""));
  ASSERT_EQ(run("hpgmg 3 8 --vtk U.VTI").exit_code, 0);
  EXPECT_THAT(read_file(folder() / "U.VTI"), HasSubstr("ImageData"));
}

TEST_F(FileNames, OfInputsAreNoDash) {
  for (const std::string option : {"--rhs -", "--initial-guess -"}) {
    expect_refused("solve --report r.json --matrix A.mtx " + option + " <A.mtx",
                   {"only --matrix reads standard input", "pass /dev/stdin"});
  }
  expect_refused("solve --matrix A.mtx --tune -", {"--tune -", "read and written"});
  expect_refused("convert - A.bcsr <A.mtx", {"convert: '-'", "standard input", "save it to a file"});
}

TEST_F(FileNames, OfCompressedFilesAreTold) {
  write("A.mtx.gz", "\x1f\x8b\x08 and so on");
  expect_refused("solve --matrix A.mtx.gz --report r.json", {"A.mtx.gz:1: ", "compressed by gzip", "gunzip"});
  expect_refused("solve --matrix A.mtx --rhs A.mtx.gz", {"A.mtx.gz:1: ", "compressed by gzip", "gunzip"});
  expect_refused("convert A.mtx.gz A.bcsr", {"'A.mtx.gz'", "compressed", "gunzip"});
}

/// What is on a stream is one thing; on a terminal, or on /dev/null, there may be several.
TEST_F(FileNames, OfTwoOutputsAreNotOneStream) {
  const std::string solve = "solve --matrix A.mtx --no-probe ";
  expect_refused(solve + "--report - --solution -", {"-: named by --report and by --solution", "one from the other"});
  expect_refused(solve + "--report /dev/fd/1 --solution -", {"named by --report and by --solution"});
  expect_refused(solve + "--report /dev/fd/3 --trace /proc/self/fd/3 3>/dev/null", {"/fd/3: named by", "--trace"});
  expect_refused("hpgmg 3 8 --report - --vtk -", {"-: named by --report and by --vtk"});
  run_lines("mkfifo pipe");
  expect_refused(solve + "--report pipe --solution ./pipe", {"pipe: named by --report and by --solution"});
  EXPECT_EQ(run(solve + "--report /dev/null --solution /dev/null").exit_code, 0);
}

TEST_F(FileNames, MayBeLinksToFilesThatAreMissing) {
  fs::create_directory(folder() / "data");
  fs::create_symlink("data/real.json", folder() / "r.json");
  ASSERT_EQ(run("solve --matrix A.mtx --no-probe --report r.json").exit_code, 0);
  EXPECT_TRUE(fs::is_symlink(folder() / "r.json"));
  EXPECT_TRUE(fs::is_regular_file(fs::symlink_status(folder() / "data/real.json")));
  EXPECT_EQ(nlohmann::json::parse(read_file(folder() / "r.json"))["status"], "converged");
  // Both lead to one file, which is not there yet.
  fs::create_symlink("x.mtx", folder() / "link");
  expect_refused("solve --matrix A.mtx --solution x.mtx --report link", {"named by --report and by --solution"});
}

TEST_F(FileNames, InALoopOfLinksAreRefusedAtOnce) {
  fs::create_symlink("b", folder() / "a");
  fs::create_symlink("a", folder() / "b");
  expect_refused("solve --matrix A.mtx --no-probe --solution a", {"a: cannot be written", "symbolic links"});
  expect_refused("solve --matrix A.mtx --no-probe --tune b", {"b: cannot be written", "symbolic links"});
}

TEST_F(FileNames, MayHave249Bytes) {
  const std::string name = std::string(245, 'x') + ".mtx";
  ASSERT_EQ(run("solve --matrix A.mtx --no-probe --solution " + name).exit_code, 0);
  EXPECT_EQ(io::read_matrix_market_vector<double>((folder() / name).string()).size(), 2u);
  EXPECT_EQ(files().size(), 2u);
}

TEST_F(FileNames, AreShownWithoutWhatATerminalObeys) {
  const std::string name = "\x1b[31mA\n.mtx", shown = "\\x1b[31mA";
  const std::string matrix = read_file(folder() / "A.mtx");
  write(name, matrix);
  const CommandResult solved = run("solve --no-probe --matrix '" + name + "'");
  EXPECT_EQ(solved.exit_code, 0) << solved.err;
  EXPECT_THAT(solved.out, HasSubstr("system     " + shown + "\\x0a.mtx: 2 unknowns"));
  const CommandResult converted = run("convert '" + name + "' '\x1b[31mA.bcsr'");
  EXPECT_EQ(converted.exit_code, 0) << converted.err;
  EXPECT_THAT(converted.out, HasSubstr(shown + ".bcsr: 2 x 2"));
  for (const std::string arguments : {"solve --matrix '\x1b[31mAB.mtx'", "solve --matrix A.mtx --kernel '\x1b[31mAB'",
                                      "solve '--\x1b[31mAB'", "'\x1b[31mAB'"}) {
    const CommandResult refused = run(arguments);
    EXPECT_EQ(refused.exit_code, 1);
    EXPECT_THAT(refused.err, HasSubstr(shown + "B"));
    EXPECT_THAT(refused.err + refused.out, Not(HasSubstr("\x1b")));
  }
}

}  // namespace
}  // namespace ashlar::testing
