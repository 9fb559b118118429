#include <ashlar/base/device_name.hpp>
#include <cstddef>
#include <fstream>

namespace ashlar::impl {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t name = line.find_first_not_of(" \t", line.find(':') + 1);
    if (name != std::string::npos) return line.substr(name);
  }
  return "unknown processor";
}

}  // namespace ashlar::impl
