#include "matrix_market_format.hpp"

#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <limits>

#include "in_quotes.hpp"
#include "text_parsing.hpp"

namespace ashlar::io {

namespace {

constexpr std::array<std::string_view, 2> format_names = {"coordinate", "array"};
constexpr std::array<std::string_view, 4> field_names = {"real", "complex", "integer", "pattern"};
constexpr std::array<std::string_view, 4> symmetry_names = {"general", "symmetric", "skew-symmetric", "hermitian"};
constexpr std::string_view banner_example = "'%%MatrixMarket matrix coordinate real general'";

std::string lower_case(std::string_view word) {
  std::string result(word);
  for (char& c : result) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  return result;
}

std::string_view without_line_end(std::string_view line) {
  while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
  return line;
}

template <class Enum, std::size_t n>
Enum parse_word(const std::string& path, std::string_view what, const std::string& word,
                const std::array<std::string_view, n>& names) {
  const auto found = std::find(names.begin(), names.end(), word);
  if (found != names.end()) return static_cast<Enum>(found - names.begin());
  std::string known;
  for (const std::string_view name : names) known += (known.empty() ? "" : ", ") + std::string(name);
  throw FileError(path, 1,
                  word.empty() ? text("the banner names no ", what) : text("unknown ", what, " ", in_quotes(word)),
                  text("the ", what, " of a Matrix Market file is one of ", known), "correct the banner");
}

/// The first bytes of files of other kinds.
struct OtherKind {
  std::string_view beginning;
  const char *problem, *suggestion;
};
constexpr OtherKind other_kinds[] = {
    {"\x1f\x8b", "the file is compressed by gzip",
     "unpack it with gunzip, and name the file that this makes; or build Ashlar with zlib"},
    {"BZh", "the file is compressed by bzip2", "unpack it with bunzip2, and name the file that this makes"},
    {"\xfd"
     "7zXZ",
     "the file is compressed by xz", "unpack it with unxz, and name the file that this makes"},
    {"\x28\xb5\x2f\xfd", "the file is compressed by zstd", "unpack it with unzstd, and name the file that this makes"},
    {"PK\x03\x04", "the file is a zip archive", "unpack it, and name the file in it"},
    {"\xef\xbb\xbf", "a byte order mark before the banner", "save it as UTF-8 without a byte order mark, or as ASCII"},
    {"\xff\xfe", "the text is UTF-16", "save it as UTF-8 without a byte order mark, or as ASCII"},
    {"\xfe\xff", "the text is UTF-16", "save it as UTF-8 without a byte order mark, or as ASCII"},
};

void require_plain_text(const std::string& path, std::string_view text) {
  for (const OtherKind& other : other_kinds) {
    if (!text.starts_with(other.beginning)) continue;
    throw FileError(path, 1, other.problem, "a Matrix Market file is plain text that begins with %%MatrixMarket",
                    other.suggestion);
  }
}

/// Throws for a line that has had so many characters already: of /dev/zero, or of a file that is no text.
void require_end_of_line(const std::string& path, std::int64_t line_number, std::size_t length) {
  constexpr std::size_t longest = 1 << 15;
  if (length < longest) return;
  throw FileError(path, line_number, text("a line of ", longest, " characters or more before the entries"),
                  "a line of a Matrix Market file has at most 1024", "is it a file of another format?");
}

MatrixMarketHeader parse_banner(const std::string& path, std::string_view line) {
  Cursor cursor{line.data(), line.data() + line.size()};
  std::array<std::string, 6> words;
  for (std::string& word : words) {
    skip_blanks(cursor);
    const std::string_view found = word_at(cursor);
    cursor.at += found.size();
    word = lower_case(found);
  }
  if (words[0] != "%%matrixmarket") {
    throw FileError(path, 1, text("no Matrix Market banner: ", in_quotes(without_line_end(line))),
                    text("the first line must be like ", banner_example), "is it a file of another format?");
  }
  MatrixMarketHeader header{};
  header.object = words[1];
  if (header.object != "matrix") {
    throw FileError(
        path, 1,
        header.object.empty() ? "the banner names no object" : text("unknown object ", in_quotes(header.object)),
        "only the object 'matrix' can be read", text("the banner must be like ", banner_example));
  }
  header.format = parse_word<MatrixMarketFormat>(path, "format", words[2], format_names);
  header.field = parse_word<MatrixMarketField>(path, "field", words[3], field_names);
  header.symmetry = parse_word<MatrixMarketSymmetry>(path, "symmetry", words[4], symmetry_names);
  if (!words[5].empty()) {
    throw FileError(path, 1, text(in_quotes(words[5]), " at the end of the banner"), "the symmetry is its last word",
                    text("the banner must be like ", banner_example));
  }

  const auto contradiction = [&](const std::string& why, const std::string& suggestion) {
    throw FileError(path, 1, text("the banner contradicts itself: ", in_quotes(without_line_end(line))), why,
                    suggestion);
  };
  const bool is_pattern = header.field == MatrixMarketField::pattern;
  if (is_pattern && header.format == MatrixMarketFormat::array) {
    contradiction("an array has values, a pattern has none", "make it coordinate, or name the field of the values");
  }
  if (header.symmetry == MatrixMarketSymmetry::hermitian && header.field != MatrixMarketField::complex) {
    contradiction("a hermitian matrix is complex", "a real one is called symmetric");
  }
  if (is_pattern && header.symmetry == MatrixMarketSymmetry::skew_symmetric) {
    contradiction("the entries of a pattern are all one, and cannot change sign", "make it general or symmetric");
  }
  return header;
}

void parse_size_line(const std::string& path, std::int64_t line_number, std::string_view line,
                     MatrixMarketHeader& header) {
  header.size_line = line_number;
  const bool is_array = header.format == MatrixMarketFormat::array;
  const std::string shape =
      is_array ? "an array's size line is 'rows columns'" : "a coordinate file's size line is 'rows columns entries'";
  const auto fail = [&](const std::string& problem, const std::string& why) {
    throw FileError(path, line_number, problem, why, text("correct the size line ", in_quotes(without_line_end(line))));
  };
  Cursor cursor{line.data(), line.data() + line.size()};
  const auto read = [&](std::string_view what, std::int64_t largest, std::int64_t& value) {
    const NumberFault fault = read_number(cursor, value);
    const std::string found = in_quotes(word_at(cursor));
    if (fault == NumberFault::missing) fail(text("the size line ends before the number of ", what), shape);
    if (fault == NumberFault::no_number) fail(text(found, " where the number of ", what, " belongs"), shape);
    if (fault == NumberFault::none && value < 0) {
      fail(text("the number of ", what, " is ", value), "it cannot be negative");
    }
    if (fault == NumberFault::too_large || value > largest) {
      const std::string number = fault == NumberFault::too_large ? found : text(value);
      fail(text("the number of ", what, " is ", number), text("the largest possible is ", largest));
    }
  };
  constexpr std::int64_t largest_index = std::numeric_limits<std::int32_t>::max();
  read("rows", largest_index, header.rows);
  read("columns", largest_index, header.columns);
  if (!is_array) read("entries", std::numeric_limits<std::int64_t>::max(), header.entries);
  skip_blanks(cursor);
  if (!at_line_end(cursor)) fail(text(in_quotes(word_at(cursor)), " after the last number of the size line"), shape);
  if (header.symmetry != MatrixMarketSymmetry::general && header.rows != header.columns) {
    fail(text("a ", name(header.symmetry), " matrix of ", header.rows, " rows and ", header.columns, " columns"),
         "it must be square");
  }
  if (!is_array) return;
  const std::int64_t n = header.rows;
  switch (header.symmetry) {
    case MatrixMarketSymmetry::general:
      header.entries = n * header.columns;
      break;
    case MatrixMarketSymmetry::skew_symmetric:
      header.entries = n * (n - 1) / 2;
      break;
    default:
      header.entries = n * (n + 1) / 2;
  }
}

}  // namespace

std::string_view name(MatrixMarketFormat format) { return format_names[static_cast<std::size_t>(format)]; }
std::string_view name(MatrixMarketField field) { return field_names[static_cast<std::size_t>(field)]; }
std::string_view name(MatrixMarketSymmetry symmetry) { return symmetry_names[static_cast<std::size_t>(symmetry)]; }

std::optional<ParsedHeader> parse_header_of_part(const std::string& path, std::string_view text) {
  require_plain_text(path, text);
  ParsedHeader result{};
  std::size_t begin = 0;
  for (std::int64_t line_number = 1;; ++line_number) {
    const std::size_t line_end = text.find('\n', begin);
    if (line_end == std::string_view::npos) {
      require_end_of_line(path, line_number, text.size() - begin);
      return std::nullopt;
    }
    const std::string_view line = text.substr(begin, line_end - begin);
    begin = line_end + 1;
    if (line_number == 1) {
      result.header = parse_banner(path, line);
      continue;
    }
    const std::string_view entry = line.substr(std::min(line.find_first_not_of(" \t\r\v\f"), line.size()));
    if (entry.empty() || entry.front() == '%') continue;
    parse_size_line(path, line_number, line, result.header);
    result.size_line = line_number;
    result.entries_begin = begin;
    return result;
  }
}

ParsedHeader parse_header(const std::string& path, std::string_view text) {
  if (text.empty())
    throw FileError(path, 0, "the file is empty", "a Matrix Market file has a banner", "write it again");
  if (const auto result = parse_header_of_part(path, text)) return *result;
  // The last line may lack its end.
  if (text.back() != '\n') {
    const std::string completed = std::string(text) + '\n';
    if (auto result = parse_header_of_part(path, completed)) {
      result->entries_begin = text.size();
      return *result;
    }
  }
  const auto lines = std::count(text.begin(), text.end(), '\n') + (text.back() != '\n');
  throw FileError(path, lines, "the file ends before its size line",
                  "the numbers of rows and columns follow the banner", "is the file incomplete?");
}

}  // namespace ashlar::io
