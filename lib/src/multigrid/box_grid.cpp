#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::multigrid {

namespace {

std::size_t position(const Index3& place, int boxes_per_dim) {
  const auto n = std::size_t(boxes_per_dim);
  return (std::size_t(place[2]) * n + std::size_t(place[1])) * n + std::size_t(place[0]);
}

// The bits of the three numbers, interleaved, i's last.
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
  assignment_ = {num_boxes(), num_ranks, ranks_per_owner};
  num_owners_ = assignment_.num_owners();
  num_own_ = assignment_.count_of(rank);
  if (num_own_ > 0) first_own_ = assignment_.first_of(rank);
}

int BoxGrid::box_at(const Index3& place) const {
  for (int d = 0; d < 3; ++d) {
    if (place[d] < 0 || place[d] >= boxes_per_dim_) return -1;
  }
  return numbers_[position(place, boxes_per_dim_)];
}

namespace {

constexpr int agglomeration_dim = 8;  // larger boxes are halved before any are merged
constexpr int most_odd = 11;          // a coarsest level is solved without multigrid: it has to be small

int odd_part(int number) {
  while (number % 2 == 0) number /= 2;
  return number;
}

struct Shape {
  int boxes_per_dim, box_dim, num_ranks;
  int ranks_per_owner = 1;

  BoxAssignment assignment() const {
    return {boxes_per_dim * boxes_per_dim * boxes_per_dim, num_ranks, ranks_per_owner};
  }
};

// The next coarser level; none where this is the coarsest. `odd` is the odd part of the number of cells.
std::optional<Shape> coarsened(const Shape& fine, int odd, int radius) {
  const int cells = fine.boxes_per_dim * fine.box_dim;
  if (cells % 2 != 0) return std::nullopt;
  const bool halves = fine.box_dim % 2 == 0 && fine.box_dim / 2 >= radius;
  const auto halved = [&](int most_ranks) {
    return Shape{fine.boxes_per_dim, fine.box_dim / 2, std::min(fine.num_ranks, most_ranks), fine.ranks_per_owner};
  };
  // A cell of the coarser level lies in one box: boxes of an odd number of cells are never merged.
  const bool merges = fine.boxes_per_dim % 2 == 0;
  const bool would_be_odd = fine.box_dim / 2 % 2 != 0;
  if (halves && fine.box_dim > agglomeration_dim && !(merges && would_be_odd)) return halved(fine.num_ranks);
  if (merges) {
    return Shape{fine.boxes_per_dim / 2, fine.box_dim, fine.num_ranks, fine.ranks_per_owner};
  }
  if (odd > 1) {
    if (cells == 2 * odd && odd >= radius) return Shape{1, odd, 1};
    if (cells == 4 * odd && halves) return halved(odd);
    if (cells == 8 * odd && halves) return halved(odd * odd);
  }
  if (halves) return halved(fine.num_ranks);
  return std::nullopt;
}

// The number of ranks that share an owner, so that each owner has `min_cells`. A multiple of the number on the finer
// level, so that the owners here are among the owners there.
int ranks_per_owner(const Shape& shape, std::int64_t min_cells) {
  const std::int64_t dim = shape.box_dim, cells = dim * dim * dim;
  BoxAssignment assignment = shape.assignment();
  while (assignment.ranks_per_owner < shape.num_ranks && assignment.fewest() * cells < min_cells) {
    assignment.ranks_per_owner += shape.ranks_per_owner;
  }
  return assignment.ranks_per_owner;
}

// Boxes of so many cells and more have the same polynomials at the boundary: fv2 (radius 1) takes 2 cells, fv4
// extrapolates coefficients by 5.
int least_joined(int radius) { return radius == 1 ? 2 : 5; }

// From the coarsest level on upwards, as a box lies within one of the next coarser level. (Where that is several boxes,
// its solver adds up cells in their order.)
void join_boxes(std::vector<Shape>& levels, int radius) {
  for (std::size_t l = levels.size() - 1; l-- > 1;) {
    Shape& level = levels[l];
    if (level.boxes_per_dim == 1) continue;
    const bool is_one_below = levels[l + 1].boxes_per_dim == 1;
    if (!is_one_below || level.box_dim < least_joined(radius) || level.assignment().num_owners() > 1) return;
    level = {1, level.boxes_per_dim * level.box_dim, 1};
  }
}

}  // namespace

