#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <cstddef>
#include <limits>
#include <utility>

namespace ashlar {
namespace {

// Columns are 32 bits wide in both host formats.
void check_extents(const char* who, std::int64_t num_rows, std::int64_t num_cols) {
  constexpr std::int64_t largest = std::int64_t(std::numeric_limits<std::int32_t>::max()) + 1;
  if (num_rows < 0 || num_cols < 0 || num_cols > largest) {
    throw ShapeError(text(who, ": a matrix of ", num_rows, " x ", num_cols),
                     text("rows and columns are counted from 0, columns to ", largest),
                     "check for an overflow where the extents are computed");
  }
}

template <class Scalar>
void check_entries(const CooMatrix<Scalar>& coo) {
  check_extents("csr_from_coo", coo.num_rows, coo.num_cols);
  if (coo.rows.size() != coo.values.size() || coo.cols.size() != coo.values.size()) {
    throw ShapeError(
        text("csr_from_coo: ", coo.rows.size(), " rows, ", coo.cols.size(), " columns, ", coo.values.size(), " values"),
        "each entry has a row, a column and a value", "pass three vectors of one length");
  }
  for (std::size_t k = 0; k < coo.values.size(); ++k) {
    if (coo.rows[k] < 0 || coo.rows[k] >= coo.num_rows || coo.cols[k] < 0 || coo.cols[k] >= coo.num_cols) {
      throw StructureError(text("csr_from_coo: entry ", k, " lies at (", coo.rows[k], ", ", coo.cols[k], ")"),
                           text("the matrix is ", coo.num_rows, " x ", coo.num_cols, ", counted from 0"),
                           "check the indices and whether they count from 1");
    }
  }
}

}  // namespace

template <scalar Scalar>
CsrMatrix<Scalar> csr_from_coo(const CooMatrix<Scalar>& coo) {
  check_entries(coo);
  const std::size_t num_rows = coo.num_rows, num_entries = coo.values.size();

  // A counting sort by row keeps the order within a row as it is listed.
  std::vector<std::int64_t> begin(num_rows + 1, 0);
  for (const std::int32_t row : coo.rows) ++begin[row + 1];
  for (std::size_t i = 0; i < num_rows; ++i) begin[i + 1] += begin[i];
  CsrMatrix<Scalar> csr{coo.num_rows, coo.num_cols, {}, {}, {}};
  csr.col_idx.resize(num_entries);
  csr.values.resize(num_entries);
  std::vector<std::int64_t> next(begin.begin(), begin.end() - 1);
  for (std::size_t k = 0; k < num_entries; ++k) {
    const std::int64_t place = next[coo.rows[k]]++;
    csr.col_idx[place] = coo.cols[k];
    csr.values[place] = coo.values[k];
  }

  // Unsorted rows are then sorted, and written back without repeats: the writer never overtakes the reader.
  csr.row_ptr.assign(1, 0);
  csr.row_ptr.reserve(num_rows + 1);
  std::vector<std::pair<std::int32_t, Scalar>> row;
  std::int64_t end = 0;
  for (std::size_t i = 0; i < num_rows; ++i) {
    const auto first = csr.col_idx.begin() + begin[i], last = csr.col_idx.begin() + begin[i + 1];
    if (!std::is_sorted(first, last)) {
      row.clear();
      for (std::int64_t k = begin[i]; k < begin[i + 1]; ++k) row.emplace_back(csr.col_idx[k], csr.values[k]);
      std::stable_sort(row.begin(), row.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      for (std::size_t k = 0; k < row.size(); ++k) {
        csr.col_idx[begin[i] + k] = row[k].first;
        csr.values[begin[i] + k] = row[k].second;
      }
    }
    for (std::int64_t k = begin[i]; k < begin[i + 1]; ++k) {
      if (end > csr.row_ptr.back() && csr.col_idx[end - 1] == csr.col_idx[k]) {
        csr.values[end - 1] += csr.values[k];
      } else {
        csr.col_idx[end] = csr.col_idx[k];
        csr.values[end] = csr.values[k];
        ++end;
      }
    }
    csr.row_ptr.push_back(end);
  }
  csr.col_idx.resize(end);
  csr.values.resize(end);
  return csr;
}

template <scalar Scalar>
void validate(const CsrMatrix<Scalar>& csr) {
  check_extents("validate(csr)", csr.num_rows, csr.num_cols);
  const std::int64_t num_values = csr.num_values();
  if (std::int64_t(csr.row_ptr.size()) != csr.num_rows + 1) {
    throw ShapeError(text("validate(csr): ", csr.row_ptr.size(), " row pointers"),
                     text("a matrix of ", csr.num_rows, " rows has one more than that"),
                     "pass {0, ..., number of values}");
  }
  if (std::int64_t(csr.col_idx.size()) != num_values) {
    throw ShapeError(text("validate(csr): ", csr.col_idx.size(), " columns and ", num_values, " values"),
                     "each value has a column", "pass two vectors of one length");
  }
  if (csr.row_ptr.front() != 0) {
    throw StructureError(text("validate(csr): row_ptr[0] is ", csr.row_ptr.front()), "row 0 starts at value 0",
                         "subtract it from all row pointers if they count from 1");
  }
  for (std::int64_t i = 0; i < csr.num_rows; ++i) {
    if (csr.row_ptr[i + 1] < csr.row_ptr[i]) {
      throw StructureError(text("validate(csr): row_ptr[", i + 1, "] is ", csr.row_ptr[i + 1]),
                           text("row ", i, " starts at ", csr.row_ptr[i], ", and row pointers do not decrease"),
                           "check how the row pointers are summed");
    }
  }
  if (csr.row_ptr.back() != num_values) {
    throw StructureError(text("validate(csr): row_ptr[", csr.num_rows, "] is ", csr.row_ptr.back()),
                         text("there are ", num_values, " values"), "let the last row pointer be the number of values");
  }
  for (std::int64_t i = 0; i < csr.num_rows; ++i) {
    for (std::int64_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      const std::int32_t column = csr.col_idx[k];
      if (column < 0 || column >= csr.num_cols) {
        throw StructureError(text("validate(csr): column ", column, " in row ", i),
                             text("columns go from 0 to ", csr.num_cols - 1),
                             "check the indices and whether they count from 1");
      }
      if (k > csr.row_ptr[i] && column <= csr.col_idx[k - 1]) {
        throw StructureError(
            text("validate(csr): column ", column, " after column ", csr.col_idx[k - 1], " in row ", i),
            "columns of a row ascend without repeats", "build the matrix with csr_from_coo");
      }
    }
  }
}

template CsrMatrix<float> csr_from_coo(const CooMatrix<float>&);
template CsrMatrix<double> csr_from_coo(const CooMatrix<double>&);
template CsrMatrix<Kokkos::complex<float>> csr_from_coo(const CooMatrix<Kokkos::complex<float>>&);
template CsrMatrix<Kokkos::complex<double>> csr_from_coo(const CooMatrix<Kokkos::complex<double>>&);
template void validate(const CsrMatrix<float>&);
template void validate(const CsrMatrix<double>&);
template void validate(const CsrMatrix<Kokkos::complex<float>>&);
template void validate(const CsrMatrix<Kokkos::complex<double>>&);

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
