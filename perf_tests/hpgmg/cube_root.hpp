#pragma once

#include <cmath>

namespace ashlar::perf {

/// How many boxes lie side by side; 0 where `boxes` is no cube.
inline int cube_root(int boxes) {
  const int root = static_cast<int>(std::lround(std::cbrt(boxes)));
  return root * root * root == boxes ? root : 0;
}

}  // namespace ashlar::perf
