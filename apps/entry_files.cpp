#include "entry_files.hpp"

#include <ashlar/base/text.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <iostream>
#include <utility>

namespace ashlar::app {

namespace {

/// `line`: the line of the file that has the sizes.
io::MatrixMarketHeader in_words_of_matrix_market(const io::ForeignHeader& foreign, std::int64_t line) {
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

}  // namespace

io::MatrixMarketHeader read_matrix_header(const std::string& path) {
  constexpr std::int64_t line_of_sizes = 3;
  if (is_harwell_boeing_file(path)) {
    return in_words_of_matrix_market(io::read_harwell_boeing_header(path), line_of_sizes);
  }
  if (is_petsc_file(path)) return in_words_of_matrix_market(io::read_petsc_header(path), 0);
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
  return in_words_of_matrix_market({length, 1, length, false}, 0);
}

std::vector<double> read_one_vector(const std::string& path) {
  return is_petsc_file(path) ? io::read_petsc_vector(path) : io::read_matrix_market_vector<double>(path);
}

}  // namespace ashlar::app
