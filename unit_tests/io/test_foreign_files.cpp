// Files of Harwell-Boeing, Rutherford-Boeing and PETSc, written here byte by byte.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/base/error.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <bit>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <vector>

#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Values = std::vector<double>;
using Indices = std::vector<std::int32_t>;

class ForeignFiles : public ::testing::Test {
 protected:
  void expect_error(const std::string& content, std::int64_t line, const std::vector<std::string>& parts,
                    const std::function<void(const std::string&)>& read) const {
    const std::string path = folder.write("bad", content);
    try {
      read(path);
      ADD_FAILURE() << "no error for\n" << content.substr(0, 600);
    } catch (const FileError& error) {
      SCOPED_TRACE(error.what());
      EXPECT_EQ(error.file(), path);
      EXPECT_EQ(error.line(), line);
      for (const std::string& part : parts) EXPECT_THAT(error.what(), HasSubstr(part));
    }
  }

  TemporaryFolder folder;
};

/// A field of 14 columns.
std::string field(const std::string& word) { return std::string(14 - word.size(), ' ') + word; }

/// A file in its parts, each of which a test may replace.
struct Cards {
  std::string counts = field("5") + field("1") + field("1") + field("2") + field("0");
  std::string sizes = "RUA           " + field("3") + field("3") + field("4") + field("0");
  std::string formats = "(4I4)           (5I3)           (3E12.4)            (3E12.4)            ";
  std::string pointers = "   1   3   4   5";
  std::string rows = "  1  3  2  1";
  std::string values = "  1.5000E+00 -2.0000E+00  0.2500E+01\n  4.0000D-01";

  std::string file() const {
    return "A title                                                                 KEY\n" + counts + '\n' + sizes +
           '\n' + formats + '\n' + pointers + '\n' + rows + '\n' + values + '\n';
  }
};

class HarwellBoeing : public ForeignFiles {
 protected:
  io::ForeignMatrix read(const Cards& cards) const {
    return io::read_harwell_boeing(folder.write("a.rua", cards.file()));
  }
  void expect_bad(const Cards& cards, std::int64_t line, const std::vector<std::string>& parts) const {
    expect_error(cards.file(), line, parts, [](const std::string& path) { io::read_harwell_boeing(path); });
  }
  void expect_bad_header(const Cards& cards, std::int64_t line, const std::vector<std::string>& parts) const {
    expect_bad(cards, line, parts);
    expect_error(cards.file(), line, parts, [](const std::string& path) { io::read_harwell_boeing_header(path); });
  }
};

TEST_F(HarwellBoeing, ColumnsOfAnUnsymmetricMatrix) {
  const auto [matrix, left_out] = read({});
  EXPECT_EQ(matrix.num_rows, 3);
  EXPECT_EQ(matrix.num_cols, 3);
  EXPECT_EQ(matrix.rows, (Indices{0, 2, 1, 0}));
  EXPECT_EQ(matrix.cols, (Indices{0, 0, 1, 2}));
  EXPECT_EQ(matrix.values, (Values{1.5, -2, 2.5, 0.4}));
  EXPECT_EQ(left_out, "");
  const auto header = io::read_harwell_boeing_header(folder / "a.rua");
  EXPECT_EQ(header.rows, 3);
  EXPECT_EQ(header.entries, 4);
  EXPECT_FALSE(header.is_half);
}

TEST_F(HarwellBoeing, FieldsNeedNoBlanksBetweenThem) {
  Cards cards;
  cards.counts = field("4") + field("1") + field("1") + field("1");  // as Rutherford-Boeing has it
  cards.values = "-1.50D+01-2.00+101 2.50E-02 1.00D+00\r";
  cards.formats = "(4i4)           (5i3)           ( 1P, 4D9.2 )";
  EXPECT_EQ(read(cards).matrix.values, (Values{-15, -2e101, 0.025, 1}));
  cards.formats = "(4I4)           (5I3)           (1P4E9.2E3)";
  EXPECT_EQ(read(cards).matrix.values, (Values{-15, -2e101, 0.025, 1}));
}

