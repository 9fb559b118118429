#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/require_system.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

struct RefinementOptions {
  double rtol = 1e-12;  ///< converged when ||b - A x|| <= max(rtol * ||b||, atol)
  double atol = 0;
  /// A step lowers the residual to this part of it, or to the tolerance: 0 to below 0.5, because a step that does not
  /// halve the true residual ends the solve. A step gains no more than the cheaper matrix is near to A.
  double inner_rtol = 0.1;
  int max_iterations = 10000;  ///< of all steps together
  int stagnation_window = 0;   ///< CgOptions::stagnation_window, within a step
  /// CgOptions::check_interval. Iterations behind the end of each step are products all the same: where those take
  /// long, as with a streamed matrix, 1 is best.
  int check_interval = 0;
  CgLaunch launch = CgLaunch::automatic;  ///< of the iterations with the cheaper matrix
  /// CgOptions::copy_bytes, of the cheaper matrix. Without effect if LowScalar is not the scalar of that matrix.
  std::uint64_t copy_bytes = std::numeric_limits<std::uint64_t>::max();
  /// Called at each check with the iterations done and about ||b - A x|| / ||b||, as the cheaper matrix has it; may
  /// stop the solve.
  Monitor monitor = {};
  static constexpr ResidualNorm norm = ResidualNorm::unpreconditioned;  ///< the only one
};

/// A, and a cheaper matrix near it: what RefinedCg solves with. Iterations multiply by the cheaper one, so that waiting
/// and capture are its matter; apply() and traffic_bytes() are A's.
///
/// Memory   references to both, which outlive it.
template <class A, class LowOperator>
class NearOperator {
 public:
  using Low = LowOperator;

  NearOperator(const A& a, const Low& low) : a_(a), low_(low) {}

  const Low& low() const { return low_; }

  template <execution_space Exec, class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    a_.apply(exec, x, y);
  }
  auto space() const { return a_.space(); }
  auto domain_space() const { return ashlar::domain_space(a_); }
  auto range_space() const { return ashlar::range_space(a_); }
  std::int64_t traffic_bytes() const { return a_.traffic_bytes(); }
  HeldBytes bytes() const { return a_.bytes() + low_.bytes(); }
  bool is_stream_ordered() const { return low_.is_stream_ordered(); }
  bool is_capturable() const { return ashlar::is_capturable(low_); }
  void check() const {
    check_device_work(a_);
    check_device_work(low_);
  }
  std::string explain() const { return text(a_.explain(), "; iterations: ", low_.explain()); }

 private:
  const A& a_;
  const Low& low_;
};

/// Conjugate gradients on a cheaper matrix, with reliable updates of x and of the residual, as a method of SolveLoop:
///
///     r := b - A x                                start, with A and in the scalar of x
///     until ||r|| is small enough
///       s := r, d := 0                            rounded to LowScalar
///       until ||s|| <= inner_rtol * ||r||
///         an iteration of CG with low: d, s, p    StandardCg, by its kernels, graph or persistent kernel
///       x := x + d                                finish
///       r := b - A x                              start
///
/// p outlives an update: beta is r^H z of the new residual over r^H z of before, so that CG goes on as if the residual
/// had not been replaced. If the new residual is not the recurrence's, as when low is far from A, CG starts again.
///
/// The vectors of iterations and their preconditioner are of LowScalar, sums and scalars of double.
///
/// Traffic  iteration: as StandardCg's, of low; update: A's, and 12 vectors.
/// Source   Sleijpen & van der Vorst 1996 (reliable updates); Clark et al. 2010 (in mixed precision).
template <class ExecOfMethod, class Op, class M, class ScalarOfX, class LowScalar>
class RefinedCg : public StandardCg<ExecOfMethod, typename Op::Low, M, LowScalar> {
  using Cg = StandardCg<ExecOfMethod, typename Op::Low, M, LowScalar>;

 public:
  // The types of the solve, which hide the iterations'.
  using Exec = ExecOfMethod;
  using Scalar = ScalarOfX;
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  using RightHandSide = impl::ScaledVector<typename Vector::const_type>;
  using Options = RefinementOptions;
  static constexpr const char* name = "refined_cg";
  static constexpr bool has_preconditioned_norms = false, has_checkpoints = false;

