#include "harwell_boeing_header.hpp"

#include <charconv>
#include <limits>
#include <system_error>

#include "in_quotes.hpp"

namespace ashlar::io {

std::string_view trimmed(std::string_view field) {
  while (!field.empty() && is_blank(field.front())) field.remove_prefix(1);
  while (!field.empty() && is_blank(field.back())) field.remove_suffix(1);
  return field;
}

std::int64_t integer_of(const CardReader& cards, std::string_view field, std::string_view what) {
  const std::string_view word = trimmed(field);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (word.empty() || error != std::errc() || stop != word.data() + word.size()) {
    cards.fail(text(in_quotes(word), " where the ", what, " belongs"), "it is no integer", "correct the line");
  }
  return value;
}

namespace {

/// Blank fields of a header are 0.
std::int64_t header_integer(const CardReader& cards, std::string_view line, std::size_t field, std::string_view what) {
  constexpr std::size_t width = 14;
  const std::size_t begin = std::min(field * width, line.size());
  const std::string_view word = trimmed(line.substr(begin, width));
  const std::int64_t value = word.empty() ? 0 : integer_of(cards, word, what);
  if (value < 0 || value > std::numeric_limits<std::int32_t>::max()) {
    cards.fail(text("the ", what, " is ", value), "it is a number from 0 to 2147483647", "correct the header");
  }
  return value;
}

/// The next format of a line, in parentheses: (16I5), (3E26.16), (1P,4D20.12).
CardFormat format_of(const CardReader& cards, std::string_view& line, bool is_real) {
  const std::size_t begin = line.find('('), end = line.find(')', std::min(begin, line.size()));
  if (end == line.npos) {
    cards.fail("a format is missing", "the line has the formats of pointers, row indices and values",
               "correct the header");
  }
  CardFormat format{std::string(line.substr(begin, end + 1 - begin))};
  line.remove_prefix(end + 1);
  std::string_view rest = std::string_view(format.text).substr(1, format.text.size() - 2);
  const auto upper = [](char c) { return c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c; };
  // Numbers, and the letters between them.
  const auto number = [&]() -> std::int64_t {
    rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    std::int64_t value = -1;
    const auto [stop, error] = std::from_chars(rest.data(), rest.data() + rest.size(), value);
    if (error == std::errc()) rest.remove_prefix(std::size_t(stop - rest.data()));
    return value;
  };
  const auto letter = [&]() -> char {
    rest = rest.substr(std::min(rest.find_first_not_of(' '), rest.size()));
    if (rest.empty()) return ' ';
    const char c = upper(rest.front());
    rest.remove_prefix(1);
    return c;
  };
  std::int64_t count = number();
  char kind = letter();
  bool is_scaled = false;
  if (is_real && kind == 'P') {  // a scale factor, which does not change numbers that are read with an exponent
    is_scaled = count != 0;
    count = number();
    kind = letter();
    if (kind == ',') {
      count = number();
      kind = letter();
    }
  }
  const std::int64_t width = number();
  bool is_right = is_real ? kind == 'E' || kind == 'D' || kind == 'G' || (kind == 'F' && !is_scaled) : kind == 'I';
  if (is_real && is_right) is_right = letter() == '.' && number() >= 0;
  if (is_real && is_right && trimmed(rest) != "") is_right = letter() == 'E' && number() > 0;
  if (!is_right || !trimmed(rest).empty() || count == 0 || width < 1 || width > 1000 || count > 1000) {
    cards.fail(text("the format ", in_quotes(format.text)),
               is_real ? "values have a format like (4E20.12)" : "indices have a format like (16I5)",
               "write the file with such a format, or as a Matrix Market file");
  }
  format.per_line = std::max<std::int64_t>(count, 1);
  format.width = static_cast<std::size_t>(width);
  return format;
}

void read_type(const CardReader& cards, std::string_view line, CardHeader& header) {
  std::string type(line.substr(0, 3));
  for (char& c : type) c = c >= 'a' && c <= 'z' ? static_cast<char>(c - 'a' + 'A') : c;
  const auto refuse = [&](const std::string& why) {
    cards.fail(text("a matrix of the type ", in_quotes(type)), why, "RUA, RRA, RSA and RZA are read");
  };
  if (type.size() < 3) refuse("three letters are its type");
  if (type[0] != 'R') refuse("its values are not real");
  if (std::string_view("USZR").find(type[1]) == std::string_view::npos)
    refuse("its second letter is no symmetry of reals");
  if (type[2] != 'A') refuse("it is not assembled");
  header.is_skew = type[1] == 'Z';
  header.sizes.is_half = type[1] == 'S' || type[1] == 'Z';
}

}  // namespace

CardHeader read_card_header(CardReader& cards) {
  CardHeader header;
  cards.next("title");
  const std::string_view counts = cards.next("numbers of lines");
  header_integer(cards, counts, 0, "number of all lines");
  header.pointer_lines = header_integer(cards, counts, 1, "number of lines of pointers");
  header.index_lines = header_integer(cards, counts, 2, "number of lines of row indices");
  header.value_lines = header_integer(cards, counts, 3, "number of lines of values");
  header.has_right_hand_sides = header_integer(cards, counts, 4, "number of lines of right-hand sides") > 0;
  if (header.value_lines == 0)
    cards.fail("a matrix without values", "its structure alone is there", "name another file");
  const std::string_view sizes = cards.next("type and sizes");
  read_type(cards, sizes, header);
  header.sizes.rows = header_integer(cards, sizes, 1, "number of rows");
  header.sizes.columns = header_integer(cards, sizes, 2, "number of columns");
  header.sizes.entries = header_integer(cards, sizes, 3, "number of entries");
  if (header.sizes.is_half && header.sizes.rows != header.sizes.columns) {
    cards.fail(text("a symmetric matrix of ", header.sizes.rows, " rows and ", header.sizes.columns, " columns"),
               "it must be square", "correct the header");
  }
  std::string_view formats = cards.next("formats");
  header.pointers = format_of(cards, formats, false);
  header.indices = format_of(cards, formats, false);
  header.values = format_of(cards, formats, true);
  const auto require_lines = [&](const char* what, std::int64_t count, std::int64_t lines, const CardFormat& format) {
    const std::int64_t needed = (count + format.per_line - 1) / format.per_line;
    if (needed == lines) return;
    cards.fail(text(lines, " lines of ", what), text(count, " numbers of ", format.text, " take ", needed),
               "correct the header");
  };
  require_lines("pointers", header.sizes.columns + 1, header.pointer_lines, header.pointers);
  require_lines("row indices", header.sizes.entries, header.index_lines, header.indices);
  require_lines("values", header.sizes.entries, header.value_lines, header.values);
  return header;
}

}  // namespace ashlar::io
