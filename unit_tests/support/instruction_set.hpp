#pragma once

#include <ashlar/host/instruction_set.hpp>
#include <cstdlib>
#include <optional>
#include <string>
#include <vector>

namespace ashlar::testing {

/// ASHLAR_INSTRUCTION_SET has a value as long as this lives, or is not set (null).
class InstructionSetVariable {
 public:
  explicit InstructionSetVariable(const char* value) {
    if (const char* const before = std::getenv(name)) before_ = before;
    set(value);
  }
  explicit InstructionSetVariable(InstructionSet set) : InstructionSetVariable(std::string(to_string(set)).c_str()) {}
  ~InstructionSetVariable() { set(before_ ? before_->c_str() : nullptr); }
  InstructionSetVariable(const InstructionSetVariable&) = delete;
  InstructionSetVariable& operator=(const InstructionSetVariable&) = delete;

 private:
  static constexpr const char* name = "ASHLAR_INSTRUCTION_SET";

  static void set(const char* value) {
    if (value == nullptr) {
      ::unsetenv(name);
    } else {
      ::setenv(name, value, 1);
    }
  }

  std::optional<std::string> before_;
};

/// The sets that this processor has, and the library is compiled for; baseline first.
inline std::vector<InstructionSet> instruction_sets_here() {
  std::vector<InstructionSet> sets;
  for (const InstructionSet set : {InstructionSet::baseline, InstructionSet::x86_64_v3, InstructionSet::x86_64_v4}) {
    if (set <= widest_instruction_set()) sets.push_back(set);
  }
  return sets;
}

}  // namespace ashlar::testing