  /// Collective.
  RefinedCg(const Exec& exec, const Op& a, const M& m, const RefinementOptions& options)
      : Cg(exec, a.low(), m,
           {.max_iterations = options.max_iterations, .launch = options.launch, .copy_bytes = options.copy_bytes}),
        both_(a),
        true_r_(impl::new_vector<Vector>(exec, "ashlar::refined_cg::r", Cg::space().num_local())),
        correction_(Cg::vector(exec, "ashlar::refined_cg::d")) {
    Cg::set_x(correction_);
  }

  const Op& a() const { return both_; }
  const Vector& x() const { return solution_; }
  void set_x(const Vector& x) { solution_ = x; }
  const Vector& r() const { return true_r_; }

  impl::RightHandSideNorms norms_of(const Exec& exec, const RightHandSide& b, const Vector& r, const Vector*) const {
    axpby(exec, Scalar(real_t<Scalar>(b.scale)), b.vector, 0, r);
    ashlar::dot(exec, r, r, Cg::memory().team_sums.access(), Cg::memory().sums.data());
    const double norm = std::sqrt(Cg::template sums_on_host<1>(exec)[0]);
    return {norm, norm, norm};
  }

  void start(const Exec& exec, const RightHandSide& b) {
    both_.apply(exec, solution_, true_r_);
    round_residual(exec, b);
    Cg::apply_preconditioner(exec);
    Cg::sum_over_parts(exec, Cg::rr, Cg::m().is_identity() ? 1 : 2);
    begin(exec);
  }

  /// x := x + d
  void finish(const Exec& exec) {
    Cg::finish(exec);
    const auto x = solution_;
    const auto d = correction_;
    for_entries(
        "ashlar::refined_cg[x]", exec, x.extent(0), KOKKOS_LAMBDA(std::int64_t i) { x(i) += Scalar(d(i)); });
  }

  /// A rounded matrix is symmetric up to rounding.
  bool is_unsuited(const Exec& exec, std::int64_t& products) const {
    constexpr double tolerance = 1e-6;
    const auto found = symmetry_of_products<LowScalar>(exec, both_.low());
    if (!found) return false;
    products += 2;
    return is_finite(found->magnitude) && !found->is_symmetric(tolerance);
  }

  static double reduction_of_residual(const RefinementOptions& options) { return options.inner_rtol; }
  static void check_options(const RefinementOptions& options) {
    if (options.inner_rtol >= 0 && options.inner_rtol < 0.5) return;
    throw ArgumentError(text("refined_cg: inner_rtol ", options.inner_rtol),
                        "it is the part of the residual that a step may leave, and a step that leaves more than half "
                        "ends the solve",
                        "pass a number from 0 to below 0.5, for instance 0.1");
  }
  static std::vector<impl::Asked> more_asked(const RefinementOptions& options) {
    return {{"inner_rtol", options.inner_rtol}};
  }

  // nvcc takes no device lambda in a private member.

  /// r := b - A x of the product that r holds, s := r, d := 0, and r^H r.
  void round_residual(const Exec& exec, const RightHandSide& b) {
    using Real = real_t<Scalar>;
    constexpr int rr = Cg::rr;
    const auto r = true_r_;
    const auto d = correction_, s = Cg::r();
    const auto from = b.vector;
    const auto scale = Real(b.scale);
    sum_over_entries<1>(
        "ashlar::refined_cg[residual]", exec, r.extent(0), Cg::memory().team_sums.access(),
        {Cg::memory().sums.data() + rr}, KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) {
          const Scalar residual = scale * from(i) - r(i);
          r(i) = residual;
          s(i) = LowScalar(residual);
          d(i) = LowScalar(0);
          sum[0] += real_product(residual, residual);
        });
  }

  void begin(const Exec& exec) {
    constexpr int rr = Cg::rr, rz = Cg::rz;
    const bool identity = Cg::m().is_identity();
    Cg::change_scalars(
        "ashlar::refined_cg[begin]", exec, KOKKOS_LAMBDA(CgScalars & s, const double* sums, double*) {
          // A residual that is not the recurrence's: p says nothing of it.
          constexpr double alike = 4;
          const double before = s.rz, turn = s.beta;
          s.begin(sums[rr], identity ? sums[rr] : sums[rz], sums[rr]);
          if (turn > 0 && before > 0 && s.rz <= alike * before) s.beta = turn * (s.rz / before);
        });
  }

 private:
  const Op& both_;
  Vector solution_, true_r_;
  typename Cg::Vector correction_;
};

