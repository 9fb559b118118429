#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <cstdlib>

namespace ashlar {

std::string_view to_string(InstructionSet set) {
  switch (set) {
    case InstructionSet::baseline:
      return "baseline";
    case InstructionSet::x86_64_v3:
      return "x86-64-v3";
    case InstructionSet::x86_64_v4:
      return "x86-64-v4";
  }
  return "unknown";
}

InstructionSet widest_instruction_set() {
#ifdef ASHLAR_HAS_INSTRUCTION_SETS
  if (__builtin_cpu_supports("x86-64-v4")) return InstructionSet::x86_64_v4;
  if (__builtin_cpu_supports("x86-64-v3")) return InstructionSet::x86_64_v3;
#endif
  return InstructionSet::baseline;
}

InstructionSet instruction_set() {
  static const InstructionSet widest = widest_instruction_set();
  const char* const value = std::getenv("ASHLAR_INSTRUCTION_SET");
  if (value == nullptr || *value == '\0') return widest;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::x86_64_v3, InstructionSet::x86_64_v4}) {
    if (value == to_string(set)) return std::min(set, widest);
  }
  throw ArgumentError(text("ASHLAR_INSTRUCTION_SET is '", value, "'"),
                      "it names the widest instructions that products may use: baseline, x86-64-v3 or x86-64-v4",
                      "unset it to use all that the processor has");
}

}  // namespace ashlar
