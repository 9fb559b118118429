#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <cstring>
#include <filesystem>
#include <string>
#include <thread>
#include <vector>

#include "block_file_bytes.hpp"
#include "file_size_limit.hpp"
#include "support/message.hpp"
#include "support/some_types.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

namespace fs = std::filesystem;
using ::testing::AllOf;
using ::testing::HasSubstr;
using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
template <class Scalar, class Layout = BlockColumnMajor, class Ordinal = std::int32_t, class Offset = std::int32_t>
using Host = BcsrMatrix<Scalar, Layout, Ordinal, Offset, Kokkos::HostSpace>;

static_assert(!std::is_copy_constructible_v<io::BlockFile> && std::is_nothrow_move_constructible_v<io::BlockFile>);
static_assert(!std::is_copy_assignable_v<io::BlockFile> && std::is_nothrow_move_assignable_v<io::BlockFile>);

template <class View>
auto entries(const View& view) {
  return std::vector<typename View::non_const_value_type>(view.data(), view.data() + view.extent(0));
}

template <class T>
bool have_same_bits(const std::vector<T>& a, const std::vector<T>& b) {
  return a.size() == b.size() && (a.empty() || std::memcmp(a.data(), b.data(), a.size() * sizeof(T)) == 0);
}

template <class A, class B>
void expect_same_matrix(const A& a, const B& b) {
  EXPECT_EQ(a.block_shape(), b.block_shape());
  EXPECT_EQ(a.num_block_rows(), b.num_block_rows());
  EXPECT_EQ(a.num_block_cols(), b.num_block_cols());
  EXPECT_EQ(entries(a.graph().row_ptr()), entries(b.graph().row_ptr()));
  EXPECT_EQ(entries(a.graph().col_idx()), entries(b.graph().col_idx()));
  EXPECT_TRUE(have_same_bits(entries(a.values()), entries(b.values())));
}

/// A random matrix on the host with empty rows and a full one; bfloat16 by way of float.
template <class Matrix>
auto random_matrix(BlockShape shape, std::int64_t rows = 37, std::int64_t cols = 23) {
  const reference::RandomRows lengths{.min_blocks = 0, .max_blocks = 6, .empty_every = 5, .full_row = rows / 2};
  using Scalar = typename Matrix::scalar_type;
  if constexpr (std::is_same_v<Scalar, bfloat16>) {
    const Kokkos::DefaultHostExecutionSpace host;
    using Floats =
        Host<float, typename Matrix::layout_type, typename Matrix::ordinal_type, typename Matrix::offset_type>;
    const auto result = convert_values<bfloat16>(host, reference::random_bcsr<Floats>(rows, cols, shape, lengths));
    host.fence("test: values");
    return result;
  } else {
    return reference::random_bcsr<Matrix>(rows, cols, shape, lengths);
  }
}

template <class Matrix>
struct BlockFileTypes : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "A.bcsr";
  const Exec exec;

  void expect_round_trip(const typename Matrix::template in_space<Kokkos::HostSpace>& matrix,
                         std::int64_t chunk_bytes) const {
    const auto on_device = copy_to<Space>(exec, matrix);
    io::write_block_file(exec, path, on_device, {.chunk_bytes = chunk_bytes});
    const io::BlockFile file(path);
    EXPECT_EQ(file.path(), path);
    EXPECT_EQ(file.file_bytes(), fs::file_size(path));
    EXPECT_EQ(file.block_shape(), matrix.block_shape());
    EXPECT_EQ(file.num_block_rows(), matrix.num_block_rows());
    EXPECT_EQ(file.num_block_cols(), matrix.num_block_cols());
    EXPECT_EQ(file.num_blocks(), matrix.num_blocks());
    EXPECT_EQ(file.scalar_name(), scalar_name<typename Matrix::scalar_type>());
    EXPECT_EQ(file.layout_name(), Matrix::layout_type::name);
    EXPECT_EQ(file.chunk_bytes(), chunk_bytes);
    const auto copy = io::read_block_file<typename Matrix::template in_space<Space>>(exec, path);
    const auto copy_on_host = copy_to<Kokkos::HostSpace>(exec, copy);
    exec.fence("test: copy");
    expect_same_matrix(copy_on_host, matrix);
  }
};

