#pragma once

#include <gmock/gmock.h>

#include <sstream>
#include <string>
#include <vector>

#include "command.hpp"
#include "support/paths.hpp"

namespace ashlar::testing {

/// Tests that run the command over ranks; left out where MPI starts none.
class RankCommandTest : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    if (mpiexec(2).empty()) GTEST_SKIP() << "there is no MPI, or it starts nothing";
  }

  /// What starts it on so many ranks, a thread each, and ends those that hang: before the test has run out of time, so
  /// that it shows what they have said.
  static std::string on(int ranks) { return "OMP_NUM_THREADS=1 timeout -k 10 200 " + mpiexec(ranks); }

  /// The lines that begin with "ashlar: ", of an error stream that mpirun writes to, too.
  static std::vector<std::string> messages(const std::string& err) {
    std::vector<std::string> found;
    std::istringstream lines(err);
    for (std::string line; std::getline(lines, line);) {
      if (line.starts_with("ashlar: ")) found.push_back(line);
    }
    return found;
  }

  /// The command refuses these arguments on so many ranks, one of which says why.
  void expect_one_message(const std::string& arguments, int ranks, const std::vector<std::string>& parts) const {
    SCOPED_TRACE(arguments);
    const auto before = files();
    const CommandResult result = run(arguments, on(ranks));
    EXPECT_EQ(result.exit_code, 1);
    const auto told = messages(result.err);
    ASSERT_EQ(told.size(), 1u) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(told[0], ::testing::HasSubstr(part));
    EXPECT_EQ(files(), before);
  }
};

}  // namespace ashlar::testing
