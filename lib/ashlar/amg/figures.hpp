#pragma once

#include <ashlar/amg/options.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::amg {

/// Sizes of a level, for reports.
struct LevelFigures {
  std::int64_t rows = 0, block_rows = 0, blocks = 0;
  int block_size = 0;
  double largest_eigenvalue = 0;
};

/// The number of values on all levels over the number on the finest.
double operator_complexity(const std::vector<LevelFigures>& levels);

/// Options, complexity and sizes of a hierarchy, a line each, for people. `is_dense`: the coarsest level has a dense
/// inverse.
std::string describe(const Options& options, const std::vector<LevelFigures>& levels, bool is_in_float, bool is_dense);

}  // namespace ashlar::amg
