#pragma once

#include <locale>
#include <sstream>
#include <string>

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

}  // namespace ashlar
