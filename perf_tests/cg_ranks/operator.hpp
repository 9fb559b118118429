#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cg_ranks/system.hpp>
#include <cstdint>

namespace ashlar::perf {

template <class Exec>
using OperatorOn = DistributedOperator<MatrixOn<Exec>>;

/// Of the device memory that a solve may take, what products may: CG has b, x and r beside their vectors.
template <class Exec>
std::uint64_t limit_of_products(const RankSystem<Exec>& system, std::uint64_t limit) {
  const std::uint64_t others = 3 * sizeof(double) * std::uint64_t(system.b.extent(0));
  return limit > others ? limit - others : 1;
}

/// A system's operator. Where rows are streamed, the device memory limit is for all that a solve has there. Collective.
///
/// Throws   what DistributedOperator does: MemoryError where the limit is too small for streaming, too.
template <class Exec>
OperatorOn<Exec> make_operator(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system,
                               DistributedOptions options) {
  if (!system.host_rows) return OperatorOn<Exec>(exec, comm, system.partition, system.rows, options);
  std::uint64_t& limit = options.streaming.value().device_memory_limit;
  limit = limit_of_products(system, limit);
  return OperatorOn<Exec>(exec, comm, system.partition, *system.host_rows, options);
}

/// How to stream a system that one rank has all of, as planned by what is measured here: the cores of the device's host
/// multiply most_host_share of it at most. The device memory limit is for all that a solve has there, before and after.
template <class Exec>
StreamingOptions planned(const Exec& exec, const RankSystem<Exec>& system, StreamingOptions options,
                         double most_host_share) {
  const std::uint64_t limit = options.device_memory_limit;
  options.device_memory_limit = limit_of_products(system, limit);
  const VectorOn<Exec> y("perf::y", system.b.extent(0));
  options =
      plan_streaming<StreamedMatrix<MatrixOn<Exec>>>(exec, *system.host_rows, system.b, y, options, most_host_share)
          .options;
  options.device_memory_limit = limit;
  return options;
}

}  // namespace ashlar::perf