TEST_F(HarwellBoeing, SymmetricOnesAreExpanded) {
  Cards cards;
  cards.sizes.replace(0, 3, "rsa");
  cards.rows = "  1  3  2  3";
  EXPECT_EQ(read(cards).matrix.rows, (Indices{0, 2, 1, 2, 0}));
  EXPECT_EQ(read(cards).matrix.cols, (Indices{0, 0, 1, 2, 2}));
  EXPECT_EQ(read(cards).matrix.values, (Values{1.5, -2, 2.5, 0.4, -2}));
  EXPECT_TRUE(io::read_harwell_boeing_header(folder / "a.rua").is_half);
  cards.rows = "  1  3  1  3";
  expect_bad(cards, 6, {"the entry (1, 2)", "below it"});
  cards.sizes.replace(0, 3, "RZA");
  cards.rows = "  2  3  3  3";
  expect_bad(cards, 6, {"the entry (3, 3)", "below the diagonal"});
  cards.pointers = "   1   3   5   5";
  cards.rows = "  2  3  3  3";
  EXPECT_EQ(read(cards).matrix.values, (Values{1.5, -2, 2.5, 0.4, -1.5, 2, -2.5, -0.4}));
}

TEST_F(HarwellBoeing, RightHandSidesAreLeftOut) {
  Cards cards;
  cards.counts = field("7") + field("1") + field("1") + field("2") + field("1");
  cards.formats += "\nF             " + field("1") + field("0");
  cards.values += "\n  1.0000E+00  1.0000E+00  1.0000E+00";
  const auto [matrix, left_out] = read(cards);
  EXPECT_EQ(matrix.values, (Values{1.5, -2, 2.5, 0.4}));
  EXPECT_EQ(left_out, "right-hand sides");
}

TEST_F(HarwellBoeing, HeadersThatAreBad) {
  const Cards good;
  const auto with = [&](auto member, const std::string& value) {
    Cards cards = good;
    cards.*member = value;
    return cards;
  };
  for (const char* type : {"CUA", "PUA", "IUA", "RSE", "RHA", "R"}) {
    Cards cards = good;
    cards.sizes.replace(0, 3, std::string(type) + std::string(3 - std::string(type).size(), ' '));
    expect_bad_header(cards, 3, {"of the type '", "RUA, RRA, RSA and RZA"});
  }
  expect_bad_header(with(&Cards::sizes, "RSA           " + field("3") + field("2") + field("4")), 3,
                    {"must be square"});
  expect_bad_header(with(&Cards::sizes, "RUA           " + field("x") + field("3") + field("4")), 3,
                    {"'x' where the number of rows belongs"});
  expect_bad_header(with(&Cards::sizes, "RUA           " + field("3") + field("3") + field("-4")), 3, {"is -4"});
  expect_bad_header(with(&Cards::sizes, "RUA           " + field("3") + field("4") + field("4")), 4,
                    {"1 lines of pointers", "take 2"});
  expect_bad_header(with(&Cards::counts, field("5") + field("1") + field("2") + field("2")), 4,
                    {"2 lines of row indices", "take 1"});
  expect_bad_header(with(&Cards::counts, field("5") + field("1") + field("1") + field("3")), 4, {"3 lines of values"});
  expect_bad_header(with(&Cards::counts, field("2") + field("1") + field("1")), 2, {"without values"});
  for (const char* formats :
       {"(4I4)", "(4I4)  (5I3)", "(4I4) (5I3) (3I12)", "(4E4.0) (5I3) (3E12.4)", "(4I4) (5I3) (1P,3F12.4)",
        "(4I4) (5I3) (3E12)", "(4I4) (5I3) (0E12.4)", "(4I4) (5I3) (3(1X,E11.4))", "(4I4) (5I3) (3E12.4X)"}) {
    SCOPED_TRACE(formats);
    expect_bad_header(with(&Cards::formats, formats), 4, {"format"});
  }
  const auto read_header = [](const std::string& path) { io::read_harwell_boeing_header(path); };
  expect_error("", 0, {"ends before the title"}, read_header);
  expect_error("title\n", 1, {"ends before the numbers of lines"}, read_header);
  expect_error("title\n" + good.counts + '\n' + good.sizes, 3, {"ends before the formats"}, read_header);
}

