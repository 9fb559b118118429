#pragma once

#include <cstdint>

namespace ashlar::problems {

/// Block rows begin to end - 1 of a problem: the part of a rank. Its matrix has these rows alone, as rows 0 and on,
/// with the block columns of the whole; its load has their entries.
struct RowRange {
  std::int64_t begin = 0, end = 0;

  std::int64_t size() const { return end - begin; }
};

}  // namespace ashlar::problems
