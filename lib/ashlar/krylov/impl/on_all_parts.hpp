#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <bit>
#include <cstdint>
#include <exception>
#include <vector>

// Solvers act on all parts of a system alike, or not at all: a part that threw alone would leave the others waiting for
// its sums.

namespace ashlar::impl {

/// Collective. Calls check(). Where it throws on any part, all parts throw: this one what its check() threw, or else
/// ArgumentError.
template <class Space, class Check>
void check_on_all_parts(const Space& space, const char* solver, const Check& check) {
  std::exception_ptr failure;
  try {
    check();
  } catch (...) {
    failure = std::current_exception();
  }
  const bool fails_anywhere = space.agree_max(failure ? 1 : 0) > 0;
  if (failure) std::rethrow_exception(failure);
  if (fails_anywhere) {
    throw ArgumentError(text(solver, ": another part of the system cannot begin"), "all parts are solved together",
                        "look for the error of that part");
  }
}

/// Something that a solver was asked for.
struct Asked {
  const char* name;
  double value;
};

/// Thirty bits that differ where two lists do, but for chance.
inline int fingerprint(const Asked* asked, std::size_t count) {
  std::uint64_t mixed = 0;
  for (std::size_t i = 0; i < count; ++i) {
    mixed = (mixed ^ std::bit_cast<std::uint64_t>(asked[i].value)) * 0x9e3779b97f4a7c15u;
    mixed ^= mixed >> 29;
  }
  return static_cast<int>(mixed >> 34);
}

/// Collective. Throws ArgumentError on all parts, where they were not all asked for the same; names the first.
template <class Space>
void require_same_on_all_parts(const Space& space, const char* solver, const std::vector<Asked>& asked) {
  const auto differ = [&](std::size_t first, std::size_t count) {
    const int print = fingerprint(asked.data() + first, count);
    const int largest = space.agree_max(print), smallest = -space.agree_max(-print);
    return smallest != largest;
  };
  if (!differ(0, asked.size())) return;
  std::size_t i = 0;
  while (i + 1 < asked.size() && !differ(i, 1)) ++i;
  throw ArgumentError(text(solver, ": ", asked[i].name, " ", asked[i].value, " here, something else in another part"),
                      "all parts are solved together, with the same options", "pass the same value on all of them");
}

}  // namespace ashlar::impl
