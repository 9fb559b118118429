#pragma once

#include <ashlar/cycles/cycle.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <string_view>

namespace ashlar::amg {

/// Rows of the largest dense inverse.
inline constexpr int most_coarsest_rows = 2000;

enum class SmootherKind {
  chebyshev,    ///< a polynomial in D^-1 A, D the diagonal blocks
  l1_jacobi,    ///< sweeps of block-Jacobi with l1 norms on the diagonal
  gauss_seidel  ///< sweeps of block Gauss-Seidel by colours, forward before the coarse levels and backward after them
};

/// "chebyshev", "l1-jacobi", "gauss-seidel"
std::string_view to_string(SmootherKind kind);

/// Options of smoothed aggregation.
struct Options {
  cycles::CycleKind cycle = cycles::CycleKind::v;
  /// Coupling of nodes i and j is strong if ||A_ij|| > strength * sqrt(||A_ii|| ||A_jj||), in the Frobenius norm. Weak
  /// couplings neither aggregate nodes nor take part in the smoothing of the prolongator.
  double strength = 0;
  SmootherKind smoother = SmootherKind::chebyshev;
  /// The degree of Chebyshev's polynomial, or the number of sweeps; 1 to 10.
  int smoother_degree = 2;
  /// Eigenvalues of D^-1 A from the largest down to this fraction of it are damped by Chebyshev's polynomial.
  double smoothed_fraction = 0.1;
  /// P = (I - damping/lambda D^-1 A) P0; 0 leaves the tentative prolongator P0.
  double prolongator_damping = 4.0 / 3;
  /// A level with at most this many rows, over all ranks, is solved by a dense inverse; 1 to most_coarsest_rows.
  int coarsest_rows = 200;
  int max_levels = 20;
  /// A coarse level with fewer block rows a rank moves to fewer ranks, on which it has as many; 0: never.
  int fewest_rows = 32;
  /// How all levels of distributed matrices exchange entries.
  ExchangeMode exchange = ExchangeMode::automatic;
};

/// Throws   ArgumentError if an option is out of range.
void check(const Options& options);

/// The same for a matrix that is streamed, which has no rows on the device for a Gauss-Seidel sweep.
void check_streamed(const Options& options);

}  // namespace ashlar::amg
