#include "support/paths.hpp"

namespace ashlar {

std::string source_dir() { return ASHLAR_SOURCE_DIR; }
std::string built_command() { return ASHLAR_COMMAND; }
std::string mpiexec(int ranks) {
  const std::string command = ASHLAR_MPIEXEC;
  return command.empty() ? "" : command + " " + std::to_string(ranks);
}
std::string no_fence_tool() { return ASHLAR_NO_FENCE_TOOL; }

}  // namespace ashlar
