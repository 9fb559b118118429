#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::perf {

struct HaloPerfOptions {
  /// Of each message.
  std::vector<std::int64_t> bytes{8, 128, 1024, 8192, 65536, 524288, 4194304, 8388608};
  /// How many other ranks each one sends to, and receives from.
  std::vector<int> neighbours{1, 2, 3, 6, 26};
  /// Measure instead what kernels do with each other that iterate as one.
  bool in_kernel = false;
  std::vector<std::string> modes{"blocking", "stream", "kernel", "auto"};
  /// Interior work under the exchange, as multiples of the time that the exchange takes.
  std::vector<double> work{0.5, 1, 2};
  int samples = 9;
  std::string json, commit = "unknown";
};

}  // namespace ashlar::perf
