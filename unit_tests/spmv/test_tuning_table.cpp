// The table of measured choices: its file, its classes, and what a plan makes of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/host/text_file.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/tune.hpp>
#include <spmv/product_case.hpp>
#include <support/temporary_folder.hpp>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::Not;
using Matrix = BcsrMatrix<double>;
using Case = ProductCase<Matrix>;

TuningKey some_key(const std::string& device = "A device") {
  return {.device = device,
          .block_shape = 3,
          .values = "float",
          .vectors = "double",
          .layout = "column_major",
          .mode = "transpose",
          .block_rows_from = 1024,
          .row_blocks_from = 16,
          .spread = "uneven"};
}

const TuningChoice some_choice{
    .kernel = Kernel::by_block, .width = 96, .tile_rows = 0, .seconds = 1.25e-4, .default_seconds = 1.5e-4};

TEST(TuningTable, FindsWhatWasSetAndNothingElse) {
  TuningTable table;
  table.set(some_key(), some_choice);
  EXPECT_EQ(table.find(some_key()), some_choice);
  std::vector<TuningKey> others(9, some_key());
  others[0].device = "Another";
  others[1].block_shape = 4;
  others[2].values = "double";
  others[3].vectors = "float";
  others[4].layout = "row_major";
  others[5].mode = "no_transpose";
  others[6].block_rows_from = 4096;
  others[7].row_blocks_from = 32;
  others[8].spread = "even";
  for (const TuningKey& other : others) EXPECT_EQ(table.find(other), std::nullopt);
  // The later choice is the one that counts.
  table.set(some_key(), {.kernel = Kernel::by_column});
  EXPECT_EQ(table.find(some_key())->kernel, Kernel::by_column);
  EXPECT_EQ(table.size(), 1);
}

struct TuningFile : ::testing::Test {
  TemporaryFolder folder;
  const std::string file = folder / "tuning.json";

  /// The text of a file with one choice, in which `from` is replaced.
  std::string changed(const std::string& from, const std::string& to) const {
    TuningTable table;
    table.set(some_key(), some_choice);
    table.save(folder / "sound.json");
    std::string text = content_of(folder / "sound.json");
    const auto at = text.find(from);
    EXPECT_NE(at, std::string::npos) << from;
    return text.replace(at, from.size(), to);
  }

  void expect_refused(const std::string& content, const std::string& what) const {
    const std::string bad = folder.write("bad.json", content);
    TuningTable table;
    table.set(some_key("Already here"), some_choice);
    try {
      table.load(bad);
      ADD_FAILURE() << "no error: " << what;
    } catch (const FileError& error) {
      EXPECT_EQ(error.file(), bad);
      EXPECT_THAT(error.what(), HasSubstr(what));
      EXPECT_NE(error.suggestion(), "");
    }
    EXPECT_EQ(table.size(), 1) << "the table was changed";
    EXPECT_EQ(table.find(some_key("Already here")), some_choice);
  }
};

TEST_F(TuningFile, ReadsBackAsItWasWritten) {
  TuningTable table;
  table.set(some_key(), some_choice);
  table.set(some_key("Quotes \" and \\ and \u00b5"), {.kernel = Kernel::by_tile, .tile_rows = 32, .seconds = 1});
  table.set(some_key("Of a CPU"), {.kernel = Kernel::block_row_per_thread, .prefetch_bytes = 0, .seconds = 1});
  table.set(some_key("The default was best"), {.seconds = 2e-6, .default_seconds = 2e-6});
  table.save(file);
  EXPECT_THAT(content_of(file), AllOf(HasSubstr("\"format\": \"ashlar-tuning-1\""), HasSubstr("\"kernel\": \"auto\""),
                                      HasSubstr("\"row_blocks_from\": 16")));
  TuningTable read;
  read.load(file);
  EXPECT_EQ(read.size(), 4);
  EXPECT_EQ(read.find(some_key("Of a CPU"))->prefetch_bytes, 0);
  EXPECT_EQ(read.find(some_key()), some_choice);
  EXPECT_EQ(read.find(some_key("Quotes \" and \\ and \u00b5"))->tile_rows, 32);
  EXPECT_EQ(read.find(some_key("The default was best"))->kernel, Kernel::automatic);
}

