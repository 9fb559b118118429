#include <unistd.h>

#include <Kokkos_Macros.hpp>
#include <ashlar/krylov/cg.hpp>

#include "command.hpp"

namespace ashlar::testing {

namespace {

class BadUsage : public CommandTest {
 protected:
  void SetUp() override {
    CommandTest::SetUp();
    write("A.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n2 2 1\n");
  }
};

TEST_F(BadUsage, NoSubcommand) {
  expect_refused("", {"neither solve nor info", "ashlar solve"});
  expect_refused("dissolve", {"dissolve", "--help"});
}

TEST_F(BadUsage, UnknownOption) { expect_refused("solve --matrix A.mtx --colour red", {"--colour", "solve --help"}); }

TEST_F(BadUsage, NothingOrTooMuchToSolve) {
  expect_refused("solve", {"--problem", "--matrix"});
  expect_refused("solve --matrix A.mtx --problem cantilever", {"--problem", "--matrix"});
}

TEST_F(BadUsage, ValuesOutOfRange) {
  const std::string solve = "solve --matrix A.mtx --report r.json ";
  expect_refused(solve + "--rtol abc", {"--rtol", "abc"});
  expect_refused(solve + "--rtol nan", {"--rtol 'nan'"});
  expect_refused(solve + "--rtol=-1", {"--rtol -1"});
  expect_refused(solve + "--rtol 1", {"--rtol 1"});
  expect_refused(solve + "--max-iterations 0", {"--max-iterations 0"});
  expect_refused(solve + "--max-iterations 99999999999", {"--max-iterations", "99999999999"});
  expect_refused(solve + "--block-size 0", {"--block-size '0'"});
  expect_refused(solve + "--block-size 65", {"--block-size '65'", "64"});
  expect_refused(solve + "--block-size two", {"--block-size 'two'"});
  expect_refused(solve + "--preconditioner ilu", {"'ilu'", "block-jacobi"});
  expect_refused(solve + "--variant fastest", {"'fastest'", "single-reduction"});
  expect_refused(solve + "--variant pipelined --solver block-cg", {"--variant pipelined", "block-cg"});
  expect_refused(solve + "--kernel fastest", {"'fastest'", "row_per_thread"});
  expect_refused(solve + "--kernel by_block --tune t.json", {"--tune t.json", "by_block"});
  expect_refused(solve + "--device-memory-limit much", {"'much'", "8GiB"});
  expect_refused(solve + "--device-memory-limit=-5", {"'-5'"});
}

TEST_F(BadUsage, PartitionOfOneRank) {
  write("two.txt", "1 1");
  expect_refused("solve --matrix A.mtx --block-size 1 --partition two.txt --report r.json",
                 {"two.txt: a partition for 2 ranks", "it runs on 1 rank"});
  write("many.txt", "7");
  expect_refused("solve --matrix A.mtx --block-size 1 --partition many.txt --report r.json", {"many.txt: '7'"});
  write("right.txt", "2");
  EXPECT_EQ(run("solve --matrix A.mtx --block-size 1 --partition right.txt --no-probe").exit_code, 0);
}

TEST_F(BadUsage, TuningTablesThatAreNone) {
  write("t.json", "{\"format\": \"ashlar-tuning-1\", \"choices\": [1e309]}");
  expect_refused("solve --matrix A.mtx --tune t.json --report r.json", {"t.json: a number that is too large"});
}

// Nothing is guessed: what is no number, or more than one, is named.
TEST_F(BadUsage, NumbersThatAreNone) {
  const std::string solve = "solve --matrix A.mtx --report r.json ";
  for (const std::string value : {"1,5e-3", "", "true", "1e-8x", "0x1p-8", "inf", "1e-3 ", " 1e-3", "1e", "+-1"}) {
    expect_refused(solve + "--rtol '" + value + "'", {"--rtol '" + value + "'", "1.5e-2"});
  }
  for (const std::string value : {"", "true", "10.5", "0x10", "1,000", "10 ", "1e", "1e10", "ten", "1e400", "12h"}) {
    expect_refused(solve + "--max-iterations '" + value + "'", {"--max-iterations '" + value + "'", "1e4"});
  }
  expect_refused(solve + "--solver block-cg --num-rhs 2.5", {"--num-rhs '2.5'"});
  expect_refused(solve + "--block-size 1.5", {"--block-size '1.5'"});
  expect_refused("solve --problem cantilever --dof 3x", {"--dof '3x'"});
  for (const std::string value : {"4,4,", "4, 4,4", "0x4", ""}) {
    expect_refused("solve --problem cantilever --nodes '" + value + "'", {"--nodes '" + value + "'"});
  }
  for (const std::string value : {"", "8Q", "1,5G", "0x10", "G", "nan", "1e30", "8 GiB of it"}) {
    expect_refused(solve + "--device-memory-limit '" + value + "'", {"--device-memory-limit '" + value + "'", "8GiB"});
  }
}

TEST_F(BadUsage, ProblemsThatAreNone) {
  const std::string solve = "solve --report r.json --problem ";
  expect_refused(solve + "bridge", {"'bridge'", "cantilever"});
  expect_refused(solve + "cantilever --dof 2", {"--dof 2", "1, 3 or 6"});
  expect_refused(solve + "cantilever --nodes 1", {"--nodes '1'"});
  expect_refused(solve + "cantilever --nodes 4,4", {"--nodes '4,4'"});
  expect_refused(solve + "cantilever --nodes 4,,4", {"--nodes '4,,4'"});
  expect_refused(solve + "cantilever --nodes 4x4x4", {"--nodes '4x4x4'"});
  expect_refused(solve + "cantilever --block-size 3", {"--block-size", "--dof"});
  expect_refused(solve + "stencil11 --dof 65", {"--dof 65"});
}

TEST_F(BadUsage, OptionsThatDoNotGoTogether) {
  expect_refused("solve --matrix A.mtx --vtk v.vtu", {"--vtk v.vtu", "--matrix A.mtx", "mesh"});
  expect_refused("solve --problem stencil11 --vtk v.vtu", {"--vtk v.vtu", "stencil11"});
  expect_refused("solve --matrix A.mtx --nodes 5", {"--nodes", "--matrix"});
  expect_refused("solve --matrix A.mtx --dof 3", {"--dof", "--matrix"});
}

// Found before the solve: with a matrix that does not exist, the complaint is still about the output.
TEST_F(BadUsage, UnwritableOutputs) {
  for (const std::string option : {"--report", "--solution", "--trace"}) {
    expect_refused("solve --matrix A.mtx " + option + " nowhere/out",
                   {"nowhere/out", "cannot be written", "no folder"});
    expect_refused("solve --matrix A.mtx " + option + " .", {"cannot be written", "folder"});
    expect_refused("solve --matrix A.mtx " + option + " ''", {"cannot be written"});
    expect_refused("solve --matrix missing.mtx " + option + " nowhere/out", {"nowhere/out", "cannot be written"});
  }
  expect_refused("solve --problem cantilever --nodes 4 --vtk nowhere/v.vtu", {"nowhere/v.vtu", "cannot be written"});
}

TEST_F(BadUsage, OutputWithoutPermission) {
  if (geteuid() == 0) GTEST_SKIP() << "root may write anywhere";
  write("r.json", "mine");
  std::filesystem::permissions(folder() / "r.json", std::filesystem::perms::owner_read);
  expect_refused("solve --matrix A.mtx --report r.json", {"r.json", "cannot be written", "Permission denied"});
}

TEST_F(BadUsage, OutputsOverInputsOrEachOther) {
  const std::string before = read_file(folder() / "A.mtx");
  expect_refused("solve --matrix A.mtx --solution A.mtx", {"A.mtx", "--solution", "--matrix"});
  expect_refused("solve --matrix A.mtx --report ./A.mtx", {"A.mtx", "--report", "--matrix"});
  expect_refused("solve --matrix A.mtx --report out --solution out", {"out", "--report", "--solution"});
  EXPECT_EQ(read_file(folder() / "A.mtx"), before);
}

TEST_F(BadUsage, ProblemLargerThanTheDevice) {
  const std::string solve = "solve --problem cantilever --report r.json ";
  // 10^3 nodes, 28^3 blocks of 3 x 3: values and columns alone are 28^3 * (72 + 4) bytes.
  expect_refused(
      solve + "--nodes 10 --dof 3 --device-memory-limit 1MiB",
      {"10 x 10 x 10 nodes with 3 unknowns each needs ", " bytes = ", "1048576 bytes = 1 MiB are available"});
  expect_refused("solve --problem stencil11 --nodes 50 --device-memory-limit 1MB --report r.json",
                 {"50 x 50 x 50", "needs", "1000000 bytes"});
  // More than any machine has, and more than 64 bits count.
  expect_refused(solve + "--nodes 100000", {"100000 x 100000 x 100000", "needs", "bytes"});
  expect_refused(solve + "--nodes 2000000000", {"2000000000"});
}

TEST_F(BadUsage, WhatLeavesTooLittleMemoryIsNamed) {
  // (With --stream on devices that have a memory of their own need less: the same is said of that.)
  for (const std::string way : {"", " --stream off", " --stream on"}) {
    const std::string solve = "solve --problem cantilever --nodes 6 --device-memory-limit ";
    expect_refused(solve + "1" + way, {"cantilever of 6 x 6 x 6", " needs ", "(1 byte is available by --device-memory-",
                                       "pass a larger one"});
    expect_refused(solve + "2K" + way, {"(2048 bytes = 2 KiB are available by --device-memory-limit)"});
  }
  write("small.mtx", "%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 2\n2 2 2\n");
  expect_refused("solve --matrix small.mtx --device-memory-limit 1",
                 {"small.mtx", "available by --device-memory-limit"});
  // Where the machine itself has too little, a limit that is larger is not to blame.
  const CommandResult large = run("solve --problem cantilever --nodes 100000 --device-memory-limit 1000000T");
  EXPECT_EQ(large.exit_code, 1);
  EXPECT_EQ(large.err.find("--device-memory-limit"), std::string::npos) << large.err;
}

TEST_F(BadUsage, MemoryNeedIsTheOneThatItSays) {
  const CommandResult refused = run("solve --no-probe --problem cantilever --nodes 6 --device-memory-limit 1");
  const std::size_t at = refused.err.find("needs ");
  ASSERT_NE(at, std::string::npos) << refused.err;
  const std::uint64_t needed = std::stoull(refused.err.substr(at + 6));
  const std::uint64_t matrix = 16 * 16 * 16 * (72 + 4) + 217 * 4;
  const std::uint64_t inverse = 216 * (72 + 4) + 217 * 4;
  const std::uint64_t b_and_x = 2 * 648 * 8;
  EXPECT_EQ(needed, matrix + inverse + b_and_x + cg_bytes(648, sizeof(double), true));
  const std::string solve = "solve --no-probe --problem cantilever --nodes 6 --device-memory-limit ";
  expect_refused(solve + std::to_string(needed - 1), {std::to_string(needed), std::to_string(needed - 1)});
  EXPECT_EQ(run(solve + std::to_string(needed)).exit_code, 0);
}

// Kokkos itself would end the program, with a stack trace.
TEST_F(BadUsage, KokkosSettingsThatAreNone) {
  const std::string solve = "solve --matrix A.mtx --report r.json ";
  for (const std::string option :
       {"--kokkos-num-threads=many", "--kokkos-num-threads=0", "--kokkos-num-threads=-2", "--kokkos-num-threads=",
        "--kokkos-num-threads", "--kokkos-device-id=-1", "--kokkos-device-id=x", "--kokkos-map-device-id-by=x",
        "--kokkos-map-device-id-by", "--kokkos-disable-warnings=maybe", "--kokkos-print-configuration=2",
        "--kokkos-tune-internals=", "--kokkos-tools-libs", "--kokkos-foo=1", "--kokkos-num-thread=2", "--kokkos-"}) {
    expect_refused(solve + option, {option});
  }
  for (const std::string variable : {"KOKKOS_NUM_THREADS=many", "KOKKOS_NUM_THREADS=", "KOKKOS_NUM_THREADS=0",
                                     "KOKKOS_DEVICE_ID=x", "KOKKOS_MAP_DEVICE_ID_BY=x", "KOKKOS_DISABLE_WARNINGS=maybe",
                                     "KOKKOS_PRINT_CONFIGURATION=perhaps", "KOKKOS_TUNE_INTERNALS=2"}) {
    expect_refused(solve, {variable}, variable);
  }
  EXPECT_EQ(run(solve + "--no-probe --kokkos-tune-internals=no --kokkos-num-threads=1").exit_code, 0);
}

TEST_F(BadUsage, NoSuchInstructionSet) {
  expect_refused("info", {"ASHLAR_INSTRUCTION_SET is 'avx'", "x86-64-v3"}, "ASHLAR_INSTRUCTION_SET=avx");
}

// Kokkos has room for 512, and does not look.
TEST_F(BadUsage, MoreThreadsThanKokkosHasRoomFor) {
  const std::string solve = "solve --matrix A.mtx --report r.json ";
  expect_refused(solve + "--kokkos-num-threads=513", {"--kokkos-num-threads=513", "512 threads"});
  expect_refused(solve, {"KOKKOS_NUM_THREADS=600", "512 threads"}, "KOKKOS_NUM_THREADS=600");
#ifdef KOKKOS_ENABLE_OPENMP
  expect_refused(solve, {"OMP_NUM_THREADS=600", "512 threads"}, "OMP_NUM_THREADS=600");
  expect_refused("info", {"OMP_NUM_THREADS=513", "512 threads"}, "OMP_NUM_THREADS=513");
#endif
}

TEST_F(BadUsage, StandardOutputThatIsFull) {
  for (const std::string arguments : {"solve --matrix A.mtx", "--help", "solve --help", "--version", "hpgmg 3 1"}) {
    const CommandResult result = run(arguments + " >/dev/full");
    EXPECT_EQ(result.exit_code, 1) << arguments;
    expect_message(result.err, {"standard output"});
  }
}

}  // namespace

}  // namespace ashlar::testing
