// Files that ranks write together, against those that one writes; ranks that cannot do their part.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/comm/transport.hpp>
#include <ashlar/distributed/block_file.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <atomic>
#include <cstdint>
#include <filesystem>
#include <iterator>
#include <string>
#include <utility>
#include <vector>

#include "distributed/rank_parts.hpp"
#include "io/file_size_limit.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;

struct RankFiles : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "out", at_once = folder / "at_once";

  std::ptrdiff_t num_files() const { return std::distance(fs::directory_iterator(folder.path()), {}); }
};

TEST_F(RankFiles, HoldTheTextsOfAllInRankOrder) {
  folder.write("out", "a longer old text that is replaced");
  for (const int ranks : {1, 2, 3}) {
    run_ranks(ranks, [&](Communicator& comm) {
      SharedFile file(comm, path);
      file.append(comm.rank() == 0 ? "head\n" : "");
      // Of different lengths, the second none at all.
      file.append(std::string(comm.rank() == 1 ? 0 : 3 + comm.rank(), char('a' + comm.rank())));
      file.append(comm.rank() + 1 == comm.size() ? "end" : "");
      file.close();
    });
    EXPECT_EQ(content_of(path), ranks == 1 ? "head\naaaend" : ranks == 2 ? "head\naaaend" : "head\naaacccccend");
    EXPECT_EQ(num_files(), 1);
  }
}

TEST_F(RankFiles, StayAsTheyWereUntilTheyAreClosed) {
  folder.write("out", "old");
  run_ranks(2, [&](Communicator& comm) {
    {
      SharedFile file(comm, path);
      file.append("new");
      EXPECT_EQ(content_of(path), "old");
      comm.barrier();
    }
    comm.barrier();
    EXPECT_EQ(num_files(), 1);
  });
  EXPECT_EQ(content_of(path), "old");
}

/// A limit on the size of files, which the bytes of one rank alone pass: a disk that fills up.
TEST_F(RankFiles, ThatOneRankCannotWriteAreRefusedOnAll) {
  folder.write("out", "old");
  const FileSizeLimit limit(4096);
  run_ranks(3, [&](Communicator& comm) {
    const auto write = [&] {
      SharedFile file(comm, path);
      file.append(std::string(comm.rank() == 2 ? 4000 : 100, 'x'));
      file.close();
    };
    if (comm.rank() == 2) {
      EXPECT_THAT(message_of<FileError>(write), AllOf(HasSubstr("out: cannot be written"), HasSubstr("rank 2 on ")));
    } else {
      EXPECT_THAT(message_of<RankError>(write), HasSubstr("rank 2: "));
    }
  });
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(num_files(), 1);
}

TEST_F(RankFiles, ThatRankZeroCannotMakeAreRefusedOnAll) {
  run_ranks(2, [&](Communicator& comm) {
    for (const std::string& name : {folder / "none/out", std::string("/dev/null")}) {
      const auto write = [&] { SharedFile(comm, name); };
      if (comm.rank() == 0) {
        EXPECT_THAT(message_of<FileError>(write), AllOf(HasSubstr(name), HasSubstr("rank 0 on ")));
      } else {
        EXPECT_THAT(message_of<RankError>(write), HasSubstr("rank 0: "));
      }
    }
  });
}

template <class Matrix>
Matrix host_rows(const Matrix& whole, std::int64_t begin, std::int64_t end) {
  const auto row_ptr = whole.graph().row_ptr();
  const std::int64_t first = row_ptr(begin), last = row_ptr(end), bb = whole.block_shape().num_values();
  const Kokkos::View<typename Matrix::offset_type*, Kokkos::HostSpace> rows("test::row_ptr", end - begin + 1);
  for (std::int64_t i = begin; i <= end; ++i) rows(i - begin) = row_ptr(i) - row_ptr(begin);
  return Matrix(whole.block_shape(),
                {whole.num_block_cols(), rows, Kokkos::subview(whole.graph().col_idx(), std::pair(first, last))},
                Kokkos::subview(whole.values(), std::pair(first * bb, last * bb)));
}

template <class Scalar, class Layout = BlockColumnMajor, class Ordinal = std::int32_t>
using Host = BcsrMatrix<Scalar, Layout, Ordinal, std::int32_t, Kokkos::HostSpace>;

