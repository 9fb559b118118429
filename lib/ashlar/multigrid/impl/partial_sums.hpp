#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// How the members of a team add up terms that lie in scratch memory, or join them in another way: term n goes to part
/// n % count, term after term, and parts are joined in pairs. So the bits are the same for any number of threads.
struct PartialSums {
  static constexpr int count = 16;

  double* parts;  // `count` of them, in scratch memory

  /// Adds the terms begin, begin + 1, ...; the first ones begin at 0, all others at a multiple of `count`. The team
  /// meets before, when all have written their terms, and after.
  template <class Members, class Join>
  KOKKOS_FUNCTION void add(const Members& crew, std::int64_t begin, const double* terms, int num_terms,
                           const Join& join) const {
    for (int part = crew.thread; part < count; part += crew.num_threads) {
      double sum = begin == 0 ? 0 : parts[part];
      for (int n = part; n < num_terms; n += count) sum = join(sum, terms[n]);
      parts[part] = sum;
    }
  }

  /// Of all of them, for each member.
  template <class Join>
  KOKKOS_FUNCTION double all(const Join& join) const {
    double sums[count];
    for (int n = 0; n < count; ++n) sums[n] = parts[n];
    for (int half = count / 2; half > 0; half /= 2) {
      for (int n = 0; n < half; ++n) sums[n] = join(sums[n], sums[n + half]);
    }
    return sums[0];
  }
};

}  // namespace ashlar::multigrid::impl
