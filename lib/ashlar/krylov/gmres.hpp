#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/basis.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/krylov/impl/gmres_steps.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <vector>

namespace ashlar {

/// The options of gmres() and fgmres(): the members of SolverOptions, where they are described, and one more.
struct GmresOptions {
  double rtol = 1e-8;
  double atol = 0;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int max_iterations = 10000;
  int stagnation_window = 0;
  int check_interval = 0;
  Launch launch = Launch::automatic;
  Monitor monitor = {};
  int restart = 30;  ///< iterations of a cycle, for which the basis has vectors; 1 to 1000
};

/// GMRES with restarts as a method of SolveLoop:
///
///     r := b - A x                                    start
///     v_0 := r / ||r||
///     until ||r|| is small enough, for j = 0, 1, ...
///       w := A M^-1 v_j                               product
///       h := V^H w,  w := w - V h                     orthogonalise, twice
///       v_j+1 := w / ||w||
///       column j of H := (h, ||w||)                   least squares: ||r|| = min || ||r|| e_0 - H y ||
///       after a cycle: x := x + M^-1 V y,  v_0 := the residual's direction,  j := 0
///
/// The preconditioner is on the right: ||r|| is the true residual. The flexible form keeps z_j = M^-1 v_j, so that M
/// may change from one iteration to the next; the other adds up u = V y, and x := x + M^-1 u when the iterations end.
///
/// The device knows j, and what a cycle's end takes: each iteration enqueues the same work, and the host never waits.
/// Gram-Schmidt is classical: one reduction for all columns, and two in an iteration. ||w|| follows from the second
/// one, whose products are added up as the first combination is subtracted: an iteration reads the basis three times.
template <class Exec, class Op, class M, class Scalar, bool is_flexible>
class GmresMethod : public IterativeMethod<Exec, Op, M, Scalar, impl::GmresScalars> {
  using Base = IterativeMethod<Exec, Op, M, Scalar, impl::GmresScalars>;
  using Base::a_, Base::m_, Base::space_, Base::x_, Base::memory_;
  using Sum = sum_t<Scalar>;
  static constexpr int doubles_of_sum = sizeof(Sum) / sizeof(double);

 public:
  using typename Base::Vector, typename Base::RightHandSide;
  using Options = GmresOptions;

  static void check_options(const GmresOptions& options) {
    if (options.restart >= 1 && options.restart <= 1000) return;
    throw ArgumentError(text("gmres: restart ", options.restart), "a cycle has 1 to 1000 iterations",
                        "30 is usual; more take memory, fewer take more iterations");
  }
  static std::vector<impl::Asked> more_asked(const GmresOptions& options) {
    return {{"restart", double(options.restart)}};
  }

  GmresMethod(const Exec& exec, const Op& a, const M& m, const GmresOptions& options)
      : Base(exec, a, m, 2 * doubles_of_sum * (options.restart + 1)),
        most_(options.restart),
        rows_(space_.num_local()),
        basis_(impl::new_vector<Vector>(exec, "ashlar::gmres::basis", rows_ * (most_ + 1))),
        z_basis_(is_flexible ? impl::new_vector<Vector>(exec, "ashlar::gmres::z_basis", rows_ * most_) : Vector()),
        v_(Base::vector(exec, "ashlar::gmres::v")),
        z_(Base::preconditioned(exec, "ashlar::gmres::z", v_)),
        w_(Base::vector(exec, "ashlar::gmres::w")),
        u_(is_flexible || m.is_identity() ? Vector() : Base::vector(exec, "ashlar::gmres::u")),
        small_(Kokkos::view_alloc(exec, "ashlar::gmres::small"), impl::Hessenberg<Sum>::size(most_)),
        partial_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::gmres::partial"),
                 basis_partial_size(rows_, most_)) {}

  void start(const Exec& exec, const RightHandSide& b) {
    Base::form_residual(exec, b, w_);
    Base::dot(exec, w_, w_, 0);
    Base::sum_over_parts(exec, 0, 1);
    begin(exec);
    for_row_tiles("ashlar::gmres[first]", exec, rows_,
                  impl::FirstOfBasis<Scalar>{scalars(), basis(), w_.data(), v_.data()});
    if (updates_u()) Kokkos::deep_copy(exec, u_, Scalar(0));
  }

  void iterate(const Exec& exec) {
    precondition(exec);
    a_.apply(exec, z_, w_);
    basis_dots(exec, basis(), w_.data(), active(), most_, partial_.data(), sums(0));
    add_up(exec, 0);
    subtract_and_dots(exec, basis(), sums(0) + 1, w_.data(), active(), most_, partial_.data(), sums(1));
    add_up(exec, 1);
    advance(exec);
    step(exec);
  }

  /// x gets what the cycle that is open has found.
  void finish(const Exec& exec) {
    close(exec);
    step(exec);
    if (!updates_u()) return;
    m_.apply(exec, u_, z_);
    axpby(exec, 1, z_, 1, x_);
  }

  const Vector& r() const { return w_; }

  /// Three passes over the basis, of which half is there in the mean over a cycle; w four times, v and its column.
  std::int64_t traffic_bytes() const {
    const std::int64_t of_basis = (3 * (most_ + 1) + 1) / 2, of_cycle = (is_flexible ? 4 : 2), others = 6;
    return Base::traffic_bytes_with(of_basis + of_cycle + others);
  }

  // nvcc takes no device lambda in a private member.

  void begin(const Exec& exec) {
    const auto small = this->small();
    Base::change_scalars(
        "ashlar::gmres[begin]", exec, KOKKOS_LAMBDA(impl::GmresScalars & s, const double* sums, double*) {
          s.begin(sums[0], sums[0], sums[0]);
          s.begin_cycle(small, Kokkos::sqrt(sums[0]));
        });
  }

