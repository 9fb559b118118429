#pragma once

#include <algorithm>
#include <ashlar/base/text.hpp>
#include <iostream>
#include <string>

namespace ashlar::app {

/// A message of others, of which we show one line, without what a terminal would take for commands.
inline std::string one_line(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return printable(message);
}

/// What went wrong, on one line of standard error: one write, which lines of other ranks do not mix with.
inline void tell_error(const std::string& message) {
  const std::string line = "ashlar: " + one_line(message) + "\n";
  std::cerr << line << std::flush;
}

}  // namespace ashlar::app
