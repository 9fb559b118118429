#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <functional>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// Expects a FileError that names this file, this line and each of these texts.
void expect_file_error(const std::string& path, std::int64_t line, const std::vector<std::string>& texts,
                       const std::function<void()>& read) {
  try {
    read();
    ADD_FAILURE() << "no error for\n" << content_of(path).substr(0, 300);
  } catch (const FileError& error) {
    SCOPED_TRACE(error.what());
    EXPECT_EQ(error.file(), path);
    EXPECT_EQ(error.line(), line);
    EXPECT_THAT(error.what(), HasSubstr(path + (line > 0 ? ":" + std::to_string(line) + ": " : ": ")));
    for (const std::string& text : texts) EXPECT_THAT(error.what(), HasSubstr(text));
    EXPECT_FALSE(error.why().empty());
    EXPECT_FALSE(error.suggestion().empty());
  }
}

struct MatrixMarketErrors : ::testing::Test {
  TemporaryFolder folder;

  template <scalar S = double>
  void expect_error(const std::string& content, std::int64_t line, const std::vector<std::string>& texts) const {
    const std::string path = folder.write("bad.mtx", content);
    expect_file_error(path, line, texts, [&] { io::read_matrix_market<S>(path); });
  }
  /// As above, for the header's reader as well.
  void expect_header_error(const std::string& content, std::int64_t line, const std::vector<std::string>& texts) const {
    expect_error(content, line, texts);
    const std::string path = folder.write("bad.mtx", content);
    expect_file_error(path, line, texts, [&] { io::read_matrix_market_header(path); });
    expect_file_error(path, line, texts, [&] { io::read_matrix_market_vector<double>(path); });
  }
};

const std::string real_general = "%%MatrixMarket matrix coordinate real general\n";
const std::string real_symmetric = "%%MatrixMarket matrix coordinate real symmetric\n";
const std::string real_array = "%%MatrixMarket matrix array real general\n";

TEST_F(MatrixMarketErrors, FilesThatCannotBeRead) {
  const auto expect = [&](const std::string& path, const std::vector<std::string>& texts) {
    expect_file_error(path, 0, texts, [&] { io::read_matrix_market<double>(path); });
    expect_file_error(path, 0, texts, [&] { io::read_matrix_market_header(path); });
    expect_file_error(path, 0, texts, [&] { io::read_matrix_market_vector<double>(path); });
  };
  expect(folder / "none.mtx", {"No such file"});
  expect(folder / "none/a.mtx", {"No such file"});
  expect(folder.path(), {"folder"});
  expect(folder.write("empty.mtx", ""), {"empty"});
}

TEST_F(MatrixMarketErrors, OtherKindsOfFilesAreNamed) {
  if (!reads_compressed_files()) {
    expect_header_error("\x1f\x8b\x08", 1, {"compressed by gzip", "gunzip", "build Ashlar with zlib"});
  }
  expect_header_error("BZh91AY", 1, {"compressed by bzip2", "bunzip2"});
  expect_header_error(
      "\xfd"
      "7zXZ",
      1, {"compressed by xz", "unxz"});
  expect_header_error("\x28\xb5\x2f\xfd\n", 1, {"compressed by zstd", "unzstd"});
  expect_header_error("PK\x03\x04", 1, {"zip archive"});
  expect_header_error("\xef\xbb\xbf" + real_general + "1 1 0\n", 1, {"byte order mark before the banner", "save it"});
  expect_header_error("\xff\xfe%", 1, {"UTF-16", "save it"});
}

/// A file that never ends, and one whose lines do not.
TEST_F(MatrixMarketErrors, LinesWithoutAnEnd) {
  const std::string zeros(1 << 18, '\0');
  expect_header_error(zeros, 1, {"a line of 32768 characters or more"});
  expect_header_error(real_general + "%" + zeros, 2, {"a line of 32768 characters or more"});
  for (const std::string endless : {"/dev/zero", "/dev/full"}) {
    expect_file_error(endless, 1, {"a line of 32768"}, [&] { io::read_matrix_market<double>(endless); });
    expect_file_error(endless, 1, {"a line of 32768"}, [&] { io::read_matrix_market_header(endless); });
    expect_file_error(endless, 1, {"a line of 32768"}, [&] { io::read_matrix_market_vector<double>(endless); });
  }
}

TEST_F(MatrixMarketErrors, RightHandSideAfterTheMatrix) {
  const std::string matrix = real_general + "3 3 3\n1 1 4\n2 2 4\n3 3 4\n";
  expect_error(matrix + "1\n2\n3\n", 6, {"too many entries: 6 found, 3 promised", "may be a right-hand side"});
  expect_error(matrix + "1\n2\n", 6, {"too many entries: 5 found", "the size line is line 2)"});
  expect_error(matrix + real_array + "3 1\n1\n2\n3\n", 6, {"a second Matrix Market banner", "a file of its own"});
}

