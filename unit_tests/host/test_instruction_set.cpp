// The instructions that products use: all that the processor has, or fewer, as the environment says.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <support/instruction_set.hpp>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

TEST(InstructionSets, AreAllThatTheProcessorHas) {
  for (const char* const value : {static_cast<const char*>(nullptr), ""}) {
    const InstructionSetVariable variable(value);
    EXPECT_EQ(instruction_set(), widest_instruction_set());
  }
}

TEST(InstructionSets, AreNoMoreThanTheEnvironmentSays) {
  for (const InstructionSet set : instruction_sets_here()) {
    const InstructionSetVariable variable(set);
    EXPECT_EQ(instruction_set(), set);
  }
  // A limit, so that one script serves all machines.
  const InstructionSetVariable variable("x86-64-v4");
  EXPECT_EQ(instruction_set(), widest_instruction_set());
}

TEST(InstructionSets, HaveNamesThatAreChecked) {
  for (const char* const value : {"x86-64-v9", "x86-64-v2", "AVX2", "baseline "}) {
    const InstructionSetVariable variable(value);
    try {
      instruction_set();
      ADD_FAILURE() << value;
    } catch (const ArgumentError& error) {
      EXPECT_THAT(error.problem(), HasSubstr(std::string("ASHLAR_INSTRUCTION_SET is '") + value + "'"));
      for (const char* const name : {"baseline", "x86-64-v3", "x86-64-v4"}) EXPECT_THAT(error.why(), HasSubstr(name));
    }
  }
}

TEST(InstructionSets, HaveWiderRegistersEach) {
  int bytes = 8;
  for (const InstructionSet set : instruction_sets_here()) {
    EXPECT_GT(register_bytes(set), bytes) << to_string(set);
    bytes = register_bytes(set);
  }
}

/// Tells which set it is called for.
struct Tells {
  InstructionSet* called;

  template <InstructionSet Set>
  void operator()() const {
    *called = Set;
  }
};

TEST(InstructionSets, AreCalledByName) {
  for (const InstructionSet set : instruction_sets_here()) {
    InstructionSet called{};
    impl::call_with(set, Tells{&called});
    EXPECT_EQ(called, set);
  }
}

}  // namespace
}  // namespace ashlar::testing
