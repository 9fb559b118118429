// Block files that are not what they were, or never were right.
#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>

#include <ashlar/base/error.hpp>
#include <ashlar/io/block_file.hpp>
#include <filesystem>
#include <limits>
#include <string>
#include <vector>

#include "block_file_bytes.hpp"
#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using ::testing::StartsWith;
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;

/// 4 x 5 blocks of 2 x 2, of which 9 are stored: five chunks of values, one of columns, one of row pointers.
BlockFileBytes good() {
  BlockFileBytes file;
  file.block_rows = file.block_cols = 2;
  file.num_block_rows = 4;
  file.num_block_cols = 5;
  file.num_blocks = 9;
  file.row_ptr = bytes_of(std::vector<std::int64_t>{0, 3, 3, 8, 9});
  file.col_idx = bytes_of(std::vector<std::int32_t>{0, 2, 4, 0, 1, 2, 3, 4, 1});
  std::vector<double> values(36);
  for (int v = 0; v < 36; ++v) values[v] = 0.1 * (v + 1);
  file.values = bytes_of(values);
  return file;
}

struct DamagedBlockFile : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "A.bcsr";
  const Kokkos::DefaultHostExecutionSpace exec;

  void write(const std::string& content) const { folder.write("A.bcsr", content); }
  /// What opening a file of this content says.
  std::string opening(const std::string& content) const {
    write(content);
    const std::string message = message_of<FileError>([this] { const io::BlockFile file(path); });
    EXPECT_THAT(message, StartsWith(path + ": "));
    return message;
  }
  std::string reading(const std::string& content) const {
    write(content);
    const std::string message = message_of<FileError>([this] { io::read_block_file<Matrix>(exec, path); });
    EXPECT_THAT(message, StartsWith(path + ": "));
    return message;
  }
};

std::string with_bit_flipped(std::string file, std::size_t at, int bit) {
  file[at] = static_cast<char>(file[at] ^ (1 << bit));
  return file;
}

TEST_F(DamagedBlockFile, UndamagedItIsRead) {
  write(good().whole());
  const auto matrix = io::read_block_file<Matrix>(exec, path);
  EXPECT_EQ(matrix.num_blocks(), 9);
  EXPECT_EQ(matrix.values()(35), 0.1 * 36);
  EXPECT_EQ(matrix.graph().col_idx()(8), 1);
}

TEST_F(DamagedBlockFile, AnyBitOfTheHeader) {
  const std::string file = good().whole();
  for (std::size_t at = 0; at < 4096; at += at < 160 || at >= 4080 ? 1 : 61) {
    SCOPED_TRACE(at);
    EXPECT_NE(opening(with_bit_flipped(file, at, static_cast<int>(at % 8))), "");
  }
}

TEST_F(DamagedBlockFile, AnyByteOfTheRowPointersAndOfTheTable) {
  const std::string file = good().whole();
  for (const auto& [section, name] : {std::pair(0, "row_ptr"), {3, "table of checksums"}}) {
    const std::size_t begin = section_begin(file, section), bytes = section_bytes(file, section);
    for (std::size_t at = begin; at < begin + bytes; ++at) {
      EXPECT_THAT(
          opening(with_bit_flipped(file, at, static_cast<int>(at % 8))),
          AllOf(HasSubstr(name), HasSubstr("damaged"), HasSubstr(text("bytes ", begin, " to ", begin + bytes - 1))));
    }
  }
}

