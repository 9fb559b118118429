#pragma once

#include <ashlar/base/scalar.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// Bytes of a vector register of the CPU that this is compiled for.
#if defined(__AVX512F__)
inline constexpr int register_bytes = 64;
#elif defined(__AVX__)
inline constexpr int register_bytes = 32;
#else
inline constexpr int register_bytes = 16;
#endif

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

/// The numbers from `from` on, wherever that lies, in the precision of Real.
template <class Real, int Lanes, class Value>
[[gnu::always_inline]] inline Pack<Real, Lanes> load_pack(const Value* from) {
  if constexpr (Lanes == 1) {
    return Real(*from);
  } else if constexpr (std::is_same_v<Value, bfloat16>) {
    Pack<std::uint16_t, Lanes> bits;
    __builtin_memcpy(&bits, from, sizeof(bits));
    // The first half of a float's bits: the other half is 0.
    const auto of_floats = __builtin_convertvector(bits, Pack<std::uint32_t, Lanes>) << 16;
    return __builtin_convertvector(std::bit_cast<Pack<float, Lanes>>(of_floats), Pack<Real, Lanes>);
  } else {
    Pack<Value, Lanes> loaded;
    __builtin_memcpy(&loaded, from, sizeof(loaded));
    if constexpr (std::is_same_v<Real, Value>) {
      return loaded;
    } else {
      return __builtin_convertvector(loaded, Pack<Real, Lanes>);
    }
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

/// Lanes for runs of `length` numbers: as many as a register holds, or as the run has.
template <class Real>
constexpr int lanes_for(int length) {
  constexpr int widest = register_bytes / static_cast<int>(sizeof(Real));
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
