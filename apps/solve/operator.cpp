#include "solve/operator.hpp"

#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/spmv/tune.hpp>
#include <ashlar/streaming/planner.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include "solve/files.hpp"
#include "solve/streaming_options.hpp"

namespace ashlar::app {

namespace {

/// Measures the machine and plans by that: all of a matrix that is streamed, or its half.
template <class Streamed>
StreamingPlan plan_for(const Execution& exec, const HostMatrix& matrix, const StreamingOptions& options) {
  const Block x("ashlar::app::x", matrix.num_rows(), options.product.num_vectors),
      y("ashlar::app::y", x.extent(0), x.extent(1));
  return plan_streaming<Streamed>(exec, matrix, x, y, options);
}

template <class Op>
SystemOperator of_streamed(const std::shared_ptr<Op>& op, std::optional<std::string> plan = std::nullopt) {
  return {Operator(std::shared_ptr<const Op>(op)), std::string(to_string(op->kernel())), std::move(plan), std::nullopt,
          [op](StreamTimeline<Execution>& timeline) { return op->record(timeline); }};
}

SystemOperator of_resident(BcsrOperator<Matrix> op, std::optional<TuningTable> tuning = std::nullopt) {
  const std::string kernel(to_string(op.plan().kernel()));
  return {Operator(std::move(op)), kernel, std::nullopt, std::move(tuning), nullptr};
}

/// The system's matrix, or its half, streamed from the host's memory within what the solve leaves of the device's: on a
/// device as planned for it.
template <class Streamed>
SystemOperator streamed_from_memory(const Execution& exec, const LinearSystem& system, const HostMatrix& matrix,
                                    const SolveOptions& options) {
  const MatrixShape shape{std::uint64_t(system.num_block_rows()), std::uint64_t(system.num_blocks()),
                          std::uint64_t(system.block_size())};
  const std::uint64_t limit = system.device_limit;
  return within_limit(limit, bytes_beside_streaming(shape, options), system.description, [&] {
    const StreamingOptions streaming = streaming_options(shape, options, limit);
    if (!has_device_memory) return of_streamed(std::make_shared<Streamed>(exec, matrix, streaming));
    const StreamingPlan plan = plan_for<Streamed>(exec, matrix, streaming);
    return of_streamed(std::make_shared<Streamed>(exec, matrix, plan.options), plan.explain());
  });
}

/// Made beside the whole.
HostMatrix half_of(const HostMatrix& matrix) {
  const HostExecution host;
  const HostMatrix half = symmetric_half(host, matrix);
  host.fence("ashlar: half of the matrix");
  return half;
}

}  // namespace

SystemOperator make_operator(const Execution& exec, const LinearSystem& system, const SolveOptions& options) {
  if (system.over_ranks) {
    SystemOperator result{Operator(system.over_ranks), std::string(to_string(system.over_ranks->kernel())),
                          std::nullopt, std::nullopt, nullptr};
    if (system.over_ranks->streamed()) {
      result.record = [op = system.over_ranks](StreamTimeline<Execution>& timeline) {
        return op->streamed()->record(timeline);
      };
    }
    return result;
  }
  // It has been set up when the file was looked through.
  if (system.in_file) return of_streamed(system.in_file);
  if (system.streamed && options.placement.transfer == TransferKind::half) {
    return streamed_from_memory<StreamedHalf>(exec, system, half_of(*system.streamed), options);
  }
  if (system.streamed) return streamed_from_memory<Streamed>(exec, system, *system.streamed, options);
  if (options.method.tune) {
    TuningTable tuning = load_tuning(options.method);
    BcsrOperator<Matrix> op(system.matrix, tuned_plan(exec, system.matrix, tuning));
    return of_resident(std::move(op), std::move(tuning));
  }
  const SpmvOptions product{.kernel = options.method.kernel, .num_vectors = options.method.num_rhs};
  return of_resident(BcsrOperator<Matrix>(exec, system.matrix, product));
}

}  // namespace ashlar::app
