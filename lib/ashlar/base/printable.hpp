#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace ashlar {

/// The bytes of the UTF-8 character at the start of a text that is not empty; 0 if none begins there.
std::size_t utf8_length(std::string_view text);

/// A text that is safe on a terminal: control characters, and bytes that are no UTF-8, become "\x1b".
///
/// For file names, which may hold any byte.
std::string printable(std::string_view text);

}  // namespace ashlar
