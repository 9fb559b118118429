#pragma once

#include <ashlar/distributed/rank_speed.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "solve/memory_need.hpp"
#include "solve/options.hpp"
#include "types.hpp"
#include "world.hpp"

#include "solve/system.hpp"

#include "solve/solve.hpp"

namespace ashlar::app {

/// Which ranks of a host compute there, and which on devices.
struct RankRoles {
  bool on_host = false;  ///< this rank
  int device_ranks = 1, host_ranks = 0;
};

/// The last `ranks_on_host` of each host are to compute on it. Collective.
///
/// Throws   ArgumentError where that leaves no rank of a host for its device, on all ranks together.
RankRoles roles_of(const World& world, int ranks_on_host);

/// The partition of a text file: how many block rows each rank has, in the order of the ranks, one number after
/// another.
///
/// Throws   FileError where there are more or fewer numbers than ranks, a word is no such number, or the numbers do not
///          add up to all block rows.
RowPartition read_partition(const std::string& path, std::int64_t num_block_rows, int ranks);

/// A system whose block rows can be distributed to the ranks by any partition, any number of times.
template <class Exec>
struct RowSource {
  std::string description;
  std::int64_t num_block_rows = 0, num_blocks = 0;
  int block_size = 1;
  double block_fill = 1;
  std::int64_t padding = 0;  ///< LinearSystem::padding
  std::optional<problems::Cantilever> cantilever;

  // The following functions are collective, and throw on all ranks together.

  /// How many blocks all block rows before one have, of the whole.
  std::function<std::vector<std::int64_t>()> row_ptr;
  /// This rank's rows, with global block columns, where they are multiplied; or in the host's memory. Ranks need not
  /// ask for the same.
  std::function<Matrix<Exec>(const RowPartition&)> rows;
  std::function<HostMatrix<Exec>(const RowPartition&)> host_rows;
  /// Its entries of the right-hand sides (null: b is A*1), and of the initial guess (null: 0).
  std::function<std::vector<Vector<Exec>>(const RowPartition&)> rhs, initial_guess;
  /// Where a rank has all rows, they are nowhere but here: its own are not to be elsewhere.
  std::optional<MatrixPlace> place;
};

/// A generated problem is generated and a block file read row by row, by the ranks that have the rows; Matrix
/// Market files, of matrices and vectors, are read by rank 0, which keeps and scatters them. A Matrix Market file is
/// checked for symmetry. Collective.
///
/// Throws   as make_system(), on all ranks together.
template <class Exec>
RowSource<Exec> make_row_source(const Exec& exec, const World& world, const SolveOptions& options);

/// The approximate size of a rank's part of a system.
template <class Exec>
MatrixShape share_of(const RowSource<Exec>& source, std::int64_t num_block_rows);

/// Where this rank's share is to be. Each rank decides for itself.
template <class Exec>
MatrixPlace place_of_share(const RowSource<Exec>& source, const SolveOptions& options, std::int64_t num_block_rows);

/// Throws MemoryError, on all ranks together, where a rank has no room for its share: by itself, and with the others of
/// its host beside it. Collective; each rank has a place of its own.
template <class Exec>
void require_memory_for_share(const World& world, const SolveOptions& options, const std::string& what,
                              const MatrixShape& share, MatrixPlace place);

/// The partition that was asked for. Ranks may have no rows, as if there are fewer block rows than ranks. `shares` has
/// what each rank is to have of the blocks, for the partitions that are measured. Collective.
///
/// Throws   FileError: on all ranks together.
template <class Exec>
RowPartition partition_of(const World& world, const SolveOptions& options, const RowSource<Exec>& source,
                          const std::vector<double>& shares);

/// The system over several ranks, each of which has its rows of the partition; waits until it is there. Collective.
///
/// Throws   as make_system(), on all ranks together.
template <class Exec>
LinearSystem<Exec> make_rank_system(const Exec& exec, const World& world, const SolveOptions& options,
                                    const RowSource<Exec>& source, const RowPartition& partition);

/// True if one rank alone computes on a device, and would stream the whole system to it. By itself such a rank lets its
/// host multiply a share (plan_streaming()), with the same processors and no messages. Collective.
template <class Exec>
bool one_device_streams(const World& world, const SolveOptions& options, const RankRoles& roles,
                        const RowSource<Exec>& source);

/// How many blocks a second each rank multiplies, and what messages of halo and sums cost it in an iteration besides,
/// by rank: measured on rows that are made for that, by all ranks together, as some share a memory. Each has as many
/// rows, and streams those for which its device has no room. Where ranks on the host stand beside devices that would
/// stream without them, devices are measured on nine tenths of the rows. Collective.
///
/// Throws   ArgumentError, on all ranks together, where there are no blocks; MemoryError where a rank has no room for
///          those rows; what make_rank_system() does.
template <class Exec>
std::vector<RankSpeed> measure_speeds(const Exec& exec, const World& world, const SolveOptions& options,
                                      const RankRoles& roles, const RowSource<Exec>& source);

/// A system whose rows lie as its first iterations showed that they should, and what those have found of x.
template <class Exec>
struct Rebalanced {
  LinearSystem<Exec> system;
  Vector<Exec> x;                    ///< empty: the solve begins with 0
  std::vector<double> residuals;     ///< relative, after each iteration made
  std::vector<RankSpeed> speeds;     ///< of the ranks, as measured last
  std::vector<std::string> decided;  ///< for people: why rows were moved, or stay
  /// The shares of the ranks if some cost more than they save: the solve restarts without those ranks. Else empty.
  std::vector<double> shares;
};

/// Makes a few iterations, which measure the ranks' speeds again by their busy times. Redistributes the rows if the
/// rest of the solve is likely to repay the cost; at most three times. The cost is the time of the previous
/// distribution (`seconds_of_distribution`). x is redistributed too, and CG restarts from it. Collective.
///
/// Throws   what make_rank_system() and solve() do.
template <class Exec>
Rebalanced<Exec> rebalance(const Exec& exec, const World& world, const SolveOptions& options,
                           const RowSource<Exec>& source, LinearSystem<Exec> system, std::vector<RankSpeed> speeds,
                           double seconds_of_distribution, const Monitor& monitor);

}  // namespace ashlar::app
