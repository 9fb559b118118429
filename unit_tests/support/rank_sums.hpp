#pragma once

#include <array>
#include <cmath>
#include <cstddef>
#include <vector>

namespace ashlar::testing {

/// What a rank adds to sum k. Rounding shows the order: sums 0 and 1 of up to four ranks have other bits in every order
/// but rank order (where the first two may change places).
inline double share(int rank, int k) {
  constexpr std::array factors{1.0, 1e8, 1.0, -1e8};
  return factors[std::size_t(rank + k) % factors.size()] * std::sqrt(2.0 + 3 * rank + 5 * k);
}

/// Sums first to first + count - 1, as this rank begins them.
inline std::vector<double> shares(int rank, int count, int first = 0) {
  std::vector<double> result;
  for (int k = 0; k < count; ++k) result.push_back(share(rank, first + k));
  return result;
}

/// The same sums over all ranks, added in rank order.
inline std::vector<double> shares_in_rank_order(int ranks, int count, int first = 0) {
  std::vector<double> result;
  for (int k = first; k < first + count; ++k) {
    double sum = 0;
    for (int rank = 0; rank < ranks; ++rank) sum += share(rank, k);
    result.push_back(sum);
  }
  return result;
}

}  // namespace ashlar::testing