TEST_F(TuningFile, IsAddedToWhatIsThere) {
  TuningTable table, read;
  table.set(some_key(), some_choice);
  table.save(file);
  read.set(some_key(), {.kernel = Kernel::by_column});
  read.set(some_key("Another"), some_choice);
  read.load(file);
  EXPECT_EQ(read.size(), 2);
  EXPECT_EQ(read.find(some_key()), some_choice);
}

TEST_F(TuningFile, MayHoldNoChoice) {
  TuningTable().save(file);
  TuningTable table;
  table.load(file);
  EXPECT_EQ(table.size(), 0);
}

/// As mktemp makes it.
TEST_F(TuningFile, MayBeEmpty) {
  for (const std::string content : {"", " \n\t\r\n"}) {
    TuningTable table;
    table.load(folder.write("empty.json", content));
    EXPECT_EQ(table.size(), 0);
  }
}

TEST_F(TuningFile, ThatIsNoTableIsRefused) {
  TuningTable table;
  EXPECT_THROW(table.load(folder / "none.json"), FileError);
  const std::string number = changed("\"seconds\": 0.000125", "\"seconds\": 1e309");
  expect_refused(number, "a number that is too large");
  expect_refused(changed("\"A device\"", std::string(200000, '[') + std::string(200000, ']')), "lists within lists");
  expect_refused("{\n\"format\":\n oops }", ":3: not JSON");
  expect_refused("[1, 2]", "not a tuning table");
  expect_refused("{\"results\": []}", "not a tuning table");
  expect_refused(changed("ashlar-tuning-1", "ashlar-tuning-2"), "a table of format \"ashlar-tuning-2\"");
  expect_refused(changed("\"ashlar-tuning-1\"", "7"), "a table of format 7");
  expect_refused("{\"format\": \"ashlar-tuning-1\"}", "without choices");
  expect_refused("{\"format\": \"ashlar-tuning-1\", \"choices\": [3]}", "choice 1: is no object");
}

TEST_F(TuningFile, WithAChoiceThatNoPlanCouldTakeIsRefused) {
  expect_refused(changed("by_block", "by_magic"), "choice 1: kernel 'by_magic' (there is none of this name)");
  expect_refused(changed("\"width\": 96", "\"width\": 48"), "choice 1: width is 48 (");
  expect_refused(changed("\"width\": 96", "\"width\": 2048"), "width is 2048");
  expect_refused(changed("\"width\": 96", "\"width\": -32"), "width is -32");
  expect_refused(changed("\"width\": 96", "\"width\": \"96\""), "width is \"96\" (it is a whole number)");
  expect_refused(changed("\"width\": 96,", ""), "has no width");
  expect_refused(changed("\"tile_rows\": 0", "\"tile_rows\": 3"), "tile_rows is 3");
  expect_refused(changed("\"tile_rows\": 0", "\"tile_rows\": 256"), "tile_rows is 256");
  for (const char* bytes : {"-1", "2000000", "\"far\""}) {
    const std::string named = std::string("\"prefetch_bytes\": ");
    expect_refused(changed(named + "null", named + bytes), "prefetch_bytes is " + std::string(bytes));
  }
  expect_refused(changed("\"seconds\": 0.000125", "\"seconds\": null"), "seconds is null");
  expect_refused(changed("\"row_block_size\": 3", "\"row_block_size\": 65"), "row_block_size is 65");
  expect_refused(changed("\"block_rows_from\": 1024", "\"block_rows_from\": 1000"), "block_rows_from is 1000");
  expect_refused(changed("\"row_blocks_from\": 16", "\"row_blocks_from\": 17"), "row_blocks_from is 17");
  expect_refused(changed("uneven", "odd"), "spread is odd");
  expect_refused(changed("\"A device\"", "{}"), "device is {} (it is a text)");
  const std::string one = changed("A device", "A device");
  const std::string choice = one.substr(one.find('[') + 1, one.find(']') - one.find('[') - 1);
  expect_refused("{\"format\": \"ashlar-tuning-1\", \"choices\": [" + choice + "," + choice + "]}",
                 "choice 2: has the key of another");
}

TEST_F(TuningFile, ThatCannotBeWrittenIsAnError) {
  EXPECT_THROW(TuningTable().save(folder / "no folder/tuning.json"), FileError);
}

TEST(TuningClass, OfBlockRowsBeginsAtPowersOfFour) {
  EXPECT_EQ(impl::block_rows_class(0), 1);
  EXPECT_EQ(impl::block_rows_class(1), 1);
  EXPECT_EQ(impl::block_rows_class(3), 1);
  EXPECT_EQ(impl::block_rows_class(4), 4);
  EXPECT_EQ(impl::block_rows_class(1023), 256);
  EXPECT_EQ(impl::block_rows_class(1 << 20), 1 << 20);
  EXPECT_EQ(impl::block_rows_class(std::int64_t(1) << 40), 1 << 20);
}

