#pragma once

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <cstdint>
#include <string>
#include <string_view>

#include "text_parsing.hpp"

namespace ashlar::io {

/// The lines of a file, one after another.
class CardReader {
 public:
  CardReader(const std::string& path, std::string_view text) : path_(path), text_(text) {}

  /// The next line, without its end.
  std::string_view next(std::string_view what) {
    if (text_.empty()) fail(text("the file ends before the ", what), "lines are missing", "is the file incomplete?");
    const std::size_t end = std::min(text_.find('\n'), text_.size());
    std::string_view line = text_.substr(0, end);
    text_.remove_prefix(std::min(end + 1, text_.size()));
    ++number_;
    while (!line.empty() && is_blank(line.back())) line.remove_suffix(1);
    return line;
  }

  /// Reports an error in the line that was read last.
  [[noreturn]] void fail(const std::string& problem, const std::string& why, const std::string& suggestion) const {
    throw FileError(path_, number_, problem, why, suggestion);
  }

  std::size_t num_bytes_left() const { return text_.size(); }

 private:
  std::string path_;
  std::string_view text_;
  std::int64_t number_ = 0;
};

/// A Fortran format: so many numbers on a line, each in as many columns.
struct CardFormat {
  std::string text;
  std::int64_t per_line = 1;
  std::size_t width = 0;
};

struct CardHeader {
  ForeignHeader sizes;
  bool is_skew = false, has_right_hand_sides = false;
  std::int64_t pointer_lines = 0, index_lines = 0, value_lines = 0;
  CardFormat pointers, indices, values;
};

/// The field of a card without blanks around it.
std::string_view trimmed(std::string_view field);

/// Throws FileError for a field that is no integer; `what` is its name.
std::int64_t integer_of(const CardReader& cards, std::string_view field, std::string_view what);

/// Reads the first four lines.
///
/// Throws   FileError
CardHeader read_card_header(CardReader& cards);

}  // namespace ashlar::io
