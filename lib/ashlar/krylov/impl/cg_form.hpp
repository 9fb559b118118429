#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/method.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/krylov/symmetry_of_products.hpp>
#include <cstdint>
#include <limits>
#include <vector>

namespace ashlar::impl {

/// When x is updated, which all parts of the system decide alike.
template <class Space>
CgXUpdate x_update_for(const Space& space, CgXUpdate asked) {
  if (asked != CgXUpdate::automatic) return asked;
  const bool has_parts = space.agree_max(space.num_local() != space.num_global() ? 1 : 0) > 0;
  return has_parts ? CgXUpdate::under_reduction : CgXUpdate::with_direction;
}

/// The base of all forms of CG: an iterative method with the norms of a preconditioned residual, and a matrix that
/// must be symmetric.
template <class Exec, class Op, class M, class Scalar>
class CgForm : public IterativeMethod<Exec, Op, M, Scalar, CgScalars> {
 public:
  using Options = CgOptions;
  static constexpr bool has_preconditioned_norms = true;

  static constexpr const char* unsuited =
      "A is not symmetric, by two products with pseudo-random vectors; CG needs a symmetric matrix";
  bool is_unsuited(const Exec& exec, std::int64_t& products) const {
    const double tolerance = std::max(1e-8, 10 * double(std::numeric_limits<real_t<Scalar>>::epsilon()));
    const auto found = symmetry_of_products<Scalar>(exec, this->a_);
    if (!found) return false;
    products += 2;
    return is_finite(found->magnitude) && !found->is_symmetric(tolerance);
  }

  static std::vector<Asked> more_asked(const CgOptions& options) {
    return {{"x_update", double(options.x_update)},
            {"checkpoints", double(bool(options.checkpoints.save))},
            {"a checkpoint to resume from", double(options.checkpoints.resume != nullptr)}};
  }

 protected:
  /// The norm of M^-1 r takes a sum of its own in each iteration.
  CgForm(const Exec& exec, const Op& a, const M& m, const CgOptions& options)
      : IterativeMethod<Exec, Op, M, Scalar, CgScalars>(exec, a, m, most_sums_of_step),
        sums_zz_(options.norm == ResidualNorm::preconditioned && !m.is_identity()) {}

  static void refuse_checkpoints(const char* name, const CgOptions& options) {
    if (!options.checkpoints.save && options.checkpoints.resume == nullptr) return;
    throw ArgumentError(text(name, ": checkpoints"), "cg() alone has them", "leave them out, or call cg()");
  }

  bool sums_zz_;  ///< whether iterations add up z^H z
};

/// Where the forms of CG with one reduction an iteration have their sums, of the residual r with u = M^-1 r and w = A
/// u, and of the direction p before it with s = A p. The last two are there with a preconditioner alone; without, u is
/// r.
namespace cg_sum {
inline constexpr int rr = 0, uw = 1, us = 2, ps = 3, ru = 4, uu = 5;
}

/// How many of them an iteration adds up.
inline int num_sums_of(bool has_preconditioner, bool with_uu) { return has_preconditioner ? (with_uu ? 6 : 5) : 4; }

/// CgScalars::advance() for the forms of CG that know all sums together: p^H A p of the step to come follows from them,
/// without a reduction of its own. So alpha and beta are of that step.
///
/// p := u + beta*p has the product p^H A p = u^H w + 2 beta u^H s + beta^2 p^H s, of sums that are all computed. (The
/// textbook's u^H w - beta r^H u / alpha hands on the error of alpha, which grows from step to step if beta is large,
/// as for slender beams.)
///
/// Counts and judges the iteration that left this residual, unless it is the first, and prepares the step that follows.
KOKKOS_INLINE_FUNCTION void advance_by_recurrence(CgScalars& s, const double* sums, bool has_preconditioner,
                                                  bool is_first, double* history) {
  if (!s.is_running()) return;
  const double rr = sums[cg_sum::rr], rz = has_preconditioner ? sums[cg_sum::ru] : rr;
  const double rz_before = s.rz;
  if (!is_first) s.end_step(rr, rz, has_preconditioner ? sums[cg_sum::uu] : rr, history, most_between_checks);
  if (!s.is_running()) return;
  s.beta = is_first ? 0 : s.rz / rz_before;
  const double uw = sums[cg_sum::uw];
  const double pq = is_first ? uw : uw + s.beta * (2 * sums[cg_sum::us] + s.beta * sums[cg_sum::ps]);
  s.alpha = s.judge_curvature(pq) ? s.step_length(pq) : 0;
}

/// A form that computes p^H A p from other sums: an indefinite matrix or a breakdown is no proof. The first step after
/// a start computes it.
template <class Exec, class Op, class M, class Scalar>
class CgFormByRecurrence : public CgForm<Exec, Op, M, Scalar> {
 public:
  static constexpr std::int64_t products_of_start = 2;
  static constexpr bool is_proof(SolveStatus claim) {
    return claim != SolveStatus::indefinite_matrix && claim != SolveStatus::breakdown;
  }

 protected:
  using CgForm<Exec, Op, M, Scalar>::CgForm;
};

}  // namespace ashlar::impl
