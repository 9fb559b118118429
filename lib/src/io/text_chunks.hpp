#pragma once

#include <cstdint>
#include <string_view>
#include <vector>

namespace ashlar::io {

/// Some lines of a text in a row: where they are, and how many lines and entries stand before them.
///
/// An entry is a line that is neither blank nor a comment ('%').
struct TextChunk {
  std::string_view text;
  std::int64_t first_line = 0, first_entry = 0;
  std::int64_t num_lines = 0, num_entries = 0;
};

/// The text cut at line ends into as many chunks as there are threads for, and counted through, in parallel.
std::vector<TextChunk> split_into_chunks(std::string_view text, std::int64_t first_line);

/// The line on which an entry, counted from 0, stands.
std::int64_t line_of_entry(const std::vector<TextChunk>& chunks, std::int64_t entry);

}  // namespace ashlar::io
