#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/basis.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// The small least-squares problem of GMRES, min ||g - H y|| for a Hessenberg matrix H whose columns come one by one.
/// Givens rotations keep it triangular: Q H = R, and the last entry of Q g is the norm of the residual.
///
/// Memory   the caller's, size(most) entries; the functions are for one thread of the device or host. That thread
///          waits for each load, and a store ends what the compiler may load ahead: so `together` entries are loaded
///          before the first is used.
/// Source   Saad, Iterative Methods for Sparse Linear Systems, section 6.5.3.
template <class Number>
struct Hessenberg {
  Number* entries;
  int most;  ///< columns

  static constexpr int together = 16;

  static constexpr int size(int most) { return most * (most + 1) + 2 * most + 3 * (most + 1); }

  KOKKOS_FUNCTION Number& r(int i, int j) const { return entries[j * (most + 1) + i]; }
  KOKKOS_FUNCTION Number* part(int k) const { return entries + most * (most + 1) + k * (most + 1); }
  KOKKOS_FUNCTION Number* g() const { return part(0); }
  /// The solution: the first `columns` entries.
  KOKKOS_FUNCTION Number* y() const { return part(1); }
  /// The residual's direction in the basis: columns + 1 entries, of norm 1.
  KOKKOS_FUNCTION Number* direction() const { return part(2); }
  KOKKOS_FUNCTION Number& cosine(int i) const { return part(3)[i]; }
  KOKKOS_FUNCTION Number& sine(int i) const { return part(3)[most + i]; }

  KOKKOS_FUNCTION void begin(double norm) const { g()[0] = norm; }

  /// Takes column j, with entry(i) in rows 0 to j and `below` under them. Returns the norm of the residual, or -1 if
  /// the column adds no more than `rounding`: H is singular.
  template <class Entry>
  KOKKOS_FUNCTION double add_column(int j, const Entry& entry, double below, double rounding) const {
    Number upper = entry(0);
    for (int first = 0; first < j; first += together) {
      Number cosines[together], sines[together], lower[together];
      for (int u = 0; u < together; ++u) {
        const int i = first + u < j ? first + u : j - 1;
        cosines[u] = cosine(i);
        sines[u] = sine(i);
        lower[u] = entry(i + 1);
      }
      for (int u = 0; u < together; ++u) {
        if (first + u >= j) break;
        rotate(cosines[u], sines[u], upper, lower[u]);
        r(first + u, j) = upper;
        upper = lower[u];
      }
    }
    const double diagonal = Kokkos::abs(upper), length = Kokkos::hypot(diagonal, below);
    if (!(length > rounding)) return -1;
    cosine(j) = diagonal / length;
    sine(j) = diagonal > 0 ? upper * (below / (diagonal * length)) : Number(1);
    r(j, j) = diagonal > 0 ? upper * (length / diagonal) : Number(length);
    g()[j + 1] = Number(0);
    rotate(cosine(j), sine(j), g()[j], g()[j + 1]);
    return Kokkos::abs(g()[j + 1]);
  }

  /// y := R^-1 Q g, by the first `columns` columns, and the direction of the residual they leave.
  KOKKOS_FUNCTION void solve(int columns) const {
    for (int i = columns - 1; i >= 0; --i) {
      Number sum = g()[i];
      for (int first = i + 1; first < columns; first += together) {
        Number entries[together], solved[together];
        for (int u = 0; u < together; ++u) {
          const int k = first + u < columns ? first + u : i + 1;
          entries[u] = r(i, k);
          solved[u] = y()[k];
        }
        for (int u = 0; u < together; ++u) sum -= first + u < columns ? entries[u] * solved[u] : Number(0);
      }
      y()[i] = sum / r(i, i);
    }
    // Q^H of the last unit vector, with the sign of the residual.
    Number* const d = direction();
    const double norm = Kokkos::abs(g()[columns]);
    Number last = norm > 0 ? g()[columns] / norm : Number(0);
    for (int first = columns - 1; first >= 0; first -= together) {
      Number cosines[together], sines[together];
      for (int u = 0; u < together; ++u) {
        const int i = first >= u ? first - u : 0;
        cosines[u] = cosine(i);
        sines[u] = sine(i);
      }
      for (int u = 0; u < together && u <= first; ++u) {
        d[first - u + 1] = cosines[u] * last;
        last = -(sines[u] * last);
      }
    }
    d[0] = last;
  }

 private:
  KOKKOS_FUNCTION static Number conjugate(const Number& number) {
    if constexpr (is_complex_v<Number>) {
      return Kokkos::conj(number);
    } else {
      return number;
    }
  }
  /// (a, b) := the rotation of it
  KOKKOS_FUNCTION static void rotate(const Number& cosine, const Number& sine, Number& a, Number& b) {
    const Number before = a;
    a = cosine * before + sine * b;
    b = cosine * b - conjugate(sine) * before;
  }
};

/// The scalars of GMRES, and what the next passes over the basis are to do.
struct GmresScalars : IterationScalars {
  int columns = 0;                ///< of H in this cycle
  int active = 0;                 ///< vectors to orthogonalise against; 0 once the solve has ended
  int projected = 0, closed = 0;  ///< for step(): vectors to subtract, and columns whose V y is added
  bool extends = false;           ///< for step(): whether there is a next vector
  double inverse_norm = 0;        ///< 1 / ||w||