TEST_F(DamagedBlockFile, AnyByteOfTheValues) {
  const std::string file = good().whole();
  const std::size_t begin = section_begin(file, 2), bytes = section_bytes(file, 2);
  ASSERT_EQ(bytes, 36 * 8u);
  for (std::size_t at = 0; at < bytes; ++at) {
    SCOPED_TRACE(at);
    write(with_bit_flipped(file, begin + at, static_cast<int>(at % 8)));
    const io::BlockFile damaged(path);
    // A chunk holds two blocks: those of the damaged one are refused, the others are not.
    const std::int64_t chunk = static_cast<std::int64_t>(at / 64);
    const std::size_t last = std::min(begin + 64 * chunk + 63, begin + bytes - 1);
    for (std::int64_t block = 0; block < 9; ++block) {
      std::vector<double> to(4);
      if (block / 2 != chunk) {
        EXPECT_NO_THROW(damaged.read_values(block, 1, to.data()));
        EXPECT_EQ(to[3], 0.1 * (4 * block + 4));
        continue;
      }
      EXPECT_THAT(message_of<FileError>([&] { damaged.read_values(block, 1, to.data()); }),
                  AllOf(StartsWith(path), HasSubstr("section values is damaged"),
                        HasSubstr(text("bytes ", begin + 64 * chunk, " to ", last))));
      // A part of a chunk is not handed out before the chunk is known. (Block 8 is all of the last one.)
      if (block < 8) {
        EXPECT_EQ(to, std::vector<double>(4));
      }
    }
    std::vector<double> all(36);
    EXPECT_THROW(damaged.read_values(0, 9, all.data()), FileError);
    EXPECT_THROW(io::read_block_file<Matrix>(exec, path), FileError);
  }
}

TEST_F(DamagedBlockFile, AnyByteOfTheColumns) {
  const std::string file = good().whole();
  const std::size_t begin = section_begin(file, 1), bytes = section_bytes(file, 1);
  for (std::size_t at = begin; at < begin + bytes; ++at) {
    write(with_bit_flipped(file, at, static_cast<int>(at % 8)));
    const io::BlockFile damaged(path);
    std::vector<std::int32_t> narrow(1);
    std::vector<std::int64_t> wide(1);
    EXPECT_THAT(message_of<FileError>([&] { damaged.read_col_idx(8, 1, narrow.data()); }),
                AllOf(HasSubstr("col_idx"), HasSubstr(text("bytes ", begin, " to ", begin + bytes - 1))));
    EXPECT_THROW(damaged.read_col_idx(0, 1, wide.data()), FileError);
    std::vector<double> values(36);
    EXPECT_NO_THROW(damaged.read_values(0, 9, values.data()));
  }
}

TEST_F(DamagedBlockFile, CutShortAnywhere) {
  const std::string file = good().whole();
  std::vector<std::size_t> lengths = {1, 7, 8, 9, 4095, 4096, 4097, file.size() - 1};
  for (int section = 0; section < 4; ++section) {
    const std::size_t begin = section_begin(file, section), end = begin + section_bytes(file, section);
    lengths.insert(lengths.end(), {begin, begin + 1, end - 1});
    if (section < 3) lengths.push_back(end);
  }
  for (std::size_t length = 100; length < file.size(); length += 997) lengths.push_back(length);
  for (const std::size_t length : lengths) {
    SCOPED_TRACE(length);
    const std::string message = opening(file.substr(0, length));
    if (length >= 4096) {
      EXPECT_THAT(message, HasSubstr(text(": ", file.size() - length, " bytes are missing at the end")));
    } else if (length >= 8) {
      EXPECT_THAT(message, HasSubstr(text(": ", 4096 - length, " bytes of its header are missing")));
    }
  }
}

TEST_F(DamagedBlockFile, BytesTooMany) { EXPECT_THAT(opening(good().whole() + "xyz"), HasSubstr("3 bytes too many")); }

TEST_F(DamagedBlockFile, CutShortWhileItIsOpen) {
  write(good().whole());
  const io::BlockFile file(path);
  fs::resize_file(path, section_begin(good().whole(), 2) + 100);
  std::vector<double> values(36);
  EXPECT_THAT(message_of<FileError>([&] { file.read_values(0, 9, values.data()); }), HasSubstr("ends at byte"));
  EXPECT_NO_THROW(file.read_values(0, 2, values.data()));
}

