#include "solve/files.hpp"

#include <algorithm>
#include <ashlar/base/count_text.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "block_size.hpp"
#include "file_names.hpp"
#include "matrix_bytes.hpp"
#include "output_file.hpp"
#include "solve/mesh_file.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace fs = std::filesystem;

void check_files(const SolveOptions& options, int rank, int ranks) {
  const std::optional<std::string> partition = options.distribution.partition_file();  // outlives what names it
  if (std::error_code ignored; partition && !fs::exists(*partition, ignored)) {
    throw ArgumentError(text("--partition '", *partition, "'"),
                        "that is no way to deal rows, and there is no such file",
                        "pass auto, nnz, rows, weighted, measured or a file");
  }
  const std::vector<NamedFile> inputs{{"--matrix", options.source.matrix},
                                      {"--rhs", options.source.rhs},
                                      {"--partition", partition},
                                      {"--efficiency", options.outputs.efficiency}};
  require_no_dash({"--resume", options.outputs.resume});
  require_no_dash({"--checkpoint", options.outputs.checkpoint});
  for (const NamedFile& input : inputs) require_no_dash(input);
  if (options.method.tune == "-") {
    throw ArgumentError("--tune -", "the table is read and written, which no stream can be", "name a file");
  }
  // Pieces are outputs, too, which other options must not name.
  std::vector<std::optional<std::string>> pieces;
  if (options.outputs.vtk && is_mesh_of_pieces(*options.outputs.vtk)) {
    for (int k = 0; k < ranks; ++k) pieces.emplace_back(mesh_piece(*options.outputs.vtk, k));
  }
  std::vector<NamedFile> outputs{{"--solution", options.outputs.solution},
                                 {"--report", options.outputs.report},
                                 {"--vtk", options.outputs.vtk},
                                 {"--trace", options.outputs.trace},
                                 {"--checkpoint", options.outputs.checkpoint},
                                 {"--tune", options.method.tune}};
  const std::size_t num_named = outputs.size();
  for (const auto& piece : pieces) outputs.emplace_back("--vtk (a piece)", piece);
  for (std::size_t i = 0; i < outputs.size(); ++i) {
    for (const NamedFile& input : inputs) require_distinct(outputs[i], input);
    for (std::size_t j = 0; j < std::min(i, num_named); ++j) require_distinct(outputs[i], outputs[j]);
    if (rank == 0 && i < num_named && outputs[i].second) OutputFile{*outputs[i].second};
  }
  if (!pieces.empty()) OutputFile{*pieces[std::size_t(rank)]};
}

void check_matrix_header(const SolveOptions& options, const io::MatrixMarketHeader& header) {
  const std::string& path = *options.source.matrix;
  if (header.field == io::MatrixMarketField::complex) {
    throw FileError(path, 1, "a complex matrix", "this command solves real systems",
                    "the library takes complex matrices: see docs/");
  }
  if (header.rows != header.columns) {
    throw FileError(path, header.size_line,
                    text("a matrix of ", count_text(header.rows, "row"), " and ", count_text(header.columns, "column")),
                    "only a square system can be solved", "name a square matrix");
  }
  if (header.rows == 0) {
    throw FileError(path, header.size_line, "a matrix of 0 rows", "there is nothing to solve", "is it the right file?");
  }
  check_block_size(path, header.size_line, options.source.block_size.value_or(0), header.rows, header.columns);
}

void check_block_file(const SolveOptions& options, const io::BlockFile& file) {
  const std::string& path = *options.source.matrix;
  const auto refuse = [&path](const std::string& problem, const std::string& why, const std::string& suggestion) {
    throw FileError(path, 0, problem, why, suggestion);
  };
  const BlockShape shape = file.block_shape();
  const std::int64_t rows = file.num_block_rows() * shape.rows, columns = file.num_block_cols() * shape.cols;
  if (file.scalar_name().starts_with("complex")) {
    refuse("a complex matrix", "this command solves real systems", "the library takes complex matrices: see docs/");
  }
  if (rows != columns) {
    refuse(text("a matrix of ", count_text(rows, "row"), " and ", count_text(columns, "column")),
           "only a square system can be solved", "name a square matrix");
  }
  if (rows == 0) refuse("a matrix of 0 rows", "there is nothing to solve", "is it the right file?");
  if (!shape.is_square() || shape.rows > max_block_size) {
    refuse("blocks of " + to_string(shape), text("this command solves with square blocks of 1 to ", max_block_size),
           "make a Matrix Market file of it with ashlar convert");
  }
  if (file.layout_name() != SizedMatrix::layout_type::name) {
    refuse(text("its blocks are ", file.layout_name()), text("this command reads ", SizedMatrix::layout_type::name),
           "make a Matrix Market file of it with ashlar convert");
  }
  const int block_size = options.source.block_size.value_or(0);
  if (block_size > 0 && block_size != shape.rows) {
    refuse(text("--block-size ", block_size, " for blocks of size ", shape.rows),
           "a block file is taken with the blocks that it holds", "pass auto, or leave it out");
  }
}

void check_rhs_length(const SolveOptions& options, std::int64_t line, std::int64_t length, std::int64_t num_rows) {
  if (length == num_rows) return;
  throw FileError(*options.source.rhs, line, text("a right-hand side of ", count_text(length, "entry")),
                  text("the matrix ", options.source.matrix ? "in " + *options.source.matrix : "of the problem",
                       " has ", count_text(num_rows, "row")),
                  "name a vector of that length");
}

TuningTable load_tuning(const MethodOptions& method) {
  TuningTable table;
  if (method.tune && fs::exists(*method.tune)) table.load(*method.tune);
  return table;
}

void check_headers(const SolveOptions& options) {
  load_tuning(options.method);
  std::optional<std::int64_t> num_rows;
  if (options.source.matrix && is_block_file(*options.source.matrix)) {
    const io::BlockFile file(*options.source.matrix);
    check_block_file(options, file);
    num_rows = file.num_block_rows() * file.block_shape().rows;
  } else if (options.source.matrix && !is_read_once(*options.source.matrix)) {
    const io::MatrixMarketHeader matrix = io::read_matrix_market_header(*options.source.matrix);
    check_matrix_header(options, matrix);
    num_rows = matrix.rows;
  }
  if (!options.source.rhs || is_read_once(*options.source.rhs)) return;
  const io::MatrixMarketHeader rhs = io::read_matrix_market_header(*options.source.rhs);
  if (rhs.field == io::MatrixMarketField::complex) {
    throw FileError(*options.source.rhs, 1, "a complex right-hand side", "this command solves real systems",
                    "name a real vector");
  }
  if (rhs.columns != 1) {
    throw FileError(*options.source.rhs, rhs.size_line, text("a right-hand side of ", rhs.columns, " columns"),
                    "one system is solved at a time", "name a file of one column");
  }
  if (num_rows) check_rhs_length(options, rhs.size_line, rhs.rows, *num_rows);
  if (options.source.problem) {
    const auto [nx, ny, nz] = options.source.nodes_or_default();
    // Three sides of 31 bits and a block size: long double holds what 64 bits may not.
    const long double num_rows = static_cast<long double>(nx) * ny * nz * options.source.dof_or_default();
    if (num_rows < 0x1p62L) check_rhs_length(options, rhs.size_line, rhs.rows, static_cast<std::int64_t>(num_rows));
  }
}

}  // namespace ashlar::app