TEST_F(HarwellBoeing, NumbersThatAreBad) {
  const Cards good;
  const auto with = [&](auto member, const std::string& value) {
    Cards cards = good;
    cards.*member = value;
    return cards;
  };
  expect_bad(with(&Cards::pointers, "   0   3   4   5"), 5, {"the pointer 1 is 0"});
  expect_bad(with(&Cards::pointers, "   1   3   2   5"), 5, {"the pointer 3 is 2", "ascend"});
  expect_bad(with(&Cards::pointers, "   1   3   4   4"), 5, {"the pointer 4 is 4"});
  expect_bad(with(&Cards::pointers, "   1   3   6   5"), 5, {"the pointer 3 is 6"});
  expect_bad(with(&Cards::pointers, "   1   3   4"), 5, {"'' where the pointer belongs"});
  expect_bad(with(&Cards::rows, "  1  3  4  1"), 6, {"row 4 out of range", "the matrix has 3"});
  expect_bad(with(&Cards::rows, "  1  3  0  1"), 6, {"row 0 out of range"});
  expect_bad(with(&Cards::rows, "  1  3 x2  1"), 6, {"'x2' where the row index belongs"});
  expect_bad(with(&Cards::values, "  1.5000E+00 -2.0000E+00  0.2500E+01\n        4E-1"), 8,
             {"'4E-1'", "decimal point"});
  expect_bad(with(&Cards::values, "  1.5000E+00         NaN  0.2500E+01\n  4.0000D-01"), 7, {"'NaN'"});
  expect_bad(with(&Cards::values, "  1.5000E+00 -2.000E+999  0.2500E+01\n  4.0000D-01"), 7, {"finite"});
  expect_bad(with(&Cards::values, "  1.5000E+00 -2.0000E+00  0.2500E+01"), 7, {"ends before the values"});
  Cards large = good;
  large.sizes = "RUA           " + field("3") + field("3") + field("2999997");
  large.formats = "(4I4)           (1000I900)      (3E12.4)";
  large.counts = field("5") + field("1") + field("3000") + field("999999");
  expect_bad(large, 4, {"the file ends after", "2999997 entries"});
}

std::string big_endian(std::uint64_t value, int bytes) {
  std::string result;
  for (int k = bytes - 1; k >= 0; --k) result += static_cast<char>(value >> (8 * k) & 255U);
  return result;
}

std::string integers(const std::vector<std::int64_t>& values, int bytes = 4) {
  std::string result;
  for (const std::int64_t value : values) result += big_endian(static_cast<std::uint64_t>(value), bytes);
  return result;
}

std::string doubles(const Values& values) {
  std::string result;
  for (const double value : values) result += big_endian(std::bit_cast<std::uint64_t>(value), 8);
  return result;
}

class Petsc : public ForeignFiles {
 protected:
  void expect_bad(const std::string& content, const std::vector<std::string>& parts) const {
    expect_error(content, 0, parts, [](const std::string& path) { io::read_petsc_matrix(path); });
  }
};

const std::string petsc_head = integers({1211216, 3, 4, 4}), petsc_lengths = integers({2, 0, 2}),
                  petsc_columns = integers({0, 3, 1, 2}), petsc_values = doubles({1.5, -2, 2.5, 0.1});
const std::string petsc_matrix = petsc_head + petsc_lengths + petsc_columns + petsc_values;

