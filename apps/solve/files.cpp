#include "solve/files.hpp"

#include <algorithm>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <filesystem>
#include <optional>
#include <system_error>
#include <vector>

#include "block_size.hpp"
#include "entry_files.hpp"
#include "file_names.hpp"
#include "matrix_bytes.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace fs = std::filesystem;

constexpr std::int64_t most_right_hand_sides = 64;

void check_files(const SolveOptions& options, int rank, int ranks) {
  const std::optional<std::string> partition = options.distribution.partition_file();  // outlives what names it
  if (std::error_code ignored; partition && !fs::exists(*partition, ignored)) {
    throw ArgumentError(text("--partition '", *partition, "'"), "it is no kind of partition, and there is no such file",
                        "pass auto, nnz, rows, weighted, measured or a file");
  }
  for (const auto& file : {options.method.near_null_file, options.method.coordinates, options.method.null_space_file}) {
    if (std::error_code ignored; file && !fs::exists(*file, ignored)) {
      throw FileError(*file, 0, "cannot be opened", "there is no such file", "check its name and folder");
    }
  }
  const std::vector<NamedFile> inputs{{"--matrix", options.source.matrix},
                                      {"--rhs", options.source.rhs},
                                      {"--initial-guess", options.source.initial_guess},
                                      {"--near-null", options.method.near_null_file},
                                      {"--coordinates", options.method.coordinates},
                                      {"--null-space", options.method.null_space_file},
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
  if (options.source.pad) return;
  check_block_size(path, header.size_line, options.source.block_size.value_or(0), header.rows, header.columns,
                   ", or add --pad");
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

namespace {

void check_vector_length(const SolveOptions& options, const VectorFile& vector, std::int64_t line, std::int64_t length,
                         std::int64_t num_rows) {
  if (length == num_rows) return;
  throw FileError(vector.path, line, text(vector.what, " of ", count_text(length, "entry")),
                  text("the matrix ", options.source.matrix ? "in " + *options.source.matrix : "of the problem",
                       " has ", count_text(num_rows, "row")),
                  "name a vector of that length");
}

}  // namespace

Columns read_vectors(const SolveOptions& options, const VectorFile& vector, std::int64_t num_rows) {
  Columns columns = read_columns(vector.path);
  if (columns.num_columns != vector.num_columns) {
    throw FileError(vector.path, 0, text(vector.what, " of ", columns.num_columns, " columns"),
                    is_read_once(vector.path) ? "a pipe may have one column" : "its header said otherwise",
                    "name a file of one column, or no pipe");
  }
  check_vector_length(options, vector, 0, columns.num_rows, num_rows);
  return columns;
}

namespace {

/// As far as its header tells.
void check_vector_header(const SolveOptions& options, const VectorFile& vector, std::optional<std::int64_t> num_rows,
                         std::int64_t most_columns) {
  if (is_read_once(vector.path)) return;
  const io::MatrixMarketHeader header = read_vector_header(vector.path);
  if (header.field == io::MatrixMarketField::complex) {
    throw FileError(vector.path, 1, text("complex numbers for ", vector.what), "this command solves real systems",
                    "name a real vector");
  }
  if (header.columns < 1 || header.columns > most_columns) {
    throw FileError(vector.path, header.size_line, text(vector.what, " of ", header.columns, " columns"),
                    most_columns == 1 ? "it is one vector" : text("1 to ", most_columns, " are solved for"),
                    most_columns == 1 ? "name a file of one column" : "name a file with as many columns");
  }
  if (num_rows) check_vector_length(options, vector, header.size_line, header.rows, *num_rows);
}

/// Rows of the matrix, if they are known before it is read.
std::optional<std::int64_t> num_rows_before_reading(const SolveOptions& options) {
  const SourceOptions& source = options.source;
  if (source.matrix && is_block_file(*source.matrix)) {
    const io::BlockFile file(*source.matrix);
    check_block_file(options, file);
    return file.num_block_rows() * file.block_shape().rows;
  }
  if (source.matrix) {
    if (is_read_once(*source.matrix)) return std::nullopt;
    const io::MatrixMarketHeader matrix = read_matrix_header(*source.matrix);
    check_matrix_header(options, matrix);
    return matrix.rows;
  }
  const auto [nx, ny, nz] = source.nodes_or_default();
  // Three sides of 31 bits and a block size: long double holds what 64 bits may not.
  const long double num_rows = static_cast<long double>(nx) * ny * nz * source.dof_or_default();
  if (num_rows < 0x1p62L) return static_cast<std::int64_t>(num_rows);
  return std::nullopt;
}

}  // namespace

TuningTable load_tuning(const MethodOptions& method) {
  TuningTable table;
  if (method.tune && fs::exists(*method.tune)) table.load(*method.tune);
  return table;
}

void check_headers(const SolveOptions& options) {
  load_tuning(options.method);
  const std::optional<std::int64_t> num_rows = num_rows_before_reading(options);
  if (options.source.rhs) check_vector_header(options, rhs_file(options.source), num_rows, most_right_hand_sides);
  if (options.source.initial_guess) check_vector_header(options, guess_file(options.source), num_rows, 1);
}

void count_right_hand_sides(SolveOptions& options) {
  const auto& path = options.source.rhs;
  if (!path || is_read_once(*path)) return;
  const io::MatrixMarketHeader header = read_vector_header(*path);
  options.source.rhs_columns = static_cast<int>(header.columns);
  if (options.method.solver == SolverKind::block_cg) options.method.num_rhs = options.source.rhs_columns;
  if (header.columns == 1) return;
  const auto refuse_with = [&](const std::string& option, const char* why) {
    throw ArgumentError(text(option, " with --rhs ", *path, ", of ", header.columns, " columns"), why,
                        "leave it out, or name a file of one column");
  };
  if (options.source.initial_guess) refuse_with("--initial-guess " + *options.source.initial_guess, "it is of one x");
  if (options.outputs.checkpoint) refuse_with("--checkpoint", "checkpoints are of one right-hand side");
  if (options.outputs.resume) refuse_with("--resume", "checkpoints are of one right-hand side");
}

void count_modes(SolveOptions& options) {
  const auto& path = options.method.near_null_file;
  if (!path || is_read_once(*path)) return;
  const std::int64_t columns = read_vector_header(*path).columns;
  options.method.near_null_columns = static_cast<int>(std::clamp<std::int64_t>(columns, 1, amg::max_modes));
}

}  // namespace ashlar::app