TEST_F(MatrixMarketErrors, Banner) {
  expect_header_error("1 1 1\n", 1, {"'1 1 1'", "banner"});
  expect_header_error("\n" + real_general + "1 1 0\n", 1, {"''", "banner"});
  expect_header_error("%MatrixMarket matrix coordinate real general\n1 1 0\n", 1, {"'%MatrixMarket matrix"});
  expect_header_error("\x89PNG\r\n\x1a\n", 1, {"'?PNG'"});
  expect_header_error("%%MatrixMarket", 1, {"no object"});
  expect_header_error("%%MatrixMarket vector coordinate real general\n1 1 0\n", 1, {"object 'vector'"});
  expect_header_error("%%MatrixMarket matrix\n", 1, {"no format"});
  expect_header_error("%%MatrixMarket matrix sparse real general\n1 1 0\n", 1,
                      {"format 'sparse'", "coordinate, array"});
  expect_header_error("%%MatrixMarket matrix coordinate quaternion general\n1 1 0\n", 1,
                      {"field 'quaternion'", "real, complex, integer, pattern"});
  expect_header_error("%%MatrixMarket matrix coordinate real diagonal\n1 1 0\n", 1,
                      {"symmetry 'diagonal'", "general, symmetric, skew-symmetric, hermitian"});
  expect_header_error("%%MatrixMarket matrix coordinate real\n1 1 0\n", 1, {"no symmetry"});
  expect_header_error("%%MatrixMarket matrix coordinate real general 3\n1 1 0\n", 1, {"'3'", "end of the banner"});
  expect_header_error("%%MatrixMarket matrix array pattern general\n1 1\n", 1, {"contradicts", "pattern"});
  expect_header_error("%%MatrixMarket matrix coordinate real hermitian\n1 1 0\n", 1, {"contradicts", "complex"});
  expect_header_error("%%MatrixMarket matrix coordinate pattern skew-symmetric\n1 1 0\n", 1, {"contradicts", "sign"});
}

TEST_F(MatrixMarketErrors, LongLinesAreCutInTheMessage) {
  const std::string path = folder.write("bad.mtx", std::string(1000, 'x'));
  try {
    io::read_matrix_market<double>(path);
    FAIL();
  } catch (const FileError& error) {
    EXPECT_LT(std::string(error.what()).size(), path.size() + 400);
    EXPECT_THAT(error.what(), HasSubstr("xxx...'"));
  }
}

TEST_F(MatrixMarketErrors, SizeLine) {
  expect_header_error(real_general, 1, {"ends before its size line"});
  expect_header_error(real_general + "% only\n% comments\n", 3, {"ends before its size line"});
  expect_header_error(real_general + "% only\n% comments", 3, {"ends before its size line"});
  expect_header_error(real_general + "2 2\n", 2, {"before the number of entries", "'2 2'"});
  expect_header_error(real_general + "2", 2, {"before the number of columns"});
  expect_header_error(real_general + "2 2 1 1\n1 1 1\n", 2, {"'1' after the last number"});
  expect_header_error(real_array + "2 1 1\n1\n2\n", 2, {"'1' after the last number", "rows columns"});
  expect_header_error(real_general + "two 2 1\n1 1 1\n", 2, {"'two' where the number of rows"});
  expect_header_error(real_general + "2 2 x1\n1 1 1\n", 2, {"'x1' where the number of entries"});
  expect_header_error(real_general + "2 2.0 1\n1 1 1\n", 2, {"'2.0' where the number of columns"});
  expect_header_error(real_general + "-2 2 1\n1 1 1\n", 2, {"rows is -2", "negative"});
  expect_header_error(real_general + "2 2 -1\n1 1 1\n", 2, {"entries is -1", "negative"});
  expect_header_error(real_general + "%c\n2147483648 2 1\n1 1 1\n", 3, {"rows is 2147483648", "2147483647"});
  expect_header_error(real_general + "2 2147483648 1\n1 1 1\n", 2, {"columns is 2147483648", "2147483647"});
  expect_header_error(real_general + "99999999999999999999 2 1\n1 1 1\n", 2, {"'99999999999999999999'"});
  expect_header_error(real_general + "2 2 99999999999999999999\n1 1 1\n", 2, {"'99999999999999999999'"});
  expect_header_error(real_symmetric + "2 3 1\n1 1 1\n", 2, {"2 rows and 3 columns", "square"});
  expect_header_error("%%MatrixMarket matrix array real skew-symmetric\n3 2\n1\n", 2, {"3 rows and 2 columns"});
}

