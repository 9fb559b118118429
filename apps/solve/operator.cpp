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
template <class Op, class Exec>
StreamingPlan plan_for(const Exec& exec, const HostMatrix<Exec>& matrix, const StreamingOptions& options) {
  const Block<Exec> x("ashlar::app::x", matrix.num_rows(), options.product.num_vectors),
      y("ashlar::app::y", x.extent(0), x.extent(1));
  return plan_streaming<Op>(exec, matrix, x, y, options);
}

template <class Exec, class Op>
SystemOperator<Exec> of_streamed(const std::shared_ptr<Op>& op, std::optional<std::string> plan = std::nullopt) {
  return {Operator<Exec>(std::shared_ptr<const Op>(op)), std::string(to_string(op->kernel())), std::move(plan),
          std::nullopt, [op](StreamTimeline<Exec>& timeline) { return op->record(timeline); }};
}

template <class Exec>
SystemOperator<Exec> of_resident(BcsrOperator<Matrix<Exec>> op, std::optional<TuningTable> tuning = std::nullopt) {
  const std::string kernel(to_string(op.plan().kernel()));
  return {Operator<Exec>(std::move(op)), kernel, std::nullopt, std::move(tuning), nullptr};
}

/// The system's matrix, or its half, streamed from the host's memory within what the solve leaves of the device's: on a
/// device as planned for it.
template <class Op, class Exec>
SystemOperator<Exec> streamed_from_memory(const Exec& exec, const LinearSystem<Exec>& system,
                                          const HostMatrix<Exec>& matrix, const SolveOptions& options) {
  const MatrixShape shape{std::uint64_t(system.num_block_rows()), std::uint64_t(system.num_blocks()),
                          std::uint64_t(system.block_size())};
  const std::uint64_t limit = system.device_limit;
  return within_limit(limit, bytes_beside_streaming(shape, options), system.description, options, [&] {
    const StreamingOptions streaming = streaming_options(shape, options, limit);
    if (!has_device_memory<Exec>) return of_streamed<Exec>(std::make_shared<Op>(exec, matrix, streaming));
    const StreamingPlan plan = plan_for<Op>(exec, matrix, streaming);
    return of_streamed<Exec>(std::make_shared<Op>(exec, matrix, plan.options), plan.explain());
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

}  // namespace

template <class Exec>
SystemOperator<Exec> make_operator(const Exec& exec, const LinearSystem<Exec>& system, const SolveOptions& options) {
  if (system.over_ranks) {
    SystemOperator<Exec> result{Operator<Exec>(system.over_ranks), std::string(to_string(system.over_ranks->kernel())),
                                std::nullopt, std::nullopt, nullptr};
    if (system.over_ranks->streamed()) {
      result.record = [op = system.over_ranks](StreamTimeline<Exec>& timeline) {
        return op->streamed()->record(timeline);
      };
    }
    return result;
  }
  // It has been set up when the file was looked through.
  if (system.in_file) return of_streamed<Exec>(system.in_file);
  if (system.streamed && options.placement.transfer == TransferKind::half) {
    return streamed_from_memory<StreamedHalf<Exec>>(exec, system, half_of<Exec>(*system.streamed), options);
  }
  if (system.streamed) return streamed_from_memory<Streamed<Exec>>(exec, system, *system.streamed, options);
  if (options.method.tune) {
    TuningTable tuning = load_tuning(options.method);
    BcsrOperator<Matrix<Exec>> op(system.matrix, tuned_plan(exec, system.matrix, tuning));
    return of_resident<Exec>(std::move(op), std::move(tuning));
  }
  const SpmvOptions product{.kernel = options.method.kernel, .num_vectors = options.method.num_rhs};
  return of_resident<Exec>(BcsrOperator<Matrix<Exec>>(exec, system.matrix, product));
}

template SystemOperator<HostExecution> make_operator(const HostExecution&, const LinearSystem<HostExecution>&,
                                                     const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SystemOperator<Execution> make_operator(const Execution&, const LinearSystem<Execution>&, const SolveOptions&);
#endif

}  // namespace ashlar::app
