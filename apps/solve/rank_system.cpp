#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <cstdint>
#include <exception>
#include <locale>
#include <memory>
#include <sstream>
#include <type_traits>
#include <utility>
#include <vector>

#include "matrix_bytes.hpp"
#include "numbers.hpp"
#include "solve/memory_need.hpp"
#include "solve/ranks.hpp"
#include "solve/solver_parts.hpp"

namespace ashlar::app {

RankRoles roles_of(const World& world, int ranks_on_host) {
  const Communicator here = world.comm().split_by_host();
  world.on_all([&] {
    if (ranks_on_host < here.size()) return;
    throw ArgumentError(text("--ranks-on-host ", ranks_on_host),
                        text(world.comm().transport().host_name(), " has ", count_text(here.size(), "rank"),
                             ", and none would be left for its device"),
                        "start more ranks with mpirun, or let fewer compute on the host");
  });
  return {here.rank() >= here.size() - ranks_on_host, here.size() - ranks_on_host, ranks_on_host};
}

RowPartition read_partition(const std::string& path, std::int64_t num_block_rows, int ranks) {
  constexpr std::size_t most_bytes = std::size_t(1) << 24;
  const auto refuse = [&](const std::string& problem, const std::string& why) {
    throw FileError(path, 0, problem, why, "write the block rows of each rank, one number after another");
  };
  std::istringstream words(read_text_file(path, most_bytes));
  words.imbue(std::locale::classic());
  std::vector<std::int64_t> offsets{0};
  for (std::string word; words >> word;) {
    const auto count = parse_whole_number(word);
    if (!count || *count < 0 || *count > num_block_rows) {
      refuse(text("'", word.substr(0, 40), "'"), text("a rank has 0 to ", num_block_rows, " block rows"));
    }
    offsets.push_back(offsets.back() + *count);
  }
  if (static_cast<int>(offsets.size()) - 1 != ranks) {
    refuse("a partition for " + count_text(static_cast<std::int64_t>(offsets.size()) - 1, "rank"),
           text("it runs on ", count_text(ranks, "rank")));
  }
  if (offsets.back() != num_block_rows) {
    refuse(text("its numbers add up to ", offsets.back()), text("the system has ", num_block_rows, " block rows"));
  }
  return RowPartition(std::move(offsets));
}

namespace {

/// The operator of these rows. For algebraic multigrid and --precision mixed it is made of a distributed matrix, which
/// the system keeps. Collective.
template <class Exec, class Rows>
void make_operator_over_ranks(const Exec& exec, const SolveOptions& options, const Communicator& comm,
                              const RowPartition& partition, const DistributedOptions& distributed, Rows rows,
                              LinearSystem<Exec>& system) {
  using Operator = DistributedOperator<Matrix<Exec>>;
  if constexpr (std::is_same_v<Rows, Matrix<Exec>>) {
    if (options.method.preconditioner == PreconditionerKind::amg || options.method.precision == PrecisionKind::mixed) {
      system.matrix_over_ranks.emplace(
          exec, std::make_shared<const Communicator>(comm.duplicate()), partition, partition, rows,
          DistributedMatrixOptions{
              .halo = distributed.halo, .num_vectors = distributed.spmv.num_vectors, .keep_value_order = false});
      rows = Rows();
      system.over_ranks = std::make_shared<const Operator>(exec, *system.matrix_over_ranks, distributed);
      return;
    }
  }
  system.over_ranks = std::make_shared<const Operator>(exec, comm, partition, std::move(rows), distributed);
}

/// Distributes rows to the operator, which streams the host's rows if `place` is the host.
template <class Exec, class Rows>
void distribute(const Exec& exec, const World& world, const SolveOptions& options, const RowPartition& partition,
                MatrixPlace place, Rows rows, LinearSystem<Exec>& system) {
  const Communicator& comm = world.comm();
  DistributedOptions distributed;
  distributed.decomposition = options.distribution.decomposition;
  distributed.halo.form = options.distribution.halo;
  distributed.exchange = options.distribution.exchange;
  // Where ranks are not alike it is told, and rows may follow from it.
  const bool are_unlike = options.distribution.has_rates() || options.distribution.ranks_on_host > 0;
  distributed.idle_clock = are_unlike ? IdleClock::device : IdleClock::host;
  distributed.spmv = {.kernel = options.method.kernel, .num_vectors = options.method.num_rhs};
  system.total_block_rows = partition.num_rows();
  system.total_blocks = comm.sum(std::int64_t(rows.num_blocks()));
  const MatrixShape shape{std::uint64_t(rows.num_block_rows()), std::uint64_t(rows.num_blocks()),
                          std::uint64_t(rows.block_size())};
  const std::uint64_t limit = device_limit<Exec>(options);
  if (place == MatrixPlace::host) distributed.streaming = streaming_options(shape, options, limit);
  // Collective: what a rank throws, the others know of.
  const bool may_stream =
      distributed.exchange == ExchangeMode::automatic || distributed.exchange == ExchangeMode::stream;
  const Communicator streams = may_stream ? world.with_streams(comm.sum(is_gpu_v<Exec> ? 0 : 1)) : comm.duplicate();
  std::exception_ptr failure;
  try {
    within_limit(limit, bytes_beside_streaming(shape, options), text(system.description, " on rank ", comm.rank()),
                 options, [&] {
                   make_operator_over_ranks(exec, options, streams, partition, distributed, std::move(rows), system);
                   return 0;
                 });
  } catch (...) {
    failure = std::current_exception();
  }
  world.on_all([&] {
    if (failure) std::rethrow_exception(failure);
  });
}

/// What `source` has, or A*1.
template <class Exec>
void make_rhs(const Exec& exec, const RowSource<Exec>& source, LinearSystem<Exec>& system) {
  if (source.rhs) {
    system.more_rhs = source.rhs(system.over_ranks->partition());
    system.rhs = system.more_rhs.front();
    system.more_rhs.erase(system.more_rhs.begin());
    return;
  }
  const std::int64_t n = system.over_ranks->space().num_local();
  const Vector<Exec> ones("ashlar::app::ones", std::size_t(n)), sums("ashlar::app::rhs", std::size_t(n));
  Kokkos::deep_copy(exec, ones, 1.0);
  system.over_ranks->apply(exec, ones, sums);
  system.rhs = sums;
  system.ones_is_solution = true;
}

}  // namespace

template <class Exec>
void require_memory_for_share(const World& world, const SolveOptions& options, const std::string& what,
                              const MatrixShape& share, MatrixPlace place) {
  const Communicator& comm = world.comm();
  // The ranks whose rows are in the host's memory.
  const bool on_host = !has_device_memory<Exec> || place == MatrixPlace::host;
  const auto sharing = std::uint64_t(comm.split_by_host().sum(on_host ? 1 : 0));
  const std::string of_ranks = text(what, " on ", comm.size(), " ranks");
  // While the operator is made on the device, it has its rows twice.
  const MatrixShape twice{share.num_block_rows, 2 * share.num_blocks, share.block_size};
  world.on_all([&] {
    require_memory_for<Exec>(twice, of_ranks, options, place);
    if (!on_host) return;
    if (has_device_memory<Exec>) {
      require_host_memory((Bytes{2 * sharing} * matrix_bytes(share)).count, of_ranks);
    } else {
      SolveOptions without_limit = options;
      without_limit.placement.device_memory_limit.reset();
      require_memory_for<Exec>({sharing * twice.num_block_rows, sharing * twice.num_blocks, twice.block_size}, of_ranks,
                               without_limit, place);
    }
  });
}

template <class Exec>
RowPartition partition_of(const World& world, const SolveOptions& options, const RowSource<Exec>& source,
                          const std::vector<double>& shares) {
  const int ranks = world.comm().size();
  const std::string& asked = options.distribution.partition;
  if (options.distribution.is_by_blocks()) return RowPartition::by_row_ptr(source.row_ptr(), ranks);
  if (options.distribution.is_measured()) return RowPartition::by_shares(source.row_ptr(), shares);
  if (asked == "rows") return RowPartition::even(source.num_block_rows, ranks);
  return world.on_all([&] { return read_partition(asked, source.num_block_rows, ranks); });
}

template <class Exec>
LinearSystem<Exec> make_rank_system(const Exec& exec, const World& world, const SolveOptions& options,
                                    const RowSource<Exec>& source, const RowPartition& partition) {
  const std::int64_t num_block_rows = partition.size(world.comm().rank());
  const MatrixPlace place = place_of_share(source, options, num_block_rows);
  world.on_all([&] {
    if (place != MatrixPlace::host) return;
    if (options.method.preconditioner == PreconditionerKind::amg) {
      throw streamed_matrix_error(source.description, "--preconditioner amg",
                                  "take more ranks, or pass --preconditioner block-jacobi");
    }
    if (options.method.precision == PrecisionKind::mixed) {
      throw streamed_matrix_error(source.description, "--precision mixed",
                                  "take more ranks, or pass --precision double");
    }
  });
  require_memory_for_share<Exec>(world, options, source.description, share_of(source, num_block_rows), place);
  LinearSystem<Exec> system;
  system.description = source.description;
  system.block_fill = source.block_fill;
  system.padding = source.padding;
  system.cantilever = source.cantilever;
  if (place == MatrixPlace::host) {
    distribute(exec, world, options, partition, place, source.host_rows(partition), system);
  } else {
    distribute(exec, world, options, partition, place, source.rows(partition), system);
  }
  make_rhs(exec, source, system);
  if (source.initial_guess) system.initial_guess = source.initial_guess(system.over_ranks->partition()).front();
  exec.fence("ashlar: the system is there");
  return system;
}

template void require_memory_for_share<HostExecution>(const World&, const SolveOptions&, const std::string&,
                                                      const MatrixShape&, MatrixPlace);
template RowPartition partition_of(const World&, const SolveOptions&, const RowSource<HostExecution>&,
                                   const std::vector<double>&);
template LinearSystem<HostExecution> make_rank_system(const HostExecution&, const World&, const SolveOptions&,
                                                      const RowSource<HostExecution>&, const RowPartition&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template void require_memory_for_share<Execution>(const World&, const SolveOptions&, const std::string&,
                                                  const MatrixShape&, MatrixPlace);
template RowPartition partition_of(const World&, const SolveOptions&, const RowSource<Execution>&,
                                   const std::vector<double>&);
template LinearSystem<Execution> make_rank_system(const Execution&, const World&, const SolveOptions&,
                                                  const RowSource<Execution>&, const RowPartition&);
#endif

}  // namespace ashlar::app
