#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/amg/distributed_cycle.hpp>
#include <ashlar/amg/gathering.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/redistribute.hpp>
#include <ashlar/distributed/remote_rows.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace ashlar::amg {

namespace impl {

/// The same rows in the same order on fewer ranks, the first ones, so that each has `fewest` at least; one rank in any
/// case. The map itself, if ranks with rows have as many on average, or `fewest` is 0.
inline RowPartition on_fewer_ranks(const RowPartition& map, std::int64_t fewest) {
  if (fewest == 0) return map;
  std::int64_t sharers = 0;
  for (int rank = 0; rank < map.num_parts(); ++rank) sharers += map.size(rank) > 0;
  const std::int64_t ranks = std::max<std::int64_t>(map.num_rows() / fewest, 1);
  if (ranks >= sharers) return map;
  std::vector<std::int64_t> offsets{0};
  for (std::int64_t rank = 1; rank <= map.num_parts(); ++rank) {
    offsets.push_back(map.num_rows() * std::min(rank, ranks) / ranks);
  }
  return RowPartition(offsets);
}

}  // namespace impl

/// Ranks that have no rows of a level any longer take part in its exchanges without messages.
///
/// Memory   the matrices that were moved, as patterns for new values.
template <bcsr_matrix Matrix>
class Gathering<DistributedMatrix<Matrix>> {
 public:
  using Distributed = DistributedMatrix<Matrix>;
  using Space = typename Matrix::memory_space;
  using Modes = NearNullSpace<Space>;

  Gathering(const Distributed& p, int fewest_rows)
      : comm_(p.shared_communicator()), from_(p.column_map()), to_(impl::on_fewer_ranks(p.column_map(), fewest_rows)) {}

  /// Collective, as the others; waits for `exec`.
  template <execution_space Exec>
  Distributed prolongator(const Exec& exec, const Distributed& p) {
    return moved(exec, p, p.row_map(), prolongator_);
  }
  template <execution_space Exec>
  Distributed matrix(const Exec& exec, const Distributed& coarse) {
    return moved(exec, coarse, to_, matrix_);
  }
  template <execution_space Exec>
  Modes modes(const Exec& exec, const Modes& modes) const {
    if (to_ == from_) return modes;
    const std::size_t m = modes.extent(1);
    const Modes result = comm_->together([&] {
      return Modes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::modes"),
                   std::size_t(to_.size(comm_->rank())) * m, m);
    });
    redistribute(exec, *comm_, from_, to_, static_cast<int>(m), modes, result);
    return result;
  }

 private:
  template <class Exec>
  Distributed moved(const Exec& exec, const Distributed& a, const RowPartition& row_map,
                    std::optional<Distributed>& before) const {
    if (to_ == from_) return a;
    Distributed result = redistribute(exec, a, row_map, to_, impl::options_as(a));
    if (before) {
      result = comm_->together([&] {
        std::vector<std::int64_t> own(std::size_t(result.num_block_rows()));
        std::iota(own.begin(), own.end(), std::int64_t(0));
        const auto rows = global_rows(exec, result, ashlar::impl::view_from<Space>(exec, "ashlar::amg::list", own));
        const Distributed in_pattern = before->with_values(exec, rows.values);
        exec.fence("ashlar::amg: values of a level on fewer ranks");
        return in_pattern;
      });
    }
    before = result;
    return result;
  }

  std::shared_ptr<const Communicator> comm_;
  RowPartition from_, to_;
  std::optional<Distributed> prolongator_, matrix_;
};

}  // namespace ashlar::amg
