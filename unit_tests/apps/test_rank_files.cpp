// Files that the command writes over ranks, each rank its part: the bytes that one rank writes; what is there where one
// rank cannot.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/io/block_file.hpp>
#include <chrono>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <regex>
#include <sstream>
#include <string>
#include <thread>
#include <vector>

#include "rank_command.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

class RankFiles : public RankCommandTest {
 protected:
  std::string content(const std::string& name) const { return read_file(folder() / name); }

  /// The command on three ranks; on those whose number `ranks` matches, a pattern of the shell's, no file may be larger
  /// than a KiB. (mpiexec itself needs larger ones.)
  CommandResult run_with_limit(const std::string& ranks, const std::string& arguments) const {
    write("limited", "case ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} in " + ranks + ") ulimit -f 2;; esac\nexec \"$@\"\n");
    const CommandResult result = run_lines(on(3) + " sh ./limited \"$ashlar\" " + arguments);
    std::filesystem::remove(folder() / "limited");
    return result;
  }
};

const std::string solve = "solve --no-probe --problem cantilever --nodes 9,5,4 ";

/// The array of this name in a file of VTK's, by its offset in the appended data.
template <class T>
std::vector<T> array(const std::string& file, const std::string& name) {
  std::smatch found;
  EXPECT_TRUE(std::regex_search(file, found, std::regex("Name=\"" + name + "\"[^>]* offset=\"([0-9]+)\""))) << name;
  if (found.empty()) return {};
  const std::string letters = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/",
                    marker = "encoding=\"base64\">\n_";
  std::size_t place = file.find(marker) + marker.size() + std::stoull(found[1]);
  std::string bytes;
  std::uint64_t length = 8;
  std::uint32_t bits = 0;
  for (std::size_t i = 0; bytes.size() < length; ++i) {
    const auto digit = letters.find(file.at(place + i));
    if (digit == std::string::npos) break;
    bits = bits << 6 | static_cast<std::uint32_t>(digit);
    if (i % 4 != 0) bytes += static_cast<char>(bits >> (6 - 2 * (i % 4)));
    if (bytes.size() == 8) {
      std::memcpy(&length, bytes.data(), 8);
      length += 8;
    }
  }
  std::vector<T> values((length - 8) / sizeof(T));
  if (!values.empty()) std::memcpy(values.data(), bytes.data() + 8, length - 8);
  return values;
}

struct Mesh {
  std::vector<double> points, values;
  std::vector<std::int64_t> cells;

  Mesh(const std::string& file, const std::string& field)
      : points(array<double>(file, "Points")),
        values(array<double>(file, field)),
        cells(array<std::int64_t>(file, "connectivity")) {}
};

/// The corners of all cells with what is shown there, cell by cell: the same however points are numbered and shared.
std::vector<double> corners(const Mesh& mesh) {
  const std::size_t components = mesh.points.empty() ? 1 : mesh.values.size() / (mesh.points.size() / 3);
  std::vector<double> all;
  for (const std::int64_t point : mesh.cells) {
    all.insert(all.end(), mesh.points.begin() + 3 * point, mesh.points.begin() + 3 * point + 3);
    const auto values = mesh.values.begin() + std::ptrdiff_t(components) * point;
    all.insert(all.end(), values, values + std::ptrdiff_t(components));
  }
  return all;
}

