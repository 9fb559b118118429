#pragma once

#include <ashlar/streaming/timeline.hpp>
#include <vector>

namespace ashlar {

/// How much of its copies a streamed matrix hid behind products, or of its products behind copies.
struct StreamOverlap {
  double copy_seconds = 0;     ///< in which copies were under way
  double product_seconds = 0;  ///< in which products were
  double both_seconds = 0;     ///< in which both were

  /// The part of the shorter of the two that passed beside the other; 1 where there was nothing to hide.
  double hidden_share() const;
};

/// Of the spans of a timeline; pieces of the host's share and reads of a file are left out.
StreamOverlap overlap_of(const std::vector<StreamSpan>& spans);

}  // namespace ashlar
