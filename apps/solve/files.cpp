#include "solve/files.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/output_file.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <filesystem>
#include <optional>
#include <system_error>
#include <utility>
#include <vector>

namespace ashlar::app {

namespace {

namespace fs = std::filesystem;

using NamedFile = std::pair<const char*, const std::optional<std::string>&>;

bool same_file(const std::string& a, const std::string& b) {
  std::error_code error;
  const auto path_a = fs::weakly_canonical(a, error);
  if (error) return a == b;
  const auto path_b = fs::weakly_canonical(b, error);
  if (error) return a == b;
  return path_a == path_b || (fs::equivalent(path_a, path_b, error) && !error);
}

/// Writing twice to what is no file (a terminal, /dev/null) spoils nothing.
bool can_be_spoilt(const std::string& path) { return !is_read_once(path); }

void require_distinct(const NamedFile& output, const NamedFile& other) {
  if (!output.second || !other.second || !can_be_spoilt(*output.second)) return;
  if (!same_file(*output.second, *other.second)) return;
  throw FileError(*output.second, 0, text("named by ", output.first, " and by ", other.first),
                  "one would overwrite the other", "name another file");
}

/// "1, 2, 4": for a suggestion.
std::string divisors(std::int64_t n) {
  std::string list;
  for (int size = 1; size <= max_block_size; ++size) {
    if (n % size == 0) list += (list.empty() ? "" : ", ") + std::to_string(size);
  }
  return list;
}

}  // namespace

void check_files(const SolveOptions& options) {
  const std::vector<NamedFile> inputs{{"--matrix", options.matrix}, {"--rhs", options.rhs}};
  const std::vector<NamedFile> outputs{{"--solution", options.solution},
                                       {"--report", options.report},
                                       {"--vtk", options.vtk},
                                       {"--trace", options.trace},
                                       {"--tune", options.tune}};
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedFile& input : inputs) require_distinct(outputs[i], input);
    for (std::size_t j = 0; j < i; ++j) require_distinct(outputs[i], outputs[j]);
    if (outputs[i].second) io::require_writable(*outputs[i].second);
  }
}

void check_matrix_header(const SolveOptions& options, const io::MatrixMarketHeader& header) {
  const std::string& path = *options.matrix;
  if (header.field == io::MatrixMarketField::complex) {
    throw FileError(path, 1, "a complex matrix", "this command solves real systems",
                    "the library takes complex matrices: see docs/");
  }
  if (header.rows != header.columns) {
    throw FileError(path, header.size_line, text("a matrix of ", header.rows, " rows and ", header.columns, " columns"),
                    "only a square system can be solved", "name a square matrix");
  }
  if (header.rows == 0) {
    throw FileError(path, header.size_line, "a matrix of 0 rows", "there is nothing to solve", "is it the right file?");
  }
  const int block_size = options.block_size.value_or(0);
  if (block_size > 0 && header.rows % block_size != 0) {
    throw FileError(path, header.size_line, text("--block-size ", block_size, " for ", header.rows, " rows"),
                    text(block_size, " does not divide ", header.rows),
                    text("pass auto, or one of ", divisors(header.rows)));
  }
}

void check_rhs_length(const SolveOptions& options, std::int64_t line, std::int64_t length, std::int64_t num_rows) {
  if (length == num_rows) return;
  throw FileError(
      *options.rhs, line, text("a right-hand side of ", length, " entries"),
      text("the matrix ", options.matrix ? "in " + *options.matrix : "of the problem", " has ", num_rows, " rows"),
      "name a vector of that length");
}

bool is_read_once(const std::string& path) {
  std::error_code unknown;  // then the status is no known one, either
  return fs::is_other(fs::status(path, unknown));
}

TuningTable load_tuning(const SolveOptions& options) {
  TuningTable table;
  if (options.tune && fs::exists(*options.tune)) table.load(*options.tune);
  return table;
}

void check_headers(const SolveOptions& options) {
  load_tuning(options);
  std::optional<io::MatrixMarketHeader> matrix;
  if (options.matrix && !is_read_once(*options.matrix)) {
    matrix = io::read_matrix_market_header(*options.matrix);
    check_matrix_header(options, *matrix);
  }
  if (!options.rhs || is_read_once(*options.rhs)) return;
  const io::MatrixMarketHeader rhs = io::read_matrix_market_header(*options.rhs);
  if (rhs.field == io::MatrixMarketField::complex) {
    throw FileError(*options.rhs, 1, "a complex right-hand side", "this command solves real systems",
                    "name a real vector");
  }
  if (rhs.columns != 1) {
    throw FileError(*options.rhs, rhs.size_line, text("a right-hand side of ", rhs.columns, " columns"),
                    "one system is solved at a time", "name a file of one column");
  }
  if (matrix) check_rhs_length(options, rhs.size_line, rhs.rows, matrix->rows);
  if (options.problem) {
    const auto [nx, ny, nz] = options.nodes_or_default();
    // Three sides of 31 bits and a block size: long double holds what 64 bits may not.
    const long double num_rows = static_cast<long double>(nx) * ny * nz * options.dof_or_default();
    if (num_rows < 0x1p62L) check_rhs_length(options, rhs.size_line, rhs.rows, static_cast<std::int64_t>(num_rows));
  }
}

}  // namespace ashlar::app
