#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/distributed/block_file.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <optional>
#include <string>

#include "column_file.hpp"
#include "convert.hpp"
#include "file_names.hpp"
#include "generated_problem.hpp"
#include "matrix_bytes.hpp"
#include "numbers.hpp"

namespace ashlar::app {

namespace {

using ProblemRows = BlocksOnHost<double, BlockColumnMajor>;
using problems::RowRange;

/// This rank's block rows: an even share; or all of them on rank 0, which writes outputs without places alone.
RowRange rows_to_write(const World& world, std::int64_t num_block_rows, bool by_one) {
  const int rank = world.comm().rank();
  if (by_one) return {0, world.speaks() ? num_block_rows : 0};
  const RowPartition even = RowPartition::even(num_block_rows, world.comm().size());
  return {even.begin(rank), even.end(rank)};
}

ProblemRows generate_rows(const HostExecution& exec, const GeneratedProblem& problem, const RowRange& range,
                          bool as_entries) {
  const MatrixShape whole = problem.shape();
  const double part = double(range.size()) / double(whole.num_block_rows);
  const MatrixShape share{std::uint64_t(range.size()), std::uint64_t(part * double(whole.num_blocks)),
                          whole.block_size};
  const Bytes values = Bytes{share.num_blocks} * Bytes{share.block_size * share.block_size};
  const Bytes entries = as_entries ? values * (scalar_bytes + Bytes{4}) : Bytes{0};
  require_host_memory((matrix_bytes(share) + entries).count, problem.description());
  ProblemRows rows = problem.matrix<ProblemRows>(exec, range);
  exec.fence("ashlar convert: rows of a problem");
  return rows;
}

void write_as_blocks(const World& world, const HostExecution& exec, const ConvertOptions& options,
                     const ProblemRows& rows) {
  if (world.is_alone()) {
    io::write_block_file(exec, options.to, rows);
  } else {
    write_block_file(exec, world.comm(), options.to, rows);
  }
}

void write_right_hand_side(const World& world, const HostExecution& exec, const GeneratedProblem& problem,
                           const std::string& path) {
  const RowRange range = rows_to_write(world, std::int64_t(problem.shape().num_block_rows), false);
  Columns mine;
  world.on_all([&] {
    const auto load = problem.load<Kokkos::HostSpace>(exec, range);
    exec.fence("ashlar convert: right-hand side");
    mine.num_rows = std::int64_t(load.extent(0));
    mine.entries.assign(load.data(), load.data() + load.extent(0));
  });
  write_columns(world, path, mine);
  const std::int64_t num_rows = world.comm().sum(mine.num_rows);
  if (world.speaks()) say_written(path, text("right-hand side of ", count_text(num_rows, "row")));
}

}  // namespace

void check_problem_to_write(const ConvertOptions& options) {
  check_problem(options);
  const std::string problem = "--problem " + *options.problem;
  refuse_to_compress(options.to);
  if (options.rhs) refuse_to_compress(*options.rhs);
  if (!is_block_file(options.to) && !is_matrix_market_file(options.to) && !is_written_through(options.to)) {
    throw ArgumentError(text("convert: '", options.to, "'"), "its name ends neither in .mtx nor in .bcsr",
                        "name a Matrix Market file (A.mtx) or a block file (A.bcsr)");
  }
  if (options.block_size) {
    throw ArgumentError("--block-size with " + problem, "the blocks of a problem are its unknowns a node",
                        "leave it out, or choose --dof");
  }
  if (options.rhs && !GeneratedProblem(options).has_load()) {
    throw ArgumentError(text("--rhs ", *options.rhs, " with ", problem), "it has no right-hand side of its own",
                        "leave it out; ashlar solve then takes A*1");
  }
  const std::optional<std::string> to = options.to;
  require_distinct({"the name of the matrix", to}, {"--rhs", options.rhs});
  check_output_of_matrix(options.to);
  if (options.rhs) OutputFile{*options.rhs};
}

void write_problem(const World& world, const ConvertOptions& options) {
  const HostExecution exec;
  const GeneratedProblem problem(options);
  const bool as_entries = !is_block_file(options.to);
  const bool by_one = world.comm().broadcast(is_written_through(options.to)) && as_entries;
  const MatrixShape shape = world.on_all([&] { return problem.shape(); });
  const auto num_block_rows = std::int64_t(shape.num_block_rows), num_blocks = std::int64_t(shape.num_blocks);
  const BlockShape block_shape(static_cast<int>(shape.block_size));
  const RowRange range = rows_to_write(world, num_block_rows, by_one);
  const std::int64_t num_rows = num_block_rows * block_shape.rows;
  if (!as_entries) {
    const ProblemRows rows = world.on_all([&] { return generate_rows(exec, problem, range, as_entries); });
    write_as_blocks(world, exec, options, rows);
    if (world.speaks()) {
      say_written(options.to, text(counted(num_rows), " x ", counted(num_rows), ", ", counted(num_blocks, "block"),
                                   " of ", block_shape.rows, " x ", block_shape.cols, ", double"));
    }
  } else {
    const CsrMatrix<double> csr = world.on_all(
        [&] { return to_csr(exec, generate_rows(exec, problem, range, as_entries), {.drop_zeros = true}); });
    std::int64_t num_entries = csr.num_values();
    if (by_one || world.is_alone()) {
      world.on_all([&] {
        if (!world.speaks()) return;
        OutputFile(options.to).write([&](const std::string& name) { io::write_matrix_market(name, csr); });
      });
    } else {
      const std::string lines =
          world.on_all([&] { return io::matrix_market_lines(csr, range.begin * block_shape.rows); });
      num_entries = write_lines<double>(world, options.to, num_rows, num_rows, lines, num_entries);
    }
    if (world.speaks()) {
      say_entries(options.to, block_shape, num_block_rows, num_block_rows, num_blocks, num_entries);
    }
  }
  if (options.rhs) write_right_hand_side(world, exec, problem, *options.rhs);
}

}  // namespace ashlar::app