TEST_F(DamagedBlockFile, FilesOfAnotherKind) {
  EXPECT_THAT(opening(""), HasSubstr("is empty"));
  EXPECT_THAT(opening("%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 1\n"), HasSubstr("is no block file"));
  EXPECT_THAT(opening(std::string(10000, '\0')), HasSubstr("is no block file"));
  // What a transfer as text makes of it.
  std::string file = good().whole();
  file.erase(5, 1);
  EXPECT_THAT(opening(file), HasSubstr("is no block file"));
}

TEST_F(DamagedBlockFile, WhatIsNoFile) {
  const auto message = [](const std::string& path) {
    return message_of<FileError>([&] { const io::BlockFile file(path); });
  };
  EXPECT_THAT(message(folder / "none.bcsr"), AllOf(HasSubstr("cannot be opened"), HasSubstr("No such file")));
  EXPECT_THAT(message(folder.path()), HasSubstr("it is a folder"));
  ASSERT_EQ(::mkfifo(path.c_str(), 0600), 0);
  EXPECT_THAT(message(path), HasSubstr("no regular file"));
}

TEST_F(DamagedBlockFile, OtherVersionsAndByteOrders) {
  BlockFileBytes file = good();
  file.version = 2;
  EXPECT_THAT(opening(file.whole()), AllOf(HasSubstr("version 2"), HasSubstr("version 1")));
  file = good();
  file.byte_order = 0x04030201;
  EXPECT_THAT(opening(file.whole()), HasSubstr("other order"));
}

TEST_F(DamagedBlockFile, FieldsThatCannotBe) {
  const auto changed = [this](const auto& change) {
    BlockFileBytes file = good();
    change(file);
    return opening(file.whole());
  };
  EXPECT_THAT(changed([](auto& file) { file.scalar = 0; }), HasSubstr("scalar type 0"));
  EXPECT_THAT(changed([](auto& file) { file.scalar = 6; }), HasSubstr("scalar type 6"));
  EXPECT_THAT(changed([](auto& file) { file.layout = 3; }), HasSubstr("layout 3"));
  EXPECT_THAT(changed([](auto& file) { file.col_idx_bytes = 2; }), HasSubstr("block columns of 2"));
  EXPECT_THAT(changed([](auto& file) { file.row_ptr_bytes = 4; }), HasSubstr("row pointers of 4"));
  EXPECT_THAT(changed([](auto& file) { file.block_rows = 0; }), HasSubstr("0 x 2"));
  EXPECT_THAT(changed([](auto& file) { file.block_cols = 0x80000000u; }), HasSubstr("2 x 2147483648"));
  // Other numbers of blocks than the sections have room for, up to those that no 64 bits count.
  EXPECT_THAT(changed([](auto& file) { file.num_block_rows = 5; }), HasSubstr("row_ptr 40 bytes"));
  EXPECT_THAT(changed([](auto& file) { file.num_blocks = 8; }), HasSubstr("col_idx 36 bytes"));
  EXPECT_THAT(changed([](auto& file) { file.scalar = 1; }), HasSubstr("values 288 bytes"));
  for (const std::uint64_t many : {std::uint64_t(1) << 61, std::uint64_t(1) << 63, ~std::uint64_t(0)}) {
    EXPECT_THAT(changed([many](auto& file) { file.num_block_rows = many; }), HasSubstr("64 bits"));
    EXPECT_THAT(changed([many](auto& file) { file.num_blocks = many; }), HasSubstr("64 bits"));
  }
  for (const int bits : {62, 63}) {
    EXPECT_THAT(changed([bits](auto& file) { file.num_block_cols = std::uint64_t(1) << bits; }), HasSubstr("64 bits"));
  }
  // Chunks: put into the header alone, as no table could be made of chunks of no bytes.
  const auto with_number = [this](std::size_t at, std::uint64_t number) {
    BlockFileBytes file = good();
    file.change = [=](std::string& header) { header.replace(at, 8, bytes_of(number)); };
    return opening(file.whole());
  };
  for (const std::uint64_t bytes : {0, 32, 100}) EXPECT_THAT(with_number(64, bytes), HasSubstr("chunks"));
  EXPECT_THAT(with_number(64, std::uint64_t(1) << 40), HasSubstr("chunks"));
  EXPECT_THAT(with_number(64, 128), HasSubstr("checksums"));
  // Places of the sections: not at a page, over another, far out.
  EXPECT_THAT(with_number(72, 0), HasSubstr("row_ptr at byte 0"));
  EXPECT_THAT(with_number(72, 4097), HasSubstr("row_ptr at byte 4097"));
  EXPECT_THAT(with_number(88, 4096), HasSubstr("col_idx at byte 4096"));
  EXPECT_THAT(with_number(104, ~std::uint64_t(0) << 12), HasSubstr("values at byte"));
  EXPECT_THAT(with_number(120, std::uint64_t(1) << 40), HasSubstr("are missing at the end"));
}

