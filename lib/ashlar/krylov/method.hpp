#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <concepts>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

/// The base of iterative methods: the system, the scalars, steps that methods have in common, and a default for every
/// optional part. A method derives from it, hides the defaults that do not fit, and adds what `iterative_method`
/// requires. docs/how_to/add_a_solver.md shows one.
///
/// `scalars_on_host`: the host computes the progress (by small dense algebra, say) and writes memory().scalars and
/// memory().history itself: then nothing is captured, and checks cost no copy from the device.
///
/// Shapes   A is square; vectors are local parts of a.space().num_local() entries.
/// Memory   references to A and M, which outlive the method; sums and scalars on the device, and no vector.
/// Async    every function enqueues on `exec`, without fence or allocation, but for those that say otherwise.
template <execution_space ExecOfMethod, class Op, class M, scalar S,
          std::derived_from<IterationScalars> ScalarsOfMethod, bool scalars_on_host = false>
class IterativeMethod {
 public:
  using Exec = ExecOfMethod;
  using Scalar = S;
  using Scalars = ScalarsOfMethod;
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;
  using RightHandSide = impl::ScaledVector<typename Vector::const_type>;  ///< b, and the factor that b is taken times
  using Space = std::decay_t<decltype(std::declval<const Op&>().space())>;
  using Memory = impl::SolverMemory<Exec, Scalars, scalars_on_host>;

  /// The vectors that M is applied to.
  using Preconditioned = Vector;

  const Op& a() const { return a_; }
  const M& m() const { return m_; }
  const Space& space() const { return space_; }
  const Memory& memory() const { return memory_; }
  const Vector& x() const { return x_; }
  void set_x(const Vector& x) { x_ = x; }

  /// b in all norms that the solve may be judged by; overwrites r with b, and z, if there is one, with M^-1 b. Waits.
  impl::RightHandSideNorms norms_of(const Exec& exec, const RightHandSide& b, const Vector& r, const Vector* z) const {
    axpby(exec, Scalar(real_t<Scalar>(b.scale)), b.vector, 0, r);
    dot(exec, r, r, 0);
    if (z == nullptr) {
      const double norm = std::sqrt(sums_on_host<1>(exec)[0]);
      return {norm, norm, norm};
    }
    precondition_dot(exec, r, *z, 1);
    dot(exec, *z, *z, 2);
    const auto [bb, bz, zz] = sums_on_host<3>(exec);
    return {std::sqrt(bb), std::sqrt(zz), std::sqrt(std::abs(bz))};
  }

  // The optional parts, with their defaults.

  using Options = SolverOptions;

  /// Products with A in a start, and in so many iterations.
  static constexpr std::int64_t products_of_start = 1;
  static constexpr std::int64_t products_of(std::int64_t iterations) { return iterations; }

  /// Every so many iterations enqueue the same work: a graph is of whole periods.
  static constexpr int period = 1;

  /// True if iterations read b as well: then a graph is for one b.
  static constexpr bool iterates_with_b = false;

  /// True if an iteration is counted in the next one.
  static constexpr bool judges_late = false;

  /// True if the scalars begin with r^H z and z^H z of z = M^-1 r, which z() returns. Then the solve may be judged by
  /// any ResidualNorm, and goes on if rows of very different size hide errors from the 2-norm.
  static constexpr bool has_preconditioned_norms = false;

  /// True if the status that ended the iterations is a proof. If it is none the solve starts again.
  static constexpr bool is_proof(SolveStatus) { return true; }

  /// After the first start, whose scalars these are. Throws if the method cannot solve this system.
  void check_first_start(const Scalars&) const {}

  /// Brings x up to date after the last iteration.
  void finish(const Exec&) {}

  /// True if A is of a kind that the method does not solve. Asked once in a solve, if the residual has not fallen for
  /// long or the solve has failed; may wait. `products` counts the products that it takes. `unsuited` is the warning.
  bool is_unsuited(const Exec&, std::int64_t& /*products*/) const { return false; }
  static constexpr const char* unsuited = "";

  /// The kernel that the operator has for many iterations, or why there is none. Collective.
  CgKernelOffer<Exec> kernel(const Exec&) const { return {nullptr, "this method has none", false}; }
  /// The kernel iterates from now on.
  void follow_kernel() {}

  /// True if solves save checkpoints and resume: then state() has all vectors, beside x, that an iteration reads before
  /// it writes them, and the scalars are CgScalars.
  static constexpr bool has_checkpoints = false;

  /// StoppingLimits::reduction: how far the residual falls until the true one is computed; 0: to the target.
  static double reduction_of_residual(const auto&) { return 0; }