TEST_F(Petsc, MatricesAreReadByRows) {
  const std::string path = folder.write("a.petsc", petsc_matrix);
  const auto [matrix, left_out] = io::read_petsc_matrix(path);
  EXPECT_EQ(matrix.num_rows, 3);
  EXPECT_EQ(matrix.num_cols, 4);
  EXPECT_EQ(matrix.rows, (Indices{0, 0, 2, 2}));
  EXPECT_EQ(matrix.cols, (Indices{0, 3, 1, 2}));
  EXPECT_EQ(matrix.values, (Values{1.5, -2, 2.5, 0.1}));
  EXPECT_EQ(left_out, "");
  EXPECT_EQ(io::read_petsc_header(path).entries, 4);
  const std::string vector = integers({1211214, 2}) + doubles({3, 1e-300});
  EXPECT_EQ(io::read_petsc_matrix(folder.write("b.petsc", petsc_matrix + vector)).left_out, "vector behind it");
  // As many bytes as imaginary parts of its entries would take.
  const std::string real = integers({1211216, 2, 2, 3}) + integers({2, 1}) + integers({0, 1, 1}) + doubles({4, 1, 3}),
                    and_b = folder.write("c.petsc", real + vector);
  EXPECT_EQ(io::read_petsc_matrix(and_b).left_out, "vector behind it");
  EXPECT_EQ(io::read_petsc_matrix(and_b).matrix.values, (Values{4, 1, 3}));
  const std::string alone = folder.write("v.petsc", vector);
  EXPECT_EQ(io::read_petsc_vector_length(alone), 2);
  EXPECT_EQ(io::read_petsc_vector(alone), (Values{3, 1e-300}));
}

TEST_F(Petsc, FilesThatAreBad) {
  expect_bad("", {"a file of 0 bytes", "incomplete"});
  expect_bad("%%MatrixMarket matrix", {"no binary file of PETSc", "1211216"});
  expect_bad(integers({1211216, 3, 4, 4}, 8), {"64 bits"});
  expect_bad(std::string("\x50\x7b\x12\x00", 4) + std::string(12, '\0'), {"order of this machine"});
  expect_bad(integers({1211214, 2}) + doubles({3, 4}), {"it holds a vector"});
  expect_bad(integers({1211216, 3, 4, -1}), {"dense"});
  expect_bad(integers({1211216, -3, 4, 4}), {"-3 rows"});
  expect_bad(petsc_matrix.substr(0, petsc_matrix.size() - 1), {"the file has 75 bytes", "takes 76"});
  expect_bad(petsc_matrix + "12345", {"5 bytes behind the matrix"});
  expect_bad(petsc_matrix + petsc_values, {"complex"});
  expect_bad(petsc_head + integers({2, 3, 0}) + petsc_columns + petsc_values, {"row 2 has 3 entries"});
  expect_bad(petsc_head + integers({2, -1, 2}) + petsc_columns + petsc_values, {"row 2 has -1 entries"});
  expect_bad(petsc_head + integers({2, 0, 1}) + petsc_columns + petsc_values, {"its rows have 3 entries"});
  expect_bad(petsc_head + petsc_lengths + integers({0, 4, 1, 2}) + petsc_values, {"entry 2 is in column 4"});
  expect_bad(petsc_head + petsc_lengths + petsc_columns + doubles({1, 2, std::numeric_limits<double>::quiet_NaN(), 3}),
             {"value 3 is nan"});
  const auto read_vector = [](const std::string& path) { io::read_petsc_vector(path); };
  expect_error(integers({1211214, 2}) + doubles({3}), 0, {"has 16 bytes", "takes 24"}, read_vector);
  expect_error(integers({1211214, -2}), 0, {"-2 entries"}, read_vector);
  expect_error(petsc_matrix, 0, {"it holds a matrix"}, read_vector);
}

}  // namespace
}  // namespace ashlar::testing
