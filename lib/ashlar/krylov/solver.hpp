#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/impl/iteration_launcher.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/require_system.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solve_loop.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace ashlar {

/// An iterative method for one operator and one preconditioner, good for many solves: it keeps vectors, graphs and the
/// operator's kernel from one solve to the next. Right-hand side and x may be others in each solve.
///
/// If the values of A or M have been replaced in place, call values_changed(): a kernel may hold a copy of them.
///
/// Shapes   A is square; b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   references to A and M, which outlive the solver; what the method allocates, and one vector. The first solve
///          allocates graphs or kernels, another one only if x is in another place than before.
/// Async    all work is enqueued on `exec`; solve() returns when the solve has ended. One solve at a time.
/// Throws   ArgumentError for options out of range, ShapeError for vectors that do not fit or an operator that is not
///          square, before any iteration, on all parts of the system.
template <iterative_method Method>
class Solver {
 public:
  using Exec = typename Method::Exec;
  using Scalar = typename Method::Scalar;
  using Vector = typename Method::Vector;
  using Options = typename Method::Options;
  using Op = std::remove_cvref_t<decltype(std::declval<const Method&>().a())>;
  using M = std::remove_cvref_t<decltype(std::declval<const Method&>().m())>;

  /// Collective.
  Solver(const Exec& exec, const Op& a, const M& m, const Options& options = {})
      : exec_(exec),
        options_(checked(a, m, options)),
        method_(exec, a, m, options_),
        checks_(exec),
        best_x_(impl::new_vector<Vector>(exec, "ashlar::solver::best_x", a.space().num_local())) {}
  Solver(const Exec&, const Op&&, const M&, const Options& = {}) = delete;  // a temporary would not outlive it
  Solver(const Exec&, const Op&, const M&&, const Options& = {}) = delete;
  Solver(const Exec&, const Op&&, const M&&, const Options& = {}) = delete;
  Solver(const Solver&) = delete;
  Solver& operator=(const Solver&) = delete;

  /// Solves A x = b from what x holds, with the options that the solver was made with; if b is 0 so is x. Collective.
  template <class B, class X>
  SolveReport solve(const B& b, const X& x) {
    return solve_checked(b, x, options_);
  }

  /// With other tolerances, limits or another monitor in this solve. The norm, the launch and the method's own options
  /// stay as the solver was made with.
  template <class B, class X>
  SolveReport solve(const B& b, const X& x, const Options& options) {
    return solve_checked(b, x, checked(method_.a(), method_.m(), options));
  }

  /// The values of the matrix or of the preconditioner are others. On all parts alike.
  void values_changed() { launcher_.reset(); }

  const Method& method() const { return method_; }

 private:
  /// The options, if all parts ask for the same and the operator and the method allow it. Collective.
  static const Options& checked(const Op& a, const M& m, const Options& options) {
    const auto space = a.space();
    impl::check_on_all_parts(space, Method::name, [&] {
      require_square(Method::name, a);
      check_stopping(Method::name, options.rtol, options.atol, options.max_iterations, options.stagnation_window,
                     options.check_interval);
      if (!Method::has_preconditioned_norms && !m.is_identity() && options.norm != ResidualNorm::unpreconditioned) {
        throw ArgumentError(text(Method::name, ": the ", to_string(options.norm), " norm"),
                            "it knows the norm of the residual alone", "choose ResidualNorm::unpreconditioned");
      }
      Method::check_options(options);
    });
    std::vector<impl::Asked> asked = {{"rtol", options.rtol},
                                      {"atol", options.atol},
                                      {"norm", double(options.norm)},
                                      {"max_iterations", double(options.max_iterations)},
                                      {"stagnation_window", double(options.stagnation_window)},
                                      {"check_interval", double(options.check_interval)},
                                      {"launch", double(options.launch)},
                                      {"a monitor that may stop", double(options.monitor.may_stop())}};
    for (const impl::Asked& own : Method::more_asked(options)) asked.push_back(own);
    impl::require_same_on_all_parts(space, Method::name, asked);
    return options;
  }

  template <class B, class X>
  SolveReport solve_checked(const B& b, const X& x, const Options& options) {
    static_assert(impl::SystemOfOneVector<Exec, Op, M, B, X, typename Method::Preconditioned>::value);
    const Kokkos::Profiling::ScopedRegion region(std::string("ashlar::") + Method::name);
    const auto& space = method_.space();
    impl::check_on_all_parts(space, Method::name, [&] { impl::check_vectors(Method::name, space.num_local(), b, x); });
    const Vector to(x.data(), x.extent(0));
    const typename Vector::const_type from(b.data(), b.extent(0));
    checks_.discard();  // of a solve that has thrown
    // A graph or a kernel is for one x.
    if (!launcher_ || space.agree_max(to.data() != method_.x().data() ? 1 : 0) > 0) {
      method_.set_x(to);
      launcher_.emplace(exec_, method_, options_.launch);
    }
    const double norm = impl::global_norm(exec_, space, method_.memory(), from);
    const double scale = impl::scale_of_right_hand_side(exec_, space, from, norm);
    if (scale == 0) {
      Kokkos::deep_copy(exec_, x, Scalar(0));
      exec_.fence("ashlar::solver: x = 0 for b = 0");
      return {.status = SolveStatus::converged, .residual_history = {0.0}};
    }
    impl::scale_vector(exec_, to, scale);
    SolveReport report;
    try {
      report = SolveLoop<Method>(exec_, method_, *launcher_, checks_, best_x_, {from, scale}, options).run();
    } catch (...) {
      impl::scale_vector(exec_, to, 1 / scale);
      throw;
    }
    if (!impl::is_representable(exec_, space, to, scale)) {
      report.status = SolveStatus::non_finite;
      report.warning = "the entries of x lie outside the range of " + scalar_name<Scalar>() + "; change the units of b";
    }
    impl::scale_vector(exec_, to, 1 / scale);
    exec_.fence("ashlar::solver: x");
    return report;
  }

  Exec exec_;
  Options options_;
  Method method_;
  std::optional<impl::IterationLauncher<Method>> launcher_;  ///< of method_.x()
  typename SolveLoop<Method>::Checks checks_;
  Vector best_x_;  ///< of the start with the smallest residual in a solve
};

namespace impl {

/// One solve by a method.
template <template <class, class, class, class> class Method, class Exec, class Op, class M, class B, class X,
          class Options>
SolveReport solve_once(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const Options& options) {
  static_assert(SystemOfOneVector<Exec, Op, M, B, X>::value);
  return Solver<Method<Exec, Op, M, typename X::non_const_value_type>>(exec, a, m, options).solve(b, x);
}

}  // namespace impl

}  // namespace ashlar
