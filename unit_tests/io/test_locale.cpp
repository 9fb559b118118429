// What the library writes, reads and says does not depend on the locale of the program.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/io/vtk.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/trace/recorder.hpp>
#include <clocale>
#include <locale>
#include <map>
#include <sstream>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

/// 1234567.5 is "1 234 567,5": no number of a thousand or more, and none with a fraction, is what it should be.
struct Grouping : std::numpunct<char> {
  char do_decimal_point() const override { return ','; }
  char do_thousands_sep() const override { return ' '; }
  std::string do_grouping() const override { return "\3"; }
};

/// The global locale of C++, and that of C if the machine has one with a comma, while this lives.
class GroupingLocale {
 public:
  GroupingLocale()
      : before_(std::locale::global(std::locale(std::locale::classic(), new Grouping))),
        c_before_(std::setlocale(LC_ALL, nullptr)) {
    for (const char* name : {"de_DE.UTF-8", "de_DE.utf8", "fr_FR.UTF-8", "fr_FR.utf8"}) {
      if (std::setlocale(LC_ALL, name) != nullptr) break;
    }
  }
  ~GroupingLocale() {
    std::setlocale(LC_ALL, c_before_.c_str());
    std::locale::global(before_);
  }

 private:
  std::locale before_;
  std::string c_before_;
};

using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;
using Said = std::map<std::string, std::string>;

TuningKey tuning_key() {
  return {.device = "A device",
          .block_shape = 3,
          .values = "double",
          .vectors = "double",
          .layout = "column_major",
          .mode = "no_transpose",
          .block_rows_from = 16384,
          .row_blocks_from = 1024};
}

/// The files of all writers, in the folder.
void write_all(const TemporaryFolder& folder, const Matrix& blocks) {
  const CooMatrix<double> coo{
      .num_rows = 3000, .num_cols = 3000, .rows = {0, 2999}, .cols = {1999, 2999}, .values = {1234.5, -2e9}};
  const std::vector<double> vector(1728, 1234.5);
  io::write_matrix_market(folder / "A.mtx", coo);
  io::write_matrix_market_vector(folder / "b.mtx", vector);
  io::write_matrix_market_array(folder / "B.mtx", 864, vector);
  const std::vector<double> points(3 * 1728, 0.5);
  const std::vector<std::int64_t> cells(8 * 1200, 1727);
  io::write_vtu(folder / "mesh.vtu", points, cells, {{"u", 1, vector}});
  io::write_pvtu(folder / "mesh.pvtu", {"mesh_1000.vtu"}, {{"u", 1000, {}}});
  io::write_vti(folder / "grid.vti", {{1728, 1, 1}, {1234.5, 1, 1}}, {{"u", 1, vector}});
  io::write_block_file(Kokkos::DefaultHostExecutionSpace(), folder / "A.bcsr", blocks);
  TuningTable table;
  table.set(tuning_key(), {.kernel = Kernel::by_block, .width = 1024, .seconds = 1234.5, .default_seconds = 0.25});
  table.save(folder / "tuning.json");
  std::ostringstream trace;  // in the locale of the program, as a user's file
  trace::write_chrome_json(trace, {{"spmv", "track", trace::SpanKind::copy, 1'234'567'890, 2'345'678'901, 123456}},
                           {"track"});
  folder.write("trace.json", trace.str());
  std::ostringstream joined;
  trace::join_chrome_events(
      joined,
      {trace::chrome_events({{"p", {{"s", "t", trace::SpanKind::region, 1'000'000, 2'000'000, 0}}, {"t"}}}, 1000)});
  folder.write("joined.json", joined.str());
}

std::map<std::string, std::string> contents(const TemporaryFolder& folder) {
  std::map<std::string, std::string> all;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    all[entry.path().filename().string()] = content_of(entry.path().string());
  }
  return all;
}

/// What the library says.
Said say_all(const TemporaryFolder& folder, const Matrix& blocks) {
  Said said;
  said["text"] = text(1234567, ' ', 1234.5, ' ', std::size_t(98765));
  said["a lines's error"] = message_of<FileError>([&] {
    io::read_matrix_market<double>(
        folder.write("bad.mtx", "%%MatrixMarket matrix array real general\n1728 1000\n1.5\n"));
  });
  said["a number's error"] = message_of<FileError>([&] {
    io::read_matrix_market<float>(
        folder.write("bad.mtx", "%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1e300\n"));
  });
  std::filesystem::remove(folder / "bad.mtx");
  StreamingPlan plan;
  plan.seconds = plan.link_seconds = 0.0012345;
  plan.figures.link_bytes_per_second = 1.2345e10;
  plan.estimate.sent_bytes = 1234567890;
  plan.estimate.num_subdivisions = 1234;
  said["streaming plan"] = plan.explain();
  said["plan"] = SpmvPlan<Matrix>(Kokkos::DefaultHostExecutionSpace(), blocks).explain();
  said["bytes"] = bytes_text(12345678901);
  said["status"] = describe(SolveStatus::iteration_limit);
  return said;
}

TEST(Locale, ChangesNothingThatIsWrittenReadOrSaid) {
  const auto blocks = reference::random_bcsr<Matrix>(1728, 1728, 3, {.min_blocks = 1, .max_blocks = 2});
  const TemporaryFolder folder;
  write_all(folder, blocks);
  const auto classic = contents(folder);
  const Said said = say_all(folder, blocks);
  const std::uint64_t memory = host_memory().total;
  EXPECT_EQ(said.at("text"), "1234567 1234.5 98765");

  const GroupingLocale grouping;
  ASSERT_EQ((std::ostringstream() << 1234.5).str(), "1 234,5") << "the locale is not the test's";
  EXPECT_EQ(say_all(folder, blocks), said);
  EXPECT_EQ(host_memory().total, memory);
  for (const auto& [name, content] : classic) std::filesystem::remove(folder / name);
  write_all(folder, blocks);
  for (const auto& [name, content] : contents(folder)) EXPECT_TRUE(content == classic.at(name)) << name;

  EXPECT_EQ(io::read_matrix_market<double>(folder / "A.mtx").values, (std::vector<double>{1234.5, -2e9}));
  EXPECT_EQ(io::read_matrix_market_vector<double>(folder / "b.mtx"), std::vector<double>(1728, 1234.5));
  EXPECT_EQ(io::read_matrix_market_header(folder / "A.mtx").rows, 3000);
  EXPECT_EQ(io::BlockFile(folder / "A.bcsr").num_blocks(), blocks.num_blocks());
  TuningTable table;
  table.load(folder / "tuning.json");
  EXPECT_EQ(table.find(tuning_key())->seconds, 1234.5);
}

}  // namespace
}  // namespace ashlar::testing
