// Files that gzip has compressed. They are made here without zlib, of blocks that are stored as they are.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <string>

#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

std::string little_endian(std::uint32_t value, int bytes) {
  std::string result;
  for (int k = 0; k < bytes; ++k) result += static_cast<char>(value >> (8 * k) & 255U);
  return result;
}

/// RFC 1952.
std::uint32_t crc(const std::string& text) {
  std::uint32_t sum = ~0U;
  for (const char c : text) {
    sum ^= static_cast<unsigned char>(c);
    for (int bit = 0; bit < 8; ++bit) sum = sum & 1U ? 0xedb88320U ^ (sum >> 1) : sum >> 1;
  }
  return ~sum;
}

std::string compressed(const std::string& text) {
  std::string file("\x1f\x8b\x08\0\0\0\0\0\0\x03", 10);
  constexpr std::size_t longest = 65535;
  for (std::size_t begin = 0; begin == 0 || begin < text.size(); begin += longest) {
    const std::string block = text.substr(begin, longest);
    const auto length = static_cast<std::uint32_t>(block.size());
    file += static_cast<char>(begin + longest >= text.size());
    file += little_endian(length, 2) + little_endian(~length, 2) + block;
  }
  return file + little_endian(crc(text), 4) + little_endian(static_cast<std::uint32_t>(text.size()), 4);
}

class Compressed : public ::testing::Test {
 protected:
  void SetUp() override {
    if (!reads_compressed_files()) GTEST_SKIP() << "built without zlib";
  }

  void expect_damaged(const std::string& content, const std::string& part) const {
    const std::string path = folder.write("bad.mtx.gz", content);
    try {
      io::read_matrix_market<double>(path);
      ADD_FAILURE() << "no error";
    } catch (const FileError& error) {
      EXPECT_EQ(error.file(), path);
      EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }

  TemporaryFolder folder;
};

/// A matrix of n rows whose text is longer than the buffers of the reader.
std::string diagonal(int n) {
  std::string text = "%%MatrixMarket matrix coordinate real general\n";
  text += std::to_string(n) + ' ' + std::to_string(n) + ' ' + std::to_string(n) + '\n';
  for (int i = 1; i <= n; ++i) text += std::to_string(i) + ' ' + std::to_string(i) + ' ' + std::to_string(2 * i) + '\n';
  return text;
}

TEST_F(Compressed, MatricesAreReadAsTheirText) {
  const int n = 30000;
  const std::string text = diagonal(n);
  ASSERT_GT(text.size(), 3u << 17);
  const std::string path = folder.write("a.mtx.gz", compressed(text));
  EXPECT_EQ(io::read_matrix_market_header(path).rows, n);
  const auto matrix = io::read_matrix_market<double>(path);
  ASSERT_EQ(matrix.num_values(), n);
  for (int i = 0; i < n; ++i) ASSERT_EQ(matrix.values[std::size_t(i)], 2.0 * (i + 1));
  EXPECT_EQ(read_text_file(path), text);
}

/// A file tells the size of its text in its last bytes, which are not believed beyond what gzip can reach.
TEST_F(Compressed, SizesAreToldByTheFile) {
  const std::string beginning("\x1f\x8b\x08", 3);
  const auto size_told = [&](std::uint32_t told) {
    return text_size(folder.write("a.gz", beginning + std::string(93, ' ') + little_endian(told, 4)));
  };
  EXPECT_EQ(size_told(5000), 5000u);
  EXPECT_EQ(size_told(0xffffffffU), 1032u * 100u);
  EXPECT_EQ(size_told(7), 100u) << "of the last of several parts";
  EXPECT_EQ(text_size(folder.write("a.mtx", "123")), 3u);
  EXPECT_EQ(text_size(folder / "none"), 0u);
}

/// As cat, pigz and bgzip make them; the end of the file tells the size of the last part alone.
TEST_F(Compressed, PartsAreOneText) {
  const std::string text = diagonal(5000), half = text.substr(0, 40000);
  const std::string path = folder.write("a.gz", compressed(half) + compressed(text.substr(40000)) + compressed(""));
  EXPECT_EQ(read_text_file(path), text);
  EXPECT_EQ(io::read_matrix_market<double>(path).num_values(), 5000);
}

/// As tapes and block devices leave them; gzip(1) passes over them, too.
TEST_F(Compressed, ZerosBehindTheEndArePassedOver) {
  const std::string text = diagonal(5000), half = text.substr(0, 40000);
  const std::string parts = compressed(half) + compressed(text.substr(40000));
  for (const std::size_t zeros : {1, 511, 200000}) {
    SCOPED_TRACE(zeros);
    EXPECT_EQ(read_text_file(folder.write("a.gz", parts + std::string(zeros, '\0'))), text);
  }
  expect_damaged(parts + std::string(512, '\0') + compressed(half), "more than zeros follows its end");
  expect_damaged(parts + std::string(200000, '\0') + "x", "more than zeros follows its end");
  expect_damaged(parts.substr(0, parts.size() - 3) + std::string(512, '\0'), "is damaged");
}

TEST_F(Compressed, ErrorsNameTheLineOfTheText) {
  const std::string text = "%%MatrixMarket matrix array real general\n2 1\n1\nx\n";
  const std::string path = folder.write("b.mtx.gz", compressed(text));
  try {
    io::read_matrix_market_vector<double>(path);
    ADD_FAILURE() << "no error";
  } catch (const FileError& error) {
    EXPECT_EQ(error.line(), 4);
  }
}

TEST_F(Compressed, DamageIsFound) {
  const std::string whole = compressed(diagonal(100));
  expect_damaged(whole.substr(0, whole.size() - 3), "ends early");
  expect_damaged(whole.substr(0, whole.size() / 2), "ends early");
  expect_damaged(whole.substr(0, 2), "ends early");
  std::string wrong = whole;
  wrong[wrong.size() - 60] = 'x';
  expect_damaged(wrong, "is damaged");
  expect_damaged(whole + "and more", "is damaged");
}

}  // namespace
}  // namespace ashlar::testing
