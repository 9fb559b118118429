#include "convert.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/distributed/block_file.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/block_file_rows.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <filesystem>
#include <iostream>
#include <span>
#include <string>
#include <system_error>
#include <utility>
#include <vector>

#include "block_size.hpp"
#include "entry_files.hpp"
#include "file_names.hpp"
#include "matrix_bytes.hpp"
#include "numbers.hpp"
#include "option_values.hpp"
#include "world.hpp"

namespace ashlar::app {

namespace {

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

}  // namespace

void refuse_to_compress(const std::string& path) {
  if (ending_of(path) != ".gz") return;
  throw ArgumentError(text("convert: '", path, "'"), "compressed files are read, not written",
                      "take the name without .gz, and run gzip on the file");
}

void check_output_of_matrix(const std::string& path) {
  if (OutputFile(path).is_replaced() || !is_block_file(path)) return;
  throw FileError(path, 0, "cannot be written", "it is no regular file, and is written at places in any order",
                  "name a file on a disk");
}

void say_written(const std::string& path, const std::string& what) {
  if (is_written_through(path)) {
    std::cerr << printable(path) << ": " << what << '\n';
  } else {
    std::cout << printable(path) << ": " << what << ", " << counted(static_cast<std::int64_t>(size_of(path)))
              << " bytes\n";
  }
}

void say_entries(const std::string& path, const BlockShape& block_shape, std::int64_t num_block_rows,
                 std::int64_t num_block_cols, std::int64_t num_blocks, std::int64_t num_entries) {
  say_written(path, text(counted(num_block_rows * block_shape.rows), " x ", counted(num_block_cols * block_shape.cols),
                         ", ", counted(num_entries, "entry"), " of ", counted(num_blocks, "block"), " of ",
                         block_shape.rows, " x ", block_shape.cols));
}

namespace {

void check_header(const ConvertOptions& options, const io::MatrixMarketHeader& header) {
  check_block_size(options.from, header.size_line, options.block_size.value_or(0), header.rows, header.columns);
}

/// A Matrix Market file in blocks, and its description.
template <scalar Scalar>
BlocksOnHost<Scalar, BlockColumnMajor> read_in_blocks(const ConvertOptions& options, std::string& said) {
  const HostExecution exec;
  const CsrMatrix<Scalar> csr = csr_of_file(options.from, read_matrix<Scalar>(options.from));
  const auto candidates = block_size_candidates(csr, max_block_size);
  const int block_size = choose_block_size(options.block_size.value_or(0), candidates);
  for (const auto& candidate : candidates) {
    if (candidate.block_size != block_size) continue;
    const MatrixShape shape{std::uint64_t(csr.num_rows / block_size), std::uint64_t(candidate.num_blocks),
                            std::uint64_t(block_size)};
    require_host_memory(assembly_bytes(shape),
                        text(options.from, ": ", count_text(candidate.num_blocks, "block"), " of size ", block_size));
  }
  const auto matrix = bcsr_from_csr<BlocksOnHost<Scalar, BlockColumnMajor>>(exec, csr, block_size);
  const double entries = static_cast<double>(csr.num_values());
  const double fill = entries > 0 ? static_cast<double>(matrix.num_values()) / entries : 1;
  said = text(counted(csr.num_rows), " x ", counted(csr.num_cols), ", ", counted(matrix.num_blocks(), "block"), " of ",
              block_size, " x ", block_size, " (fill ", short_number(fill), "), ", scalar_name<Scalar>());
  return matrix;
}

/// Rank 0 reads the text, and distributes rows to all ranks.
template <scalar Scalar>
void convert_to_blocks(const World& world, const ConvertOptions& options) {
  const HostExecution exec;
  const Communicator& comm = world.comm();
  std::string said;
  auto matrix = world.on_all([&] {
    return world.speaks() ? read_in_blocks<Scalar>(options, said) : BlocksOnHost<Scalar, BlockColumnMajor>();
  });
  if (world.is_alone()) {
    io::write_block_file(exec, options.to, matrix);
  } else {
    std::vector<std::int64_t> offsets;
    world.on_all([&] {
      if (!world.speaks()) return;
      const auto row_ptr = matrix.graph().row_ptr();
      offsets = RowPartition::by_row_ptr(std::span(row_ptr.data(), row_ptr.extent(0)), comm.size()).offsets();
    });
    const RowPartition partition(comm.all_gather(offsets));
    const auto rows = scatter_rows(exec, comm, partition, matrix);
    matrix = {};
    write_block_file(exec, comm, options.to, rows);
  }
  if (world.speaks()) say_written(options.to, said);
}

void to_block_file(const World& world, const ConvertOptions& options) {
  bool is_complex = false;
  world.on_all([&] {
    // A pipe is read only for the real conversion, which refuses a wrong one on the way.
    if (!world.speaks() || is_read_once(options.from)) return;
    const io::MatrixMarketHeader header = read_matrix_header(options.from);
    check_header(options, header);
    is_complex = header.field == io::MatrixMarketField::complex;
    const std::uint64_t block_size = std::max(options.block_size.value_or(1), 1);
    require_host_memory(reading_bytes(header, text_size(options.from), block_size),
                        text(options.from, ":", header.size_line, ": a matrix of ", count_text(header.rows, "row"),
                             " and ", count_text(header.entries, "entry")));
  });
  world.comm().broadcast(is_complex) ? convert_to_blocks<Kokkos::complex<double>>(world, options)
                                     : convert_to_blocks<double>(world, options);
}

/// The entries of some block rows, by rows.
template <scalar Scalar, class Layout>
CsrMatrix<Scalar> entries_of_rows(const io::BlockFile& file, std::int64_t first_row, std::int64_t end_row) {
  const HostExecution exec;
  const BlockShape shape = file.block_shape();
  const std::int64_t num_blocks = file.row_ptr()[std::size_t(end_row)] - file.row_ptr()[std::size_t(first_row)];
  const std::uint64_t num_values = static_cast<std::uint64_t>(num_blocks * shape.num_values());
  // The blocks and, beside them, their entries.
  require_host_memory(num_values * (2 * sizeof(Scalar) + sizeof(std::int32_t)),
                      text(file.path(), ": ", count_text(num_blocks, "block"), " of ", to_string(shape)));
  return to_csr(exec, io::read_block_file_rows<BlocksOnHost<Scalar, Layout>>(exec, file, first_row, end_row),
                {.drop_zeros = true});
}

void say_entries_of(const io::BlockFile& file, const ConvertOptions& options, std::int64_t num_entries) {
  say_entries(options.to, file.block_shape(), file.num_block_rows(), file.num_block_cols(), file.num_blocks(),
              num_entries);
}

/// Reports NumericalErrors of work() in the name of the file that holds the numbers.
template <class Work>
auto in_name_of(const io::BlockFile& file, const Work& work) {
  try {
    return work();
  } catch (const NumericalError& error) {
    throw FileError(file.path(), 0, error.problem(), error.why(), error.suggestion());
  }
}

template <scalar Scalar, class Layout>
void convert_to_entries(const ConvertOptions& options, const io::BlockFile& file) {
  const CsrMatrix<Scalar> csr = entries_of_rows<Scalar, Layout>(file, 0, file.num_block_rows());
  in_name_of(file, [&] {
    OutputFile(options.to).write([&](const std::string& name) { io::write_matrix_market(name, csr); });
  });
  say_entries_of(file, options, csr.num_values());
}

/// The same by all ranks, each of which reads and writes its rows.
template <scalar Scalar, class Layout>
void convert_to_entries(const World& world, const ConvertOptions& options, const io::BlockFile& file) {
  const Communicator& comm = world.comm();
  const RowPartition partition = RowPartition::by_row_ptr(file.row_ptr(), comm.size());
  const std::int64_t begin = partition.begin(comm.rank()), end = partition.end(comm.rank());
  const BlockShape shape = file.block_shape();
  std::int64_t num_entries = 0;
  const std::string lines = world.on_all([&] {
    const CsrMatrix<Scalar> csr = entries_of_rows<Scalar, Layout>(file, begin, end);
    num_entries = csr.num_values();
    return in_name_of(file, [&] { return io::matrix_market_lines(csr, begin * shape.rows); });
  });
  num_entries = write_lines<Scalar>(world, options.to, file.num_block_rows() * shape.rows,
                                    file.num_block_cols() * shape.cols, lines, num_entries);
  if (world.speaks()) say_entries_of(file, options, num_entries);
}

/// Numbers are written as double, which holds every one of them.
void to_matrix_market(const World& world, const ConvertOptions& options) {
  const io::BlockFile file = world.on_all([&] { return io::BlockFile(options.from); });
  // An output without positions, such as a pipe, takes the text of one rank alone.
  const bool by_all = !world.is_alone() && !world.comm().broadcast(is_written_through(options.to));
  const auto convert = [&]<scalar Scalar, class Layout>(Scalar, Layout) {
    if (by_all) return convert_to_entries<Scalar, Layout>(world, options, file);
    world.on_all([&] {
      if (world.speaks()) convert_to_entries<Scalar, Layout>(options, file);
    });
  };
  const auto of_layout = [&](auto layout) {
    file.scalar_name().starts_with("complex") ? convert(Kokkos::complex<double>(), layout) : convert(0.0, layout);
  };
  file.layout_name() == BlockRowMajor::name ? of_layout(BlockRowMajor()) : of_layout(BlockColumnMajor());
}

/// The file of another program, by rank 0.
void foreign_to_matrix_market(const World& world, const ConvertOptions& options) {
  world.on_all([&] {
    if (!world.speaks()) return;
    const CsrMatrix<double> csr = csr_of_file(options.from, read_real_matrix(options.from));
    OutputFile(options.to).write([&](const std::string& name) { io::write_matrix_market(name, csr); });
    say_written(options.to,
                text(counted(csr.num_rows), " x ", counted(csr.num_cols), ", ", counted(csr.num_values(), "entry")));
  });
}

}  // namespace

void declare_options(CLI::App& command, ConvertOptions& options) {
  command
      .add_option(
          "from", options.from,
          "the matrix: a Matrix Market file (A.mtx), a block file (A.bcsr), or a file of Harwell-Boeing (A.rb, .rsa, "
          ".rua, .hb) or PETSc (A.petsc, .bin); not with --problem")
      ->type_name("FILE")
      ->required();
  command.add_option("to", options.to, "what to make of it: A.mtx or A.bcsr, by its ending")->type_name("FILE");
  // A generated problem has a second name only.
  command.final_callback([&options] {
    if (options.problem && options.to.empty()) {
      options.to = std::exchange(options.from, "");
    } else if (options.to.empty()) {
      throw CLI::RequiredError("to");
    }
  });
  declare_problem(command, options, "Instead of FROM");
  command.add_option("--rhs", options.rhs, "write the right-hand side of the problem here, as a Matrix Market file")
      ->type_name("FILE")
      ->group("Instead of FROM");
  command
      .add_option_function<std::string>(
          "--block-size",
          [&options](const std::string& value) { options.block_size = block_size_of("--block-size", value); },
          "rows and columns of a block; auto (the default) takes the size with which a product moves the fewest bytes")
      ->type_name("auto|N");
}

namespace {

void check_names_and_header(const ConvertOptions& options) {
  for (const auto& [name, is_given] : {std::pair("--nodes", options.nodes.has_value()),
                                       {"--dof", options.dof.has_value()},
                                       {"--rhs", options.rhs.has_value()}}) {
    if (is_given) throw ArgumentError(text(name, " without --problem"), "it is of a generated problem", "leave it out");
  }
  const bool is_foreign = is_harwell_boeing_file(options.from) || is_petsc_file(options.from);
  const auto has_kind = [](const std::string& path) { return is_block_file(path) || is_matrix_market_file(path); };
  // Standard output and its like have no ending: they get the text.
  const bool is_text = (is_block_file(options.from) || is_foreign) && is_written_through(options.to);
  if (options.from == "-") {
    throw ArgumentError("convert: '-'", "the ending of its name says what a file is, and standard input has none",
                        "save it to a file, like A.mtx");
  }
  refuse_to_compress(options.to);
  if (!has_kind(options.from) && !is_foreign) {
    throw ArgumentError(text("convert: '", options.from, "'"),
                        "its name has none of the endings that say what a file is",
                        "name it like A.mtx, A.bcsr, A.rb (or .rsa, .rua, .hb) or A.petsc (or .bin)");
  }
  if (!has_kind(options.to) && !is_text) {
    throw ArgumentError(text("convert: '", options.to, "'"), "its name ends neither in .mtx nor in .bcsr",
                        "name a Matrix Market file (A.mtx) or a block file (A.bcsr)");
  }
  if (!is_foreign && is_block_file(options.from) == is_block_file(options.to)) {
    throw ArgumentError(text("convert: ", options.from, " to ", options.to), "both files are of one kind",
                        "name a Matrix Market file (A.mtx) and a block file (A.bcsr)");
  }
  if (options.block_size && !is_block_file(options.to)) {
    throw ArgumentError(text("convert: --block-size with ", options.from), "a Matrix Market file has no blocks",
                        "leave it out");
  }
  const std::optional<std::string> from = options.from, to = options.to;
  require_distinct({"the second name", to}, {"the first", from});
  check_output_of_matrix(options.to);
  if (is_block_file(options.to) && !is_read_once(options.from)) {
    check_header(options, read_matrix_header(options.from));
  }
}

}  // namespace

void check_before_start(const World& world, const ConvertOptions& options) {
  if (options.problem) {
    world.on_all([&] {
      if (!options.from.empty()) {
        throw ArgumentError(text("convert: ", options.from, " with --problem ", *options.problem),
                            "a matrix is read or generated", "leave one of them out");
      }
      check_problem_to_write(options);
    });
    return;
  }
  world.on_all([&] { check_names_and_header(options); });
  require_same_file(world, options.from, beginning_of_matrix);
}

void run_convert(const World& world, const ConvertOptions& options) {
  world.on_all([&] {
    if (options.problem) return write_problem(world, options);
    if (is_block_file(options.to)) return to_block_file(world, options);
    is_block_file(options.from) ? to_matrix_market(world, options) : foreign_to_matrix_market(world, options);
  });
}

}  // namespace ashlar::app
