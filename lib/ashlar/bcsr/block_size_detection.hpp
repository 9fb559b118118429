#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <cstdint>
#include <vector>

namespace ashlar {

/// The figures of a matrix if it were stored in blocks of one size.
struct BlockSizeCandidate {
  int block_size;
  std::int64_t num_blocks;
  /// Values stored over entries of the CSR matrix: 1 where every block is full.
  double fill;
  /// The bytes of the matrix that a product reads: values, 32-bit block columns, 32-bit row pointers.
  std::int64_t bytes;
};

/// Each block size up to max_block_size that divides both rows and columns, ascending, 1 first.
///
/// A matrix without entries has no blocks to tell sizes apart by: 1 is then its only candidate.
///
/// Throws   what validate(csr) throws; ArgumentError where max_block_size < 1.
template <scalar Scalar>
std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Scalar>& csr, int max_block_size = 32);

/// The block size with which the fewest bytes are read in a product; of several the largest.
///
/// A b x b block of doubles takes 8 b^2 + 4 bytes where CSR takes 12 for each entry, so that blocks pay up to a fill of
/// 12 b^2 / (8 b^2 + 4) and the row pointers saved: 1.33 for b = 2, 1.42 for 3, 1.5 for large ones. Emptier ones are
/// left to b = 1.
int detect_block_size(const std::vector<BlockSizeCandidate>& candidates);

/// detect_block_size(block_size_candidates(csr, max_block_size)).
template <scalar Scalar>
int detect_block_size(const CsrMatrix<Scalar>& csr, int max_block_size = 32) {
  return detect_block_size(block_size_candidates(csr, max_block_size));
}

extern template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<float>&, int);
extern template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<double>&, int);
extern template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Kokkos::complex<float>>&, int);
extern template std::vector<BlockSizeCandidate> block_size_candidates(const CsrMatrix<Kokkos::complex<double>>&, int);

}  // namespace ashlar