TEST_F(MatrixMarketErrors, TooFewEntries) {
  expect_error(real_general + "2 2 3\n1 1 1\n2 2 1\n", 2, {"2 found", "3 promised", "line 4"});
  expect_error(real_general + "2 2 3\n", 2, {"0 found", "3 promised"});
  expect_error(real_array + "%\n2 2\n1\n\n2\n", 3, {"2 found", "4 promised", "line 6"});
  // Far more than any memory holds: found before anything is allocated.
  expect_error(real_general + "2 2 9000000000000000000\n1 1 1\n", 2, {"1 found", "9000000000000000000 promised"});
  expect_error(real_array + "2147483647 1\n1\n", 2, {"1 found", "2147483647 promised"});
  expect_error("%%MatrixMarket matrix coordinate complex symmetric\n2 2 1\n1 1 1 1\n", 1, {"complex"});
}

TEST_F(MatrixMarketErrors, TooManyEntries) {
  expect_error(real_general + "2 2 1\n1 1 1\n% c\n\n2 2 1\n1 2 3\n", 6, {"3 found", "1 promised", "line 2"});
  expect_error(real_array + "2 1\n1\n2\n3\n", 5, {"3 found", "2 promised"});
  expect_error(real_general + "2 2 0\n1 1 1\n", 3, {"1 found", "0 promised"});
}

TEST_F(MatrixMarketErrors, DimensionsBeyondMemory) {
  // 2^31 - 1 rows and columns of complex<double> take 64 GiB for the vectors of each side alone.
  const std::string content = "%%MatrixMarket matrix coordinate complex general\n2147483647 2147483647 1\n1 1 1 1\n";
  if (host_memory().total > (std::uint64_t(1) << 36)) {
    GTEST_SKIP() << "this machine has the memory";
  }
  expect_error<Kokkos::complex<double>>(content, 2, {"2147483647 rows", "68719476704 bytes"});
}

TEST_F(MatrixMarketErrors, Indices) {
  expect_error(real_general + "2 3 2\n1 1 1\n0 1 1\n", 4, {"row 0", "has 2"});
  expect_error(real_general + "2 3 2\n1 1 1\n3 1 1\n", 4, {"row 3", "has 2"});
  expect_error(real_general + "2 3 2\n1 1 1\n1 0 1\n", 4, {"column 0", "has 3"});
  expect_error(real_general + "2 3 2\n1 1 1\n1 4 1\n", 4, {"column 4", "has 3"});
  expect_error(real_general + "2 3 1\n-1 4 1\n", 3, {"row -1", "has 2"});
  expect_error(real_general + "2 3 1\n4294967297 1 1\n", 3, {"row 4294967297", "has 2"});
  expect_error(real_general + "2 3 1\n1 99999999999999999999 1\n", 3, {"column '99999999999999999999'", "64-bit"});
  expect_error(real_general + "2 3 1\n1.0 2 1\n", 3, {"'1.0'", "row"});
  expect_error(real_general + "2 3 1\n1 b 1\n", 3, {"'b'", "column"});
  expect_error(real_general + "2 3 1\n1e0 1 1\n", 3, {"'1e0'", "row"});
}

TEST_F(MatrixMarketErrors, Values) {
  const auto expect = [&](const std::string& value, const std::vector<std::string>& texts) {
    SCOPED_TRACE(value);
    expect_error(real_general + "2 3 2\n1 1 1\n1 1 " + value + "\n", 4, texts);
    expect_error(real_array + "2 1\n1\n" + value + "\n", 4, texts);
    const std::string path = folder.write("bad.mtx", real_array + "2 1\n1\n" + value);
    expect_file_error(path, 4, texts, [&] { io::read_matrix_market_vector<double>(path); });
  };
  for (const std::string text :
       {"abc", "1.0x", "1,5", "--1", "+-1", "+", "-", ".", "1e", "1d", "0x10", "1.0D+00D+00", "1e5.5", "e5", "1..2"}) {
    expect(text, {"'" + text + "' where the value belongs", "no number"});
  }
  for (const std::string text : {"nan", "NaN", "-nan", "inf", "-inf", "+Inf", "Infinity", "nan(1)"}) {
    expect(text, {"'" + text + "'", "finite"});
  }
  for (const std::string text : {"1e309", "-1e309", "1D+999", "1e99999999999999999999", "0.0001e400"}) {
    expect(text, {"'" + text + "' does not fit double", "largest is 1.79"});
  }
  expect_error(real_general + "2 3 1\n1 1\n", 3, {"before the value", "row, column and value"});
  expect_error(real_general + "2 3 1\n1\n", 3, {"before the column"});
  expect_error(real_general + "2 3 2\n1 1\n1 2 2\n", 3, {"before the value"});
}

