#include <ashlar/amg/distributed.hpp>
#include <ashlar/bcsr/rounded.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <utility>

#include "solve/solver_parts.hpp"

namespace ashlar::app {

template <class Exec>
Operator<Exec> rounded_operator(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method) {
  using Floats = BcsrMatrix<float, BlockColumnMajor, std::int32_t, std::int32_t, typename Exec::memory_space>;
  if (system.matrix_over_ranks) {
    using Distributed = DistributedMatrix<Matrix<Exec>>;
    DistributedOptions options = system.over_ranks->options();
    options.spmv.double_vectors = true;
    const auto low = amg::InPrecision<Distributed, float>::of(exec, *system.matrix_over_ranks);
    return Operator<Exec>(DistributedOperator<Floats>(exec, low, options));
  }
  return Operator<Exec>(BcsrOperator<Floats>(exec, round_keeping_sums<float>(exec, system.matrix),
                                             {.kernel = method.kernel, .double_vectors = true}));
}

template <class Exec>
SolveReport solve_mixed(const Exec& exec, const Operator<Exec>& a, const Operator<Exec>& low,
                        const Preconditioner<Exec>& m, const Vector<Exec>& b, const Vector<Exec>& x,
                        const CgOptions& options) {
  using Both = NearOperator<Operator<Exec>, Operator<Exec>>;
  const Both both(a, low);
  Solver<RefinedCg<Exec, Both, Preconditioner<Exec>, double, double>> solver(
      exec, both, m,
      {.rtol = options.rtol,
       .atol = options.atol,
       .max_iterations = options.max_iterations,
       .stagnation_window = options.stagnation_window,
       .copy_bytes = options.copy_bytes,
       .monitor = options.monitor});
  SolveReport report = solver.solve(b, x);
  if (report.status == SolveStatus::accuracy_limit && report.warning.empty()) {
    report.warning = "single precision is too coarse for this matrix and tolerance; pass --precision double";
  }
  return report;
}

template Operator<HostExecution> rounded_operator(const HostExecution&, const LinearSystem<HostExecution>&,
                                                  const MethodOptions&);
template SolveReport solve_mixed(const HostExecution&, const Operator<HostExecution>&, const Operator<HostExecution>&,
                                 const Preconditioner<HostExecution>&, const Vector<HostExecution>&,
                                 const Vector<HostExecution>&, const CgOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Operator<Execution> rounded_operator(const Execution&, const LinearSystem<Execution>&, const MethodOptions&);
template SolveReport solve_mixed(const Execution&, const Operator<Execution>&, const Operator<Execution>&,
                                 const Preconditioner<Execution>&, const Vector<Execution>&, const Vector<Execution>&,
                                 const CgOptions&);
#endif

}  // namespace ashlar::app