using MatrixTypes =
    SomeTypes<Host<float>, Host<double>, Host<Kokkos::complex<float>>, Host<Kokkos::complex<double>>, Host<bfloat16>,
              Host<float, BlockRowMajor>, Host<double, BlockRowMajor, std::int64_t>,
              Host<Kokkos::complex<float>, BlockRowMajor, std::int32_t, std::int64_t>,
              Host<Kokkos::complex<double>, BlockRowMajor, std::int64_t, std::int64_t>, Host<bfloat16, BlockRowMajor>>;
TYPED_TEST_SUITE(BlockFileTypes, MatrixTypes);

TYPED_TEST(BlockFileTypes, RoundTripsBitForBit) {
  for (const BlockShape shape : {BlockShape(1), BlockShape(3), BlockShape(5, 2), BlockShape(1, 7)}) {
    SCOPED_TRACE(to_string(shape));
    const auto matrix = random_matrix<TypeParam>(shape);
    this->expect_round_trip(matrix, 64);
    this->expect_round_trip(matrix, 192);
    this->expect_round_trip(matrix, 1 << 20);
  }
}

TYPED_TEST(BlockFileTypes, MatricesWithoutBlocks) {
  const auto no_blocks = [](std::int64_t) { return 0; };
  using Floats =
      Host<float, typename TypeParam::layout_type, typename TypeParam::ordinal_type, typename TypeParam::offset_type>;
  for (const std::int64_t rows : {0, 1, 9}) {
    const auto graph = reference::random_bcsr<Floats>(rows, 7, 3, no_blocks).graph();
    this->expect_round_trip({BlockShape(3, 2), graph, {}}, 64);
  }
}

TYPED_TEST(BlockFileTypes, EveryRangeOfBlocks) {
  using Scalar = typename TypeParam::scalar_type;
  const auto matrix = random_matrix<TypeParam>(BlockShape(3, 2), 9, 6);
  const auto values = entries(matrix.values());
  const auto columns = entries(matrix.graph().col_idx());
  const std::int64_t n = matrix.num_blocks(), per_block = 6;
  ASSERT_GT(n, 8);
  for (const std::int64_t chunk_bytes : {64, 128, 4096}) {
    io::write_block_file(this->exec, this->path, copy_to<Space>(this->exec, matrix), {.chunk_bytes = chunk_bytes});
    const io::BlockFile file(this->path);
    for (std::int64_t first = 0; first <= n; ++first) {
      for (std::int64_t count = 0; count <= n - first; ++count) {
        SCOPED_TRACE(text(count, " blocks from ", first, " on, chunks of ", chunk_bytes));
        // What lies around the target stays as it is.
        std::vector<Scalar> read(count * per_block + 2, Scalar(77));
        file.read_values(first, count, read.data() + 1);
        std::vector<Scalar> expected(values.begin() + first * per_block, values.begin() + (first + count) * per_block);
        expected.insert(expected.begin(), Scalar(77));
        expected.push_back(Scalar(77));
        ASSERT_TRUE(have_same_bits(read, expected));

        std::vector<std::int32_t> narrow(count + 2, 77);
        file.read_col_idx(first, count, narrow.data() + 1);
        std::vector<std::int32_t> expected_columns(columns.begin() + first, columns.begin() + first + count);
        expected_columns.insert(expected_columns.begin(), 77);
        expected_columns.push_back(77);
        ASSERT_EQ(narrow, expected_columns);
        std::vector<std::int64_t> wide(count + 2, 77);
        file.read_col_idx(first, count, wide.data() + 1);
        ASSERT_EQ(wide, std::vector<std::int64_t>(expected_columns.begin(), expected_columns.end()));
      }
    }
  }
}

struct BlockFile : ::testing::Test {
  TemporaryFolder folder;
  const std::string path = folder / "A.bcsr";
  const Kokkos::DefaultHostExecutionSpace exec;

  std::ptrdiff_t num_files() const { return std::distance(fs::directory_iterator(folder.path()), {}); }
};

TEST_F(BlockFile, IsWhatThePageSaysByteForByte) {
  const auto matrix = random_matrix<Host<Kokkos::complex<float>, BlockRowMajor, std::int64_t>>(BlockShape(2, 3), 11, 5);
  io::write_block_file(exec, path, matrix, {.chunk_bytes = 128});
  const auto rows = entries(matrix.graph().row_ptr());
  BlockFileBytes expected;
  expected.scalar = 3;
  expected.layout = 2;
  expected.col_idx_bytes = 8;
  expected.block_rows = 2;
  expected.block_cols = 3;
  expected.num_block_rows = 11;
  expected.num_block_cols = 5;
  expected.num_blocks = rows.back();
  expected.chunk_bytes = 128;
  expected.row_ptr = bytes_of(std::vector<std::int64_t>(rows.begin(), rows.end()));
  expected.col_idx = bytes_of(entries(matrix.graph().col_idx()));
  expected.values = bytes_of(entries(matrix.values()));
  EXPECT_TRUE(content_of(path) == expected.whole());
}