TEST_F(MatrixMarketErrors, ValuesOfOtherTypes) {
  expect_error<float>(real_general + "1 1 1\n1 1 1e39\n", 3, {"'1e39' does not fit float", "largest is 3.4"});
  const std::string integers = "%%MatrixMarket matrix coordinate integer general\n1 1 1\n1 1 ";
  expect_error(integers + "1.5\n", 3, {"'1.5'", "no integer"});
  expect_error(integers + "nan\n", 3, {"'nan'", "no integer"});
  expect_error(integers + "9007199254740993\n", 3, {"9007199254740993 is no double", "2^53", "say real"});
  expect_error(integers + "-9223372036854775807\n", 3, {"-9223372036854775807 is no double"});
  expect_error<float>(integers + "16777217\n", 3, {"16777217 is no float", "2^24"});
  expect_error(integers + "9223372036854775808\n", 3, {"'9223372036854775808'", "64-bit"});
  const std::string complex = "%%MatrixMarket matrix coordinate complex general\n1 1 1\n1 1 ";
  expect_error<Kokkos::complex<double>>(complex + "1\n", 3, {"before the imaginary part"});
  expect_error<Kokkos::complex<double>>(complex + "1 i\n", 3, {"'i' where the imaginary part"});
  expect_error<Kokkos::complex<double>>(complex + "inf 1\n", 3, {"real part is 'inf'"});
  expect_error<Kokkos::complex<float>>(complex + "1 1e39\n", 3, {"imaginary part '1e39' does not fit float"});
}

TEST_F(MatrixMarketErrors, MoreOnALineThanBelongsThere) {
  expect_error(real_general + "2 3 1\n1 1 1 1\n", 3, {"'1' at the end", "row, column and value"});
  expect_error(real_general + "2 3 1\n1 1 1 % comment\n", 3, {"'%' at the end"});
  expect_error("%%MatrixMarket matrix coordinate pattern general\n2 3 1\n1 1 7.5\n", 3, {"'7.5'", "row and column"});
  expect_error(real_array + "2 2\n1 2\n3 4\n", 3, {"'2' at the end", "one value"});
  expect_error<Kokkos::complex<double>>("%%MatrixMarket matrix array complex general\n1 1\n1 2 3\n", 3, {"'3'"});
}

TEST_F(MatrixMarketErrors, ComplexFileToRealScalar) {
  const std::string content = "%%MatrixMarket matrix array complex general\n1 1\n1 2\n";
  expect_error<float>(content, 1, {"complex", "read as float"});
  expect_error<double>(content, 1, {"complex", "read as double"});
  const std::string path = folder.write("bad.mtx", content);
  expect_file_error(path, 1, {"complex", "read as double"}, [&] { io::read_matrix_market_vector<double>(path); });
}

TEST_F(MatrixMarketErrors, EntriesThatContradictTheSymmetry) {
  expect_error("%%MatrixMarket matrix coordinate real skew-symmetric\n2 2 2\n2 1 1\n2 2 3\n", 4,
               {"diagonal", "(2, 2) is 3", "skew-symmetric"});
  expect_error<Kokkos::complex<double>>("%%MatrixMarket matrix coordinate complex hermitian\n2 2 1\n% c\n2 2 3 1\n", 4,
                                        {"diagonal", "(2, 2) is", "hermitian"});
  expect_error<Kokkos::complex<double>>("%%MatrixMarket matrix array complex hermitian\n2 2\n1 0\n2 2\n3 1\n", 5,
                                        {"(2, 2)", "hermitian"});
  // A full matrix under the banner of a symmetric one: every entry off the diagonal would count twice.
  expect_error(real_symmetric + "3 3 4\n1 1 1\n2 1 5\n1 3 8\n1 2 5\n", 6, {"(1, 2) above", "(2, 1) below", "twice"});
}

TEST_F(MatrixMarketErrors, MatrixWhereAVectorBelongs) {
  for (const std::string& content : {real_array + "1 2\n1\n2\n", real_general + "1 2 1\n1 1 1\n"}) {
    const std::string path = folder.write("bad.mtx", content);
    expect_file_error(path, 2, {"1 rows and 2 columns", "vector"},
                      [&] { io::read_matrix_market_vector<double>(path); });
  }
}

TEST_F(MatrixMarketErrors, TheFirstOfALargeFileIsNamed) {
  // Several MiB, so that more than one thread reads; two faults, near the end or far apart.
  for (const int first : {100000, 250000}) {
    std::string content = real_general + "9 9 300000\n";
    for (int line = 3; line < 300003; ++line) {
      content += line == first ? "1 1 first\n" : line == 290000 ? "1 1 second\n" : "1 2 0.12345678\n";
    }
    for (int i = 0; i < 3; ++i) expect_error(content, first, {"'first'"});
  }
}

}  // namespace
}  // namespace ashlar::testing
