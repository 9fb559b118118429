#pragma once

#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "solve/memory_need.hpp"
#include "solve/solver_parts.hpp"
#include "solve/system.hpp"
#include "types.hpp"

// Operators of a matrix that is streamed from the host's memory. Op is Streamed<Exec> or StreamedHalf<Exec>.

namespace ashlar::app {

/// An operator that streams, and how its plan came about.
template <class Op>
struct StreamedProduct {
  std::shared_ptr<Op> op;
  std::optional<std::string> plan = std::nullopt;
};

template <class Exec, class Op>
SystemOperator<Exec> operator_of(const StreamedProduct<Op>& product) {
  return {Operator<Exec>(std::shared_ptr<const Op>(product.op)), std::string(to_string(product.op->kernel())),
          product.plan, std::nullopt,
          [op = product.op](StreamTimeline<Exec>& timeline) { return op->record(timeline); }};
}

/// The system's matrix, or its half, streamed from the host's memory within the device memory that the solve and
/// `besides` bytes more leave free. On a device the machine is measured, and the plan follows from that.
template <class Op, class Exec>
StreamedProduct<Op> streamed_from_memory(const Exec& exec, const LinearSystem<Exec>& system,
                                         const HostMatrix<Exec>& matrix, const SolveOptions& options,
                                         std::uint64_t besides = 0) {
  const MatrixShape shape{std::uint64_t(system.num_block_rows()), std::uint64_t(system.num_blocks()),
                          std::uint64_t(system.block_size())};
  const std::uint64_t limit = system.device_limit;
  return within_limit(limit, bytes_beside_streaming(shape, options, besides), system.description, options, [&] {
    const StreamingOptions streaming = streaming_options(shape, options, limit, besides);
    if (!has_device_memory<Exec>) return StreamedProduct<Op>{std::make_shared<Op>(exec, matrix, streaming)};
    const Block<Exec> x("ashlar::app::x", matrix.num_rows(), streaming.product.num_vectors),
        y("ashlar::app::y", x.extent(0), x.extent(1));
    const StreamingPlan plan = plan_streaming<Op>(exec, matrix, x, y, streaming);
    return StreamedProduct<Op>{std::make_shared<Op>(exec, matrix, plan.options), plan.explain()};
  });
}

/// Made beside the whole.
template <class Exec>
HostMatrix<Exec> half_of(const HostMatrix<Exec>& matrix) {
  const HostExecution host;
  const HostMatrix<Exec> half = symmetric_half(host, matrix);
  host.fence("ashlar: half of the matrix");
  return half;
}

}  // namespace ashlar::app
