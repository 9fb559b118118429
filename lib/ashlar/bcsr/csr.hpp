#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <cstdint>
#include <vector>

namespace ashlar {

/// A sparse matrix on the host as a list of entries: value values[k] at (rows[k], cols[k]), counted from 0.
///
/// Shapes   the three vectors have one length. Entries come in any order; functions that read them add up repeated
///          entries.
/// Memory   the host's.
template <scalar Scalar>
struct CooMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<Scalar> values;

  std::int64_t num_values() const { return static_cast<std::int64_t>(values.size()); }
};

/// A sparse matrix on the host, row after row: what files and scalar codes hand over.
///
/// Shapes   row_ptr has num_rows + 1 entries, from 0 to the number of values; row i's columns col_idx[row_ptr[i]] ..
///          col_idx[row_ptr[i+1] - 1] ascend without repeats (`validate(csr)` checks).
/// Memory   the host's.
template <scalar Scalar>
struct CsrMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int64_t> row_ptr = {0};
  std::vector<std::int32_t> col_idx;
  std::vector<Scalar> values;

  /// The entries stored, whether their value is zero or not.
  std::int64_t num_values() const { return static_cast<std::int64_t>(values.size()); }
};

/// The entries in CSR. Entries at one place are summed in the order in which they are listed, so always to the same
/// bits.
///
/// A sum of zero is kept: the structure depends on the places alone.
///
/// Throws   ShapeError where the vectors' lengths differ; StructureError naming the first entry out of range.
template <scalar Scalar>
CsrMatrix<Scalar> csr_from_coo(const CooMatrix<Scalar>& coo);

/// Checks that these vectors are a CSR matrix.
///
/// Throws   ShapeError for a vector of the wrong length, StructureError naming the first fault by its row.
template <scalar Scalar>
void validate(const CsrMatrix<Scalar>& csr);

extern template CsrMatrix<float> csr_from_coo(const CooMatrix<float>&);
extern template CsrMatrix<double> csr_from_coo(const CooMatrix<double>&);
extern template CsrMatrix<Kokkos::complex<float>> csr_from_coo(const CooMatrix<Kokkos::complex<float>>&);
extern template CsrMatrix<Kokkos::complex<double>> csr_from_coo(const CooMatrix<Kokkos::complex<double>>&);
extern template void validate(const CsrMatrix<float>&);
extern template void validate(const CsrMatrix<double>&);
extern template void validate(const CsrMatrix<Kokkos::complex<float>>&);
extern template void validate(const CsrMatrix<Kokkos::complex<double>>&);

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
