#pragma once

#include <ashlar/halo/row_partition.hpp>
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

namespace ashlar::app {

/// A system whose block rows can be dealt to the ranks in any way, and any number of times.
template <class Exec>
struct RowSource {
  std::string description;
  std::int64_t num_block_rows = 0, num_blocks = 0;
  int block_size = 1;
  double block_fill = 1;
  std::optional<problems::Cantilever> cantilever;

  // What follows is collective, and throws on all ranks together.

  /// How many blocks all block rows before one have, of the whole.
  std::function<std::vector<std::int64_t>()> row_ptr;
  /// This rank's rows, with global block columns, where they are multiplied; or in the host's memory. Ranks need not
  /// ask for the same.
  std::function<Matrix<Exec>(const RowPartition&)> rows;
  std::function<HostMatrix<Exec>(const RowPartition&)> host_rows;
  /// Its entries of the right-hand side (null: b is A*1), and of the initial guess (null: 0).
  std::function<Vector<Exec>(const RowPartition&)> rhs, initial_guess;
  /// Where a rank has all rows, they are nowhere but here: its own are not to be elsewhere.
  std::optional<MatrixPlace> place;
};

/// A generated problem is generated and a block file read row by row, by the ranks that have the rows; Matrix
/// Market files, of matrices and vectors, are read by rank 0, which keeps and scatters them. A Matrix Market file is
/// looked at for symmetry. Collective.
///
/// Throws   as make_system(), on all ranks together.
template <class Exec>
RowSource<Exec> make_row_source(const Exec& exec, const World& world, const SolveOptions& options);

/// What a rank has of a system, about.
template <class Exec>
MatrixShape share_of(const RowSource<Exec>& source, std::int64_t num_block_rows);

/// Where this rank's share is to be. Each rank decides for itself.
template <class Exec>
MatrixPlace place_of_share(const RowSource<Exec>& source, const SolveOptions& options, std::int64_t num_block_rows);

}  // namespace ashlar::app
