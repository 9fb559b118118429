#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <cstdint>

// The passes over vectors in an iteration of BiCGStab that add up sums. Entries are loaded apart from their use, so
// that a GPU has several under way in each thread.

namespace ashlar::impl {

template <class Scalar>
inline constexpr int parts_of_sum = is_complex_v<Scalar> ? 2 : 1;

/// sum += conj(a) b, by its parts
template <class Scalar>
KOKKOS_INLINE_FUNCTION void add_product(const Scalar& a, const Scalar& b, double* sum) {
  sum[0] += real_product(a, b);
  if constexpr (is_complex_v<Scalar>) {
    sum[1] += double(a.real()) * double(b.imag()) - double(a.imag()) * double(b.real());
  }
}

/// u^H u and v^H w
template <class Scalar>
struct SquareAndProduct {
  static constexpr int sums = 1 + parts_of_sum<Scalar>;
  struct Loaded {
    Scalar u, v, w;
  };

  const Scalar *u, *v, *w;

  KOKKOS_INLINE_FUNCTION Loaded load(std::int64_t i) const { return {u[i], v[i], w[i]}; }
  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t, const Loaded& loaded, double (&sum)[sums]) const {
    sum[0] += real_product(loaded.u, loaded.u);
    add_product(loaded.v, loaded.w, sum + 1);
  }
};

/// x += alpha p^ + omega s^, r := s - omega t, and of the new r r^H r and shadow^H r. Once the solve has ended x and r
/// stay.
template <class Scalars, class Scalar>
struct BiCgStabStep {
  static constexpr int sums = 1 + parts_of_sum<Scalar>;
  struct Loaded {
    Scalar r, shadow, x, p_hat, s_hat, t;
  };

  const Scalars* scalars;
  const Scalar *p_hat, *s_hat, *t, *shadow;
  Scalar *x, *r;

  struct OfThread {
    Scalar alpha, omega;
    bool is_running;
    BiCgStabStep step;

    KOKKOS_INLINE_FUNCTION Loaded load(std::int64_t i) const {
      return {step.r[i], step.shadow[i], step.x[i], step.p_hat[i], step.s_hat[i], step.t[i]};
    }
    KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i, const Loaded& loaded, double (&sum)[sums]) const {
      Scalar residual = loaded.r;
      if (is_running) {
        step.x[i] = loaded.x + (alpha * loaded.p_hat + omega * loaded.s_hat);
        residual -= omega * loaded.t;
        step.r[i] = residual;
      }
      sum[0] += real_product(residual, residual);
      add_product(loaded.shadow, residual, sum + 1);
    }
  };
  KOKKOS_INLINE_FUNCTION OfThread for_thread() const {
    return {Scalar(scalars->alpha), Scalar(scalars->omega), scalars->is_running(), *this};
  }
};

}  // namespace ashlar::impl