  /// Throws if options of the method's own are not valid, and lists those that all parts must have alike.
  static void check_options(const auto&) {}
  static std::vector<impl::Asked> more_asked(const auto&) { return {}; }

 protected:
  /// With so many sums, and three at least: norms_of() takes three.
  IterativeMethod(const Exec& exec, const Op& a, const M& m, int num_sums)
      : a_(a), m_(m), space_(a.space()), memory_(exec, std::max(num_sums, 3)) {}

  /// A new vector of the space, not initialised. Allocates.
  Vector vector(const Exec& exec, const char* label) const {
    return impl::new_vector<Vector>(exec, label, space_.num_local());
  }
  /// A new vector for M^-1 of `other`; without a preconditioner that one itself.
  Vector preconditioned(const Exec& exec, const char* label, const Vector& other) const {
    return m_.is_identity() ? other : vector(exec, label);
  }

  /// r := b - A x
  void form_residual(const Exec& exec, const RightHandSide& b, const Vector& r) const {
    a_.apply(exec, x_, r);
    axpby(exec, Scalar(real_t<Scalar>(b.scale)), b.vector, -1, r);
  }

  // Each leaves the local part of an inner product (its real part) in sums[k], in the pass of the product or the
  // preconditioner if these have one.

  void dot(const Exec& exec, const Vector& u, const Vector& v, int k) const {
    ashlar::dot(exec, u, v, memory_.team_sums.access(), memory_.sums.data() + k);
  }
  /// q := A p, sums[k] := p^H q
  void multiply_dot(const Exec& exec, const Vector& p, const Vector& q, int k) const {
    if constexpr (dot_operator<Op, Exec, Vector>) {
      a_.apply_dot(exec, p, q, memory_.team_sums.access(), memory_.sums.data() + k);
    } else {
      a_.apply(exec, p, q);
      dot(exec, p, q, k);
    }
  }
  /// z := M^-1 r, sums[k] := r^H z
  void precondition_dot(const Exec& exec, const Vector& r, const Vector& z, int k) const {
    if constexpr (dot_preconditioner<M, Exec, Vector>) {
      m_.apply_dot(exec, r, z, memory_.team_sums.access(), memory_.sums.data() + k);
    } else {
      m_.apply(exec, r, z);
      dot(exec, r, z, k);
    }
  }

  /// sums[first], ... become sums over all parts: one reduction.
  void sum_over_parts(const Exec& exec, int first, int count) const {
    impl::sum_over_parts(exec, space_, memory_.sums_from(first, count));
  }

  /// The first `count` sums over all parts, on the host. Waits.
  template <int count>
  auto sums_on_host(const Exec& exec) const {
    return impl::sums_on_host<count>(exec, space_, memory_);
  }

  /// change(scalars, sums, history) by one thread of the device; `history` is the ring for end_iteration().
  template <class Change>
  void change_scalars(const char* label, const Exec& exec, const Change& change) const {
    impl::change_scalars(label, exec, memory_, change);
  }

  /// Bytes of an iteration with one product, one preconditioner, and so many vectors that are read or written besides.
  std::int64_t traffic_bytes_with(std::int64_t vectors) const {
    return a_.traffic_bytes() + m_.traffic_bytes() + vectors * std::int64_t(space_.num_local() * sizeof(Scalar));
  }

  const Op& a_;
  const M& m_;
  Space space_;
  Memory memory_;
  Vector x_;
};

/// An iterative method: it derives from IterativeMethod, and has
///
/// - `name`, and a constructor of (exec, A, M, options), which allocates all that iterations need;
/// - start(exec, b): r := b - A x, the true residual, from which the scalars begin (IterationScalars::begin);
/// - iterate(exec): one iteration, counted by IterationScalars::end_iteration. Once the scalars are not running it
///   changes neither x nor them. No decision of the host: the work may be captured and replayed;
/// - r(): the vector of the residual, which is free before the first start;
/// - traffic_bytes(): what an iteration moves at least.
template <class T>
concept iterative_method = std::is_trivially_copyable_v<typename T::Scalars> &&
    requires(T method, const T& asked, const typename T::Exec& exec, const typename T::RightHandSide& b,
             const typename T::Options& options) {
  { T::name } -> std::convertible_to<const char*>;
  T(exec, asked.a(), asked.m(), options);
  method.start(exec, b);
  method.iterate(exec);
  method.finish(exec);
  { asked.r() } -> std::convertible_to<typename T::Vector>;
  { asked.traffic_bytes() } -> std::same_as<std::int64_t>;
};

}  // namespace ashlar
