#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

// What is measured where kernels run by Exec: on the device, or on the host beside it.
template <class Exec>
using MatrixOn = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, typename Exec::memory_space>;
template <class Exec>
using HostMatrixOn = typename DistributedOperator<MatrixOn<Exec>>::host_type;
template <class Exec>
using VectorOn = Kokkos::View<double*, typename Exec::memory_space>;
using HostExec = Kokkos::DefaultHostExecutionSpace;

/// A x = b, of which each rank has some block rows.
template <class Exec>
struct RankSystem {
  std::string name;
  RowPartition partition;                       ///< balanced by blocks, or by shares of them
  MatrixOn<Exec> rows;                          ///< this rank's, with global block columns; SPD
  std::optional<HostMatrixOn<Exec>> host_rows;  ///< those in the host's memory, to be streamed; `rows` are none then
  VectorOn<Exec> b;                             ///< its entries
  std::int64_t num_rows = 0, num_values = 0;    ///< of the whole
  int block_size = 1;
};

/// Made from a name: "stencil11:128" has 128^3 points, each coupled to the 11 around it (11pts-128 of the paper's Table
/// 1), "stencil11xB:N" the same with dense BxB blocks, "grid27xB:N" N^3 points, each coupled by dense BxB blocks to the
/// 27 around it, "renumbered27xB:N" the same with scattered numbers (renumbered_grid()), "audi_kw" and "af_0_k101"
/// twins of the paper's matrices: as many rows and non-zeros, columns scattered near the diagonal and in a regular
/// pattern; "cantilever:128" 128^3 nodes with three unknowns each. Values are such that CG takes hundreds of
/// iterations. Collective.
///
/// Where there are shares, each rank has its share of the blocks, and else as many. This rank's rows are made on the
/// device, and moved to the host's memory where they are to be streamed; ranks need not agree.
///
/// Throws   ArgumentError for a name that is none, on all ranks.
template <class Exec>
RankSystem<Exec> make_rank_system(const Exec& exec, const Communicator& comm, const std::string& name,
                                  bool is_streamed = false, const std::vector<double>& shares = {});

/// Entry i of the whole vector that products are checked with: all different, of size about 1.
KOKKOS_INLINE_FUNCTION double test_entry(std::int64_t i) {
  return 0.5 + static_cast<double>((i * 7919) % 10007) / 10007;
}

}  // namespace ashlar::perf
