#pragma once

#include <cstddef>
#include <cstdint>
#include <locale>
#include <sstream>
#include <string>
#include <string_view>

namespace ashlar {

/// The arguments written one after another, as operator<< writes them in the classic locale: whatever
/// std::locale::global is, a number has a point and no separators.
///
/// For messages. (`<format>` is missing from GCC 12, which compiles this library too.)
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  out.imbue(std::locale::classic());
  (out << ... << args);
  return out.str();
}

/// The noun for a number of things: "rank" for 1, else "ranks". Nouns that end in x get "es" ("boxes"), and nouns that
/// end in y get "ies" ("entries"). Other irregular nouns ("match", "day") are not supported.
std::string noun_for(std::int64_t number, std::string_view noun);

/// The number with its noun: "1 rank", "1234 block rows", "2 boxes", "0 entries". For messages.
std::string count_text(std::int64_t number, std::string_view noun);

/// The bytes of the UTF-8 character at the start of a text that is not empty; 0 if none begins there.
std::size_t utf8_length(std::string_view text);

/// A text that is safe on a terminal: control characters, and bytes that are no UTF-8, become "\x1b".
///
/// For file names, which may hold any byte.
std::string printable(std::string_view text);

}  // namespace ashlar
