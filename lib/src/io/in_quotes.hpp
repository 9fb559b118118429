#pragma once

#include <string>
#include <string_view>

namespace ashlar::io {

/// Text of a file as a message shows it: in quotes, cut where it is long, '?' for what no terminal should get.
///
/// (Not called quoted: argument-dependent look-up would find std::quoted for a std::string.)
inline std::string in_quotes(std::string_view text) {
  constexpr std::size_t longest = 60;
  std::string result = "'";
  for (const char c : text.substr(0, longest)) result += c < ' ' || c > '~' ? '?' : c;
  return result + (text.size() > longest ? "...'" : "'");
}

}  // namespace ashlar::io
