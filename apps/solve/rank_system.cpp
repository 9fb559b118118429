#include "solve/rank_system.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cmath>
#include <cstdint>
#include <exception>
#include <functional>
#include <memory>
#include <numeric>
#include <optional>
#include <type_traits>
#include <utility>
#include <vector>

#include "file_names.hpp"
#include "memory_left.hpp"
#include "solve/checks.hpp"
#include "solve/files.hpp"
#include "solve/memory_need.hpp"
#include "solve/partition_file.hpp"
#include "solve/streaming_options.hpp"

namespace ashlar::app {

namespace {

using problems::RowRange;

/// Where the rows of a system come from: any of them, for whoever asks.
struct RowSource {
  std::int64_t num_block_rows = 0, num_blocks = 0;
  int block_size = 1;
  std::string description;
  std::function<Matrix(const RowRange&)> rows;
  std::function<HostMatrix(const RowRange&)> host_rows;  ///< the same in the host's memory
  std::function<Vector(const RowRange&)> load;           ///< none: b is A*1
  std::optional<problems::Cantilever> cantilever;
};

RowRange range_of(const RowPartition& partition, int rank) { return {partition.begin(rank), partition.end(rank)}; }

/// make(exec, type, rows) makes rows where they are to be, as a matrix of the type.
template <class Make>
void set_rows(const Execution& exec, RowSource& source, const Make& make) {
  source.rows = [=](const RowRange& range) { return make(exec, std::type_identity<Matrix>(), range); };
  source.host_rows = [=](const RowRange& range) {
    const HostExecution host;
    const HostMatrix rows = make(host, std::type_identity<HostMatrix>(), range);
    host.fence("ashlar: rows on the host");
    return rows;
  };
}

RowSource generated(const Execution& exec, const SourceOptions& source) {
  const auto sides = source.nodes_or_default();
  const int dof = source.dof_or_default();
  const std::string box = text(sides[0], " x ", sides[1], " x ", sides[2]);
  if (source.problem == "cantilever") {
    problems::Cantilever problem;
    problem.nodes = sides;
    problem.dof = dof;
    const problems::HexGrid grid = problems::cantilever_grid(problem);
    RowSource result{grid.num_nodes(), grid.num_blocks(), dof, text("cantilever of ", box, " nodes"), {}, {}, {},
                     problem};
    result.load = [=](const RowRange& range) { return problems::cantilever_load<double, Space>(exec, problem, range); };
    set_rows(exec, result, [=]<class M>(const auto& where, std::type_identity<M>, const RowRange& range) {
      return problems::cantilever_matrix<M>(where, problem, range);
    });
    return result;
  }
  RowSource result{problems::Lattice(sides).num_points(),
                   problems::stencil11_num_blocks(sides[0], sides[1], sides[2]),
                   dof,
                   text("11-point stencil on ", box, " points"),
                   {},
                   {},
                   {},
                   {}};
  set_rows(exec, result, [=]<class M>(const auto& where, std::type_identity<M>, const RowRange& range) {
    return problems::stencil11<M>(where, sides[0], sides[1], sides[2], dof, range);
  });
  return result;
}

/// Blocks of each block row of a matrix, which may have some of a larger one's.
template <class Rows>
std::vector<std::int64_t> blocks_of_rows(const Execution& exec, const Rows& rows) {
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

/// The partition that was asked for; row_ptr() makes the row pointers of the whole, where blocks count. Collective.
template <class RowPtr>
RowPartition partition_of(const World& world, const SolveOptions& options, const std::vector<double>& speeds,
                          const std::string& description, std::int64_t num_block_rows, const RowPtr& row_ptr) {
  const int ranks = world.comm().size();
  const std::string& asked = options.distribution.partition;
  world.on_all([&] {
    if (num_block_rows >= ranks) return;
    throw ArgumentError(text(ranks, " ranks for ", num_block_rows, " block rows (", description, ")"),
                        "a rank has one at least", "take fewer ranks");
  });
  if (asked == "nnz") return RowPartition::by_row_ptr(row_ptr(), ranks);
  if (options.distribution.is_weighted()) return RowPartition::by_shares(row_ptr(), speeds);
  if (asked == "rows") return RowPartition::even(num_block_rows, ranks);
  return world.on_all([&] { return read_partition(*options.distribution.partition_file(), num_block_rows, ranks); });
}

/// Block rows of a block file, read by their places, to the memory of Rows.
template <class Rows>
Rows read_rows(const Execution& exec, const io::BlockFile& file, const RowRange& range) {
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
  const HostMatrix::in_space<Kokkos::HostSpace> rows(
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

/// A right-hand side of a file, or what `source` has, or A*1.
void make_rhs(const Execution& exec, const World& world, const SolveOptions& options, const RowSource& source,
              LinearSystem& system) {
  const RowPartition& partition = system.over_ranks->partition();
  if (options.source.rhs) {
    std::vector<double> entries;
    world.on_all([&] {
      if (!world.speaks()) return;
      entries = io::read_matrix_market_vector<double>(*options.source.rhs);
      check_rhs_length(options, 0, static_cast<std::int64_t>(entries.size()), system.num_rows());
    });
    system.rhs = scatter_vector(exec, world.comm(), partition, system.block_size(), entries);
  } else if (source.load) {
    system.rhs = world.on_all([&] { return source.load(range_of(partition, world.comm().rank())); });
  } else {
    const std::int64_t n = system.over_ranks->space().num_local();
    const Vector ones("ashlar::app::ones", std::size_t(n)), sums("ashlar::app::rhs", std::size_t(n));
    Kokkos::deep_copy(exec, ones, 1.0);
    system.over_ranks->apply(exec, ones, sums);
    system.rhs = sums;
    system.ones_is_solution = true;
  }
}

/// What a rank has of a system, about.
MatrixShape share_of(const RowSource& source, std::int64_t num_block_rows) {
  const double part = double(num_block_rows) / double(std::max<std::int64_t>(source.num_block_rows, 1));
  return {std::uint64_t(num_block_rows), std::uint64_t(std::ceil(part * double(source.num_blocks))),
          std::uint64_t(source.block_size)};
}

/// While the operator is made on the device, it has its rows twice.
MatrixShape twice(MatrixShape share) {
  share.num_blocks *= 2;
  return share;
}

/// Where this rank's share is to be. Each rank decides for itself.
MatrixPlace place_of_share(const SolveOptions& options, const MatrixShape& share) {
  return place_of(twice(share), options);
}

/// Throws MemoryError, on all ranks together, where a rank has no room for its share: by itself, and with the others of
/// its host beside it.
void require_memory_for_share(const World& world, const SolveOptions& options, const std::string& what,
                              const MatrixShape& share, MatrixPlace place) {
  const Communicator& comm = world.comm();
  const auto on_host = std::uint64_t(comm.split_by_host().size());
  const std::string of_ranks = text(what, " on ", comm.size(), " ranks");
  world.on_all([&] {
    require_memory_for(twice(share), of_ranks, options, place);
    if (place == MatrixPlace::host && has_device_memory) {
      require_host_memory((Bytes{2 * on_host} * matrix_bytes(share)).count, of_ranks);
    } else if (!has_device_memory) {
      SolveOptions without_limit = options;
      without_limit.placement.device_memory_limit.reset();
      MatrixShape of_all = twice(share);
      of_all.num_block_rows *= on_host;
      of_all.num_blocks *= on_host;
      require_memory_for(of_all, of_ranks, without_limit, place);
    }
  });
}

/// Deals rows to the operator, which streams those of the host's memory where `place` is that.
template <class Rows>
void deal(const Execution& exec, const World& world, const SolveOptions& options, const RowPartition& partition,
          MatrixPlace place, Rows rows, LinearSystem& system) {
  const Communicator& comm = world.comm();
  DistributedOptions distributed;
  distributed.decomposition = options.distribution.decomposition;
  distributed.halo.form = options.distribution.halo;
  distributed.exchange = options.distribution.exchange;
  distributed.spmv = {.kernel = options.method.kernel, .num_vectors = options.method.num_rhs};
  system.total_block_rows = partition.num_rows();
  system.total_blocks = comm.sum(std::int64_t(rows.num_blocks()));
  const MatrixShape shape{std::uint64_t(rows.num_block_rows()), std::uint64_t(rows.num_blocks()),
                          std::uint64_t(rows.block_size())};
  const std::uint64_t limit = device_limit(options);
  if (place == MatrixPlace::host) distributed.streaming = streaming_options(shape, options, limit);
  // Collective: what a rank throws, the others know of.
  const bool may_stream =
      distributed.exchange == ExchangeMode::automatic || distributed.exchange == ExchangeMode::stream;
  const Communicator streams = may_stream ? world.with_streams() : comm.duplicate();
  std::exception_ptr failure;
  try {
    within_limit(limit, bytes_beside_streaming(shape, options), text(system.description, " on rank ", comm.rank()),
                 [&] {
                   system.over_ranks = std::make_shared<const DistributedOperator<Matrix>>(
                       exec, streams, partition, std::move(rows), distributed);
                   return 0;
                 });
  } catch (...) {
    failure = std::current_exception();
  }
  world.on_all([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

/// Deals what make(type) makes on each rank: a matrix of the type, where `place` has it.
template <class Make>
void deal_made(const Execution& exec, const World& world, const SolveOptions& options, const RowPartition& partition,
               MatrixPlace place, LinearSystem& system, const Make& make) {
  const auto deal_as = [&]<class Rows>(std::type_identity<Rows> type) {
    Rows rows = world.on_all([&] { return make(type); });
    deal(exec, world, options, partition, place, std::move(rows), system);
  };
  place == MatrixPlace::host ? deal_as(std::type_identity<HostMatrix>()) : deal_as(std::type_identity<Matrix>());
}

/// A Matrix Market file, which rank 0 has read, and has found to be symmetric.
LinearSystem scattered_system(const Execution& exec, const World& world, const SolveOptions& options,
                              const std::vector<double>& speeds) {
  const Communicator& comm = world.comm();
  LinearSystem whole;
  std::vector<std::int64_t> blocks;
  world.on_all([&] {
    if (!world.speaks()) return;
    SolveOptions matrix_only = options;
    matrix_only.source.rhs.reset();
    whole = make_system(exec, matrix_only);
    whole.visit(exec, [&](const auto& where, const auto& matrix) {
      if (!options.source.skip_symmetry_check) require_symmetric(where, matrix, whole.description);
      blocks = blocks_of_rows(exec, matrix);
    });
  });
  const auto num_block_rows = comm.broadcast(std::int64_t(blocks.size()));
  const RowPartition partition = partition_of(world, options, speeds, *options.source.matrix, num_block_rows,
                                              [&] { return row_ptr_of(comm, blocks); });
  LinearSystem system;
  system.description = *options.source.matrix;
  system.block_fill = comm.broadcast(whole.block_fill);
  RowSource source;
  source.num_block_rows = num_block_rows;
  source.num_blocks = comm.broadcast(std::accumulate(blocks.begin(), blocks.end(), std::int64_t(0)));
  source.block_size = comm.broadcast(world.speaks() ? whole.block_size() : 1);
  const MatrixPlace place = place_of_share(options, share_of(source, partition.size(comm.rank())));
  // Those of rank 0 are where the whole is.
  const auto scatter = [&]<class Rows>(const Rows& all) {
    deal(exec, world, options, partition, place, scatter_rows(exec, comm, partition, all), system);
  };
  if (world.speaks() ? whole.streamed.has_value() : place == MatrixPlace::host) {
    scatter(world.speaks() ? *whole.streamed : HostMatrix());
  } else {
    scatter(whole.matrix);
  }
  make_rhs(exec, world, options, {}, system);
  return system;
}

LinearSystem block_file_system(const Execution& exec, const World& world, const SolveOptions& options,
                               const std::vector<double>& speeds) {
  const Communicator& comm = world.comm();
  std::optional<io::BlockFile> file;
  world.on_all([&] {
    file.emplace(*options.source.matrix);
    check_block_file(options, *file);
  });
  const RowPartition partition = partition_of(world, options, speeds, *options.source.matrix, file->num_block_rows(),
                                              [&] { return file->row_ptr(); });
  LinearSystem system;
  system.description = *options.source.matrix;
  RowSource source;
  source.num_block_rows = file->num_block_rows();
  source.num_blocks = file->num_blocks();
  source.block_size = file->block_shape().rows;
  const MatrixShape share = share_of(source, partition.size(comm.rank()));
  const MatrixPlace place = place_of_share(options, share);
  require_memory_for_share(world, options, system.description, share, place);
  deal_made(exec, world, options, partition, place, system, [&]<class Rows>(std::type_identity<Rows>) {
    return read_rows<Rows>(exec, *file, range_of(partition, comm.rank()));
  });
  make_rhs(exec, world, options, {}, system);
  return system;
}

LinearSystem generated_system(const Execution& exec, const World& world, const SolveOptions& options,
                              const std::vector<double>& speeds) {
  const Communicator& comm = world.comm();
  const RowSource source = world.on_all([&] { return generated(exec, options.source); });
  // Made twice: an even share, to count its blocks, and then the rank's own.
  const RowPartition partition = partition_of(world, options, speeds, source.description, source.num_block_rows, [&] {
    const RowPartition even = RowPartition::even(source.num_block_rows, comm.size());
    const RowRange range = range_of(even, comm.rank());
    const bool on_host = place_of_share(options, share_of(source, range.size())) == MatrixPlace::host;
    const auto mine = world.on_all([&] {
      return on_host ? blocks_of_rows(exec, source.host_rows(range)) : blocks_of_rows(exec, source.rows(range));
    });
    return row_ptr_of(comm, mine);
  });
  const MatrixShape share = share_of(source, partition.size(comm.rank()));
  const MatrixPlace place = place_of_share(options, share);
  require_memory_for_share(world, options, source.description, share, place);
  LinearSystem system;
  system.description = source.description;
  system.cantilever = source.cantilever;
  deal_made(exec, world, options, partition, place, system, [&]<class Rows>(std::type_identity<Rows>) {
    const RowRange range = range_of(partition, comm.rank());
    if constexpr (std::is_same_v<Rows, Matrix>) {
      return source.rows(range);
    } else {
      return source.host_rows(range);
    }
  });
  make_rhs(exec, world, options, source, system);
  return system;
}

}  // namespace

LinearSystem make_rank_system(const Execution& exec, const World& world, const SolveOptions& options,
                              const std::vector<double>& speeds) {
  LinearSystem system = !options.source.matrix                  ? generated_system(exec, world, options, speeds)
                        : is_block_file(*options.source.matrix) ? block_file_system(exec, world, options, speeds)
                                                                : scattered_system(exec, world, options, speeds);
  exec.fence("ashlar: the system is there");
  return system;
}

}  // namespace ashlar::app
