#pragma once

#include <sstream>
#include <string>

namespace ashlar {

/// The arguments written one after another, as operator<< writes them.
///
/// For messages. (<format> is missing from GCC 12, which compiles this library too.)
template <class... Args>
std::string text(const Args&... args) {
  std::ostringstream out;
  (out << ... << args);
  return out.str();
}

}  // namespace ashlar
