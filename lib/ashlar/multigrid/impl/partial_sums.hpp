#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// How the members of a team add up terms that lie in scratch memory, or join them in another way: term n goes to part
/// n % count, term after term, and parts are joined in pairs. So the bits are the same for any number of threads. In a
/// wide team a part is a lane's, and each warp has all of them.
template <class Members>
class PartialSums {
 public:
  static constexpr int count = 32;

  /// `parts` is room for `count` numbers in scratch memory.
  KOKKOS_FUNCTION PartialSums(const Members& crew, double* parts) : crew_(crew), parts_(parts) {}

  /// Adds the terms begin, begin + 1, ...; the first ones begin at 0, all others at a multiple of `count`. The team
  /// meets before, when all have written their terms.
  template <class Join>
  KOKKOS_FUNCTION void add(std::int64_t begin, const double* terms, int num_terms, const Join& join) {
    if constexpr (Members::is_wide) {
      // (A wide team's groups have as many lanes.)
      for (int n = crew_.lane(); n < num_terms; n += count) of_lane_ = join(of_lane_, terms[n]);
    } else {
      for (int part = crew_.thread; part < count; part += crew_.num_threads) {
        double sum = begin == 0 ? 0 : parts_[part];
        for (int n = part; n < num_terms; n += count) sum = join(sum, terms[n]);
        parts_[part] = sum;
      }
    }
  }

  /// Of all of them, for each member. Room for parts is used again when the team has met after it.
  template <class Join>
  KOKKOS_FUNCTION double all(const Join& join) const {
    if constexpr (Members::is_wide) {
      return crew_.meet.join_lanes(of_lane_, join);
    } else {
      crew_.meet();
      double sums[count];
      for (int n = 0; n < count; ++n) sums[n] = parts_[n];
      for (int half = count / 2; half > 0; half /= 2) {
        for (int n = 0; n < half; ++n) sums[n] = join(sums[n], sums[n + half]);
      }
      return sums[0];
    }
  }

 private:
  const Members& crew_;
  double* parts_;
  double of_lane_ = 0;
};

}  // namespace ashlar::multigrid::impl
