#pragma once

#include <array>
#include <ashlar/base/scalar.hpp>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

namespace ashlar::io {

/// Text in memory, written to as a FileWriter is.
class TextWriter {
 public:
  void write(std::string_view characters) { text_.append(characters); }
  void write(const char* characters, std::size_t size) { text_.append(characters, size); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Lines put together from numbers, each with as many digits as it takes to read back the same bits.
template <class Sink>
class LineWriter {
 public:
  explicit LineWriter(Sink& sink) : sink_(sink) {}

  template <class Number>
  void write_number(Number number, char after) {
    std::array<char, 48> digits;
    char* end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, number).ptr;
    *end++ = after;
    sink_.write(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  template <scalar S>
  void write_value(const S& value) {
    if constexpr (is_complex_v<S>) {
      write_number(value.real(), ' ');
      write_number(value.imag(), '\n');
    } else {
      write_number(value, '\n');
    }
  }

  template <scalar S>
  void write_entry(std::int64_t row, std::int64_t column, const S& value) {
    write_number(row + 1, ' ');
    write_number(column + 1, ' ');
    write_value(value);
  }

 private:
  Sink& sink_;
};

}  // namespace ashlar::io
