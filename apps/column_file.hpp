#pragma once

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "world.hpp"

namespace ashlar::app {

/// This rank's entries of one or several vectors, on the host: column after column.
struct Columns {
  std::vector<double> entries;
  std::int64_t num_rows = 0, num_columns = 1;

  std::span<const double> column(std::int64_t j) const {
    return std::span(entries).subspan(std::size_t(j * num_rows), std::size_t(num_rows));
  }
};

/// Writes vectors, of which each rank has its part, as a Matrix Market array. All ranks write the file, each its lines;
/// rank 0 alone writes an output without places, such as standard output. Collective.
///
/// Throws   FileError on a rank that cannot write its part, RankError on the others.
void write_columns(const World& world, const std::string& path, const Columns& mine);

}  // namespace ashlar::app