  /// Column j of H, whether the solve or the cycle ends, and what step() is to do.
  void advance(const Exec& exec) {
    const auto small = this->small();
    const Sum *first = this->sums(0), *second = this->sums(1);
    const double eps = std::numeric_limits<real_t<Scalar>>::epsilon();
    Base::change_scalars(
        "ashlar::gmres[advance]", exec, KOKKOS_LAMBDA(impl::GmresScalars & s, const double*, double* history) {
          s.advance(small, first, second, eps, history);
        });
  }

  void close(const Exec& exec) {
    const auto small = this->small();
    Base::change_scalars(
        "ashlar::gmres[close]", exec,
        KOKKOS_LAMBDA(impl::GmresScalars & s, const double*, double*) { s.close(small); });
  }

 private:
  bool updates_u() const { return !is_flexible && !m_.is_identity(); }

  BasisAccess<Scalar> basis() const { return {basis_.data(), rows_}; }
  BasisAccess<Scalar> z_basis() const { return {is_flexible ? z_basis_.data() : basis_.data(), rows_}; }
  impl::Hessenberg<Sum> small() const { return {small_.data(), most_}; }
  const impl::GmresScalars* scalars() const { return memory_.scalars.data(); }
  const int* active() const { return &scalars()->active; }
  /// w^H w and V^H w of the first or the second projection.
  Sum* sums(int which) const { return reinterpret_cast<Sum*>(memory_.sums.data()) + which * (most_ + 1); }

  /// z := M^-1 v
  void precondition(const Exec& exec) {
    if (!m_.is_identity()) m_.apply(exec, v_, z_);
    if constexpr (is_flexible) {
      for_entries("ashlar::gmres[keep z]", exec, rows_, impl::KeepInBasis<Scalar>{scalars(), z_basis(), z_.data()});
    }
  }

  /// The first or the second projection: one reduction for all columns.
  void add_up(const Exec& exec, int which) {
    const int count = doubles_of_sum * (most_ + 1);
    Base::sum_over_parts(exec, which * count, count);
  }

  /// w becomes the next vector of the basis; at the end of a cycle u, or x itself, gets V y.
  void step(const Exec& exec) {
    for_row_tiles("ashlar::gmres[step]", exec, rows_,
                  impl::StepOfGmres<Scalar>{scalars(), small(), basis(), z_basis(), sums(1) + 1, w_.data(), v_.data(),
                                            updates_u() ? u_.data() : x_.data()});
  }

  int most_;
  std::int64_t rows_;
  Vector basis_, z_basis_;  ///< v_0, v_1, ..., and M^-1 of them
  Vector v_, z_, w_, u_;
  Kokkos::View<Sum*, typename Exec::memory_space> small_, partial_;
};

template <class Exec, class Op, class M, class Scalar>
class Gmres : public GmresMethod<Exec, Op, M, Scalar, false> {
 public:
  using GmresMethod<Exec, Op, M, Scalar, false>::GmresMethod;
  static constexpr const char* name = "gmres";
};

template <class Exec, class Op, class M, class Scalar>
class Fgmres : public GmresMethod<Exec, Op, M, Scalar, true> {
 public:
  using GmresMethod<Exec, Op, M, Scalar, true>::GmresMethod;
  static constexpr const char* name = "fgmres";
};

/// Solves A x = b for any invertible A by GMRES with restarts, preconditioned from the right.
///
/// Shapes   b and x are vectors of a.space().num_local() entries, the local part. x holds the first guess.
/// Memory   b and x reachable from `exec`, and apart; allocates restart + 3 vectors, 2 more with a preconditioner, and
///          one for the best x; nothing in the iterations.
/// Async    as of cg(), but for a persistent kernel, of which there is none. The host never waits for an iteration:
///          intervals of iterations are graphs of the device where operator and preconditioner are capturable.
/// Ranks    all of one kind: hosts and devices round scalars differently, and would end at different iterations.
/// Result   the status, and the true residual ||b - A x|| / ||b|| computed from the final x. `stagnation` also means
///          that A is singular and b is not in its range.
/// Throws   ShapeError, ArgumentError before any work, on all parts of the system.
/// Source   Saad & Schultz 1986; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.5.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport gmres(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const GmresOptions& options = {}) {
  return impl::solve_once<Gmres>(exec, a, m, b, x, options);
}

/// Solves A x = b by flexible GMRES: the preconditioner may be another operator in each iteration, an iterative solver
/// say. Allocates 2 * restart + 5 vectors with a preconditioner; else as gmres().
///
/// Source   Saad 1993; Saad, Iterative Methods for Sparse Linear Systems, algorithm 9.6.
template <execution_space Exec, class Op, class M, class B, class X>
SolveReport fgmres(const Exec& exec, const Op& a, const M& m, const B& b, const X& x,
                   const GmresOptions& options = {}) {
  return impl::solve_once<Fgmres>(exec, a, m, b, x, options);
}

/// Bytes that gmres() allocates where vectors are, for n entries of the local part, all real.
inline std::uint64_t gmres_bytes(std::int64_t n, std::size_t bytes_of_entry, bool preconditioned, int restart) {
  const std::uint64_t vectors = std::uint64_t(restart) + (preconditioned ? 6 : 4),
                      small = impl::Hessenberg<double>::size(restart),
                      partial = std::uint64_t(basis_partial_size(n, restart));
  return impl::method_bytes(n, vectors, bytes_of_entry, sizeof(impl::GmresScalars), 2 * (restart + 1)) +
         (small + partial) * sizeof(double);
}

}  // namespace ashlar
