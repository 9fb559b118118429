#include <ashlar/host/processor_name.hpp>
#include <cstddef>
#include <fstream>
#include <string>

namespace ashlar {

std::string processor_name() {
  std::ifstream file("/proc/cpuinfo");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind("model name", 0) != 0) continue;
    const std::size_t name = line.find_first_not_of(" \t", line.find(':') + 1);
    if (name != std::string::npos) return line.substr(name);
  }
  return "unknown processor";
}

bool is_intel_processor() {
  static const bool is_intel = processor_name().find("Intel") != std::string::npos;
  return is_intel;
}

}  // namespace ashlar
