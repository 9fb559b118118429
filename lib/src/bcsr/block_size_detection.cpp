#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block_size_detection.hpp>
#include <cstddef>

namespace ashlar {
namespace {

// How many block_size x block_size blocks hold an entry.
template <class Scalar>
std::int64_t count_blocks(const CsrMatrix<Scalar>& csr, int block_size) {
  if (block_size == 1) return csr.num_values();
  // The last block row that was seen to have a block in this block column.
  std::vector<std::int64_t> seen_in(csr.num_cols / block_size, -1);
  std::int64_t blocks = 0;
  for (std::int64_t i = 0; i < csr.num_rows; ++i) {
    const std::int64_t block_row = i / block_size;
    for (std::int64_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      std::int64_t& seen = seen_in[csr.col_idx[k] / block_size];
      blocks += seen != block_row;
      seen = block_row;
    }
  }
  return blocks;
}

}  // namespace

template <scalar Scalar>
std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Scalar>& csr, int max_block_size) {
  if (max_block_size < 1) {
    throw ArgumentError(text("block_size_candidates: block sizes up to ", max_block_size),
                        "1 is the smallest block size", "pass 1 or more");
  }
  validate(csr);
  std::vector<BlockSizeCandidate> candidates;
  const std::int64_t num_values = csr.num_values();
  for (int b = 1; b <= (num_values == 0 ? 1 : max_block_size); ++b) {
    if (csr.num_rows % b != 0 || csr.num_cols % b != 0) continue;
    const std::int64_t blocks = count_blocks(csr, b), block_values = std::int64_t(b) * b;
    const std::int64_t block_bytes = block_values * sizeof(Scalar) + sizeof(std::int32_t);
    const std::int64_t row_bytes = (csr.num_rows / b + 1) * sizeof(std::int32_t);
    candidates.push_back({b, blocks, num_values == 0 ? 1.0 : double(blocks) * double(block_values) / double(num_values),
                          blocks * block_bytes + row_bytes});
  }
  return candidates;
}

int detect_block_size(const std::vector<BlockSizeCandidate>& candidates) {
  if (candidates.empty()) {
    throw ArgumentError("detect_block_size: no candidates", "there is nothing to choose from",
                        "pass what block_size_candidates returns");
  }
  const BlockSizeCandidate* best = &candidates.front();
  for (const BlockSizeCandidate& candidate : candidates) {
    if (candidate.bytes < best->bytes || (candidate.bytes == best->bytes && candidate.block_size > best->block_size)) {
      best = &candidate;
    }
  }
  return best->block_size;
}

template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<float>&, int);
template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<double>&, int);
template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Kokkos::complex<float>>&, int);
template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Kokkos::complex<double>>&, int);

}  // namespace ashlar
