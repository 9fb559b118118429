#include <ashlar/multigrid/plans.hpp>

#include <algorithm>
#include <array>
#include <cstddef>

namespace ashlar::multigrid {

namespace {

struct Part {
  CellRegion region;
  bool is_shell;
};

// Where a box is cut in each direction: so far from its sides as cells see beyond them.
std::vector<int> cuts_of(int dim, int depth) {
  std::vector<int> cuts{0, std::min(depth, dim), std::max(dim - depth, 0), dim};
  std::sort(cuts.begin(), cuts.end());
  cuts.erase(std::unique(cuts.begin(), cuts.end()), cuts.end());
  return cuts;
}

// Its cells see the box that lies there.
bool sees(const CellRegion& region, int dim, int depth, const Index3& direction) {
  for (int d = 0; d < 3; ++d) {
    if (direction[d] < 0 && region.begin[d] >= depth) return false;
    if (direction[d] > 0 && region.begin[d] + region.size[d] <= dim - depth) return false;
  }
  return true;
}

bool continues(const Part& part, const Part& next, int direction) {
  const CellRegion &a = part.region, &b = next.region;
  if (part.is_shell != next.is_shell || a.begin[direction] + a.size[direction] != b.begin[direction]) return false;
  for (int d = 0; d < 3; ++d) {
    if (d != direction && (a.begin[d] != b.begin[d] || a.size[d] != b.size[d])) return false;
  }
  return true;
}

// Joins parts of a box that lie beside each other and are alike.
std::vector<Part> joined(const std::vector<Part>& parts, int direction) {
  std::vector<Part> result;
  for (const Part& next : parts) {
    const auto found =
        std::find_if(result.begin(), result.end(), [&](const Part& part) { return continues(part, next, direction); });
    if (found == result.end()) {
      result.push_back(next);
    } else {
      found->region.size[direction] += next.region.size[direction];
    }
  }
  return result;
}

void add_in_pieces(const CellRegion& region, const RegionSize& most, std::vector<CellRegion>& to) {
  Index3 step;
  std::int64_t left = most.most_cells;
  const std::array<int, 3> limits{most.widest, most.highest, region.size[2]};
  for (int d = 0; d < 3; ++d) {
    step[d] = static_cast<int>(std::clamp<std::int64_t>(left, 1, std::min(region.size[d], limits[std::size_t(d)])));
    left /= step[d];
  }
  for (int k = 0; k < region.size[2]; k += step[2]) {
    for (int j = 0; j < region.size[1]; j += step[1]) {
      for (int i = 0; i < region.size[0]; i += step[0]) {
        CellRegion piece = region;
        const Index3 from{i, j, k};
        for (int d = 0; d < 3; ++d) {
          piece.begin[d] += from[d];
          piece.size[d] = std::min(step[d], region.size[d] - from[d]);
        }
        to.push_back(piece);
      }
    }
  }
}

}  // namespace

LevelCut cut_level(const BoxGrid& grid, int depth, GhostShape shape, const RegionSize& size) {
  const int dim = grid.box_dim();
  const std::vector<int> cuts = cuts_of(dim, depth);
  LevelCut result;
  for (int box = 0; box < grid.num_own(); ++box) {
    const Index3& place = grid.place(grid.first_own() + box);
    std::vector<Index3> to_others;  // where boxes of other ranks lie
    for (const Index3& direction : directions_of(shape)) {
      const int beside = grid.box_at({place[0] + direction[0], place[1] + direction[1], place[2] + direction[2]});
      if (beside >= 0 && grid.owner(beside) != grid.rank()) to_others.push_back(direction);
    }
    std::vector<Part> parts;
    for (std::size_t k = 0; k + 1 < cuts.size(); ++k) {
      for (std::size_t j = 0; j + 1 < cuts.size(); ++j) {
        for (std::size_t i = 0; i + 1 < cuts.size(); ++i) {
          const CellRegion region{
              box, {cuts[i], cuts[j], cuts[k]}, {cuts[i + 1] - cuts[i], cuts[j + 1] - cuts[j], cuts[k + 1] - cuts[k]}};
          const bool is_shell = std::any_of(to_others.begin(), to_others.end(), [&](const Index3& direction) {
            return sees(region, dim, depth, direction);
          });
          parts.push_back({region, is_shell});
        }
      }
    }
    for (int d = 0; d < 3; ++d) parts = joined(parts, d);
    for (const Part& part : parts) add_in_pieces(part.region, size, part.is_shell ? result.shell : result.interior);
  }
  return result;
}

}  // namespace ashlar::multigrid
