#include "block_size.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>

namespace ashlar::app {

namespace {

/// "1, 2, 4": for a suggestion.
std::string common_divisors(std::int64_t rows, std::int64_t columns) {
  std::string list;
  for (int size = 1; size <= max_block_size; ++size) {
    if (rows % size == 0 && columns % size == 0) list += (list.empty() ? "" : ", ") + std::to_string(size);
  }
  return list;
}

}  // namespace

int choose_block_size(int asked, const std::vector<BlockSizeCandidate>& candidates) {
  if (asked > 0) return asked;
  // Blocks larger than these have no kernels of their own.
  std::vector<BlockSizeCandidate> usual;
  for (const auto& candidate : candidates) {
    if (candidate.block_size <= 32) usual.push_back(candidate);
  }
  return detect_block_size(usual);
}

void check_block_size(const std::string& path, std::int64_t line, int asked, std::int64_t rows, std::int64_t columns,
                      const std::string& or_else) {
  if (asked == 0 || (rows % asked == 0 && columns % asked == 0)) return;
  const bool is_rows = rows % asked != 0;
  throw FileError(
      path, line,
      text("--block-size ", asked, " for ", is_rows ? count_text(rows, "row") : count_text(columns, "column")),
      text(asked, " does not divide ", is_rows ? rows : columns),
      text("pass auto, or one of ", common_divisors(rows, columns), or_else));
}

}  // namespace ashlar::app
