#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_scalars.hpp>
#include <cstdint>

namespace ashlar::impl {

// The passes over vectors in an iteration of CG.

/// x += alpha*p, of the step before and if x lags by it, and p := z + beta*p, in one pass. If alpha is 0 x is not
/// touched, if beta is 0 p is overwritten, and if the solve has ended p stays.
template <class Scalar>
struct CgDirection {
  using Real = real_t<Scalar>;

  const CgScalars* scalars;
  const Scalar* z;
  Scalar *p, *x;
  bool x_lags;

  struct OfThread {
    Real alpha, beta;
    bool steps, turns, is_running;
    const Scalar* z;
    Scalar *p, *x;

    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
      const Scalar old = steps || turns ? p[i] : Scalar(0);
      if (steps) x[i] += alpha * old;
      if (is_running) p[i] = turns ? z[i] + beta * old : z[i];
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const {
    const CgScalars& s = *scalars;
    return {Real(s.alpha), Real(s.beta), x_lags && s.alpha != 0, s.beta != 0, s.is_running(), z, p, x};
  }
};

template <class Exec, class Scalars, class Z, class P, class X>
void cg_direction(const Exec& exec, const Scalars& scalars, const Z& z, const P& p, const X& x, bool x_lags) {
  using Scalar = typename P::non_const_value_type;
  for_entries("ashlar::cg[direction]", exec, p.extent(0),
              CgDirection<Scalar>{scalars.data(), z.data(), p.data(), x.data(), x_lags});
}

/// x += alpha*p of this step, alpha = r^H z / p^H q. If that is no step, x is not touched.
template <class Scalar>
struct CgStepOfX {
  using Real = real_t<Scalar>;

  const CgScalars* scalars;
  const double* pq;
  const Scalar* p;
  Scalar* x;

  struct OfThread {
    double alpha;
    const Scalar* p;
    Scalar* x;

    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
      if (alpha != 0) x[i] += Real(alpha) * p[i];
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const { return {scalars->step_length(*pq), p, x}; }
};

template <class Exec, class Memory, class P, class X>
void cg_step_of_x(const Exec& exec, const Memory& memory, const P& p, const X& x) {
  using Scalar = typename P::non_const_value_type;
  for_entries("ashlar::cg[x]", exec, p.extent(0),
              CgStepOfX<Scalar>{memory.scalars.data(), memory.sums.data(), p.data(), x.data()});
}

/// An entry of r -= alpha*q with alpha = r^H z / p^H q, and its share of r^H r.
template <class Scalar>
struct CgResidual {
  using Real = real_t<Scalar>;
  struct Loaded {
    Scalar r, q;
  };

  const CgScalars* scalars;
  const double* pq;
  const Scalar* q;
  Scalar* r;

  struct OfThread {
    double alpha;
    const Scalar* q;
    Scalar* r;

    KOKKOS_INLINE_FUNCTION Loaded load(std::int64_t i) const { return {r[i], q[i]}; }
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, const Loaded& loaded, double (&sum)[1]) const {
      Scalar residual = loaded.r;
      if (alpha != 0) {  // (0 times what is not finite would be no number)
        residual -= Real(alpha) * loaded.q;
        r[i] = residual;
      }
      sum[0] += real_product(residual, residual);
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const { return {scalars->step_length(*pq), q, r}; }
};

template <class Exec, class Memory, class Q, class R>
void cg_residual(const Exec& exec, const Memory& memory, const Q& q, const R& r) {
  using Scalar = typename R::non_const_value_type;
  double* const sums = memory.sums.data();
  sum_over_entries<1>("ashlar::cg[residual]", exec, r.extent(0), memory.team_sums.access(), {sums + 1},
                      CgResidual<Scalar>{memory.scalars.data(), sums, q.data(), r.data()});
}

}  // namespace ashlar::impl
