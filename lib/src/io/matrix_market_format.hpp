#pragma once

#include <ashlar/io/matrix_market.hpp>
#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

namespace ashlar::io {

/// The names as the format spells them.
std::string_view name(MatrixMarketFormat format);
std::string_view name(MatrixMarketField field);
std::string_view name(MatrixMarketSymmetry symmetry);

/// The banner and the size line, and where in the text they and the entries are.
struct ParsedHeader {
  MatrixMarketHeader header;
  std::int64_t size_line;
  /// The first character after the size line.
  std::size_t entries_begin;
};

/// Nothing where the text, a file's beginning, ends before the end of the size line.
///
/// Throws   FileError
std::optional<ParsedHeader> parse_header_of_part(const std::string& path, std::string_view text);

/// Throws   FileError
ParsedHeader parse_header(const std::string& path, std::string_view text);

}  // namespace ashlar::io