TEST(TuningClass, OfRowLengthsGoesByAverageAndLongest) {
  const auto of = [](std::int64_t blocks, std::int64_t longest) {
    const TuningKey key = impl::tuning_class({.num_block_rows = 100, .num_blocks = blocks, .longest_row = longest});
    return std::pair(key.row_blocks_from, key.spread);
  };
  EXPECT_EQ(of(0, 0), std::pair(std::int64_t(0), std::string("even")));
  EXPECT_EQ(of(99, 2).first, 0);
  EXPECT_EQ(of(100, 1).first, 1);
  EXPECT_EQ(of(1599, 16).first, 8);
  EXPECT_EQ(of(1600, 16).first, 16);
  EXPECT_EQ(of(1600, 32).second, "even");
  EXPECT_EQ(of(1600, 33).second, "uneven");
  EXPECT_EQ(of(1600, 256).second, "uneven");
  EXPECT_EQ(of(1600, 257).second, "long_rows");
}

constexpr impl::SpmvDevice gpu{true, 32, 132 * 2048}, wide_gpu{true, 64, 304 * 2048}, cpu{false, 32, 16};
constexpr impl::SpmvShape grid{
    .num_block_rows = 100'000, .num_blocks = 2'700'000, .num_cols = 300'000, .block_shape = 3, .longest_row = 27};

TEST(SpmvDecision, TakesWhatWasMeasuredUnlessTheCallerAsks) {
  const TuningChoice measured{.kernel = Kernel::by_block, .width = 64, .seconds = 8.12e-4, .default_seconds = 9e-4};
  const auto tuned = impl::decide(grid, gpu, {}, measured);
  EXPECT_EQ(tuned.launch.kernel, Kernel::by_block);
  EXPECT_EQ(tuned.launch.grouping.width, 64);
  EXPECT_EQ(tuned.chosen_by, ChosenBy::measurement);
  EXPECT_THAT(tuned.grounds, AllOf(HasSubstr("812 us"), HasSubstr("900 us")));

  const auto asked = impl::decide(grid, gpu, {Kernel::row_per_thread, 0, 0}, measured);
  EXPECT_EQ(asked.launch.kernel, Kernel::row_per_thread);
  EXPECT_EQ(asked.chosen_by, ChosenBy::caller);
  EXPECT_THAT(asked.grounds, HasSubstr("kernel asked for by the caller"));
  EXPECT_THAT(impl::decide(grid, gpu, {Kernel::automatic, 64, 0}, measured).grounds, HasSubstr("width asked for"));

  const auto model = impl::decide(grid, gpu, {}, std::nullopt);
  EXPECT_EQ(model.chosen_by, ChosenBy::cost_model);
  EXPECT_THAT(model.grounds,
              AllOf(HasSubstr("cost model"), HasSubstr("27 blocks a row"), HasSubstr("5.1 lines for each of 16")));
}

/// Tables that were made when it was one name for two kernels.
TEST(SpmvDecision, TakesByBlockOfATableForWhatItWasMeasuredAs) {
  if (!is_compiled(12)) GTEST_SKIP() << "12 is not compiled";
  impl::SpmvShape by_rows = grid;
  by_rows.block_shape = 12;
  by_rows.by_columns = false;
  const auto tuned = impl::decide(by_rows, gpu, {}, TuningChoice{.kernel = Kernel::by_block, .width = 64});
  EXPECT_EQ(tuned.chosen_by, ChosenBy::measurement);
  EXPECT_EQ(tuned.launch.kernel, Kernel::by_block_rows);
  EXPECT_EQ(tuned.launch.grouping.width, 64);
}

TEST(SpmvDecision, IsTheCostModelsWhereNothingWasFaster) {
  const auto decision = impl::decide(grid, gpu, {}, TuningChoice{.seconds = 5e-6, .default_seconds = 5e-6});
  EXPECT_EQ(decision.chosen_by, ChosenBy::measurement);
  EXPECT_EQ(decision.launch.grouping.width, impl::choose_launch(grid, gpu, {}).grouping.width);
  EXPECT_THAT(decision.grounds, AllOf(HasSubstr("nothing measured was faster"), HasSubstr("5 us")));
}