TEST_F(RankFiles, PiecesOfAMeshAreTheMesh) {
  for (const auto& [dof, field] : {std::pair("3", "displacement"), {"1", "solution"}, {"6", "displacement"}}) {
    SCOPED_TRACE(dof);
    // The pieces and the whole of one solve: three ranks round as two do not.
    const std::string system = solve + "--dof " + dof;
    ASSERT_EQ(run(system + " --vtk x.pvtu", on(3)).exit_code, 0);
    ASSERT_EQ(run(system + " --vtk x.vtu", on(3)).exit_code, 0);
    const std::string whole = content("x.pvtu");
    EXPECT_THAT(whole,
                HasSubstr("<Piece Source=\"x_0.vtu\"/>\n<Piece Source=\"x_1.vtu\"/>\n<Piece Source=\"x_2.vtu\"/>\n"));
    EXPECT_THAT(whole, HasSubstr(std::string("Name=\"") + field + "\""));
    std::vector<double> together;
    for (const std::string piece : {"x_0.vtu", "x_1.vtu", "x_2.vtu"}) {
      const Mesh mesh(content(piece), field);
      EXPECT_FALSE(mesh.cells.empty()) << piece;
      const std::vector<double> of_piece = corners(mesh);
      together.insert(together.end(), of_piece.begin(), of_piece.end());
    }
    EXPECT_EQ(together, corners(Mesh(content("x.vtu"), field)));
  }
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(RankFiles, OfOneRankAMeshHasOnePiece) {
  ASSERT_EQ(run(solve + "--vtk x.pvtu").exit_code, 0);
  ASSERT_EQ(run(solve + "--vtk x.vtu").exit_code, 0);
  EXPECT_TRUE(content("x_0.vtu") == content("x.vtu"));
  EXPECT_THAT(content("x.pvtu"), HasSubstr("<Piece Source=\"x_0.vtu\"/>\n</P"));
  expect_refused(solve + "--vtk x.pvtu --report x_0.vtu", {"x_0.vtu", "--vtk", "--report"});
}

/// What is written by all ranks is what rank 0 writes alone to standard output.
TEST_F(RankFiles, SolutionsAreTheSameBytes) {
  for (const std::string& system : {solve, solve + "--solver block-cg --num-rhs 3 "}) {
    for (const int ranks : {2, 3}) {
      SCOPED_TRACE(system + std::to_string(ranks));
      ASSERT_EQ(run(system + "--solution x.mtx", on(ranks)).exit_code, 0);
      const CommandResult alone = run(system + "--solution -", on(ranks));
      ASSERT_EQ(alone.exit_code, 0);
      EXPECT_THAT(alone.out, HasSubstr(ranks == 2 || system == solve ? "540 " : "540 3\n"));
      EXPECT_TRUE(content("x.mtx") == alone.out);
    }
  }
}

TEST_F(RankFiles, ConvertedMatricesAreTheSameBytes) {
  std::ostringstream file;
  const int n = 120;
  file << "%%MatrixMarket matrix coordinate real general\n" << n << ' ' << n << ' ' << 3 * n - 2 << '\n';
  for (int i = 1; i <= n; ++i) {
    if (i > 1) file << i << ' ' << i - 1 << " -1." << i << "\n";
    file << i << ' ' << i << " 2.5\n";
    if (i < n) file << i << ' ' << i + 1 << " -1\n";
  }
  write("A.mtx", file.str());
  const CommandResult one = run("convert A.mtx one.bcsr --block-size 2");
  ASSERT_EQ(one.exit_code, 0);
  ASSERT_EQ(run("convert one.bcsr one.mtx").exit_code, 0);
  for (const int ranks : {2, 3}) {
    const CommandResult several = run("convert A.mtx several.bcsr --block-size 2", on(ranks));
    ASSERT_EQ(several.exit_code, 0) << several.err;
    EXPECT_EQ(several.out, std::regex_replace(one.out, std::regex("one"), "several"));
    EXPECT_TRUE(content("several.bcsr") == content("one.bcsr"));
    const CommandResult back = run("convert one.bcsr several.mtx", on(ranks));
    ASSERT_EQ(back.exit_code, 0) << back.err;
    EXPECT_THAT(back.out, HasSubstr("several.mtx: 120 x 120, 358 entries of "));
    EXPECT_TRUE(content("several.mtx") == content("one.mtx"));
  }
  const CommandResult piped = run("convert one.bcsr -", on(2));
  EXPECT_EQ(piped.exit_code, 0);
  EXPECT_TRUE(piped.out == content("one.mtx"));
  EXPECT_EQ(files().size(), 5u);
}

TEST_F(RankFiles, GeneratedProblemsAreTheBytesOfOneRank) {
  const std::string convert = "convert --problem cantilever --nodes 5,3,2 ";
  ASSERT_EQ(run(convert + "one.bcsr").exit_code, 0);
  ASSERT_EQ(run(convert + "one.mtx --rhs one_b.mtx").exit_code, 0);
  for (const int ranks : {2, 3}) {
    const CommandResult blocks = run(convert + "several.bcsr", on(ranks));
    EXPECT_EQ(blocks.exit_code, 0) << blocks.err;
    EXPECT_EQ(content("several.bcsr"), content("one.bcsr"));
    const CommandResult entries = run(convert + "several.mtx --rhs several_b.mtx", on(ranks));
    EXPECT_EQ(entries.exit_code, 0) << entries.err;
    EXPECT_EQ(content("several.mtx"), content("one.mtx"));
    EXPECT_EQ(content("several_b.mtx"), content("one_b.mtx"));
  }
  EXPECT_EQ(run(convert + "-", on(2)).out, content("one.mtx"));
}

/// The disk of one rank is full: there is one message, which says which, and what was there is there still.
TEST_F(RankFiles, ThatOneRankCannotWriteStayAsTheyWere) {
  for (const std::string name : {"x.mtx", "x.pvtu", "x_0.vtu", "x_1.vtu", "x_2.vtu"}) write(name, "old");
  const auto before = files();
  for (const auto& [option, output] : {std::pair("--solution ", "x.mtx"), {"--vtk ", "x.pvtu"}}) {
    SCOPED_TRACE(option);
    const CommandResult result = run_with_limit("1", solve + option + output);
    EXPECT_EQ(result.exit_code, 1);
    const auto told = messages(result.err);
    ASSERT_EQ(told.size(), 1u) << result.err;
    EXPECT_THAT(told[0], HasSubstr(std::string(output) + ": cannot be written (rank 1 on "));
    EXPECT_THAT(told[0], HasSubstr("too large"));
    EXPECT_THAT(result.out, HasSubstr("result     converged after "));
    EXPECT_EQ(files(), before);
    for (const std::string name : {"x.mtx", "x.pvtu", "x_0.vtu", "x_1.vtu", "x_2.vtu"}) EXPECT_EQ(content(name), "old");
  }
}

TEST_F(RankFiles, ThatNoRankCanWriteAreToldOnce) {
  write("x.mtx", "old");
  const auto before = files();
  const CommandResult result = run_with_limit("*", solve + "--solution x.mtx");
  EXPECT_EQ(result.exit_code, 1);
  EXPECT_EQ(messages(result.err).size(), 1u) << result.err;
  EXPECT_EQ(content("x.mtx"), "old");
  EXPECT_EQ(files(), before);
}

/// mpirun ends its ranks by signals of its own, and by SIGKILL if they linger.
TEST_F(RankFiles, AreWholeAfterTheirLauncherIsEnded) {
  for (const std::string signal : {"TERM", "INT", "USR1", "QUIT"}) {
    for (const std::string option : {"--solution x.mtx", "--vtk x.pvtu"}) {
      SCOPED_TRACE(signal + " " + option);
      for (const std::string name : {"x.mtx", "x.pvtu", "x_0.vtu", "x_1.vtu", "x_2.vtu"}) write(name, "old");
      const auto before = files();
      run_lines("ulimit -c 0\n" + std::string("OMP_NUM_THREADS=1 env --default-signal ") + mpiexec(3) +
                " \"$ashlar\" solve --problem cantilever --nodes 41 --dof 3 --no-probe --max-iterations 1 " + option +
                " >summary.txt & pid=$!\n"
                "while kill -0 $pid && ! grep -q result summary.txt; do sleep 0.01; done 2>/dev/null\n"
                "sleep 0.02; kill -" +
                signal + " $pid 2>/dev/null; wait $pid; rm summary.txt; sleep 0.5");
      // (Ranks end after their launcher, and later where others compute.)
      for (int k = 0; k < 100 && files() != before; ++k) std::this_thread::sleep_for(std::chrono::milliseconds(100));
      EXPECT_EQ(files(), before);
    }
  }
}

/// A folder in the place of a piece that is not rank 0's: found before the solve.
TEST_F(RankFiles, PiecesThatCannotBeMadeAreRefusedAtOnce) {
  std::filesystem::create_directory(folder() / "x_1.vtu");
  const CommandResult result = run(solve + "--vtk x.pvtu", on(2));
  EXPECT_EQ(result.exit_code, 1);
  const auto told = messages(result.err);
  ASSERT_EQ(told.size(), 1u) << result.err;
  EXPECT_THAT(told[0], HasSubstr("x_1.vtu: cannot be written (it is a folder)"));
  EXPECT_EQ(result.out, "");
  EXPECT_EQ(files().size(), 1u);
}

/// A rank that works in another folder is as one on a host without the file system of the others.
TEST_F(RankFiles, ThatARankDoesNotSeeAreRefusedAtOnce) {
  std::filesystem::create_directory(folder() / "elsewhere");
  write("moved", "[ ${OMPI_COMM_WORLD_RANK:-$PMI_RANK} = 1 ] && cd elsewhere\nexec \"$@\"\n");
  const auto before = files();
  for (const auto& [option, output] : {std::pair("--solution ", "x.mtx"), {"--vtk ", "x.pvtu"}}) {
    SCOPED_TRACE(option);
    const CommandResult result = run_lines(on(2) + " sh ./moved \"$ashlar\" " + solve + option + output);
    EXPECT_EQ(result.exit_code, 1);
    const auto told = messages(result.err);
    ASSERT_EQ(told.size(), 1u) << result.err;
    EXPECT_THAT(told[0], HasSubstr(std::string(output) + ": cannot be written (rank 1 on "));
    EXPECT_THAT(told[0], HasSubstr("does not see the file that rank 0 has made); name a file on a file system"));
    EXPECT_EQ(result.out, "");
    EXPECT_EQ(files(), before);
  }
}

}  // namespace
}  // namespace ashlar::testing
