#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <limits>
#include <string_view>
#include <vector>

#include "harwell_boeing_header.hpp"
#include "in_quotes.hpp"
#include "text_parsing.hpp"

namespace ashlar::io {

namespace {

/// Calls take(field, k) for each of `count` numbers.
template <class Take>
void for_fields(CardReader& cards, const CardFormat& format, std::int64_t count, std::string_view what,
                const Take& take) {
  for (std::int64_t k = 0; k < count;) {
    const std::string_view line = cards.next(what);
    for (std::int64_t f = 0; f < format.per_line && k < count; ++f, ++k) {
      const std::size_t begin = std::min(static_cast<std::size_t>(f) * format.width, line.size());
      take(line.substr(begin, format.width), k);
    }
  }
}

/// A field with a decimal point, and an exponent with a letter, a sign or both.
double value_of(const CardReader& cards, std::string_view field) {
  std::string word(trimmed(field));
  const auto sign = word.find_first_of("+-", 1);
  if (sign != word.npos && std::string_view("eEdD").find(word[sign - 1]) == std::string_view::npos) {
    word.insert(sign, 1, 'E');
  }
  double value = 0;
  Cursor cursor{word.data(), word.data() + word.size()};
  const NumberFault fault = word.find('.') == word.npos ? NumberFault::no_number : read_number(cursor, value);
  if (fault == NumberFault::none && cursor.at == cursor.end) return value;
  cards.fail(text(in_quotes(word), " where a value belongs"),
             fault == NumberFault::not_finite || fault == NumberFault::too_large
                 ? "every value must be finite"
                 : "it is no number with a decimal point",
             "correct the line");
}

std::vector<std::int64_t> read_pointers(CardReader& cards, const CardHeader& header) {
  std::vector<std::int64_t> pointers(static_cast<std::size_t>(header.sizes.columns) + 1);
  for_fields(cards, header.pointers, header.sizes.columns + 1, "pointers", [&](std::string_view field, std::int64_t k) {
    const std::int64_t pointer = integer_of(cards, field, "pointer");
    const std::int64_t least = k == 0 ? 1 : pointers[std::size_t(k - 1)];
    const std::int64_t most = k == 0 ? 1 : header.sizes.entries + 1;
    const bool is_last = k == header.sizes.columns;
    if (pointer < least || pointer > most || (is_last && pointer != most)) {
      cards.fail(text("the pointer ", k + 1, " is ", pointer),
                 text("pointers ascend from 1 to ", header.sizes.entries + 1), "correct the line");
    }
    pointers[std::size_t(k)] = pointer;
  });
  return pointers;
}

void read_rows(CardReader& cards, const CardHeader& header, CooMatrix<double>& matrix) {
  for_fields(cards, header.indices, header.sizes.entries, "row indices", [&](std::string_view field, std::int64_t k) {
    const std::int64_t row = integer_of(cards, field, "row index"), column = matrix.cols[std::size_t(k)] + 1;
    if (row < 1 || row > header.sizes.rows) {
      cards.fail(text("row ", row, " out of range"), text("the matrix has ", header.sizes.rows, ", counted from 1"),
                 "correct the line");
    }
    if (header.sizes.is_half && (row < column || (header.is_skew && row == column))) {
      cards.fail(text("the entry (", row, ", ", column, ")"),
                 header.is_skew ? "a skew-symmetric file holds what is below the diagonal"
                                : "a symmetric file holds the diagonal and what is below it",
                 "correct the line or the type");
    }
    matrix.rows[std::size_t(k)] = static_cast<std::int32_t>(row - 1);
  });
}

void add_mirrored(bool is_skew, CooMatrix<double>& matrix) {
  const std::size_t entries = matrix.values.size();
  for (std::size_t k = 0; k < entries; ++k) {
    const std::int32_t row = matrix.rows[k], column = matrix.cols[k];
    if (row == column) continue;
    matrix.rows.push_back(column);
    matrix.cols.push_back(row);
    matrix.values.push_back(is_skew ? -matrix.values[k] : matrix.values[k]);
  }
}

}  // namespace

ForeignHeader read_harwell_boeing_header(const std::string& path) {
  const FileText file(path, FileText::beginning_bytes);
  CardReader cards(path, file.view());
  return read_card_header(cards).sizes;
}

ForeignMatrix read_harwell_boeing(const std::string& path) {
  const FileText file(path, std::numeric_limits<std::size_t>::max(), [&](std::string_view beginning) {
    CardReader cards(path, beginning);
    read_card_header(cards);
  });
  CardReader cards(path, file.view());
  const CardHeader header = read_card_header(cards);
  if (header.has_right_hand_sides) cards.next("kind of the right-hand sides");
  const auto least = static_cast<std::size_t>(header.sizes.columns + 2 * header.sizes.entries);  // a digit each
  if (least > cards.num_bytes_left()) {
    cards.fail(
        text("the file ends after ", cards.num_bytes_left(), " bytes more"),
        text("the header promises ", header.sizes.columns + 1, " pointers and ", header.sizes.entries, " entries"),
        "is the file incomplete?");
  }
  ForeignMatrix result{{header.sizes.rows, header.sizes.columns, {}, {}, {}},
                       header.has_right_hand_sides ? "right-hand sides" : ""};
  CooMatrix<double>& matrix = result.matrix;
  const auto entries = static_cast<std::size_t>(header.sizes.entries);
  const std::vector<std::int64_t> pointers = read_pointers(cards, header);
  matrix.cols.reserve(entries);
  for (std::size_t column = 0; column + 1 < pointers.size(); ++column) {
    const auto count = static_cast<std::size_t>(pointers[column + 1] - pointers[column]);
    matrix.cols.insert(matrix.cols.end(), count, static_cast<std::int32_t>(column));
  }
  matrix.rows.resize(entries);
  matrix.values.resize(entries);
  read_rows(cards, header, matrix);
  for_fields(cards, header.values, header.sizes.entries, "values",
             [&](std::string_view field, std::int64_t k) { matrix.values[std::size_t(k)] = value_of(cards, field); });
  if (header.sizes.is_half) add_mirrored(header.is_skew, matrix);
  return result;
}

}  // namespace ashlar::io