  template <class Sum>
  KOKKOS_FUNCTION void begin_cycle(const Hessenberg<Sum>& small, double norm) {
    columns = projected = closed = 0;
    extends = false;
    active = is_running() ? 1 : 0;
    inverse_norm = norm > 0 ? 1 / norm : 0;
    small.begin(norm);
  }

  /// Ends an iteration, from w^H w and V^H w of the two projections; `eps` is the vectors' precision.
  template <class Sum>
  KOKKOS_FUNCTION void advance(const Hessenberg<Sum>& small, const Sum* first, const Sum* second, double eps,
                               double* history) {
    projected = closed = 0;
    extends = false;
    if (!is_running()) return;
    double squared = real_part(second[0]);
    for (int k = 0; k < active; ++k) {
      const Sum of_basis = second[1 + k];
      squared -= real_part(of_basis) * real_part(of_basis) + imaginary_part(of_basis) * imaginary_part(of_basis);
    }
    const double before = real_part(first[0]);
    if (!is_finite(before) || !is_finite(squared)) return end(small, Kokkos::sqrt(before + squared), history);
    // The rest of w may be nothing but rounding: then the residual is 0, or H is singular.
    const double rounding = eps * Kokkos::sqrt(before);
    const double below = squared > rounding * rounding ? Kokkos::sqrt(squared) : 0;
    const auto entry = [first, second](int k) { return first[1 + k] + second[1 + k]; };
    const double norm = small.add_column(columns, entry, below, 10 * rounding);
    if (norm < 0) {
      end(small, progress.last, history);
      if (is_running() || progress.status == SolveStatus::iteration_limit) progress.status = SolveStatus::stagnation;
      active = 0;
      return;
    }
    ++columns;
    projected = active;
    inverse_norm = below > 0 ? 1 / below : 0;
    extends = true;
    ++active;
    end(small, norm, history);
  }

  /// The columns of this cycle, if any, become part of x.
  template <class Sum>
  KOKKOS_FUNCTION void close(const Hessenberg<Sum>& small) {
    closed = columns;
    projected = columns = active = 0;
    extends = false;
    if (closed > 0) small.solve(closed);
  }

 private:
  KOKKOS_FUNCTION static double real_part(double a) { return a; }
  KOKKOS_FUNCTION static double imaginary_part(double) { return 0; }
  KOKKOS_FUNCTION static double real_part(const Kokkos::complex<double>& a) { return a.real(); }
  KOKKOS_FUNCTION static double imaginary_part(const Kokkos::complex<double>& a) { return a.imag(); }

  /// Judges the iteration; closes the cycle if it or the solve has ended.
  template <class Sum>
  KOKKOS_FUNCTION void end(const Hessenberg<Sum>& small, double norm, double* history) {
    end_iteration(norm, 0, history);
    if (is_running() && columns < small.most) return;
    closed = columns;
    if (closed > 0) small.solve(closed);
    columns = 0;
    active = is_running() ? 1 : 0;
    if (is_running()) small.begin(norm);
  }
};

/// v_0 := r / ||r||
template <class Scalar>
struct FirstOfBasis {
  const GmresScalars* scalars;
  BasisAccess<Scalar> basis;
  const Scalar* r;
  Scalar* v;

  template <int most>
  KOKKOS_FUNCTION void rows(std::int64_t first, int rows) const {
    const auto factor = real_t<Scalar>(scalars->inverse_norm);
    for (std::int64_t i = first; i < first + rows; ++i) basis.column(0)[i] = v[i] = factor * r[i];
  }
};

/// z_j := z
template <class Scalar>
struct KeepInBasis {
  const GmresScalars* scalars;
  BasisAccess<Scalar> basis;
  const Scalar* z;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    if (scalars->active > 0) basis.column(scalars->active - 1)[i] = z[i];
  }
};

/// v_j+1 := (w - V h) / ||w - V h||. At the end of a cycle: solution += Z y, and v_0 is the residual's direction.
template <class Scalar>
struct StepOfGmres {
  using Sum = sum_t<Scalar>;

  const GmresScalars* scalars;
  Hessenberg<Sum> small;
  BasisAccess<Scalar> basis, z_basis;
  const Sum* coefficients;
  const Scalar* w;
  Scalar *v, *solution;

  template <int most>
  KOKKOS_FUNCTION void rows(std::int64_t first, int rows) const {
    const GmresScalars& s = *scalars;
    Scalar next[most], sum[most];
    if (s.extends) {
      for (int i = 0; i < rows; ++i) next[i] = w[first + i];
      add_combination(basis, s.projected, -1, coefficients, first, rows, next);
      for (int i = 0; i < rows; ++i) next[i] *= real_t<Scalar>(s.inverse_norm);
    }
    if (s.closed > 0) {
      for (int i = 0; i < rows; ++i) sum[i] = solution[first + i];
      add_combination(z_basis, s.closed, 1, small.y(), first, rows, sum);
      for (int i = 0; i < rows; ++i) solution[first + i] = sum[i];
      if (s.extends) {
        for (int i = 0; i < rows; ++i) next[i] *= Scalar(small.direction()[s.closed]);
        add_combination(basis, s.closed, 1, small.direction(), first, rows, next);
      }
    }
    if (!s.extends) return;
    const int place = s.closed > 0 ? 0 : s.projected;
    for (int i = 0; i < rows; ++i) basis.column(place)[first + i] = v[first + i] = next[i];
  }
};

}  // namespace ashlar::impl
