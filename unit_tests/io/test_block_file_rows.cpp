// Some block rows of a file against those of the matrix.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/io/block_file_rows.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <cstdint>
#include <string>

#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;

struct BlockFileRows : ::testing::Test {
  TemporaryFolder folder;
  const Kokkos::DefaultHostExecutionSpace exec;
  const Matrix whole = reference::random_bcsr<Matrix>(41, 23, {2, 3}, {.min_blocks = 0, .max_blocks = 6});
  const io::BlockFile file = written(folder / "A.bcsr");

  io::BlockFile written(const std::string& path) const {
    io::write_block_file(exec, path, whole, {.chunk_bytes = 128});
    return io::BlockFile(path);
  }
};

TEST_F(BlockFileRows, AreThoseOfTheMatrix) {
  for (const auto& [begin, end] : {std::pair(0, 41), {0, 0}, {7, 8}, {5, 30}, {41, 41}, {40, 41}}) {
    SCOPED_TRACE(std::to_string(begin) + " to " + std::to_string(end));
    const auto rows = io::read_block_file_rows<Matrix>(exec, file, begin, end);
    ASSERT_EQ(rows.num_block_rows(), end - begin);
    EXPECT_EQ(rows.num_block_cols(), 23);
    EXPECT_EQ(rows.block_shape(), whole.block_shape());
    const auto of_whole = whole.graph().row_ptr(), row_ptr = rows.graph().row_ptr();
    for (int i = begin; i <= end; ++i) EXPECT_EQ(row_ptr(i - begin), of_whole(i) - of_whole(begin));
    ASSERT_EQ(rows.num_blocks(), of_whole(end) - of_whole(begin));
    for (int k = 0; k < rows.num_blocks(); ++k) {
      EXPECT_EQ(rows.graph().col_idx()(k), whole.graph().col_idx()(of_whole(begin) + k));
      for (int v = 0; v < 6; ++v) {
        EXPECT_EQ(rows.values()(6 * k + v), whole.values()(6 * (of_whole(begin) + k) + v));
      }
    }
  }
}

TEST_F(BlockFileRows, ThatAreNotThereAreRefused) {
  for (const auto& [begin, end] : {std::pair(-1, 3), {5, 4}, {0, 42}}) {
    EXPECT_THAT(message_of<ArgumentError>([&] { io::read_block_file_rows<Matrix>(exec, file, begin, end); }),
                AllOf(HasSubstr("A.bcsr"), HasSubstr("it has 41")));
  }
  using RowMajor = BcsrMatrix<double, BlockRowMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;
  EXPECT_THAT(message_of<FileError>([&] { io::read_block_file_rows<RowMajor>(exec, file, 0, 1); }),
              HasSubstr("row_major"));
}

}  // namespace
}  // namespace ashlar::testing
