// `ashlar solve --checkpoint` and `--resume`: a solve that goes on gives the same bits as one without a break.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>
#include <string>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

class Checkpoints : public RankCommandTest {
 protected:
  static inline const std::string beam = "solve --no-probe --problem cantilever --nodes 41,3,3 --partition nnz ";

  std::string file(const std::string& name) const { return read_file(folder() / name); }
};

TEST_F(Checkpoints, GoOnWithTheSameBits) {
  for (const int ranks : {1, 3}) {
    SCOPED_TRACE(ranks);
    const std::string before = ranks == 1 ? "OMP_NUM_THREADS=1" : on(ranks);
    ASSERT_EQ(run(beam + "--solution whole.mtx", before).exit_code, 0);
    ASSERT_EQ(
        run(beam + "--checkpoint c --checkpoint-every 0 --max-iterations 40 --solution part.mtx", before).exit_code, 2);
    EXPECT_NE(file("part.mtx"), file("whole.mtx"));
    const CommandResult resumed = run(beam + "--resume c --solution resumed.mtx", before);
    EXPECT_EQ(resumed.exit_code, 0) << resumed.err;
    EXPECT_EQ(file("resumed.mtx"), file("whole.mtx"));
  }
}

TEST_F(Checkpoints, OfAnotherSolveAreRefusedByName) {
  const std::string alone = "OMP_NUM_THREADS=1";
  ASSERT_EQ(run(beam + "--checkpoint c --checkpoint-every 0 --max-iterations 40", alone).exit_code, 2);
  expect_one_message("solve --problem cantilever --nodes 41,3,4 --resume c", 1, {"another system", "41 x 3 x 3"});
  expect_one_message(beam + "--preconditioner jacobi --resume c", 1, {"another preconditioner", "block-jacobi"});
  expect_one_message(beam + "--resume c", 2, {"a checkpoint of 1 rank"});
  expect_one_message(beam + "--resume missing", 1, {"missing", "cannot be opened"});
  expect_one_message(beam + "--variant pipelined --resume c", 1, {"--resume with --variant pipelined"});
  std::string damaged = file("c");
  damaged[damaged.size() / 2] ^= 1;
  std::ofstream(folder() / "damaged", std::ios::binary) << damaged;
  expect_one_message(beam + "--resume damaged", 1, {"is damaged"});
  std::ofstream(folder() / "short", std::ios::binary) << damaged.substr(0, 100);
  expect_one_message(beam + "--resume short", 1, {"short"});
  std::ofstream(folder() / "other", std::ios::binary) << std::string(500, 'x');
  expect_one_message(beam + "--resume other", 1, {"no checkpoint"});
}

}  // namespace
}  // namespace ashlar::testing
