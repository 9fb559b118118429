// Names that the command is given: endings, "-", links, and what no terminal should get.
#include <gmock/gmock.h>

#include <ashlar/host/text_file.hpp>
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
  write("B.mtx.gz", "\x1f\x8b\x08 and so on");
  const std::string fault = reads_compressed_files() ? "the compressed file is damaged" : "compressed by gzip";
  expect_refused("solve --matrix B.mtx.gz --report r.json", {"B.mtx.gz:", fault});
  expect_refused("solve --matrix A.mtx --rhs B.mtx.gz", {"B.mtx.gz:", fault});
  expect_refused("convert B.mtx.gz A.bcsr", {"B.mtx.gz:", fault});
  expect_refused("convert A.bcsr A.mtx.gz", {"'A.mtx.gz'", "not written"});
  expect_refused("convert A.bcsr.gz A.mtx", {"'A.bcsr.gz'"});
  expect_refused("solve --matrix A.mtx --solution x.mtx.gz", {"--solution x.mtx.gz", "not written"});
  if (!reads_compressed_files()) return;
  ASSERT_EQ(run_lines("gzip -k A.mtx").exit_code, 0);
  const std::string solve = "solve --no-probe --block-size 1 --solution ";
  ASSERT_EQ(run(solve + "x.mtx --matrix A.mtx").exit_code, 0);
  ASSERT_EQ(run_lines("gzip -k x.mtx").exit_code, 0);
  EXPECT_EQ(run(solve + "y.mtx --matrix A.mtx.gz").exit_code, 0);
  EXPECT_EQ(read_file(folder() / "y.mtx"), read_file(folder() / "x.mtx"));
  const CommandResult guessed = run(solve + "z.mtx --matrix - --rhs x.mtx.gz --initial-guess x.mtx.gz <A.mtx.gz");
  EXPECT_EQ(guessed.exit_code, 0) << guessed.err;
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 1").exit_code, 0);
  ASSERT_EQ(run("convert A.mtx.gz B.bcsr --block-size 1").exit_code, 0);
  EXPECT_EQ(read_file(folder() / "B.bcsr"), read_file(folder() / "A.bcsr"));
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