TEST_F(DamagedBlockFile, RowPointersThatAreNone) {
  const auto with_rows = [this](const std::vector<std::int64_t>& rows) {
    BlockFileBytes file = good();
    file.row_ptr = bytes_of(rows);
    return opening(file.whole());
  };
  EXPECT_THAT(with_rows({1, 3, 3, 8, 9}), AllOf(HasSubstr("from 1 to 9"), HasSubstr("from 0 to 9")));
  EXPECT_THAT(with_rows({0, 3, 3, 8, 8}), HasSubstr("from 0 to 8"));
  EXPECT_THAT(with_rows({0, 3, 3, 8, 10}), HasSubstr("from 0 to 10"));
  EXPECT_THAT(with_rows({0, 4, 3, 8, 9}), HasSubstr("never fall"));
  EXPECT_THAT(with_rows({0, 3, 30, 8, 9}), HasSubstr("never fall"));
  EXPECT_THAT(with_rows({0, -3, 3, 8, 9}), HasSubstr("never fall"));
}

TEST_F(DamagedBlockFile, ColumnsOutOfRange) {
  for (const std::int64_t bad : {-1, 5, 2147483647}) {
    BlockFileBytes file = good();
    std::vector<std::int32_t> columns = {0, 2, 4, 0, 1, 2, 3, 4, 1};
    columns[7] = static_cast<std::int32_t>(bad);
    file.col_idx = bytes_of(columns);
    for (const int bytes : {4, 8}) {
      if (bytes == 8) {
        file.col_idx_bytes = 8;
        file.col_idx = bytes_of(std::vector<std::int64_t>(columns.begin(), columns.end()));
      }
      EXPECT_THAT(reading(file.whole()), HasSubstr(text("block 7 lies in block column ", bad)));
      const io::BlockFile open(path);
      std::vector<std::int32_t> narrow(9);
      std::vector<std::int64_t> wide(9);
      EXPECT_THAT(message_of<FileError>([&] { open.read_col_idx(6, 3, narrow.data()); }), HasSubstr("block 7 "));
      EXPECT_THAT(message_of<FileError>([&] { open.read_col_idx(7, 1, wide.data()); }), HasSubstr("block 7 "));
      EXPECT_NO_THROW(open.read_col_idx(0, 7, narrow.data()));
      EXPECT_NO_THROW(open.read_col_idx(8, 1, wide.data()));
    }
  }
}

TEST_F(DamagedBlockFile, ColumnThatOnly64BitsHold) {
  // Its lower half is a column.
  BlockFileBytes file = good();
  file.col_idx_bytes = 8;
  file.col_idx = bytes_of(std::vector<std::int64_t>{0, 2, (std::int64_t(1) << 32) + 4, 0, 1, 2, 3, 4, 1});
  EXPECT_THAT(reading(file.whole()), HasSubstr("block column 4294967300"));
}

TEST_F(DamagedBlockFile, ColumnsOutOfOrder) {
  for (const int second : {0, 2}) {  // twice the same, descending
    BlockFileBytes file = good();
    file.col_idx = bytes_of(std::vector<std::int32_t>{second, second == 0 ? 0 : 1, 4, 0, 1, 2, 3, 4, 1});
    EXPECT_THAT(reading(file.whole()), HasSubstr("block row 0"));
  }
}

}  // namespace
}  // namespace ashlar::testing
