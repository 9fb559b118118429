#include <ashlar/multigrid/box_grid.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ashlar::multigrid {

namespace {

std::size_t position(const Index3& place, int boxes_per_dim) {
  const auto n = std::size_t(boxes_per_dim);
  return (std::size_t(place[2]) * n + std::size_t(place[1])) * n + std::size_t(place[0]);
}

// The bits of the three numbers in turn, i's last.
std::uint64_t morton_key(const Index3& place) {
  std::uint64_t key = 0;
  for (int bit = 20; bit >= 0; --bit) {
    for (int d = 2; d >= 0; --d) key = (key << 1) | ((std::uint64_t(place[d]) >> bit) & 1U);
  }
  return key;
}

}  // namespace

BoxGrid::BoxGrid(int boxes_per_dim, int box_dim, int num_ranks, int rank, int ranks_per_owner)
    : boxes_per_dim_(boxes_per_dim), box_dim_(box_dim), rank_(rank) {
  if (boxes_per_dim < 1 || boxes_per_dim > 128 || box_dim < 1 || box_dim > (1 << 20) / boxes_per_dim) {
    throw ArgumentError(text("multigrid: ", boxes_per_dim, "^3 boxes of ", box_dim, "^3 cells"),
                        "a level has 1 to 128 boxes and up to 2^20 cells in each direction", "choose other numbers");
  }
  if (num_ranks < 1 || rank < 0 || ranks_per_owner < 1) {
    throw ArgumentError(text("multigrid: rank ", rank, " of ", num_ranks, ", ", ranks_per_owner, " for an owner"),
                        "ranks count from 0, and there is one", "choose other numbers");
  }
  const int n = boxes_per_dim;
  std::vector<std::pair<std::uint64_t, Index3>> keyed;
  keyed.reserve(std::size_t(n) * std::size_t(n) * std::size_t(n));
  for (int k = 0; k < n; ++k) {
    for (int j = 0; j < n; ++j) {
      for (int i = 0; i < n; ++i) keyed.push_back({morton_key({i, j, k}), {i, j, k}});
    }
  }
  std::sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  numbers_.resize(keyed.size());
  places_.reserve(keyed.size());
  for (const auto& [key, place] : keyed) {
    numbers_[position(place, n)] = num_boxes();
    places_.push_back(place);
  }
  deal_ = {num_boxes(), num_ranks, ranks_per_owner};
  num_owners_ = deal_.num_owners();
  num_own_ = deal_.count_of(rank);
  if (num_own_ > 0) first_own_ = deal_.first_of(rank);
}

int BoxGrid::box_at(const Index3& place) const {
  for (int d = 0; d < 3; ++d) {
    if (place[d] < 0 || place[d] >= boxes_per_dim_) return -1;
  }
  return numbers_[position(place, boxes_per_dim_)];
}

}  // namespace ashlar::multigrid
