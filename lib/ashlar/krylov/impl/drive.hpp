#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/impl/cg_solve.hpp>
#include <ashlar/krylov/impl/iteration_launcher.hpp>
#include <ashlar/krylov/impl/progress_checks.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <ashlar/krylov/impl/scaling.hpp>
#include <ashlar/krylov/report.hpp>
#include <string>
#include <utility>

namespace ashlar::impl {

/// A form of CG on one system, good for many solves, one after another, with one matrix, one preconditioner and one x.
/// It has all that outlives a solve: vectors, graphs, the kernel of the operator.
template <class Exec, class Method, class Op, class M>
class Driver {
 public:
  /// `launch` says how iterations are to reach the device.
  ///
  /// Throws   ArgumentError if that cannot be.
  Driver(const Exec& exec, Method method, const Op& a, const M& m, CgLaunch launch)
      : a_(a),
        m_(m),
        method_(std::move(method)),
        launcher_(exec, method_, a, m, launch),
        checks_(exec),
        best_x_(new_vector<typename Method::Vector>(exec, "ashlar::cg::best_x", method_.x().extent(0))) {}
  Driver(const Driver&) = delete;
  Driver& operator=(const Driver&) = delete;

  const Method& method() const { return method_; }

  /// Solves for b from what x holds. Where b is 0 so is the solution. Collective.
  template <class B>
  SolveReport solve(const Exec& exec, const B& b, const CgOptions& options) {
    using Scalar = typename Method::Scalar;
    const Kokkos::Profiling::ScopedRegion region(std::string("ashlar::") + Method::name);
    const auto space = a_.space();
    const double norm = global_norm(exec, space, method_.memory(), b);
    const double scale = scale_of_right_hand_side(exec, space, b, norm);
    if (scale == 0) {
      Kokkos::deep_copy(exec, method_.x(), Scalar(0));
      exec.fence("ashlar::krylov: x = 0 for b = 0");
      return {.status = SolveStatus::converged, .residual_history = {0.0}};
    }
    scale_vector(exec, method_.x(), scale);
    CgSolve<Exec, Method, Op, M, B> solve(exec, a_, m_, method_, launcher_, checks_, best_x_, ScaledVector<B>{b, scale},
                                          options);
    SolveReport report;
    try {
      report = solve.run();
    } catch (...) {
      scale_vector(exec, method_.x(), 1 / scale);
      throw;
    }
    if (!is_representable(exec, space, method_.x(), scale)) {
      report.status = SolveStatus::non_finite;
      report.warning = "the entries of x lie outside the range of " + scalar_name<Scalar>() + "; change the units of b";
    }
    scale_vector(exec, method_.x(), 1 / scale);
    exec.fence("ashlar::krylov: x");
    return report;
  }

 private:
  const Op& a_;
  const M& m_;
  Method method_;
  IterationLauncher<Exec, Method, Op, M> launcher_;
  ProgressChecks<Exec> checks_;
  typename Method::Vector best_x_;  ///< of the start with the smallest residual in a solve
};

}  // namespace ashlar::impl
