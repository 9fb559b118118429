#include <ashlar/multigrid/border.hpp>
#include <cstdint>

namespace ashlar::multigrid {

namespace {

// In halves along k, then j, as far as they are to be had.
void add_cut(CellRegion part, std::vector<CellRegion>& parts) {
  constexpr std::int64_t most_cells = 1024;
  const std::int64_t cells = std::int64_t(part.size[0]) * part.size[1] * part.size[2];
  if (cells == 0) return;
  const int d = part.size[2] > 1 ? 2 : 1;
  if (cells <= most_cells || part.size[d] == 1) {
    parts.push_back(part);
    return;
  }
  CellRegion rest = part;
  part.size[d] /= 2;
  rest.begin[d] += part.size[d];
  rest.size[d] -= part.size[d];
  add_cut(part, parts);
  add_cut(rest, parts);
}

}  // namespace

std::vector<CellRegion> border_regions(const BoxGrid& grid) {
  const int dim = grid.box_dim();
  std::vector<CellRegion> parts;
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
        add_cut({own, low, {high[0] - low[0], high[1] - low[1], high[2] - low[2]}}, parts);
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
