#include <ashlar/multigrid/border.hpp>
#include <cstdint>

namespace ashlar::multigrid {

namespace {

// In halves along the longest direction. Rows count less: their cells come in lines of the caches.
void add_cut(const RegionOfPairs& part, std::vector<RegionOfPairs>& parts) {
  constexpr std::int64_t most_pairs = 512;
  const Index3& size = part.size;
  const std::int64_t pairs = std::int64_t(size[0]) * size[1] * size[2];
  if (pairs == 0) return;
  if (pairs <= most_pairs) {
    parts.push_back(part);
    return;
  }
  const int length[3] = {size[0] / 2, size[1], size[2]};
  const int d = length[2] >= length[1] && length[2] >= length[0] ? 2 : length[1] >= length[0] ? 1 : 0;
  RegionOfPairs first = part, rest = part;
  first.size[d] = size[d] / 2;
  rest.size[d] -= first.size[d];
  const int cells = first.size[d] * (d == 0 ? 2 : 1);
  rest.begin[d] += cells;
  if (d == 0) first.end_i = rest.begin[0];
  add_cut(first, parts);
  add_cut(rest, parts);
}

}  // namespace

std::vector<RegionOfPairs> border_regions(const BoxGrid& grid) {
  const int dim = grid.box_dim();
  std::vector<RegionOfPairs> parts;
  for (int own = 0; own < grid.num_own(); ++own) {
    const Index3& place = grid.place(grid.first_own() + own);
    const InnerCells inner = inner_cells({place[0] * dim, place[1] * dim, place[2] * dim}, dim, grid.cells_per_dim());
    // The slabs below and above in k, then what is left of those in j, then in i.
    Index3 begin{0, 0, 0}, end{dim, dim, dim};
    for (int d = 3; d-- > 0;) {
      const auto add = [&](int from, int to) {
        Index3 low = begin, high = end;
        low[d] = from;
        high[d] = to;
        add_cut({own, low, {(high[0] - low[0] + 1) / 2, high[1] - low[1], high[2] - low[2]}, high[0]}, parts);
      };
      add(0, inner.begin[d]);
      add(inner.end[d], dim);
      begin[d] = inner.begin[d];
      end[d] = inner.end[d];
    }
  }
  return parts;
}

}  // namespace ashlar::multigrid
