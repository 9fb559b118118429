// What is left by signals that ask a solve to stop, serial and over ranks; and what a closed pipe costs.
#include <fcntl.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <ashlar/io/matrix_market.hpp>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using nlohmann::json;
using ::testing::EndsWith;
using ::testing::HasSubstr;

/// A beam so long that CG takes minutes for it.
const std::string slow_solve =
    "solve --no-probe --problem cantilever --nodes 2001,3,3 --rtol 1e-13 --max-iterations 100000000";
constexpr std::size_t rows_of_slow = std::size_t(2001) * 3 * 3 * 3;
const std::string outputs = " --report r.json --solution x.mtx --trace t.json";

class Signals : public RankCommandTest {
 protected:
  void SetUp() override { CommandTest::SetUp(); }

  /// Starts `command` in the background, and sends a signal by `lines` of a shell, in which $pid is its process. A
  /// signal that comes before the iterations leaves nothing; it is then sent later, until there is a report.
  CommandResult interrupt(const std::string& command, const std::string& lines) const {
    const auto before = files();
    CommandResult result;
    for (int seconds = 1; seconds < 100; seconds *= 2) {
      // A shell starts what it leaves in the background with SIGINT ignored; env undoes that.
      result = run_lines("env --default-signal=INT " + command + " & pid=$!\nsleep " + std::to_string(seconds) + "\n" +
                         lines + "\nwait $pid; echo ended with $?");
      if (std::filesystem::exists(folder() / "r.json")) break;
      EXPECT_EQ(files(), before);
    }
    return result;
  }

  void expect_results(const CommandResult& result, const std::string& signal, int ended_with) {
    EXPECT_THAT(result.out, HasSubstr("ended with " + std::to_string(ended_with) + "\n"));
    const auto told = messages(result.err);
    ASSERT_EQ(told.size(), 1u) << result.err;
    EXPECT_THAT(told[0], HasSubstr(signal + " stopped the solve, after "));
    const json report = json::parse(read_file(folder() / "r.json"));
    EXPECT_EQ(report.at("status"), "interrupted");
    EXPECT_GT(report.at("iterations").get<int>(), 0);
    EXPECT_EQ(report.at("residual_history").size(), report.at("iterations").get<std::size_t>() + 1);
    EXPECT_EQ(io::read_matrix_market_vector<double>((folder() / "x.mtx").string()).size(), rows_of_slow);
    EXPECT_THAT(read_file(folder() / "t.json"), EndsWith("}\n"));
    EXPECT_EQ(files().size(), 3u);
    for (const char* const name : {"r.json", "x.mtx", "t.json"}) std::filesystem::remove(folder() / name);
  }
};

TEST_F(Signals, StopASolveWhichKeepsItsResults) {
  for (const auto& [name, number] : {std::pair("INT", 2), {"TERM", 15}, {"USR1", 10}, {"USR2", 12}, {"XCPU", 24}}) {
    SCOPED_TRACE(name);
    const CommandResult result =
        interrupt("\"$ashlar\" " + slow_solve + outputs, std::string("kill -") + name + " $pid");
    expect_results(result, std::string("SIG") + name, 128 + number);
  }
}

/// `timeout` sends its signal to the command, and to the command's process group.
TEST_F(Signals, SentTwiceByTimeoutAreOne) {
  expect_results(interrupt("timeout -k 60 9 \"$ashlar\" " + slow_solve + outputs, ""), "SIGTERM", 124);
}

TEST_F(Signals, StopBlockCg) {
  const CommandResult result =
      interrupt("\"$ashlar\" " + slow_solve + " --solver block-cg --num-rhs 4 --report r.json", "kill -USR1 $pid");
  EXPECT_THAT(result.out, HasSubstr("ended with 138\n"));
  EXPECT_EQ(json::parse(read_file(folder() / "r.json")).at("columns")[3].at("status"), "interrupted");
}

/// Here while the right-hand side is waited for.
TEST_F(Signals, EndTheCommandAtOnceOutsideOfIterations) {
  const CommandResult result =
      run_lines("mkfifo b; \"$ashlar\" " + slow_solve + outputs +
                " --rhs b & pid=$!\nsleep 1; kill -USR1 $pid; wait $pid; echo ended with $?; rm b");
  EXPECT_THAT(result.out, HasSubstr("ended with 138\n"));
  EXPECT_TRUE(messages(result.err).empty());
  EXPECT_TRUE(files().empty());
}

/// Here while the report waits for somebody to read it.
TEST_F(Signals, ThatComeASecondTimeEndTheCommandAtOnce) {
  const CommandResult result =
      run_lines("mkfifo pipe; \"$ashlar\" " + slow_solve +
                " --report pipe & pid=$!\nsleep 4; while kill -TERM $pid; do sleep 1; done 2>/dev/null; wait $pid; "
                "echo ended with $?; rm pipe");
  EXPECT_THAT(result.out, HasSubstr("ended with 143\n"));
  EXPECT_TRUE(messages(result.err).empty());
  EXPECT_TRUE(files().empty());
}

