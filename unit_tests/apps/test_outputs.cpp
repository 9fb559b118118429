// Where the command writes, and what is there when it cannot, or is interrupted.
#include <gmock/gmock.h>
#include <unistd.h>

#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <nlohmann/json.hpp>
#include <utility>

#include "command.hpp"

namespace ashlar::testing {

namespace {

using Json = nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;
using ::testing::Not;
using ::testing::StartsWith;

class Outputs : public CommandTest {
 protected:
  std::string path(const std::string& name) const { return (folder() / name).string(); }

  void write_matrix() const {
    write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 3\n1 1 4\n2 2 4\n1 1 1\n");
  }
};

const std::string solve = "solve --problem cantilever --nodes 9 --no-probe ";

/// What is whole takes the place of what was there, and leaves nothing beside it; permissions stay, and links links.
TEST_F(Outputs, AreReplacedWhenTheyAreWhole) {
  namespace fs = std::filesystem;
  write("x.mtx", "old");
  fs::permissions(folder() / "x.mtx", fs::perms::owner_read | fs::perms::owner_write);
  write("real.json", "old");
  fs::create_symlink("real.json", folder() / "r.json");
  const auto before = files();
  ASSERT_EQ(run(solve + "--solution x.mtx --report r.json").exit_code, 0);
  EXPECT_EQ(files(), before);
  EXPECT_EQ(io::read_matrix_market_vector<double>(path("x.mtx")).size(), 9 * 9 * 9 * 3);
  EXPECT_EQ(fs::status(folder() / "x.mtx").permissions(), fs::perms::owner_read | fs::perms::owner_write);
  EXPECT_TRUE(fs::is_symlink(folder() / "r.json"));
  EXPECT_EQ(Json::parse(read_file(folder() / "real.json"))["status"], "converged");
}

/// A limit on the size of files is what a disk that fills up is.
TEST_F(Outputs, StayAsTheyWereWhereTheNewOnesCannotBeWritten) {
  for (const std::string option : {"--solution", "--vtk", "--trace"}) {
    SCOPED_TRACE(option);
    write("out", "old");
    const auto before = files();
    const CommandResult result = run(solve + option + " out", "ulimit -f 8;");
    EXPECT_EQ(result.exit_code, 1);
    expect_message(result.err, {"ashlar: out: cannot be written", "too large"});
    EXPECT_THAT(result.out, HasSubstr("\nresult     converged after "));
    EXPECT_EQ(read_file(folder() / "out"), "old");
    EXPECT_EQ(files(), before);
  }
  write_matrix();
  ASSERT_EQ(run("convert A.mtx A.bcsr").exit_code, 0);
  write("B.mtx", "old");
  const auto before = files();
  EXPECT_EQ(run("convert A.mtx A.bcsr", "ulimit -f 8;").exit_code, 1);
  EXPECT_EQ(run("convert A.bcsr B.mtx", "ulimit -f 0;").exit_code, 1);
  EXPECT_EQ(read_file(folder() / "B.mtx"), "old");
  EXPECT_EQ(io::BlockFile(path("A.bcsr")).num_blocks(), 2);
  EXPECT_EQ(files(), before);
}

/// The signal comes while the new mesh is open, or just before or after: there is the old file or the new one, whole,
/// and none beside it.
TEST_F(Outputs, AreWholeAfterASignal) {
  for (const std::string signal : {"TERM", "INT", "HUP", "QUIT", "USR1", "USR2", "ALRM", "KILL"}) {
    SCOPED_TRACE(signal);
    write("v.vtu", "old");
    const auto before = files();
    // A shell starts what it leaves in the background with SIGINT and SIGQUIT ignored; env undoes that.
    const CommandResult result = run_lines(
        "ulimit -c 0\n"
        "env --default-signal \"$ashlar\" solve --problem cantilever --nodes 60 --dof 1 --no-probe "
        "--max-iterations 1 --vtk v.vtu >summary.txt & pid=$!\n"
        "while kill -0 $pid && ! grep -q result summary.txt; do sleep 0.01; done 2>/dev/null\n"
        "while kill -0 $pid && ! ls -l /proc/$pid/fd | grep -q \"$PWD/[#v]\"; do :; done 2>/dev/null\n"
        "kill -" +
        signal + " $pid 2>/dev/null; wait $pid; echo ended with $?; rm summary.txt");
    EXPECT_EQ(result.exit_code, 0);
    EXPECT_THAT(result.out, HasSubstr("ended with "));
    EXPECT_THAT(result.out, Not(HasSubstr("ended with 0")));
    const std::string file = read_file(folder() / "v.vtu");
    if (file != "old") {
      EXPECT_THAT(file, EndsWith("</VTKFile>\n"));
    }
    EXPECT_EQ(files(), before);
  }
}

/// What a killed process has left, on a file system that has no files without a name, goes with the next output.
TEST_F(Outputs, RemoveWhatIsLeftOfThem) {
  write_matrix();
  write("x.mtx.ashlar-new-0123456789abcdef", "half of a fi");
  write("x.mtx.ashlar-new-mine", "kept");
  ASSERT_EQ(run("solve --matrix A.mtx --skip-symmetry-check --no-probe --max-iterations 1 --solution x.mtx").err, "");
  EXPECT_EQ(files(), (std::set<std::string>{path("A.mtx"), path("x.mtx"), path("x.mtx.ashlar-new-mine")}));
}

/// Each in a line, whichever they are.
TEST_F(Outputs, ThatFailAreAllTold) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full";
  for (const std::string arguments : {solve + "--report /dev/full --solution out --trace /dev/full --vtk /dev/full",
                                      std::string("hpgmg 3 8 --report /dev/full --trace /dev/full --vtk /dev/full")}) {
    SCOPED_TRACE(arguments);
    const CommandResult result = run(arguments);
    EXPECT_EQ(result.exit_code, 1);
    const std::string line = "ashlar: /dev/full: cannot be written \\(No space left on device\\); [^\n]+\n";
    EXPECT_THAT(result.err, ::testing::MatchesRegex(line + line + line));
  }
  EXPECT_EQ(files(), std::set<std::string>{path("out")});
}

/// A log is written on, not anew.
TEST_F(Outputs, GoToStandardOutputWhereItIs) {
  for (const std::string name : {"/dev/stdout", "/dev/fd/1", "/proc/self/fd/1"}) {
    SCOPED_TRACE(name);
    const CommandResult result =
        run_lines("echo before; \"$ashlar\" " + solve + "--report " + name + " || echo failed; echo after");
    EXPECT_EQ(result.err, "");
    EXPECT_THAT(result.out, StartsWith("before\n{"));
    EXPECT_THAT(result.out, EndsWith("\nafter\n"));
    EXPECT_THAT(result.out, Not(HasSubstr("failed")));
    const std::size_t begin = result.out.find('{'), end = result.out.find("\n}\n");
    ASSERT_NE(end, std::string::npos);
    EXPECT_EQ(Json::parse(result.out.substr(begin, end + 2 - begin))["status"], "converged");
    EXPECT_THAT(result.out, HasSubstr("\nresult     converged after "));
  }
  EXPECT_TRUE(files().empty());
}

/// "-" is standard output, with nothing else on it.
TEST_F(Outputs, AreAloneOnStandardOutputWhereTheyAreADash) {
  const CommandResult report = run(solve + "--report -");
  ASSERT_EQ(report.exit_code, 0);
  EXPECT_EQ(Json::parse(report.out)["status"], "converged");
  EXPECT_THAT(report.err, HasSubstr("result     converged after "));
  const CommandResult solution = run(solve + "--solution - | cat >x.mtx");
  ASSERT_EQ(run(solve + "--solution - --history >x.mtx").exit_code, 0);
  EXPECT_EQ(io::read_matrix_market_vector<double>(path("x.mtx")).size(), 9 * 9 * 9 * 3);
  EXPECT_EQ(files().size(), 1u);
}

TEST_F(Outputs, GoThroughPipesAndOpenDescriptors) {
  const CommandResult result =
      run_lines("mkfifo pipe; timeout 60 cat pipe >from_pipe & \"$ashlar\" " + solve +
                "--vtk pipe --solution /dev/fd/3 --trace /dev/stdout 3>x.mtx | cat >t.json; wait");
  EXPECT_EQ(result.err, "");
  EXPECT_THAT(read_file(folder() / "from_pipe"), EndsWith("</VTKFile>\n"));
  EXPECT_EQ(io::read_matrix_market_vector<double>(path("x.mtx")).size(), 9 * 9 * 9 * 3);
  EXPECT_THAT(read_file(folder() / "t.json"), HasSubstr("ashlar::spmv["));
  write_matrix();
  ASSERT_EQ(run("convert A.mtx A.bcsr --block-size 1").exit_code, 0);
  const CommandResult converted = run("convert A.bcsr -");
  EXPECT_EQ(converted.exit_code, 0);
  EXPECT_EQ(converted.out, "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 5\n2 2 4\n");
  EXPECT_THAT(converted.err, HasSubstr("2 entries of 2 blocks"));
}

/// Found out before the solve: nothing is printed.
TEST_F(Outputs, ThatCannotBeWrittenAreRefusedAtOnce) {
  write_matrix();
  expect_refused("solve --matrix A.mtx --report /dev/fd/97", {"/dev/fd/97", "cannot be written", "Bad file"});
  expect_refused("solve --matrix A.mtx --report /dev/fd/0 </dev/null", {"/dev/fd/0", "reading only"});
  expect_refused("convert A.mtx -", {"convert: '-'", "neither in .mtx nor in .bcsr"});
  run_lines("mkfifo pipe.bcsr");
  expect_refused("convert A.mtx pipe.bcsr", {"pipe.bcsr", "no regular file"});
}

TEST_F(Outputs, InAFolderThatTakesNoNewFileAreRefusedAtOnce) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  namespace fs = std::filesystem;
  write_matrix();
  fs::create_directory(folder() / "closed");
  write("closed/r.json", "mine");
  fs::permissions(folder() / "closed", fs::perms::owner_read | fs::perms::owner_exec);
  expect_refused("solve --matrix A.mtx --report closed/r.json", {"closed/r.json", "cannot be written", "new file"});
  EXPECT_EQ(read_file(folder() / "closed" / "r.json"), "mine");
  fs::permissions(folder() / "closed", fs::perms::owner_all);
}

}  // namespace

}  // namespace ashlar::testing
