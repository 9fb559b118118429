#include "entry_files.hpp"

#include <ashlar/base/text.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <iostream>
#include <utility>

#include "matrix_bytes.hpp"

namespace ashlar::app {

namespace {

/// `line`: the line of the file that has the sizes.
io::MatrixMarketHeader as_matrix_market_header(const io::ForeignHeader& foreign, std::int64_t line) {
  io::MatrixMarketHeader header{};
  header.object = "matrix";
  header.format = io::MatrixMarketFormat::coordinate;
  header.field = io::MatrixMarketField::real;
  header.symmetry = foreign.is_half ? io::MatrixMarketSymmetry::symmetric : io::MatrixMarketSymmetry::general;
  header.rows = foreign.rows;
  header.columns = foreign.columns;
  header.entries = foreign.entries;
  header.size_line = line;
  return header;
}

/// True if all entries are there, column after column, as in an array.
bool is_in_columns(const CooMatrix<double>& matrix) {
  if (matrix.num_values() != matrix.num_rows * matrix.num_cols) return false;
  for (std::int64_t k = 0; k < matrix.num_values(); ++k) {
    const auto at = std::size_t(k);
    if (matrix.cols[at] != k / matrix.num_rows || matrix.rows[at] != k % matrix.num_rows) return false;
  }
  return true;
}

}  // namespace

io::MatrixMarketHeader read_matrix_header(const std::string& path) {
  constexpr std::int64_t line_of_sizes = 3;
  if (is_harwell_boeing_file(path)) {
    return as_matrix_market_header(io::read_harwell_boeing_header(path), line_of_sizes);
  }
  if (is_petsc_file(path)) return as_matrix_market_header(io::read_petsc_header(path), 0);
  return io::read_matrix_market_header(path);
}

CooMatrix<double> read_real_matrix(const std::string& path) {
  const bool is_harwell_boeing = is_harwell_boeing_file(path);
  if (!is_harwell_boeing && !is_petsc_file(path)) return io::read_matrix_market<double>(path);
  io::ForeignMatrix read = is_harwell_boeing ? io::read_harwell_boeing(path) : io::read_petsc_matrix(path);
  if (!read.left_out.empty()) {
    std::cerr << "ashlar: " << printable(path) << ": only the matrix is read, not its " << read.left_out << '\n';
  }
  return std::move(read.matrix);
}

io::MatrixMarketHeader read_vector_header(const std::string& path) {
  if (!is_petsc_file(path)) return io::read_matrix_market_header(path);
  const std::int64_t length = io::read_petsc_vector_length(path);
  return as_matrix_market_header({length, 1, length, false}, 0);
}

Columns read_columns(const std::string& path) {
  Columns columns;
  if (is_petsc_file(path)) {
    columns.entries = io::read_petsc_vector(path);
    columns.num_rows = static_cast<std::int64_t>(columns.entries.size());
    return columns;
  }
  // Entries that a file does not name are 0; those that it repeats are added.
  CooMatrix<double> read = io::read_matrix_market<double>(path);
  columns.num_rows = read.num_rows;
  columns.num_columns = read.num_cols;
  if (is_in_columns(read)) {
    columns.entries = std::move(read.values);
    return columns;
  }
  require_host_memory((Bytes{std::uint64_t(read.num_rows)} * Bytes{std::uint64_t(read.num_cols)} * scalar_bytes).count,
                      text(path, ": vectors of ", count_text(read.num_rows, "row")));
  columns.entries.resize(std::size_t(read.num_rows) * std::size_t(read.num_cols));
  for (std::size_t k = 0; k < read.values.size(); ++k) {
    columns.entries[std::size_t(read.cols[k]) * std::size_t(read.num_rows) + std::size_t(read.rows[k])] +=
        read.values[k];
  }
  return columns;
}

}  // namespace ashlar::app
