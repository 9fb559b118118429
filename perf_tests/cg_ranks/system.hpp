#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <string>
#include <support/types.hpp>

namespace ashlar::perf {

/// A x = b, of which each rank has some block rows.
struct RankSystem {
  std::string name;
  RowPartition partition;                     ///< balanced by blocks
  Matrix rows;                                ///< this rank's, with global block columns; SPD
  Vector<double> b;                           ///< its entries
  std::int64_t num_rows = 0, num_values = 0;  ///< of the whole
};

/// Made from a name: "stencil11:128" has 128^3 points, each coupled to the 11 around it (11pts-128 of the paper's Table
/// 1), "grid27xB:N" N^3 points, each coupled by dense BxB blocks to the 27 around it, "audi_kw" and "af_0_k101" twins
/// of the paper's matrices: as many rows and non-zeros, in a regular pattern; "cantilever:128" 128^3 nodes with three
/// unknowns each. Values are such that CG takes hundreds of iterations. Collective.
///
/// Throws   ArgumentError for a name that is none, on all ranks.
RankSystem make_rank_system(const Exec& exec, const Communicator& comm, const std::string& name);

/// Entry i of the whole vector that products are checked with: all different, of size about 1.
KOKKOS_INLINE_FUNCTION double test_entry(std::int64_t i) {
  return 0.5 + static_cast<double>((i * 7919) % 10007) / 10007;
}

}  // namespace ashlar::perf
