#include <algorithm>
#include <cstring>

#include "text_parsing.hpp"

namespace ashlar::io {

bool is_below_one(std::string_view number) {
  const auto exponent_mark = std::min(number.find_first_of("eE"), number.size());
  const std::string_view digits = number.substr(0, exponent_mark);
  const auto point = std::min(digits.find('.'), digits.size());
  const auto leading = digits.find_first_of("123456789");
  if (leading == std::string_view::npos) return true;
  // Digits before the point, counted from the leading one; not positive where the leading one follows the point.
  const auto magnitude = leading < point ? static_cast<std::int64_t>(point - leading)
                                         : static_cast<std::int64_t>(point + 1) - static_cast<std::int64_t>(leading);

  if (exponent_mark == number.size()) return magnitude <= 0;
  std::string_view exponent = number.substr(exponent_mark + 1);
  if (!exponent.empty() && exponent.front() == '+') exponent.remove_prefix(1);
  std::int64_t value = 0;
  const auto [stop, error] = std::from_chars(exponent.data(), exponent.data() + exponent.size(), value);
  if (error == std::errc::result_out_of_range) return exponent.front() == '-';
  return value <= -magnitude;
}

namespace {

/// Calls entry(lines before) for each entry until it returns false; returns the number of lines gone through.
template <class Entry>
std::int64_t for_each_entry_line(std::string_view text, const Entry& entry) {
  std::int64_t lines = 0;
  Cursor cursor{text.data(), text.data() + text.size()};
  while (cursor.at != cursor.end) {
    skip_blanks(cursor);
    if (!at_line_end(cursor) && *cursor.at != '%' && !entry(lines)) return lines;
    const void* line_end = std::memchr(cursor.at, '\n', cursor.end - cursor.at);
    cursor.at = line_end ? static_cast<const char*>(line_end) + 1 : cursor.end;
    ++lines;
  }
  return lines;
}

}  // namespace

std::vector<TextChunk> split_into_chunks(std::string_view text, std::int64_t first_line) {
  // Below this size a thread costs more than it saves.
  constexpr std::size_t smallest = 1 << 20;
  const auto threads = static_cast<std::size_t>(Processors::of_process().count());
  const std::size_t size = text.size() / std::min(threads, text.size() / smallest + 1) + 1;

  std::vector<TextChunk> chunks;
  while (!text.empty()) {
    const auto line_end = text.find('\n', std::min(size, text.size()) - 1);
    const auto length = line_end == std::string_view::npos ? text.size() : line_end + 1;
    chunks.push_back({.text = text.substr(0, length)});
    text.remove_prefix(length);
  }
  in_parallel(chunks.size(), [&](std::size_t i) {
    std::int64_t entries = 0;
    chunks[i].num_lines = for_each_entry_line(chunks[i].text, [&](std::int64_t) { return ++entries, true; });
    chunks[i].num_entries = entries;
  });
  std::int64_t line = first_line, entry = 0;
  for (TextChunk& chunk : chunks) {
    chunk.first_line = line;
    chunk.first_entry = entry;
    line += chunk.num_lines;
    entry += chunk.num_entries;
  }
  return chunks;
}

std::int64_t line_of_entry(const std::vector<TextChunk>& chunks, std::int64_t entry) {
  for (const TextChunk& chunk : chunks) {
    std::int64_t left = entry - chunk.first_entry;
    if (left >= chunk.num_entries) continue;
    return chunk.first_line + for_each_entry_line(chunk.text, [&](std::int64_t) { return left-- > 0; });
  }
  return 0;
}

}  // namespace ashlar::io
