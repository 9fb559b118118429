#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <type_traits>

namespace ashlar::impl {

/// The small least-squares problem of GMRES, min ||g - H y|| for a Hessenberg matrix H whose columns come one by one.
/// Givens rotations keep it triangular: Q H = R, and the last entry of Q g is the norm of the residual.
///
/// Memory   the caller's, size(most) entries; the functions are for one thread of the device or host.
/// Source   Saad, Iterative Methods for Sparse Linear Systems, section 6.5.3.
template <class Number>
struct Hessenberg {
  Number* entries;
  int most;  ///< columns

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
    constexpr int together = 8;
    Number upper = entry(0);
    for (int first = 0; first < j; first += together) {
      // Stores might alias the loads. So eight rotations are loaded together before the first one is stored.
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
      for (int k = i + 1; k < columns; ++k) sum -= r(i, k) * y()[k];
      y()[i] = sum / r(i, i);
    }
    // Q^H of the last unit vector, with the sign of the residual.
    Number* const d = direction();
    for (int i = 0; i < columns; ++i) d[i] = Number(0);
    const double norm = Kokkos::abs(g()[columns]);
    d[columns] = norm > 0 ? g()[columns] / norm : Number(0);
    for (int i = columns - 1; i >= 0; --i) {
      d[i] = -(sine(i) * d[i + 1]);
      d[i + 1] = cosine(i) * d[i + 1];
    }
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

}  // namespace ashlar::impl