/// A terminal shows how far a solve is; that line does not stay there.
TEST_F(Signals, TakeTheProgressLineOffTheTerminal) {
  const int master = ::posix_openpt(O_RDWR | O_NOCTTY);
  ASSERT_GE(master, 0);
  ASSERT_LT(master, 10) << "a shell names descriptors by one digit";
  ASSERT_EQ(::grantpt(master), 0);
  ASSERT_EQ(::unlockpt(master), 0);
  const std::string terminal = ::ptsname(master);
  // The shell's descriptor of the terminal must not take the place of the other end.
  const std::string shown_on = std::to_string(master == 4 ? 5 : 4);
  // The first characters that the terminal shows are those of the line.
  const CommandResult result = run_lines("exec " + shown_on + ">" + terminal + "; \"$ashlar\" " + slow_solve + " 2>&" +
                                         shown_on + " & pid=$!\nhead -c 16 <&" + std::to_string(master) +
                                         "; kill -TERM $pid; wait $pid; echo ended with $?");
  EXPECT_THAT(result.out, HasSubstr("\r\033[Kiteration "));
  EXPECT_THAT(result.out, HasSubstr("ended with 143\n"));
  ::fcntl(master, F_SETFL, O_NONBLOCK);
  std::string shown;
  std::array<char, 4096> part{};
  for (ssize_t count = 0; (count = ::read(master, part.data(), part.size())) > 0;) shown.append(part.data(), count);
  ::close(master);
  const std::size_t message = shown.find("ashlar: SIGTERM stopped the solve");
  ASSERT_NE(message, shown.npos) << shown;
  EXPECT_THAT(shown.substr(0, message), EndsWith("\r\033[K"));
}

TEST_F(Signals, StopASolveOverRanks) {
  if (mpiexec(2).empty()) GTEST_SKIP() << "there is no MPI, or it starts nothing";
  // mpiexec hands this one on to all ranks.
  const CommandResult result =
      interrupt("OMP_NUM_THREADS=1 " + mpiexec(3) + " \"$ashlar\" " + slow_solve + outputs, "kill -USR1 $pid");
  expect_results(result, "SIGUSR1", 128 + 10);
}

TEST_F(Signals, OfOneRankStopAll) {
  if (mpiexec(2).empty()) GTEST_SKIP() << "there is no MPI, or it starts nothing";
  const std::string each = " sh -c 'echo $$ >pid_$OMPI_COMM_WORLD_RANK$PMI_RANK; exec \"$@\"' each ";
  const CommandResult result =
      interrupt("OMP_NUM_THREADS=1 " + mpiexec(3) + each + "\"$ashlar\" " + slow_solve + outputs,
                "kill -TERM $(cat pid_1); rm pid_*");
  expect_results(result, "SIGTERM", 128 + 15);
}

/// Standard output of a pipe whose reader has ended: what is printed here is more than a pipe holds.
TEST_F(Signals, OfClosedPipesCostNoOtherOutput) {
  const std::string solve =
      "\"$ashlar\" solve --no-probe --problem cantilever --nodes 1001,2,2 --rtol 1e-13 --max-iterations 8000 "
      "--history --report r.json";
  for (const std::string reader : {"head -1", "true"}) {
    const CommandResult result = run_lines("{ " + solve + " --solution x.mtx; echo ended with $? >&2; } | " + reader);
    EXPECT_THAT(result.err, HasSubstr("ashlar: standard output was closed ("));
    EXPECT_THAT(result.err, HasSubstr("ended with 1\n"));
    EXPECT_EQ(io::read_matrix_market_vector<double>((folder() / "x.mtx").string()).size(), 1001 * 2 * 2 * 3);
    EXPECT_GT(json::parse(read_file(folder() / "r.json")).at("iterations").get<int>(), 0);
    EXPECT_EQ(files().size(), 2u);
  }
  const CommandResult solution = run_lines(
      "{ \"$ashlar\" solve --no-probe --problem cantilever --nodes 17 --report r.json --solution -; "
      "echo ended with $? >&2; } | head -1");
  EXPECT_THAT(solution.err, HasSubstr("/dev/stdout: cannot be written"));
  EXPECT_THAT(solution.err, HasSubstr("ended with 1\n"));
  for (const std::string other : {"hpgmg 3 1", "--help", "info --json"}) {
    const CommandResult result = run_lines("{ sleep 0.5; \"$ashlar\" " + other + "; echo ended with $? >&2; } | true");
    EXPECT_THAT(result.err, HasSubstr("ashlar: standard output was closed (")) << other;
    EXPECT_THAT(result.err, HasSubstr("ended with 1\n"));
  }
}

}  // namespace
}  // namespace ashlar::testing
