#pragma once

#include <algorithm>
#include <cstdint>

namespace ashlar::multigrid {

/// How the boxes of a level are dealt to ranks: each has a range of them, all about the same number. Or so many
/// neighbouring ranks are taken as one, and the first of them, their owner, has what all of them would.
struct BoxDeal {
  int num_boxes = 1, num_ranks = 1;
  int ranks_per_owner = 1;

  int owner(int box) const {
    const auto rank = static_cast<int>(std::int64_t(num_ranks) * box / num_boxes);
    return rank - rank % ranks_per_owner;
  }

  /// The range of a rank's boxes: from first_of(rank) on, so many. None where the rank is no owner, and where there are
  /// fewer boxes than ranks perhaps.
  int first_of(int rank) const {
    return static_cast<int>((std::int64_t(num_boxes) * rank + num_ranks - 1) / num_ranks);
  }
  int count_of(int rank) const {
    if (rank >= num_ranks || rank % ranks_per_owner != 0) return 0;
    return first_of(static_cast<int>(std::min(std::int64_t(rank) + ranks_per_owner, std::int64_t(num_ranks)))) -
           first_of(rank);
  }

  /// Calls work(count) with the number of boxes of each rank that has any.
  template <class Work>
  void for_owners(const Work& work) const {
    for (std::int64_t rank = 0; rank < num_ranks; rank += ranks_per_owner) {
      if (const int count = count_of(static_cast<int>(rank)); count > 0) work(count);
    }
  }
  int num_owners() const {
    int owners = 0;
    for_owners([&](int) { ++owners; });
    return owners;
  }
  /// The boxes of the rank that has the most, and of the one that has the fewest of those that have any.
  int most() const {
    int result = 0;
    for_owners([&](int count) { result = std::max(result, count); });
    return result;
  }
  int fewest() const {
    int result = num_boxes;
    for_owners([&](int count) { result = std::min(result, count); });
    return result;
  }
};

}  // namespace ashlar::multigrid
