#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/host/processors.hpp>
#include <charconv>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

/// Numbers out of text that is no more than a range of characters, fast where they are well formed.
namespace ashlar::io {

/// A place in a text. Nothing is ever read at or past `end`.
struct Cursor {
  const char* at;
  const char* end;
};

enum class NumberFault { none, missing, no_number, not_finite, too_large };

inline bool is_blank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\v' || c == '\f'; }

inline void skip_blanks(Cursor& cursor) {
  while (cursor.at != cursor.end && is_blank(*cursor.at)) ++cursor.at;
}

inline bool at_line_end(const Cursor& cursor) { return cursor.at == cursor.end || *cursor.at == '\n'; }

/// The word that begins at the cursor, up to the next blank or line end.
inline std::string_view word_at(const Cursor& cursor) {
  const char* last = cursor.at;
  while (last != cursor.end && *last != '\n' && !is_blank(*last)) ++last;
  return {cursor.at, static_cast<std::size_t>(last - cursor.at)};
}

/// True if a decimal number, read without regard to its sign, is below one.
bool is_below_one(std::string_view number);

/// Handles cases that std::from_chars does not: Fortran exponents, numbers too small for the type.
template <std::floating_point Real>
NumberFault parse_unusual(std::string_view word, Real& value) {
  std::string copy(word);
  if (const auto d = copy.find_first_of("dD"); d != std::string::npos) copy[d] = 'e';
  const char* last = copy.data() + copy.size();
  const auto [stop, error] = std::from_chars(copy.data(), last, value);
  if (error == std::errc::invalid_argument || stop != last) return NumberFault::no_number;
  if (error == std::errc::result_out_of_range) {
    if (!is_below_one(copy)) return NumberFault::too_large;
    value = copy.front() == '-' ? -Real(0) : Real(0);
  }
  return is_finite(value) ? NumberFault::none : NumberFault::not_finite;
}

inline NumberFault parse_unusual(std::string_view word, std::int64_t& value) {
  const auto [stop, error] = std::from_chars(word.data(), word.data() + word.size(), value);
  if (error == std::errc::invalid_argument || stop != word.data() + word.size()) return NumberFault::no_number;
  return error == std::errc::result_out_of_range ? NumberFault::too_large : NumberFault::none;
}

/// Reads one number and moves past it; at a fault, stays before its first character.
template <class Number>
NumberFault read_number(Cursor& cursor, Number& value) {
  skip_blanks(cursor);
  if (at_line_end(cursor)) return NumberFault::missing;
  const char* first = cursor.at;
  if (*first == '+' && first + 1 != cursor.end && first[1] != '-') ++first;
  const auto [stop, error] = std::from_chars(first, cursor.end, value);
  const bool is_whole_word = stop == cursor.end || *stop == '\n' || is_blank(*stop);
  if (error == std::errc() && is_whole_word) {
    if constexpr (std::floating_point<Number>) {
      if (!is_finite(value)) return NumberFault::not_finite;
    }
    cursor.at = stop;
    return NumberFault::none;
  }
  const std::string_view word = word_at({first, cursor.end});
  const NumberFault fault = parse_unusual(word, value);
  if (fault == NumberFault::none) cursor.at = word.data() + word.size();
  return fault;
}

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

/// Calls work(0) to work(parts - 1), each on a thread of its own. Plain threads, so that files can be read before
/// Kokkos is initialised.
///
/// Throws   what the first part that failed, in the order of the parts, has thrown: the same one every time.
template <class Work>
void in_parallel(std::size_t parts, const Work& work) {
  std::vector<std::exception_ptr> failures(parts);
  const auto guarded = [&](std::size_t part) {
    try {
      work(part);
    } catch (...) {
      failures[part] = std::current_exception();
    }
  };
  const Processors processors = Processors::of_process();
  const auto elsewhere = [&](std::size_t part) {
    processors.take();
    guarded(part);
  };
  std::vector<std::thread> threads;
  threads.reserve(parts);
  for (std::size_t part = 1; part < parts; ++part) {
    try {
      threads.emplace_back(elsewhere, part);
    } catch (...) {  // No more threads, or no memory for one: this one does the work.
      guarded(part);
    }
  }
  if (parts > 0) guarded(0);
  for (std::thread& thread : threads) thread.join();
  for (const std::exception_ptr& failure : failures) {
    if (failure) std::rethrow_exception(failure);
  }
}

}  // namespace ashlar::io
