#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

template <class Real, int Lanes>
struct PackOf {
  typedef Real type __attribute__((vector_size(Lanes * sizeof(Real))));
};
template <class Real>
struct PackOf<Real, 1> {
  using type = Real;
};

/// Numbers side by side in a vector register, which + and * take all at once: the extension of the language that GCC
/// and Clang share. (Of loops over arrays they make such instructions too, but for some block sizes only.)
template <class Real, int Lanes>
using Pack = typename PackOf<Real, Lanes>::type;

/// pack := the numbers from `from` on, wherever that lies, in the precision of Real.
///
/// Packs are not returned: how wide ones are depends on the instructions that a compiler may use, which differ.
template <class Real, int Lanes, class Value>
[[gnu::always_inline]] inline void load_pack(const Value* from, Pack<Real, Lanes>& pack) {
  if constexpr (Lanes == 1) {
    pack = Real(*from);
  } else if constexpr (std::is_same_v<Value, bfloat16>) {
    Pack<std::uint16_t, Lanes> bits;
    __builtin_memcpy(&bits, from, sizeof(bits));
    // The first half of a float's bits: the other half is 0.
    const auto of_floats = __builtin_convertvector(bits, Pack<std::uint32_t, Lanes>) << 16;
    Pack<float, Lanes> floats;
    __builtin_memcpy(&floats, &of_floats, sizeof(floats));
    pack = __builtin_convertvector(floats, Pack<Real, Lanes>);
  } else if constexpr (std::is_same_v<Real, Value>) {
    __builtin_memcpy(&pack, from, sizeof(pack));
  } else {
    Pack<Value, Lanes> loaded;
    __builtin_memcpy(&loaded, from, sizeof(loaded));
    pack = __builtin_convertvector(loaded, Pack<Real, Lanes>);
  }
}

/// The number of one lane.
template <class Real, int Lanes>
[[gnu::always_inline]] inline Real lane_of(const Pack<Real, Lanes>& pack, int lane) {
  if constexpr (Lanes == 1) {
    return pack;
  } else {
    return pack[lane];
  }
}

/// The sum of all lanes: of halves, of their halves, and so on.
template <class Real, int Lanes>
[[gnu::always_inline]] inline Real sum_of_lanes(const Pack<Real, Lanes>& pack) {
  if constexpr (Lanes == 1) {
    return pack;
  } else {
    Pack<Real, Lanes / 2> half[2];
    __builtin_memcpy(half, &pack, sizeof(pack));
    half[0] += half[1];
    return sum_of_lanes<Real, Lanes / 2>(half[0]);
  }
}

/// Lanes for runs of `length` numbers: as many as a register of the set holds, or as the run has.
template <class Real, InstructionSet Set>
constexpr int lanes_for(int length) {
  constexpr int widest = register_bytes(Set) / static_cast<int>(sizeof(Real));
  return length < widest ? static_cast<int>(std::bit_floor(unsigned(length))) : widest;
}

template <int First, class Function, int... I>
[[gnu::always_inline]] inline void each_of(std::integer_sequence<int, I...>, const Function& function) {
  (function(std::integral_constant<int, First + I>{}), ...);
}

/// function(i) for First <= i < count. Where count is compiled in and small, each i is a constant, so that what it
/// indexes can stay in registers. Count 0 stands for "known at run time only".
template <int First, int Count, class Function>
[[gnu::always_inline]] inline void each(int count, const Function& function) {
  constexpr int most_unrolled = 8;
  if constexpr (Count >= First && Count > 0 && Count - First <= most_unrolled) {
    each_of<First>(std::make_integer_sequence<int, Count - First>{}, function);
  } else {
    for (int i = First; i < (Count > 0 ? Count : count); ++i) function(i);
  }
}

}  // namespace ashlar::impl
