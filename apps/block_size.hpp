#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::app {

/// The size asked for; where that is 0 (auto), the one with which a product reads the fewest bytes, of those that have
/// kernels of their own.
int choose_block_size(int asked, const std::vector<BlockSizeCandidate>& candidates);

/// Throws FileError where the size asked for (0: auto) does not divide the matrix's rows or columns; `line` is the one
/// of the file that says how many there are, and `or_else` ends the suggestion.
void check_block_size(const std::string& path, std::int64_t line, int asked, std::int64_t rows, std::int64_t columns,
                      const std::string& or_else = "");

/// The entries of a Matrix Market file in CSR. Every one of a file is finite, but a place that is listed several times
/// holds the sum, which may not be.
///
/// Throws   FileError that names the place.
template <scalar Scalar>
CsrMatrix<Scalar> csr_of_file(const std::string& path, const CooMatrix<Scalar>& entries) {
  CsrMatrix<Scalar> csr = csr_from_coo(entries);
  for (std::int64_t i = 0; i < csr.num_rows; ++i) {
    for (std::int64_t k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) {
      if (is_finite(csr.values[k])) continue;
      throw FileError(
          path, 0,
          text("the entries for row ", i + 1, " and column ", csr.col_idx[k] + 1, " sum up to ", csr.values[k]),
          "those of one place are added, and no solver gets far with such a sum",
          "check the program that wrote the file");
    }
  }
  return csr;
}

}  // namespace ashlar::app