template <class Matrix>
void expect_same_block_file(const TemporaryFolder& folder, const BlockShape& shape, std::int64_t chunk_bytes) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto whole = reference::random_bcsr<Matrix>(
      41, 23, shape, {.min_blocks = 0, .max_blocks = 6, .empty_every = 5, .full_row = 20});
  const io::BlockFileOptions options{.chunk_bytes = chunk_bytes};
  io::write_block_file(exec, folder / "at_once", whole, options);
  const std::string expected = content_of(folder / "at_once");
  // Parts of less than a chunk, which go to a rank before the last one, and parts of nothing.
  for (const std::vector<std::int64_t>& counts : {std::vector<std::int64_t>{41},
                                                  {20, 21},
                                                  {14, 13, 14},
                                                  {0, 40, 1},
                                                  {41, 0, 0},
                                                  {20, 1, 0, 1, 19},
                                                  {1, 1, 1, 38}}) {
    const RowPartition partition = sizes(counts);
    run_ranks(partition.num_parts(), [&](Communicator& comm) {
      write_block_file(rank_instance(), comm, folder / "A.bcsr",
                       host_rows(whole, partition.begin(comm.rank()), partition.end(comm.rank())), options);
    });
    EXPECT_TRUE(content_of(folder / "A.bcsr") == expected)
        << counts.size() << " ranks, the first with " << counts[0] << " rows, chunks of " << chunk_bytes;
  }
}

TEST_F(RankFiles, OfBlocksHaveTheBytesOfOneWriter) {
  for (const std::int64_t chunk_bytes : {0, 64, 192, 4096}) {
    expect_same_block_file<Host<double>>(folder, {3, 3}, chunk_bytes);
    expect_same_block_file<Host<Kokkos::complex<float>, BlockRowMajor, std::int64_t>>(folder, {2, 5}, chunk_bytes);
    expect_same_block_file<Host<float>>(folder, {1, 1}, chunk_bytes);
  }
}

TEST_F(RankFiles, OfBlocksOnTheDeviceAreThoseOfTheHost) {
  const auto whole = reference::random_bcsr<BcsrMatrix<double>>(30, 30, 3, {.max_blocks = 6});
  io::write_block_file(Kokkos::DefaultHostExecutionSpace(), at_once, whole);
  run_ranks(2, [&](Communicator& comm) {
    write_block_file(instance_of_rank(), comm, path, rows_of(whole, comm.rank() * 10, 10 + comm.rank() * 20));
  });
  EXPECT_TRUE(content_of(path) == content_of(at_once));
}

TEST_F(RankFiles, OfBlocksWithoutAnyAreFiles) {
  run_ranks(2, [&](Communicator& comm) {
    write_block_file(rank_instance(), comm, path, Host<double>({2, 2}, {5, {}, {}}, {}));
  });
  const io::BlockFile file(path);
  EXPECT_EQ(file.num_block_rows(), 0);
  EXPECT_EQ(file.num_block_cols(), 5);
}

TEST_F(RankFiles, OfRowsThatAreNotOneMatrixAreRefusedOnAll) {
  folder.write("out", "old");
  const auto whole = reference::random_bcsr<Host<double>>(8, 8, 2, {.max_blocks = 3}),
             other = reference::random_bcsr<Host<double>>(8, 9, 2, {.max_blocks = 3});
  run_ranks(2, [&](Communicator& comm) {
    const auto write = [&] { write_block_file(rank_instance(), comm, path, comm.rank() == 0 ? whole : other); };
    if (comm.rank() == 1) {
      EXPECT_THAT(message_of<ShapeError>(write), AllOf(HasSubstr("rank 1"), HasSubstr("rank 0 has 8")));
    } else {
      EXPECT_THAT(message_of<RankError>(write), HasSubstr("rank 1"));
    }
    const auto bad_chunk = [&] { write_block_file(rank_instance(), comm, path, whole, {.chunk_bytes = 7}); };
    EXPECT_THAT(message_of<ArgumentError>(bad_chunk), HasSubstr("chunks of 7 bytes"));
  });
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(num_files(), 1);
}

/// The limit lies within the values of the last rank.
TEST_F(RankFiles, OfBlocksThatOneRankCannotWriteAreRefusedOnAll) {
  const auto whole = reference::random_bcsr<Host<double>>(60, 60, 3, {.min_blocks = 4, .max_blocks = 6});
  const Kokkos::DefaultHostExecutionSpace exec;
  io::write_block_file(exec, at_once, whole, {.chunk_bytes = 64});
  folder.write("out", "old");
  const auto bytes_of_values = std::int64_t(whole.num_blocks()) * 9 * 8;
  const FileSizeLimit limit(3 * 4096 + std::uint64_t(bytes_of_values) - 2000);
  std::atomic<int> with_their_own{0}, told{0};
  run_ranks(3, [&](Communicator& comm) {
    try {
      write_block_file(rank_instance(), comm, path, host_rows(whole, comm.rank() * 20, comm.rank() * 20 + 20),
                       {.chunk_bytes = 64});
    } catch (const FileError& error) {
      EXPECT_EQ(comm.rank(), 2) << error.what();
      ++with_their_own;
    } catch (const RankError&) {
      ++told;
    }
  });
  EXPECT_EQ(with_their_own, 1);
  EXPECT_EQ(told, 2);
  EXPECT_EQ(content_of(path), "old");
  EXPECT_EQ(num_files(), 2);
}

}  // namespace
}  // namespace ashlar::testing
