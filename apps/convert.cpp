#include "convert.hpp"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <filesystem>
#include <iostream>
#include <system_error>

#include "block_size.hpp"
#include "csr_file.hpp"
#include "file_names.hpp"
#include "matrix_bytes.hpp"
#include "memory_left.hpp"
#include "number_text.hpp"
#include "option_values.hpp"
#include "output_file.hpp"

namespace ashlar::app {

namespace {

/// Offsets of 64 bits, as files have more blocks than devices.
template <class Scalar, class Layout>
using HostMatrix = BcsrMatrix<Scalar, Layout, std::int32_t, std::int64_t, Kokkos::HostSpace>;

std::uint64_t size_of(const std::string& path) {
  std::error_code error;
  const std::uint64_t bytes = std::filesystem::file_size(path, error);
  return error ? 0 : bytes;
}

/// On standard error where the matrix itself may have gone to standard output.
void say_written(const ConvertOptions& options, const std::string& what) {
  if (is_written_through(options.to)) {
    std::cerr << options.to << ": " << what << '\n';
  } else {
    std::cout << options.to << ": " << what << ", " << counted(static_cast<std::int64_t>(size_of(options.to)))
              << " bytes\n";
  }
}

void check_header(const ConvertOptions& options, const io::MatrixMarketHeader& header) {
  check_block_size(options.from, header.size_line, options.block_size.value_or(0), header.rows, header.columns);
}

template <scalar Scalar>
void convert_to_blocks(const ConvertOptions& options) {
  const HostExecution exec;
  const CsrMatrix<Scalar> csr = csr_of_file(options.from, io::read_matrix_market<Scalar>(options.from));
  const auto candidates = block_size_candidates(csr, max_block_size);
  const int block_size = choose_block_size(options.block_size.value_or(0), candidates);
  for (const auto& candidate : candidates) {
    if (candidate.block_size != block_size) continue;
    const MatrixShape shape{std::uint64_t(csr.num_rows / block_size), std::uint64_t(candidate.num_blocks),
                            std::uint64_t(block_size)};
    require_host_memory(assembly_bytes(shape),
                        text(options.from, ": ", candidate.num_blocks, " blocks of size ", block_size));
  }
  const auto matrix = bcsr_from_csr<HostMatrix<Scalar, BlockColumnMajor>>(exec, csr, block_size);
  OutputFile(options.to).write_replacing([&](const std::string& name) { io::write_block_file(exec, name, matrix); });
  const double entries = static_cast<double>(csr.num_values());
  const double fill = entries > 0 ? static_cast<double>(matrix.num_values()) / entries : 1;
  say_written(options, text(counted(csr.num_rows), " x ", counted(csr.num_cols), ", ", counted(matrix.num_blocks()),
                            " blocks of ", block_size, " x ", block_size, " (fill ", short_number(fill), "), ",
                            scalar_name<Scalar>()));
}

void to_block_file(const ConvertOptions& options) {
  bool is_complex = false;
  // What can be read once only is taken for real, and refused on the way where it is not.
  if (!is_read_once(options.from)) {
    const io::MatrixMarketHeader header = io::read_matrix_market_header(options.from);
    check_header(options, header);
    is_complex = header.field == io::MatrixMarketField::complex;
    const std::uint64_t block_size = std::max(options.block_size.value_or(1), 1);
    require_host_memory(reading_bytes(header, size_of(options.from), block_size),
                        text(options.from, ":", header.size_line, ": a matrix of ", header.rows, " rows and ",
                             header.entries, " entries"));
  }
  is_complex ? convert_to_blocks<Kokkos::complex<double>>(options) : convert_to_blocks<double>(options);
}

template <scalar Scalar, class Layout>
void convert_to_entries(const ConvertOptions& options, const io::BlockFile& file) {
  const HostExecution exec;
  const BlockShape shape = file.block_shape();
  const std::uint64_t num_values = static_cast<std::uint64_t>(file.num_blocks() * shape.num_values());
  // The blocks and, beside them, their entries by rows.
  require_host_memory(num_values * (2 * sizeof(Scalar) + sizeof(std::int32_t)),
                      text(file.path(), ": ", file.num_blocks(), " blocks of ", to_string(shape)));
  const auto matrix = io::read_block_file<HostMatrix<Scalar, Layout>>(exec, file);
  const CsrMatrix<Scalar> csr = to_csr(exec, matrix, {.drop_zeros = true});
  try {
    OutputFile(options.to).write([&](const std::string& name) { io::write_matrix_market(name, csr); });
  } catch (const NumericalError& error) {
    throw FileError(file.path(), 0, error.problem(), error.why(), error.suggestion());
  }
  say_written(options,
              text(counted(csr.num_rows), " x ", counted(csr.num_cols), ", ", counted(csr.num_values()), " entries of ",
                   counted(matrix.num_blocks()), " blocks of ", shape.rows, " x ", shape.cols));
}

/// Numbers are written as double, which holds every one of them.
void to_matrix_market(const ConvertOptions& options) {
  const io::BlockFile file(options.from);
  const auto convert = [&]<class Layout>(Layout) {
    file.scalar_name().starts_with("complex") ? convert_to_entries<Kokkos::complex<double>, Layout>(options, file)
                                              : convert_to_entries<double, Layout>(options, file);
  };
  file.layout_name() == BlockRowMajor::name ? convert(BlockRowMajor()) : convert(BlockColumnMajor());
}

}  // namespace

void declare_options(CLI::App& command, ConvertOptions& options) {
  command.add_option("from", options.from, "the matrix: a Matrix Market file (A.mtx) or a block file (A.bcsr)")
      ->type_name("FILE")
      ->required();
  command.add_option("to", options.to, "what to make of it: a file of the other kind, by its ending")
      ->type_name("FILE")
      ->required();
  command
      .add_option_function<std::string>(
          "--block-size",
          [&options](const std::string& value) { options.block_size = block_size_of("--block-size", value); },
          "rows and columns of a block; auto (the default) takes the size with which a product moves the fewest bytes")
      ->type_name("auto|N");
}

void check_before_start(const ConvertOptions& options) {
  const auto has_kind = [](const std::string& path) { return is_block_file(path) || is_matrix_market_file(path); };
  // Standard output and its like have no ending: of a block file they get the text.
  const bool is_text = is_block_file(options.from) && is_written_through(options.to);
  if (!has_kind(options.from) || !(has_kind(options.to) || is_text)) {
    throw ArgumentError(text("convert: '", has_kind(options.from) ? options.to : options.from, "'"),
                        "its name ends neither in .mtx nor in .bcsr",
                        "name a Matrix Market file (A.mtx) and a block file (A.bcsr)");
  }
  if (is_block_file(options.from) == is_block_file(options.to)) {
    throw ArgumentError(text("convert: ", options.from, " to ", options.to), "both files are of one kind",
                        "name a Matrix Market file (A.mtx) and a block file (A.bcsr)");
  }
  if (options.block_size && is_block_file(options.from)) {
    throw ArgumentError(text("convert: --block-size with ", options.from), "a Matrix Market file has no blocks",
                        "leave it out");
  }
  const std::optional<std::string> from = options.from, to = options.to;
  require_distinct({"the second name", to}, {"the first", from});
  if (!OutputFile(options.to).is_replaced() && is_block_file(options.to)) {
    throw FileError(options.to, 0, "cannot be written", "it is no regular file, and is written at places in any order",
                    "name a file on a disk");
  }
  if (is_block_file(options.to) && !is_read_once(options.from)) {
    check_header(options, io::read_matrix_market_header(options.from));
  }
}

void run_convert(const ConvertOptions& options) {
  is_block_file(options.to) ? to_block_file(options) : to_matrix_market(options);
}

}  // namespace ashlar::app
