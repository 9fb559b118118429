#pragma once

#include <ashlar/bcsr/block_size_detection.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::app {

/// The size asked for; where that is 0 (auto), the one with which a product reads the fewest bytes, of those that have
/// kernels of their own.
int choose_block_size(int asked, const std::vector<BlockSizeCandidate>& candidates);

/// Throws FileError where the size asked for (0: auto) does not divide the matrix's rows or columns; `line` is the one
/// of the file that says how many there are.
void check_block_size(const std::string& path, std::int64_t line, int asked, std::int64_t rows, std::int64_t columns);

}  // namespace ashlar::app