int boxes_per_dimension(int box_dim, std::int64_t boxes_per_rank, int num_ranks) {
  const auto fail = [&](const char* why, const char* suggestion) {
    throw ArgumentError(text("multigrid: ", count_text(boxes_per_rank, "box"), " of ", box_dim, "^3 cells a rank, on ",
                             count_text(num_ranks, "rank")),
                        why, suggestion);
  };
  constexpr std::int64_t most = std::int64_t(1) << 21;  // 128 in each direction
  if (box_dim < 1 || boxes_per_rank < 1 || num_ranks < 1) fail("numbers from 1 on are needed", "choose others");
  if (boxes_per_rank > most / num_ranks) fail("there are at most 2^21 in all", "ask for fewer");
  const std::int64_t boxes = boxes_per_rank * num_ranks;
  int n = 1;
  while (std::int64_t(n + 1) * (n + 1) * (n + 1) <= boxes) ++n;
  while (n > 0 && odd_part(n * box_dim) > most_odd) --n;
  if (n == 0) fail("without its factors of 2 the number of cells is above 11", "take boxes of a power of 2");
  return n;
}

std::vector<BoxGrid> make_hierarchy(int boxes_per_dim, int box_dim, int radius, int num_ranks, int rank,
                                    const HierarchyOptions& options) {
  std::vector<BoxGrid> grids{BoxGrid(boxes_per_dim, box_dim, num_ranks, rank)};
  if (radius < 1 || box_dim < radius || (boxes_per_dim > 1 && box_dim % 2 != 0)) {
    throw ArgumentError(text("multigrid: ", boxes_per_dim, "^3 boxes of ", box_dim, "^3 cells"),
                        box_dim < radius ? text("they cannot be coarsened: the operator reaches ", radius, " cells far")
                                         : "they cannot be coarsened: several boxes of an odd number of cells",
                        "take larger boxes, of an even number of cells");
  }
  if (options.min_cells_per_rank < 0) {
    throw ArgumentError(text("multigrid: at least ", options.min_cells_per_rank, " cells a rank"),
                        "ranks with fewer cells of a coarse level leave it to others",
                        "pass a number from 1 on, or 0: none does");
  }
  const int odd = odd_part(boxes_per_dim * box_dim);
  std::vector<Shape> levels{{boxes_per_dim, box_dim, num_ranks}};
  while (const auto coarse = coarsened(levels.back(), odd, radius)) {
    levels.push_back(*coarse);
    levels.back().ranks_per_owner = ranks_per_owner(levels.back(), options.min_cells_per_rank);
  }
  if (options.joins_boxes) join_boxes(levels, radius);
  for (std::size_t l = 1; l < levels.size(); ++l) {
    const Shape& level = levels[l];
    grids.emplace_back(level.boxes_per_dim, level.box_dim, level.num_ranks, rank, level.ranks_per_owner);
  }
  return grids;
}

std::size_t first_host_level(const std::vector<BoxGrid>& grids, std::int64_t threshold) {
  if (threshold < 0) {
    throw ArgumentError(text("multigrid: a host threshold of ", threshold, " cells a rank"),
                        "levels of fewer cells run on the host", "pass a number from 1 on, or 0: none runs there");
  }
  for (std::size_t l = 1; l < grids.size(); ++l) {
    const BoxGrid& grid = grids[l];
    const std::int64_t dim = grid.box_dim();
    if (grid.most_own() * dim * dim * dim < threshold) return l;
  }
  return grids.size();
}

}  // namespace ashlar::multigrid
