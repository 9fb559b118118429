#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "file_names.hpp"

namespace ashlar::app {

// Files that hold a matrix entry by entry: Matrix Market, Harwell-Boeing, PETSc, told apart by their endings.

/// The header, in the words of Matrix Market.
///
/// Throws   FileError.
io::MatrixMarketHeader read_matrix_header(const std::string& path);

/// The real matrix. If the file holds more, a line on standard error names the parts left out.
///
/// Throws   FileError.
CooMatrix<double> read_real_matrix(const std::string& path);

template <scalar Scalar>
CooMatrix<Scalar> read_matrix(const std::string& path) {
  if constexpr (is_complex_v<Scalar>) {
    return io::read_matrix_market<Scalar>(path);
  } else {
    return read_real_matrix(path);
  }
}

/// The same of a file with vectors, which Harwell-Boeing files are not.
io::MatrixMarketHeader read_vector_header(const std::string& path);

/// Entries of one or several vectors, on the host: column after column.
struct Columns {
  std::vector<double> entries;
  std::int64_t num_rows = 0, num_columns = 1;

  std::span<const double> column(std::int64_t j) const {
    return std::span(entries).subspan(std::size_t(j * num_rows), std::size_t(num_rows));
  }
};
Columns read_columns(const std::string& path);

}  // namespace ashlar::app
