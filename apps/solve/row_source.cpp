#include "solve/ranks.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>

#include "file_names.hpp"
#include "generated_problem.hpp"
#include "solve/files.hpp"
#include "solve/solver_parts.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

namespace {

using problems::RowRange;

RowRange range_of(const RowPartition& partition, int rank) { return {partition.begin(rank), partition.end(rank)}; }

/// make(exec, type, rows) makes rows where they are to be, as a matrix of the type; each rank by itself.
template <class Exec, class Make>
void set_rows(const Exec& exec, const World& world, RowSource<Exec>& source, const Make& make) {
  const World* const all = &world;
  source.rows = [=](const RowPartition& partition) {
    return all->on_all(
        [&] { return make(exec, std::type_identity<Matrix<Exec>>(), range_of(partition, all->comm().rank())); });
  };
  source.host_rows = [=](const RowPartition& partition) {
    return all->on_all([&] {
      const HostExecution host;
      const HostMatrix<Exec> rows =
          make(host, std::type_identity<HostMatrix<Exec>>(), range_of(partition, all->comm().rank()));
      host.fence("ashlar: rows on the host");
      return rows;
    });
  };
}

/// Blocks of each block row of a matrix, which may have some of a larger one's.
template <class Exec, class Rows>
std::vector<std::int64_t> blocks_of_rows(const Exec& exec, const Rows& rows) {
  std::vector<std::int64_t> blocks(static_cast<std::size_t>(rows.num_block_rows()));
  if (blocks.empty()) return blocks;
  const auto row_ptr = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), rows.graph().row_ptr());
  exec.fence("ashlar: row pointers");
  for (std::size_t i = 0; i < blocks.size(); ++i) blocks[i] = row_ptr(i + 1) - row_ptr(i);
  return blocks;
}

/// How many blocks all block rows before one have: row pointers of the whole, from what all ranks counted, in their
/// order.
std::vector<std::int64_t> row_ptr_of(const Communicator& comm, const std::vector<std::int64_t>& blocks_of_rows) {
  std::vector<std::int64_t> row_ptr{0};
  for (const std::int64_t blocks : comm.all_gather(blocks_of_rows)) row_ptr.push_back(row_ptr.back() + blocks);
  return row_ptr;
}

template <class Exec>
RowSource<Exec> generated_source(const Exec& exec, const World& world, const SolveOptions& options) {
  const GeneratedProblem problem(options.source);
  RowSource<Exec> source;
  source.description = problem.description();
  source.cantilever = problem.cantilever();
  world.on_all([&] {
    const MatrixShape shape = problem.shape();
    source.num_block_rows = std::int64_t(shape.num_block_rows);
    source.num_blocks = std::int64_t(shape.num_blocks);
    source.block_size = static_cast<int>(shape.block_size);
  });
  set_rows(exec, world, source, [=]<class M>(const auto& where, std::type_identity<M>, const RowRange& range) {
    return problem.matrix<M>(where, range);
  });
  if (problem.has_load()) {
    source.rhs = [=, all = &world](const RowPartition& partition) {
      return std::vector{all->on_all(
          [&] { return problem.load<typename Exec::memory_space>(exec, range_of(partition, all->comm().rank())); })};
    };
  }
  // Rows are made to be counted: even shares.
  source.row_ptr = [exec, options, source, all = &world] {
    const RowPartition even = RowPartition::even(source.num_block_rows, all->comm().size());
    const bool on_host = place_of_share(source, options, even.size(all->comm().rank())) == MatrixPlace::host;
    return row_ptr_of(all->comm(),
                      on_host ? blocks_of_rows(exec, source.host_rows(even)) : blocks_of_rows(exec, source.rows(even)));
  };
  return source;
}

/// Block rows of a block file, read by their places, to the memory of Rows.
template <class Rows, class Exec>
Rows read_rows(const Exec& exec, const io::BlockFile& file, const RowRange& range) {
  const std::int64_t first = file.row_ptr()[std::size_t(range.begin)],
                     count = file.row_ptr()[std::size_t(range.end)] - first,
                     per_block = file.block_shape().num_values();
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("ashlar::row_ptr", std::size_t(range.size() + 1)),
      col_idx("ashlar::col_idx", std::size_t(count));
  const Kokkos::View<double*, Kokkos::HostSpace> values("ashlar::values", std::size_t(count * per_block));
  for (std::int64_t i = 0; i <= range.size(); ++i) {
    row_ptr(i) = static_cast<std::int32_t>(file.row_ptr()[std::size_t(range.begin + i)] - first);
  }
  file.read_col_idx(first, count, col_idx.data());
  file.read_values(first, count, values.data());
  const typename Rows::template in_space<Kokkos::HostSpace> rows(
      file.block_shape(), {static_cast<std::int32_t>(file.num_block_cols()), row_ptr, col_idx}, values);
  try {
    validate(HostExecution(), rows, {.finite_values = true});
  } catch (const Error& error) {
    throw FileError(file.path(), 0, text("block rows ", range.begin, " to ", range.end, ": ", error.problem()),
                    error.why(), error.suggestion());
  }
  const Rows matrix = copy_to<typename Rows::memory_space>(exec, rows);
  exec.fence("ashlar: rows of a block file");
  return matrix;
}

