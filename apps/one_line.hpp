#pragma once

#include <algorithm>
#include <string>

namespace ashlar::app {

/// A message of others, of which we show one line.
inline std::string one_line(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

}  // namespace ashlar::app
