#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdlib>
#include <tuple>
#include <utility>

namespace ashlar::multigrid {

std::vector<Index3> directions_of(GhostShape shape) {
  const int most = shape == GhostShape::star ? 1 : shape == GhostShape::no_corners ? 2 : 3;
  std::vector<Index3> directions;
  for (int k = -1; k <= 1; ++k) {
    for (int j = -1; j <= 1; ++j) {
      for (int i = -1; i <= 1; ++i) {
        const int outside = std::abs(i) + std::abs(j) + std::abs(k);
        if (outside > 0 && outside <= most) directions.push_back({i, j, k});
      }
    }
  }
  return directions;
}

namespace {

std::int64_t num_cells(const Index3& size) { return std::int64_t(size[0]) * size[1] * size[2]; }

// A copy between ranks, and what the messages are sorted by: both ranks find the same order.
struct Remote {
  int rank;
  int receiving_box;
  std::size_t direction;  // in which the receiver seeks it
  GhostCopy copy;
};

std::vector<GhostMessage> number_messages(std::vector<Remote>& remotes, std::vector<GhostCopy>& copies) {
  std::sort(remotes.begin(), remotes.end(), [](const Remote& a, const Remote& b) {
    return std::tie(a.rank, a.receiving_box, a.direction) < std::tie(b.rank, b.receiving_box, b.direction);
  });
  std::vector<GhostMessage> messages;
  std::int64_t at = 0;
  for (Remote& remote : remotes) {
    if (messages.empty() || messages.back().rank != remote.rank) messages.push_back({remote.rank, at, 0});
    remote.copy.buffer = at;
    at += num_cells(remote.copy.size);
    messages.back().count = at - messages.back().begin;
    copies.push_back(remote.copy);
  }
  return messages;
}

std::int64_t total(const std::vector<GhostMessage>& messages) {
  return messages.empty() ? 0 : messages.back().begin + messages.back().count;
}

// Large regions become several, so that teams of threads have about equal work.
template <class Region>
std::vector<Region> cut(const std::vector<Region>& regions, void (*advance)(Region&, int direction, int by)) {
  constexpr std::int64_t most_cells = 1024;
  std::vector<Region> pieces;
  for (const Region& region : regions) {
    std::vector<Region> waiting{region};
    while (!waiting.empty()) {
      Region piece = waiting.back();
      waiting.pop_back();
      const int d = piece.size[2] > 1 ? 2 : 1;
      if (num_cells(piece.size) <= most_cells || piece.size[d] == 1) {
        pieces.push_back(piece);
        continue;
      }
      Region rest = piece;
      piece.size[d] /= 2;
      rest.size[d] -= piece.size[d];
      advance(rest, d, piece.size[d]);
      waiting.push_back(rest);
      waiting.push_back(piece);
    }
  }
  return pieces;
}

void advance_copy(GhostCopy& copy, int d, int by) {
  copy.from[d] += by;
  copy.to[d] += by;
  copy.buffer += std::int64_t(by) * copy.size[0] * (d == 2 ? copy.size[1] : 1);
}

void advance_boundary(BoundaryRegion& region, int d, int by) { region.begin[d] += by; }

}  // namespace

std::int64_t GhostPlan::num_sent() const { return total(to); }
std::int64_t GhostPlan::num_received() const { return total(from); }

GhostPlan make_ghost_plan(const BoxGrid& grid, int depth, GhostShape shape, int faces_of) {
  const int dim = grid.box_dim();
  if (depth < 1 || dim < depth) {
    throw ArgumentError(text("multigrid: ", depth, " ghost cells around boxes of ", dim, "^3 cells"),
                        "they are filled from the box beside", "take larger boxes");
  }
  GhostPlan plan;
  plan.is_shared = grid.is_shared();
  std::vector<Remote> sent, received;
  const std::vector<Index3> directions = directions_of(shape);
  for (int own = 0; own < grid.num_own(); ++own) {
    const Index3 place = grid.place(grid.first_own() + own);
    // The box's own cells, with the layer at the domain's high side.
    const auto extent = [&](int d) { return dim + int(d == faces_of && place[d] == grid.boxes_per_dim() - 1); };
    for (std::size_t n = 0; n < directions.size(); ++n) {
      const Index3& direction = directions[n];
      // In the directions that lead out of the domain, the box beside is the one whose cells those beyond follow from.
      Index3 beside, outside{0, 0, 0}, back;
      Index3 begin, from, size;  // of the ghost cells, and of what they are to be, in the box beside
      Index3 sent_from;          // what it seeks here
      for (int d = 0; d < 3; ++d) {
        beside[d] = place[d] + direction[d];
        if (beside[d] < 0 || beside[d] >= grid.boxes_per_dim()) {
          outside[d] = direction[d];
          beside[d] = place[d];
        }
        back[d] = outside[d] != 0 ? direction[d] : -direction[d];
        size[d] = direction[d] == 0 ? extent(d) : depth;
        begin[d] = direction[d] < 0 ? -depth : direction[d] > 0 ? dim : 0;
        from[d] = outside[d] != 0 ? begin[d] : direction[d] < 0 ? dim - depth : 0;
        sent_from[d] = outside[d] != 0 ? begin[d] : direction[d] > 0 ? dim - depth : 0;
      }
      const BoundaryRegion beyond{own, begin, size, outside};
      if (beside == place) {
        plan.boundary.push_back(beyond);
        continue;
      }
      if (outside != Index3{0, 0, 0}) plan.beside_boxes.push_back(beyond);
      const int neighbour = grid.box_at(beside), owner = grid.owner(neighbour);
      if (owner == grid.rank()) {
        plan.local.push_back({neighbour - grid.first_own(), own, from, begin, size, 0, outside});
        continue;
      }
      received.push_back({owner, grid.first_own() + own, n, {-1, own, {0, 0, 0}, begin, size, 0, outside}});
      // The other way, the neighbour seeks here, out of the domain as this one does.
      const auto its = std::find(directions.begin(), directions.end(), back) - directions.begin();
      sent.push_back(
          {owner, neighbour, static_cast<std::size_t>(its), {own, -1, sent_from, {0, 0, 0}, size, 0, outside}});
    }
  }
  plan.to = number_messages(sent, plan.pack);
  plan.from = number_messages(received, plan.unpack);
  for (auto* copies : {&plan.pack, &plan.local, &plan.unpack}) *copies = cut(*copies, &advance_copy);
  for (auto* regions : {&plan.boundary, &plan.beside_boxes}) *regions = cut(*regions, &advance_boundary);
  return plan;
}

namespace {

// Blocks by the other rank, in the order of the fine boxes, which both ranks know.
using RemoteBlock = std::pair<int, TransferBlock>;

std::vector<GhostMessage> number_messages(std::vector<RemoteBlock>& remotes, std::int64_t cells,
                                          std::vector<TransferBlock>& blocks) {
  std::stable_sort(remotes.begin(), remotes.end(),
                   [](const RemoteBlock& a, const RemoteBlock& b) { return a.first < b.first; });
  std::vector<GhostMessage> messages;
  std::int64_t at = 0;
  for (auto& [rank, block] : remotes) {
    if (messages.empty() || messages.back().rank != rank) messages.push_back({rank, at, 0});
    block.buffer = at;
    at += cells;
    messages.back().count += cells;
    blocks.push_back(block);
  }
  return messages;
}

}  // namespace

TransferPlan make_transfer_plan(const BoxGrid& fine, const BoxGrid& coarse) {
  const int dim = fine.box_dim() / 2;
  if (fine.cells_per_dim() != 2 * coarse.cells_per_dim() || fine.box_dim() != 2 * dim || coarse.box_dim() % dim != 0) {
    throw ArgumentError(text("multigrid: from ", fine.boxes_per_dim(), "^3 boxes of ", fine.box_dim(), "^3 cells to ",
                             coarse.boxes_per_dim(), "^3 of ", coarse.box_dim(), "^3"),
                        "each coarse cell covers 2 x 2 x 2 fine ones, and each fine box lies in one coarse box",
                        "take the grids of make_hierarchy()");
  }
  TransferPlan plan;
  plan.dim = dim;
  std::vector<RemoteBlock> out, in;
  for (int box = 0; box < fine.num_boxes(); ++box) {
    Index3 place, begin;
    for (int d = 0; d < 3; ++d) {
      const int cell = fine.place(box)[d] * dim;
      place[d] = cell / coarse.box_dim();
      begin[d] = cell % coarse.box_dim();
    }
    const int coarse_box = coarse.box_at(place);
    const int fine_owner = fine.owner(box), coarse_owner = coarse.owner(coarse_box);
    plan.is_shared = plan.is_shared || fine_owner != coarse_owner;
    const bool has_fine = fine_owner == fine.rank(), has_coarse = coarse_owner == fine.rank();
    const TransferBlock block{has_fine ? box - fine.first_own() : -1, has_coarse ? coarse_box - coarse.first_own() : -1,
                              begin, 0};
    if (has_fine && has_coarse) {
      plan.local.push_back(block);
    } else if (has_fine) {
      out.push_back({coarse_owner, block});
    } else if (has_coarse) {
      in.push_back({fine_owner, block});
    }
  }
  const std::int64_t cells = std::int64_t(dim) * dim * dim;
  plan.to = number_messages(out, cells, plan.to_coarse);
  plan.from = number_messages(in, cells, plan.from_fine);
  return plan;
}

}  // namespace ashlar::multigrid
