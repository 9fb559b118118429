// Files written part by part against those written at once, byte for byte; parts that are too many or too few.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <filesystem>
#include <iterator>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

template <class Scalar, class Layout = BlockColumnMajor, class Ordinal = std::int32_t>
using Host = BcsrMatrix<Scalar, Layout, Ordinal, std::int32_t, Kokkos::HostSpace>;

struct BlockFileWriter : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "A.bcsr", at_once = folder / "B.bcsr";
  const Kokkos::DefaultHostExecutionSpace exec;

  std::ptrdiff_t num_files() const { return std::distance(fs::directory_iterator(folder.path()), {}); }

  template <class Matrix>
  static io::BlockFileWriter<Matrix> writer(const std::string& path, const Matrix& matrix,
                                            const io::BlockFileOptions& options = {}) {
    const auto rows = matrix.graph().row_ptr();
    return {path, matrix.block_shape(), matrix.num_block_cols(), {rows.data(), rows.data() + rows.extent(0)}, options};
  }

  template <class Matrix>
  static void append(io::BlockFileWriter<Matrix>& writer, const Matrix& matrix, std::int64_t first,
                     std::int64_t count) {
    writer.append(count, matrix.graph().col_idx().data() + first,
                  matrix.values().data() + first * matrix.block_shape().num_values());
  }

  template <class Matrix>
  void expect_same_file(BlockShape shape, std::int64_t chunk_bytes) const {
    const auto matrix = reference::random_bcsr<Matrix>(
        41, 23, shape, {.min_blocks = 0, .max_blocks = 6, .empty_every = 5, .full_row = 20});
    const io::BlockFileOptions options{.chunk_bytes = chunk_bytes};
    io::write_block_file(exec, at_once, matrix, options);
    for (const std::int64_t most : {1, 7, 1000}) {
      auto parts = writer(path, matrix, options);
      for (std::int64_t first = 0; first < matrix.num_blocks(); first += most) {
        EXPECT_EQ(parts.num_blocks_left(), matrix.num_blocks() - first);
        append(parts, matrix, first, std::min(most, matrix.num_blocks() - first));
      }
      parts.close();
      EXPECT_THAT(message_of<ArgumentError>([&] { parts.close(); }), HasSubstr("after close()"));
      EXPECT_TRUE(content_of(path) == content_of(at_once)) << most << " at a time, chunks of " << chunk_bytes;
    }
  }
};

TEST_F(BlockFileWriter, WritesWhatIsWrittenAtOnce) {
  for (const std::int64_t chunk_bytes : {0, 64, 192, 4096}) {
    expect_same_file<Host<double>>({3, 3}, chunk_bytes);
    expect_same_file<Host<Kokkos::complex<float>, BlockRowMajor, std::int64_t>>({2, 5}, chunk_bytes);
  }
  const io::BlockFile file(path);
  EXPECT_EQ(file.scalar_name(), "complex<float>");
  EXPECT_EQ(file.layout_name(), "row_major");
}

TEST_F(BlockFileWriter, WritesAMatrixWithoutBlocks) {
  io::BlockFileWriter<Host<double>> parts(path, {3, 3}, 5, {0, 0, 0});
  parts.append(0, nullptr, nullptr);
  parts.close();
  const io::BlockFile file(path);
  EXPECT_EQ(file.num_block_rows(), 2);
  EXPECT_EQ(file.num_blocks(), 0);
}

TEST_F(BlockFileWriter, LeavesWhatWasThereUntilItIsClosed) {
  const auto matrix = reference::random_bcsr<Host<double>>(9, 9, 2, {.min_blocks = 2, .max_blocks = 4});
  fs::copy_file(folder.write("old", "old"), path);
  {
    auto parts = writer(path, matrix);
    append(parts, matrix, 0, 3);
    EXPECT_THAT(message_of<ArgumentError>([&] { parts.close(); }), HasSubstr("blocks are still to come"));
    EXPECT_THAT(message_of<ArgumentError>([&] { append(parts, matrix, 0, matrix.num_blocks()); }),
                AllOf(HasSubstr("A.bcsr"), HasSubstr("are left")));
  }
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(num_files(), 2);
}

TEST_F(BlockFileWriter, RefusesWhatIsNoMatrixBeforeThereIsAFile) {
  using Writer = io::BlockFileWriter<Host<double>>;
  for (const std::vector<std::int64_t>& rows : {std::vector<std::int64_t>{}, {1, 2}, {0, 3, 2}}) {
    EXPECT_THAT(message_of<StructureError>([&] { Writer(path, {2, 2}, 4, rows); }), HasSubstr("rise from 0"));
  }
  EXPECT_THROW(Writer(path, {2, 2}, 4, {0, 1}, {.chunk_bytes = 100}), ArgumentError);
  EXPECT_EQ(num_files(), 0);
  EXPECT_THAT(message_of<FileError>([&] {
                Writer(folder / "none/A.bcsr", {2, 2}, 4, {0, 1});
              }),
              HasSubstr("no folder"));
}

}  // namespace
}  // namespace ashlar::testing
