// Ranks that were started with different arguments or see different files: one message, exit code 1, and no rank that
// waits for others.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <filesystem>
#include <string>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

class RanksThatDiffer : public RankCommandTest {
 protected:
  /// The command on three ranks, each of which first runs `lines` of a shell, in which $rank is its number and "$@" the
  /// arguments.
  CommandResult run_each(const std::string& lines, const std::string& arguments) const {
    write("each",
          "rank=${OMPI_COMM_WORLD_RANK:-$PMI_RANK}; ashlar=$1; shift\n" + lines + "\nexec \"$ashlar\" \"$@\"\n");
    const CommandResult result = run_lines(on(3) + " sh ./each \"$ashlar\" " + arguments);
    std::filesystem::remove(folder() / "each");
    return result;
  }

  void expect_told_once(const CommandResult& result, const std::vector<std::string>& parts) const {
    EXPECT_EQ(result.exit_code, 1);
    EXPECT_EQ(result.out, "");
    const auto told = messages(result.err);
    ASSERT_EQ(told.size(), 1u) << result.err;
    for (const std::string& part : parts) EXPECT_THAT(told[0], HasSubstr(part));
  }

  /// Rank 1 alone is given `more` arguments.
  void expect_refused_with(const std::string& arguments, const std::string& more,
                           const std::vector<std::string>& parts) const {
    SCOPED_TRACE(arguments + ", on rank 1 " + more);
    const auto before = files();
    expect_told_once(run_each("test $rank != 1 || set -- \"$@\" " + more, arguments), parts);
    EXPECT_EQ(files(), before);
  }

  void write_laplacian(const std::string& name, int diagonal) const {
    std::string entries;
    for (int i = 1; i <= 12; ++i) {
      entries += std::to_string(i) + " " + std::to_string(i) + " " + std::to_string(diagonal) + "\n";
      if (i == 12) continue;
      entries += std::to_string(i) + " " + std::to_string(i + 1) + " -1\n";
      entries += std::to_string(i + 1) + " " + std::to_string(i) + " -1\n";
    }
    write(name, "%%MatrixMarket matrix coordinate real general\n12 12 34\n" + entries);
  }

  /// Rank 1 finds another file of this name, by a folder of its own.
  void expect_other_file(const std::string& name, const std::string& arguments) const {
    SCOPED_TRACE(name);
    const auto before = files();
    expect_told_once(run_each("case $rank in 1) cd other;; *) cd same;; esac", arguments),
                     {name + ": is another file on rank 1 than on rank 0"});
    EXPECT_EQ(files(), before);
    expect_told_once(run_each("case $rank in 1) cd none;; *) cd same;; esac", arguments),
                     {name, name == "rows.txt" ? "there is no such file" : "cannot be read on rank 1"});
  }
};

TEST_F(RanksThatDiffer, InTheirArgumentsAreRefused) {
  const std::string solve = "solve --no-probe --problem cantilever --nodes 5";
  for (const std::string more :
       {"--colour", "--version", "--help", "--vtk x.vtu", "--exchange kernel", "--exchange blocking",
        "--solver block-cg", "--variant pipelined", "--preconditioner none", "--rtol 1e-3", "--report r.json"}) {
    const std::string first = more.substr(0, more.find(' '));
    expect_refused_with(solve, more, {"different arguments", "after '5' rank 1 has '" + first + "', rank 0 nothing"});
  }
  for (const std::string more : {"--equation helmholtz", "--smoother jacobi", "--report r.json", "--help"}) {
    expect_refused_with("hpgmg 3 1", more, {"different arguments", "after '1' rank 1 has '--"});
  }
  expect_refused_with("info", "--json", {"'--json'"});
  expect_told_once(run_each("test $rank != 2 || set -- info", solve), {"rank 2 has 'info', rank 0 'solve'"});
  expect_told_once(run_each("test $rank != 0 || set -- \"$@\" --vtk x.vtu", solve),
                   {"after '5' rank 1 has nothing, rank 0 '--vtk'"});
  expect_told_once(run_each("set -- \"$@\" --rtol 1e-$((6 + rank))", solve),
                   {"after '--rtol' rank 1 has '1e-7', rank 0 '1e-6'"});
}

/// These are a process' own: the device that it takes, the threads that it has.
TEST_F(RanksThatDiffer, InOptionsOfKokkosAreNotRefused) {
  const CommandResult result = run_each("test $rank != 1 || set -- \"$@\" --kokkos-num-threads=1",
                                        "solve --no-probe --problem cantilever --nodes 5");
  EXPECT_EQ(result.exit_code, 0) << result.err;
  expect_refused_with("info", "--kokkos-foo=1", {"--kokkos-foo=1", "no option of this name"});
}

TEST_F(RanksThatDiffer, InTheirFilesAreRefused) {
  for (const std::string at : {"same", "other", "none"}) std::filesystem::create_directory(folder() / at);
  for (const auto& [at, diagonal] : {std::pair("same/", 3), {"other/", 9}}) {
    const std::string to = at;
    write_laplacian(to + "a.mtx", diagonal);
    ASSERT_EQ(run("convert " + to + "a.mtx " + to + "a.bcsr --block-size 2").exit_code, 0);
    std::string rhs = "%%MatrixMarket matrix array real general\n12 1\n";
    for (int i = 0; i < 12; ++i) rhs += std::to_string(diagonal + i % 2) + "\n";
    write(to + "b.mtx", rhs);
    write(to + "rows.txt", diagonal == 3 ? "2 2 2\n" : "2 3 1\n");
  }
  write("none/a.mtx", read_file(folder() / "same/a.mtx"));
  for (const std::string at : {"same/", "other/"}) {
    ASSERT_EQ(run("solve --matrix a.bcsr --no-probe --report one.json", "cd " + at + ";").exit_code, 0);
  }
  const std::string solve = "solve --no-probe ";
  expect_other_file("a.bcsr", solve + "--matrix a.bcsr");
  expect_other_file("b.mtx", solve + "--matrix ../same/a.mtx --rhs b.mtx");
  expect_other_file("rows.txt", solve + "--matrix ../same/a.bcsr --partition rows.txt");
  expect_other_file("one.json", solve + "--matrix ../same/a.bcsr --efficiency one.json");
  expect_other_file("a.bcsr", "convert a.bcsr ../c.mtx");
  std::filesystem::remove(folder() / "none/a.mtx");
  expect_other_file("a.mtx", solve + "--matrix a.mtx");
  // What is the same is solved.
  EXPECT_EQ(run_each("cd same", solve + "--matrix a.bcsr --rhs b.mtx --partition rows.txt").exit_code, 0);
}

}  // namespace
}  // namespace ashlar::testing
