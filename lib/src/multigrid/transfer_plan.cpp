#include <ashlar/multigrid/transfer_plan.hpp>

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <utility>

namespace ashlar::multigrid {

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