template <class Exec>
RowSource<Exec> block_file_source(const Exec& exec, const World& world, const SolveOptions& options) {
  const auto file = world.on_all([&] {
    auto opened = std::make_shared<io::BlockFile>(*options.source.matrix);
    check_block_file(options, *opened);
    return opened;
  });
  RowSource<Exec> source;
  source.description = *options.source.matrix;
  source.num_block_rows = file->num_block_rows();
  source.num_blocks = file->num_blocks();
  source.block_size = file->block_shape().rows;
  source.row_ptr = [file] { return std::vector<std::int64_t>(file->row_ptr().begin(), file->row_ptr().end()); };
  // (By the device's instance to the host's memory, too: it knows both.)
  set_rows(exec, world, source, [=]<class M>(const auto&, std::type_identity<M>, const RowRange& range) {
    return read_rows<M>(exec, *file, range);
  });
  return source;
}

/// A Matrix Market file, which rank 0 has read, and has found to be symmetric.
template <class Exec>
RowSource<Exec> scattered_source(const Exec& exec, const World& world, const SolveOptions& options) {
  const Communicator& comm = world.comm();
  const auto whole = std::make_shared<LinearSystem<Exec>>();
  std::vector<std::int64_t> blocks;
  world.on_all([&] {
    if (!world.speaks()) return;
    SolveOptions matrix_only = options;
    matrix_only.source.rhs.reset();
    matrix_only.source.initial_guess.reset();
    *whole = make_system(exec, matrix_only);
    whole->visit(exec, [&](const auto& where, const auto& matrix) {
      const bool checks = !options.source.skip_symmetry_check && needs_symmetry(options.method.solver);
      if (const auto fault = checks ? symmetry_fault(where, matrix, whole->description) : std::nullopt) throw *fault;
      blocks = blocks_of_rows(exec, matrix);
    });
  });
  RowSource<Exec> source;
  source.description = *options.source.matrix;
  source.block_fill = comm.broadcast(whole->block_fill);
  source.padding = comm.broadcast(whole->padding);
  source.num_block_rows = comm.broadcast(std::int64_t(blocks.size()));
  source.num_blocks = comm.broadcast(std::accumulate(blocks.begin(), blocks.end(), std::int64_t(0)));
  source.block_size = comm.broadcast(world.speaks() ? whole->block_size() : 1);
  if (world.speaks()) source.place = whole->streamed ? MatrixPlace::host : MatrixPlace::device;
  source.row_ptr = [blocks, all = &world] { return row_ptr_of(all->comm(), blocks); };
  source.rows = [=, all = &world](const RowPartition& partition) {
    return scatter_rows(exec, all->comm(), partition, whole->matrix);
  };
  source.host_rows = [=, all = &world](const RowPartition& partition) {
    return scatter_rows(exec, all->comm(), partition, whole->streamed.value_or(HostMatrix<Exec>()));
  };
  return source;
}

/// The vectors of a file, by partition.
template <class Exec>
std::function<std::vector<Vector<Exec>>(const RowPartition&)> vectors_of_file(const Exec& exec, const World& world,
                                                                              const SolveOptions& options,
                                                                              const VectorFile& file,
                                                                              const RowSource<Exec>& source) {
  const auto columns = std::make_shared<std::vector<std::vector<double>>>(std::size_t(file.num_columns));
  world.on_all([&] {
    if (!world.speaks()) return;
    const std::int64_t num_rows = source.num_block_rows * source.block_size;
    const Columns read = read_vectors(options, file, num_rows - source.padding);
    for (std::int64_t j = 0; j < read.num_columns; ++j) {
      auto& column = (*columns)[std::size_t(j)];
      column.assign(read.column(j).begin(), read.column(j).end());
      column.resize(std::size_t(num_rows));
    }
  });
  return [exec, columns, all = &world, block_size = source.block_size](const RowPartition& partition) {
    std::vector<Vector<Exec>> vectors;
    for (const auto& entries : *columns) {
      vectors.push_back(scatter_vector(exec, all->comm(), partition, block_size, entries));
    }
    return vectors;
  };
}

}  // namespace

template <class Exec>
RowSource<Exec> make_row_source(const Exec& exec, const World& world, const SolveOptions& options) {
  RowSource<Exec> source = !options.source.matrix                  ? generated_source(exec, world, options)
                           : is_block_file(*options.source.matrix) ? block_file_source(exec, world, options)
                                                                   : scattered_source(exec, world, options);
  if (options.source.rhs) source.rhs = vectors_of_file(exec, world, options, rhs_file(options.source), source);
  if (options.source.initial_guess) {
    source.initial_guess = vectors_of_file(exec, world, options, guess_file(options.source), source);
  }
  return source;
}

template <class Exec>
MatrixShape share_of(const RowSource<Exec>& source, std::int64_t num_block_rows) {
  const double part = double(num_block_rows) / double(std::max<std::int64_t>(source.num_block_rows, 1));
  return {std::uint64_t(num_block_rows), std::uint64_t(std::ceil(part * double(source.num_blocks))),
          std::uint64_t(source.block_size)};
}

template <class Exec>
MatrixPlace place_of_share(const RowSource<Exec>& source, const SolveOptions& options, std::int64_t num_block_rows) {
  MatrixShape share = share_of(source, num_block_rows);
  // While the operator is made on the device, it has its rows twice.
  share.num_blocks *= 2;
  return source.place.value_or(place_of<Exec>(share, options));
}

template RowSource<HostExecution> make_row_source(const HostExecution&, const World&, const SolveOptions&);
template MatrixShape share_of(const RowSource<HostExecution>&, std::int64_t);
template MatrixPlace place_of_share(const RowSource<HostExecution>&, const SolveOptions&, std::int64_t);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template RowSource<Execution> make_row_source(const Execution&, const World&, const SolveOptions&);
template MatrixShape share_of(const RowSource<Execution>&, std::int64_t);
template MatrixPlace place_of_share(const RowSource<Execution>&, const SolveOptions&, std::int64_t);
#endif

}  // namespace ashlar::app
