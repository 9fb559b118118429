#pragma once

#include <string>

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

  /// What starts it on so many ranks, a thread each.
  static std::string on(int ranks) { return "OMP_NUM_THREADS=1 " + mpiexec(ranks); }
};

}  // namespace ashlar::testing