/// Solves A x = b to the accuracy of A, with conjugate gradients on a cheaper matrix near it: every few iterations
/// their correction is added to x, and b - A x replaces the residual. Only those updates multiply by A.
///
/// `low` is for instance the matrix of the same values in single precision (convert_values<float>): with
/// refined_cg<float>() it multiplies vectors of floats, and m is of floats, too, so that iterations move half the
/// bytes. Or it multiplies vectors of doubles (SpmvOptions::double_vectors), in memory or streamed.
///
/// Shapes   A and low are square with as many rows; b and x are vectors of that length. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart. Allocates at the start two vectors of the type of x, five of
///          LowScalar (four without a preconditioner), and some 100 KB; nothing in the steps. On a device also a
///          copy of `low` (CgOptions::copy_bytes), if that makes iterations faster and LowScalar is the scalar of `low`:
///          not for a matrix of floats with vectors of doubles.
/// Async    returns when the solve has ended. All work is enqueued on `exec`; the host checks as in cg(), and waits
///          for the norm of each step's residual.
/// Result   the status, and the true residuals. Where a step does not halve the residual, the status says why: what
///          ended the iterations with low (indefinite_matrix where low is not positive definite, be it by rounding), or
///          accuracy_limit, where low is too far from A or rounding of b - A x leaves nothing to gain; x is then the
///          best of all steps.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system, as cg() does.
/// Source   Sleijpen & van der Vorst 1996; Clark et al. 2010.
template <class LowScalar = void, execution_space Exec, class A, class Low, class M, class B, class X>
RefinementReport refined_cg(const Exec& exec, const A& a, const Low& low, const M& m, const B& b, const X& x,
                            const RefinementOptions& options = {}) {
  using Scalar = typename X::non_const_value_type;
  using Inner = std::conditional_t<std::is_void_v<LowScalar>, Scalar, LowScalar>;
  using InnerVector = Kokkos::View<Inner*, typename Exec::memory_space>;
  static_assert(impl::SystemOfOneVector<Exec, A, IdentityPreconditioner, B, X>::value);
  static_assert(impl::SystemOfOneVector<Exec, Low, M, InnerVector, InnerVector>::value);
  const NearOperator<A, Low> both(a, low);
  impl::check_on_all_parts(a.space(), "refined_cg", [&] {
    const std::int64_t n = a.space().num_local(), of_low = low.space().num_local();
    if (n != of_low) {
      throw ShapeError(text("refined_cg: matrices of ", n, " and ", of_low, " rows"), "one is to be near the other",
                       "make both of the same matrix");
    }
  });
  Solver<RefinedCg<Exec, NearOperator<A, Low>, M, Scalar, Inner>> solver(exec, both, m, options);
  SolveReport solved = solver.solve(b, x);
  RefinementReport report;
  report.status = solved.status;
  report.iterations = solved.iterations;
  report.products = std::int64_t(solved.true_residuals.size());
  report.steps = solved.true_residuals.empty() ? 0 : int(report.products - 1);
  report.low_products = solved.products - report.products;
  report.relative_residual = solved.relative_residual;
  report.residual_history = solved.true_residuals.empty() ? std::vector<double>{0.0} : std::move(solved.true_residuals);
  report.launch = std::move(solved.launch);
  report.warning = std::move(solved.warning);
  report.bytes_moved = solved.bytes_moved;
  return report;
}

/// cg_bytes() of refined_cg(), whose iterations have entries of `low_bytes`.
inline std::uint64_t refined_cg_bytes(std::int64_t n, std::size_t scalar_bytes, std::size_t low_bytes,
                                      bool preconditioned) {
  return impl::cg_bytes(n, preconditioned ? 5 : 4, low_bytes) + 2 * std::uint64_t(n) * scalar_bytes;
}

}  // namespace ashlar