TEST(SpmvDecision, LeavesAsideWhatCannotTakeTheMatrix) {
  const auto decision = impl::decide(grid, gpu, {}, TuningChoice{.kernel = Kernel::by_tile, .tile_rows = 8});
  EXPECT_EQ(decision.chosen_by, ChosenBy::cost_model);
  EXPECT_EQ(decision.launch.kernel, Kernel::by_line);
  EXPECT_THAT(decision.grounds, HasSubstr("the tuning table has by_tile, which cannot take this matrix"));
}

TEST(SpmvDecision, RefusesAWidthThatTheDeviceHasNot) {
  EXPECT_NO_THROW(impl::decide(grid, gpu, {}, TuningChoice{.kernel = Kernel::by_block, .width = 96}));
  try {
    impl::decide(grid, wide_gpu, {}, TuningChoice{.kernel = Kernel::by_block, .width = 96});
    ADD_FAILURE() << "no error";
  } catch (const ArgumentError& error) {
    EXPECT_THAT(error.what(), AllOf(HasSubstr("96 lanes"), HasSubstr("up to 64 here"), HasSubstr("tune again")));
  }
}

TEST(SpmvCandidates, BeginWithTheDefaultAndDifferFromItAndCanBeTaken) {
  for (const auto& device : {gpu, wide_gpu, cpu}) {
    for (int b = 1; b <= max_block_size; ++b) {
      for (const bool transpose : {false, true}) {
        impl::SpmvShape shape = grid;
        shape.block_shape = b;
        shape.by_columns = shape.in_order = !transpose;
        const auto candidates = impl::launch_candidates(shape, device);
        ASSERT_TRUE(candidates.front().is_free());
        const auto model = impl::choose_launch(shape, device, {});
        for (std::size_t i = 1; i < candidates.size(); ++i) {
          const auto& each = candidates[i];
          const auto launch = impl::choose_launch(shape, device, each);
          EXPECT_FALSE(launch.kernel == model.kernel && launch.grouping.width == model.grouping.width &&
                       launch.tile.rows == model.tile.rows && launch.prefetch_bytes == model.prefetch_bytes);
          EXPECT_TRUE(impl::serves(launch.kernel, shape, each.width));
        }
        EXPECT_GT(candidates.size(), 1) << "b = " << b;
        EXPECT_LT(candidates.size(), 40) << "b = " << b;
      }
    }
  }
}

TEST(SpmvCandidates, AreNoneTwice) {
  for (const int b : {3, 12}) {
    for (const bool by_columns : {true, false}) {
      impl::SpmvShape shape = grid;
      shape.block_shape = b;
      shape.by_columns = by_columns;
      std::vector<std::pair<Kernel, int>> launches;
      for (const auto& each : impl::launch_candidates(shape, gpu)) {
        const auto launch = impl::choose_launch(shape, gpu, each);
        launches.emplace_back(launch.kernel, launch.grouping.width);
      }
      std::sort(launches.begin(), launches.end());
      EXPECT_EQ(std::adjacent_find(launches.begin(), launches.end()), launches.end()) << "b = " << b;
    }
  }
}

TEST(SpmvCandidates, AreTilesOfSeveralSizesForTheSmallestBlocks) {
  impl::SpmvShape shape = grid;
  shape.block_shape = 1;
  std::vector<int> rows;
  for (const auto& each : impl::launch_candidates(shape, gpu)) {
    if (each.kernel == Kernel::by_tile) rows.push_back(each.tile_rows);
  }
  EXPECT_GE(rows.size(), 3);
}

TEST(SpmvTileRows, ArePowersOfTwo) {
  impl::SpmvShape shape = grid;
  shape.block_shape = 1;
  EXPECT_EQ(impl::choose_launch(shape, gpu, {Kernel::by_tile, 0, 16}).tile.rows, 16);
  for (const int rows : {-1, 3, 256}) {
    EXPECT_THROW(impl::choose_launch(shape, gpu, {Kernel::by_tile, 0, rows}), ArgumentError);
  }
  for (const int b : {1, 2}) {
    const Case c(reference::random_bcsr<Matrix>(
        300, 310, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23}, 3));
    if (!is_served(Kernel::by_tile, c.host, Mode::no_transpose)) continue;  // not compiled
    for (const int rows : {1, 2, 8, 32, 128}) c.expect_right({.kernel = Kernel::by_tile, .tile_rows = rows}, 1, 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