TEST_F(BlockFile, TypesHaveTheirCodes) {
  const auto expect_code = [this](auto matrix, std::uint32_t scalar, std::uint32_t layout) {
    io::write_block_file(exec, path, matrix);
    EXPECT_EQ(header_number(content_of(path), 16), scalar + (std::uint64_t(layout) << 32));
    EXPECT_EQ(header_number(content_of(path), 64), 1 << 20);
  };
  expect_code(random_matrix<Host<float>>(2), 1, 1);
  expect_code(random_matrix<Host<double, BlockRowMajor>>(2), 2, 2);
  expect_code(random_matrix<Host<Kokkos::complex<float>>>(2), 3, 1);
  expect_code(random_matrix<Host<Kokkos::complex<double>, BlockRowMajor>>(2), 4, 2);
  expect_code(random_matrix<Host<bfloat16>>(2), 5, 1);
}

TEST_F(BlockFile, ChecksumsAreThoseOfXxh3) {
  // Of no bytes and of eight zeros, as xxhsum -H3 prints them: the format does not change with the library.
  EXPECT_EQ(header_number(checksum_bytes(""), 0), 0x2d06800538d394c2u);
  io::write_block_file(exec, path, Host<double>());
  const std::string file = content_of(path);
  EXPECT_EQ(header_number(file, section_begin(file, 3)), 0xc77b3abb6f87acd9u);
}

TEST_F(BlockFile, SectionsBeginAtPages) {
  io::write_block_file(exec, path, random_matrix<Host<double>>(3));
  const std::string file = content_of(path);
  for (int section = 0; section < 4; ++section) EXPECT_EQ(section_begin(file, section) % 4096, 0u);
  EXPECT_EQ(file.size(), section_begin(file, 3) + section_bytes(file, 3));
}

TEST_F(BlockFile, MoreThanIsReadAtOnce) {
  // Values of 24 MB, in pieces of 8 MiB, where chunks do not divide them.
  const auto matrix = reference::random_bcsr<Host<double>>(3000, 3000, 10, [](std::int64_t) { return 10; });
  const auto values = entries(matrix.values());
  for (const std::int64_t chunk_bytes : {std::int64_t(1) << 20, std::int64_t(1000) * 64, std::int64_t(1) << 26}) {
    io::write_block_file(exec, path, matrix, {.chunk_bytes = chunk_bytes});
    const io::BlockFile file(path);
    for (const auto& [first, count] : {std::pair(0, 30000), {1, 29999}, {0, 29999}, {12345, 17000}, {10485, 11}}) {
      std::vector<double> read(count * 100);
      file.read_values(first, count, read.data());
      EXPECT_TRUE(std::equal(read.begin(), read.end(), values.begin() + first * 100)) << first << " " << count;
    }
  }
  const auto floats = convert_values<float>(exec, matrix);
  const auto narrow = entries(floats.values());
  io::write_block_file(exec, path, floats, {.chunk_bytes = 1000 * 64});
  const io::BlockFile file(path);
  for (const auto& [first, count] : {std::pair(0, 30000), {1, 29998}}) {
    std::vector<double> read(count * 100);
    file.read_values(first, count, read.data());
    EXPECT_TRUE(std::equal(read.begin(), read.end(), narrow.begin() + first * 100));
  }
}

template <class To, class From>
void expect_widened(const BlockFile& test, const From& matrix) {
  io::write_block_file(test.exec, test.path, matrix, {.chunk_bytes = 64});
  const auto wide = io::read_block_file<To>(test.exec, test.path);
  const auto expected = convert_values<typename To::scalar_type>(test.exec, matrix);
  test.exec.fence("test: values");
  expect_same_matrix(wide, expected);
}

TEST_F(BlockFile, WidensValues) {
  expect_widened<Host<double>>(*this, random_matrix<Host<float>>(BlockShape(3, 2)));
  expect_widened<Host<double>>(*this, random_matrix<Host<bfloat16>>(BlockShape(3, 2)));
  expect_widened<Host<float>>(*this, random_matrix<Host<bfloat16>>(BlockShape(3, 2)));
  expect_widened<Host<Kokkos::complex<double>>>(*this, random_matrix<Host<Kokkos::complex<float>>>(3));
}

