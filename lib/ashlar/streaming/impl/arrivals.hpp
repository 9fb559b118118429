#pragma once

#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Entries of a vector, from the first to before the second.
using VectorRange = std::pair<std::int64_t, std::int64_t>;

/// What has to arrive for each of several pieces of work that begin one after another, and not for one before: `needed`
/// says in which range lie the entries of each. What has arrived is always one range, gaps between pieces included; so
/// there are up to two ranges for a piece.
inline std::vector<std::vector<VectorRange>> arrivals_of(const std::vector<VectorRange>& needed) {
  std::vector<std::vector<VectorRange>> result;
  VectorRange arrived(0, 0);
  for (const VectorRange& range : needed) {
    auto& of_piece = result.emplace_back();
    if (range.first == range.second) continue;
    if (arrived.first == arrived.second) {
      of_piece.push_back(arrived = range);
      continue;
    }
    if (range.first < arrived.first) {
      of_piece.emplace_back(range.first, arrived.first);
      arrived.first = range.first;
    }
    if (range.second > arrived.second) {
      of_piece.emplace_back(arrived.second, range.second);
      arrived.second = range.second;
    }
  }
  return result;
}

}  // namespace ashlar::impl
