#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <cg_ranks/system.hpp>
#include <cstdint>

namespace ashlar::perf {

template <class Exec>
using OperatorOn = DistributedOperator<MatrixOn<Exec>>;

/// A system's operator. Where rows are streamed, the device memory limit is for all that a solve has there: with the
/// vectors of CG beside those of a product. Collective.
///
/// Throws   what DistributedOperator does: MemoryError where the limit is too small for streaming, too.
template <class Exec>
OperatorOn<Exec> make_operator(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system,
                               DistributedOptions options) {
  if (!system.host_rows) return OperatorOn<Exec>(exec, comm, system.partition, system.rows, options);
  const std::uint64_t others = 3 * sizeof(double) * std::uint64_t(system.b.extent(0));  // b, x and r; not p and A p
  std::uint64_t& limit = options.streaming.value().device_memory_limit;
  limit = limit > others ? limit - others : 1;
  return OperatorOn<Exec>(exec, comm, system.partition, *system.host_rows, options);
}

}  // namespace ashlar::perf