template <class To>
std::string refusal(const BlockFile& test) {
  return message_of<FileError>([&] { io::read_block_file<To>(test.exec, test.path); });
}

TEST_F(BlockFile, RefusesOtherTypes) {
  io::write_block_file(exec, path, random_matrix<Host<double>>(3));
  EXPECT_THAT(refusal<Host<float>>(*this), AllOf(HasSubstr(path), HasSubstr("double"), HasSubstr("float")));
  EXPECT_THAT(refusal<Host<Kokkos::complex<double>>>(*this), AllOf(HasSubstr(path), HasSubstr("complex<double>")));
  EXPECT_THAT(refusal<Host<bfloat16>>(*this), AllOf(HasSubstr("double"), HasSubstr("bfloat16")));
  EXPECT_THAT((refusal<Host<double, BlockRowMajor>>(*this)),
              AllOf(HasSubstr(path), HasSubstr("column_major"), HasSubstr("row_major")));
  io::write_block_file(exec, path, random_matrix<Host<Kokkos::complex<float>>>(3));
  EXPECT_THAT(refusal<Host<double>>(*this), AllOf(HasSubstr("complex<float>"), HasSubstr("read as double")));
}

TEST_F(BlockFile, RefusesIndicesThatAreTooNarrow) {
  const std::int64_t columns = 3'000'000'000;
  using Wide = Host<double, BlockColumnMajor, std::int64_t>;
  const auto matrix = random_matrix<Wide>(2, 3, 5);
  const Wide far(2, {columns, matrix.graph().row_ptr(), matrix.graph().col_idx()}, matrix.values());
  io::write_block_file(exec, path, far);
  EXPECT_THAT(refusal<Host<double>>(*this), AllOf(HasSubstr(path), HasSubstr("3000000000"), HasSubstr("2147483647")));
  const io::BlockFile file(path);
  std::int32_t narrow = 0;
  EXPECT_THAT(message_of<FileError>([&] { file.read_col_idx(0, 1, &narrow); }),
              AllOf(HasSubstr("3000000000"), HasSubstr("32 bits")));
  expect_same_matrix(io::read_block_file<Wide>(exec, file), far);
}

TEST_F(BlockFile, OtherIndexTypesThatSuffice) {
  const auto matrix = random_matrix<Host<double, BlockColumnMajor, std::int64_t, std::int64_t>>(2);
  io::write_block_file(exec, path, matrix, {.chunk_bytes = 64});
  const auto narrow = io::read_block_file<Host<double>>(exec, path);
  io::write_block_file(exec, path, narrow);
  expect_same_matrix(io::read_block_file<Host<double, BlockColumnMajor, std::int64_t, std::int64_t>>(exec, path),
                     matrix);
}

TEST_F(BlockFile, RangesThatAreNotThere) {
  const auto matrix = random_matrix<Host<double>>(2);
  io::write_block_file(exec, path, matrix);
  const io::BlockFile file(path);
  const std::int64_t n = matrix.num_blocks();
  constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
  for (const auto& [first, count] : {std::pair<std::int64_t, std::int64_t>(0, n + 1),
                                     {n, 1},
                                     {n + 1, 0},
                                     {-1, 1},
                                     {1, -1},
                                     {1, largest},
                                     {largest, largest}}) {
    EXPECT_THAT(message_of<ArgumentError>([&] { file.read_values<double>(first, count, nullptr); }),
                AllOf(HasSubstr(path), HasSubstr(text(n, " of them"))));
    EXPECT_THROW(file.read_col_idx<std::int32_t>(first, count, nullptr), ArgumentError);
  }
}

TEST_F(BlockFile, ThreadsReadAtOnce) {
  const auto matrix = random_matrix<Host<double>>(3, 200, 50);
  const auto values = entries(matrix.values());
  const auto columns = entries(matrix.graph().col_idx());
  io::write_block_file(exec, path, matrix, {.chunk_bytes = 256});
  const io::BlockFile file(path);
  std::vector<int> wrong(8, -1);
  std::vector<std::thread> threads;
  for (std::size_t t = 0; t < wrong.size(); ++t) {
    threads.emplace_back([&, t] {
      wrong[t] = 0;
      reference::Random random(t + 1);
      for (int i = 0; i < 500; ++i) {
        const std::int64_t first = random.below(matrix.num_blocks()), count = random.below(matrix.num_blocks() - first);
        std::vector<double> read(count * 9);
        std::vector<std::int64_t> read_columns(count);
        file.read_values(first, count, read.data());
        file.read_col_idx(first, count, read_columns.data());
        wrong[t] += !std::equal(read.begin(), read.end(), values.begin() + first * 9);
        wrong[t] += !std::equal(read_columns.begin(), read_columns.end(), columns.begin() + first);
      }
    });
  }
  for (std::thread& thread : threads) thread.join();
  EXPECT_EQ(wrong, std::vector<int>(wrong.size(), 0));
}

