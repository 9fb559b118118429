#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_deal.hpp>
#include <vector>

namespace ashlar::multigrid {

/// Three numbers: of cells, of boxes, in i, j and k.
using Index3 = Kokkos::Array<int, 3>;

/// The boxes that a cube of cells is cut into, on one level: cubes of equal size, numbered in Morton order (i fastest),
/// so that boxes with neighbouring numbers lie close together; each rank owns a range of them (BoxDeal).
class BoxGrid {
 public:
  /// Throws   ArgumentError where a number is not positive, or too large to be meant, or there is no such rank.
  BoxGrid(int boxes_per_dim, int box_dim, int num_ranks = 1, int rank = 0, int ranks_per_owner = 1);

  int boxes_per_dim() const { return boxes_per_dim_; }
  /// Cells of a box, and of the whole level, in each of the three directions.
  int box_dim() const { return box_dim_; }
  int cells_per_dim() const { return boxes_per_dim_ * box_dim_; }
  double cell_width() const { return 1.0 / cells_per_dim(); }

  int num_boxes() const { return static_cast<int>(places_.size()); }
  /// Where the box `box` is, counted in boxes.
  const Index3& place(int box) const { return places_[std::size_t(box)]; }
  /// The box at this place; -1 outside of the cube.
  int box_at(const Index3& place) const;

  /// How many ranks the boxes are dealt to: the first ones.
  int num_ranks() const { return deal_.num_ranks; }
  /// How many of them have any, and the boxes of the one that has the most.
  int num_owners() const { return num_owners_; }
  int most_own() const { return deal_.most(); }
  int rank() const { return rank_; }
  int owner(int box) const { return deal_.owner(box); }
  /// Whether several ranks have boxes.
  bool is_shared() const { return num_owners_ > 1; }
  /// This rank's own boxes are first_own() and the num_own() - 1 after it; none where the rank is not among the owners.
  int first_own() const { return first_own_; }
  int num_own() const { return num_own_; }

 private:
  int boxes_per_dim_, box_dim_, rank_;
  BoxDeal deal_{};
  int first_own_ = 0, num_own_ = 0, num_owners_ = 0;
  std::vector<Index3> places_;
  std::vector<int> numbers_;  // of the boxes, by place
};

}  // namespace ashlar::multigrid
