#pragma once

#include <string_view>

// GCC for plain x86-64: it can compile a function, and all that it calls, for more instructions than the rest of the
// file. (Clang inlines what the function calls itself, and no further.)
#if defined(__x86_64__) && !defined(__AVX__) && !defined(__clang__) && !defined(__NVCOMPILER) && __GNUC__ >= 12
#define ASHLAR_HAS_INSTRUCTION_SETS
// (By instructions: GCC inlines nothing that is compiled for, or tuned to, a processor of another name.)
#define ASHLAR_X86_64_V3 "avx2,bmi,bmi2,f16c,fma,lzcnt,movbe,popcnt"
#define ASHLAR_X86_64_V4 ASHLAR_X86_64_V3 ",avx512f,avx512bw,avx512cd,avx512dq,avx512vl"
#endif

namespace ashlar {

/// The instructions of a host's processors that products on CPUs use.
///
/// The library has its kernels for CPUs compiled for each of them, and chooses when the program runs. If the compiler
/// is told of a processor with registers of 32 bytes or more (-march=native), there is baseline alone.
enum class InstructionSet {
  baseline,   ///< what the compiler may use everywhere
  x86_64_v3,  ///< AVX2 and FMA: registers of 32 bytes
  x86_64_v4,  ///< AVX-512: registers of 64 bytes
};

/// "baseline", "x86-64-v3", "x86-64-v4".
std::string_view to_string(InstructionSet set);

/// The widest set that this processor has and the library is compiled for.
InstructionSet widest_instruction_set();

/// The set that plans of products choose: the widest, or a lower one if the environment variable ASHLAR_INSTRUCTION_SET
/// names one.
///
/// Throws   ArgumentError if the variable names no set.
InstructionSet instruction_set();

/// The bytes of a vector register.
constexpr int register_bytes(InstructionSet set) {
#if defined(__AVX512F__)
  constexpr int of_baseline = 64;
#elif defined(__AVX__)
  constexpr int of_baseline = 32;
#elif __ARM_FEATURE_SVE_BITS > 128  // with -msve-vector-bits: GCC maps packs to SVE then, and otherwise to NEON
  constexpr int of_baseline = __ARM_FEATURE_SVE_BITS / 8;
#else
  constexpr int of_baseline = 16;
#endif
  return set == InstructionSet::x86_64_v4 ? 64 : set == InstructionSet::x86_64_v3 ? 32 : of_baseline;
}

namespace impl {

#ifdef ASHLAR_HAS_INSTRUCTION_SETS
// All that the function calls is compiled into these, for their sets. Nothing else in the file is, so that no function
// that other files share has instructions that only some processors know.
template <class Function>
__attribute__((target(ASHLAR_X86_64_V3), flatten)) void call_with_v3(const Function& function) {
  function.template operator()<InstructionSet::x86_64_v3>();
}
template <class Function>
__attribute__((target(ASHLAR_X86_64_V4), flatten)) void call_with_v4(const Function& function) {
  function.template operator()<InstructionSet::x86_64_v4>();
}
#endif

/// function.operator()<set>(), compiled for the set. It is compiled for each of them.
template <class Function>
void call_with([[maybe_unused]] InstructionSet set, const Function& function) {
#ifdef ASHLAR_HAS_INSTRUCTION_SETS
  if (set == InstructionSet::x86_64_v4) return call_with_v4(function);
  if (set == InstructionSet::x86_64_v3) return call_with_v3(function);
#endif
  function.template operator()<InstructionSet::baseline>();
}

}  // namespace impl
}  // namespace ashlar