TEST_F(BlockFile, MovesAndStaysReadable) {
  const auto matrix = random_matrix<Host<double>>(2);
  io::write_block_file(exec, path, matrix);
  io::BlockFile first(path);
  io::BlockFile second(std::move(first));
  io::write_block_file(exec, folder / "B.bcsr", random_matrix<Host<float>>(1));
  io::BlockFile third(folder / "B.bcsr");
  third = std::move(second);
  expect_same_matrix(io::read_block_file<Host<double>>(exec, third), matrix);
}

TEST_F(BlockFile, ReplacesAFileWhileItIsRead) {
  const auto old = random_matrix<Host<double>>(2);
  io::write_block_file(exec, path, old);
  const io::BlockFile file(path);
  const auto other = random_matrix<Host<double>>(3);
  io::write_block_file(exec, path, other);
  expect_same_matrix(io::read_block_file<Host<double>>(exec, file), old);
  expect_same_matrix(io::read_block_file<Host<double>>(exec, path), other);
  EXPECT_EQ(num_files(), 1);
}

TEST_F(BlockFile, DiskThatFillsUpLeavesNothingBehind) {
  const auto large = reference::random_bcsr<Host<double>>(300, 300, 10, [](std::int64_t) { return 10; });
  const auto expect_too_large = [&] {
    const FileSizeLimit limit(1500000);
    const std::string message = message_of<FileError>([&] { io::write_block_file(exec, path, large); });
    EXPECT_THAT(message, AllOf(::testing::StartsWith(path + ": cannot be written ("), HasSubstr("too large")));
  };
  expect_too_large();
  EXPECT_EQ(num_files(), 0);
  const auto small = random_matrix<Host<double>>(2);
  io::write_block_file(exec, path, small);
  expect_too_large();
  EXPECT_EQ(num_files(), 1);
  expect_same_matrix(io::read_block_file<Host<double>>(exec, path), small);
}

TEST_F(BlockFile, WritesNothingWhereItCannot) {
  const auto matrix = random_matrix<Host<double>>(2);
  EXPECT_THAT(message_of<FileError>([&] { io::write_block_file(exec, folder / "none/A.bcsr", matrix); }),
              HasSubstr("no folder"));
  EXPECT_THAT(message_of<FileError>([&] { io::write_block_file(exec, folder.path(), matrix); }),
              HasSubstr("it is a folder"));
  if (fs::exists("/dev/full")) {
    EXPECT_THAT(message_of<FileError>([&] { io::write_block_file(exec, "/dev/full", matrix); }),
                AllOf(HasSubstr("/dev/full: cannot be written"), HasSubstr("no regular file")));
    EXPECT_TRUE(fs::exists("/dev/full"));
  }
  for (const std::int64_t chunk_bytes : {-64, 32, 100, 2147483584}) {
    EXPECT_THAT(message_of<ArgumentError>([&] { io::write_block_file(exec, path, matrix, {chunk_bytes}); }),
                HasSubstr(text(chunk_bytes)));
  }
  EXPECT_EQ(num_files(), 0);
}

TEST_F(BlockFile, WritesNoMatrixThatIsNone) {
  const auto matrix = random_matrix<Host<double>>(2, 6, 6);
  const Host<double> too_few_columns(2, {1, matrix.graph().row_ptr(), matrix.graph().col_idx()}, matrix.values());
  EXPECT_THROW(io::write_block_file(exec, path, too_few_columns), StructureError);
  const auto wide = random_matrix<Host<double, BlockColumnMajor, std::int64_t>>(2, 6, 6);
  const Host<double, BlockColumnMajor, std::int64_t> too_many_columns(
      2, {std::int64_t(1) << 62, wide.graph().row_ptr(), wide.graph().col_idx()}, wide.values());
  EXPECT_THROW(io::write_block_file(exec, path, too_many_columns), ShapeError);
  EXPECT_EQ(num_files(), 0);
}

}  // namespace
}  // namespace ashlar::testing
