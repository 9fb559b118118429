#include "solve/system.hpp"

#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <span>
#include <type_traits>
#include <utility>

#include "block_size.hpp"
#include "entry_files.hpp"
#include "file_names.hpp"
#include "generated_problem.hpp"
#include "matrix_bytes.hpp"
#include "solve/files.hpp"
#include "solve/memory_need.hpp"
#include "solve/solver_parts.hpp"

namespace ashlar::app {

namespace {

template <class Exec>
Vector<Exec> vector_of(std::span<const double> entries) {
  Vector<Exec> vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::rhs"), entries.size());
  Kokkos::deep_copy(vector, Kokkos::View<const double*, Kokkos::HostSpace>(entries.data(), entries.size()));
  return vector;
}

/// The same with zeros behind it.
template <class Exec>
Vector<Exec> vector_of(std::span<const double> entries, std::int64_t zeros) {
  if (zeros == 0) return vector_of<Exec>(entries);
  std::vector<double> padded(entries.begin(), entries.end());
  padded.resize(padded.size() + std::size_t(zeros));
  return vector_of<Exec>(padded);
}

/// A*1.
template <class Exec>
Vector<Exec> row_sums(const Exec& exec, const LinearSystem<Exec>& system) {
  const Vector<Exec> sums(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::rhs"), system.num_rows());
  if (system.in_file) {
    const Vector<Exec> ones("ashlar::app::ones", system.num_rows());
    Kokkos::deep_copy(exec, ones, 1.0);
    system.in_file->apply(exec, ones, sums);
    exec.fence("ashlar: A*1");
    return sums;
  }
  system.visit(exec, [&](const auto& where, const auto& matrix) {
    using Entries = Kokkos::View<double*, typename std::decay_t<decltype(matrix)>::memory_space>;
    const Entries ones(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::ones"), matrix.num_cols());
    const Entries product(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::row_sums"), matrix.num_rows());
    Kokkos::deep_copy(where, ones, 1.0);
    spmv(where, 1, matrix, ones, 0, product);
    where.fence("ashlar: A*1");
    Kokkos::deep_copy(sums, product);
  });
  return sums;
}

/// Makes the matrix where it is to be: make(exec, type) makes it by `exec` in the memory of the type.
template <class Exec, class Make>
void make_matrix(LinearSystem<Exec>& system, const Exec& exec, bool streamed, const Make& make) {
  if (streamed) {
    const HostExecution host;
    system.streamed = make(host, std::type_identity<HostMatrix<Exec>>());
    host.fence("ashlar: the matrix on the host");
  } else {
    system.matrix = make(exec, std::type_identity<Matrix<Exec>>());
  }
}

/// A generated problem, without its right-hand side.
template <class Exec>
LinearSystem<Exec> generated_system(const Exec& exec, const SolveOptions& options) {
  const GeneratedProblem problem(options.source);
  const MatrixShape shape = problem.shape();
  LinearSystem<Exec> system;
  system.description = problem.description();
  system.cantilever = problem.cantilever();
  const MatrixPlace place = place_of<Exec>(shape, options);
  require_memory_for<Exec>(
      shape, text(system.description, " with ", count_text(std::int64_t(shape.block_size), "unknown"), " each"),
      options, place);
  make_matrix(system, exec, place == MatrixPlace::host,
              [&]<class M>(const auto& where, std::type_identity<M>) { return problem.matrix<M>(where); });
  return system;
}

template <class Exec>
CsrMatrix<double> read_by_rows(const SolveOptions& options) {
  const std::string& path = *options.source.matrix;
  const bool can_be_read_twice = !is_read_once(path);
  if (can_be_read_twice) {
    const auto header = read_matrix_header(path);
    const FileNeed need = file_need<Exec>(header, text_size(path), options);
    const std::string what = text(path, ":", header.size_line, ": a matrix of ", count_text(header.rows, "row"),
                                  " and ", count_text(header.entries, "entry"));
    require_device_memory<Exec>(need.device_bytes, what, options);
    require_host_memory(need.host_bytes, what);
  }
  const CooMatrix<double> entries = read_matrix<double>(path);
  if (!can_be_read_twice) {
    io::MatrixMarketHeader header{};
    header.field = io::MatrixMarketField::real;
    header.rows = entries.num_rows;
    header.columns = entries.num_cols;
    check_matrix_header(options, header);
  }
  return csr_of_file(path, entries);
}

/// Adds rows of an identity until the block size divides the rows; returns how many.
std::int64_t pad_rows(CsrMatrix<double>& csr, int block_size) {
  const std::int64_t count = (block_size - csr.num_rows % block_size) % block_size;
  for (std::int64_t k = 0; k < count; ++k) {
    csr.col_idx.push_back(static_cast<std::int32_t>(csr.num_cols++));
    csr.values.push_back(1);
    csr.row_ptr.push_back(csr.num_values());
    ++csr.num_rows;
  }
  return count;
}

template <class Exec>
LinearSystem<Exec> matrix_system(const Exec& exec, const SolveOptions& options) {
  CsrMatrix<double> csr = read_by_rows<Exec>(options);
  const std::int64_t padding = options.source.pad ? pad_rows(csr, options.source.block_size.value()) : 0;
  const auto candidates = block_size_candidates(csr, max_block_size);
  const int block_size = choose_block_size(options.source.block_size.value_or(0), candidates);
  LinearSystem<Exec> system;
  system.description = *options.source.matrix;
  system.padding = padding;
  bool streamed = false;
  for (const auto& candidate : candidates) {
    if (candidate.block_size != block_size) continue;
    system.block_fill = candidate.fill;
    const MatrixShape shape{std::uint64_t(csr.num_rows / block_size), std::uint64_t(candidate.num_blocks),
                            std::uint64_t(block_size)};
    const std::string what =
        text(*options.source.matrix, ": ", count_text(candidate.num_blocks, "block"), " of size ", block_size);
    const MatrixPlace place = place_of<Exec>(shape, options);
    require_memory_for<Exec>(shape, what, options, place);
    streamed = place == MatrixPlace::host;
    // A system that is assembled on the host is then copied to the device.
    const std::uint64_t copied = streamed && has_device_memory<Exec> ? matrix_bytes(shape).count : 0;
    require_host_memory((Bytes{assembly_bytes(shape)} + Bytes{copied}).count, what);
  }
  make_matrix(system, exec, streamed, [&]<class M>(const auto& where, std::type_identity<M>) {
    return bcsr_from_csr<M>(where, csr, block_size);
  });
  return system;
}

/// Values that are not zero: what a block file, which knows blocks alone, has of entries.
template <class Exec, class AnyMatrix>
std::int64_t num_nonzeros(const Exec& exec, const AnyMatrix& matrix) {
  const auto values = matrix.values();
  std::int64_t count = 0;
  Kokkos::parallel_reduce(
      "ashlar::app::num_nonzeros",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, matrix.num_values()),
      KOKKOS_LAMBDA(std::int64_t v, std::int64_t & sum) { sum += values(v) != 0; }, count);
  return count;
}

template <class Exec>
LinearSystem<Exec> block_file_system(const Exec& exec, const SolveOptions& options) {
  io::BlockFile file(*options.source.matrix);
  check_block_file(options, file);
  const MatrixShape shape{std::uint64_t(file.num_block_rows()), std::uint64_t(file.num_blocks()),
                          std::uint64_t(file.block_shape().rows)};
  const std::string what =
      text(file.path(), ": ", count_text(file.num_blocks(), "block"), " of size ", shape.block_size);
  const MatrixPlace place = place_of<Exec>(shape, options, true);
  require_memory_for<Exec>(shape, what, options, place);
  LinearSystem<Exec> system;
  system.description = file.path();
  if (place == MatrixPlace::file) {
    const FileMatrixFound<Exec> found = open_file_matrix(exec, std::move(file), options, device_limit<Exec>(options));
    system.in_file = found.matrix;
    system.block_fill = found.block_fill;
    return system;
  }
  require_host_memory(matrix_bytes(shape).count, what);
  make_matrix(system, exec, place == MatrixPlace::host,
              [&]<class M>(const auto& where, std::type_identity<M>) { return io::read_block_file<M>(where, file); });
  system.visit(exec, [&](const auto& where, const auto& matrix) {
    try {
      validate(where, matrix, {.finite_values = true});
    } catch (const NumericalError& error) {
      throw FileError(file.path(), 0, error.problem(), error.why(), error.suggestion());
    }
    if (const std::int64_t entries = num_nonzeros(where, matrix); entries > 0) {
      system.block_fill = static_cast<double>(matrix.num_values()) / static_cast<double>(entries);
    }
  });
  return system;
}

template <class Exec>
LinearSystem<Exec> system_without_rhs(const Exec& exec, const SolveOptions& options) {
  const SourceOptions& source = options.source;
  if (source.matrix)
    return is_block_file(*source.matrix) ? block_file_system(exec, options) : matrix_system(exec, options);
  return generated_system(exec, options);
}

}  // namespace

template <class Exec>
LinearSystem<Exec> make_system(const Exec& exec, const SolveOptions& options) {
  const std::uint64_t limit = device_limit<Exec>(options);
  LinearSystem<Exec> system = system_without_rhs(exec, options);
  system.device_limit = limit;
  const std::int64_t num_rows = system.num_rows() - system.padding;
  if (options.source.rhs) {
    const Columns columns = read_vectors(options, rhs_file(options.source), num_rows);
    system.rhs = vector_of<Exec>(columns.column(0), system.padding);
    for (std::int64_t j = 1; j < columns.num_columns; ++j) {
      system.more_rhs.push_back(vector_of<Exec>(columns.column(j), system.padding));
    }
  } else if (system.cantilever) {
    system.rhs = problems::cantilever_load<double, typename Exec::memory_space>(exec, *system.cantilever);
  } else {
    system.rhs = row_sums(exec, system);
    system.ones_is_solution = true;
  }
  if (options.source.initial_guess) {
    const Columns guess = read_vectors(options, guess_file(options.source), num_rows);
    system.initial_guess = vector_of<Exec>(guess.column(0), system.padding);
  }
  exec.fence("ashlar: the system is there");
  return system;
}

template LinearSystem<HostExecution> make_system(const HostExecution&, const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template LinearSystem<Execution> make_system(const Execution&, const SolveOptions&);
#endif

}  // namespace ashlar::app
