#pragma once

#include <ashlar/cycles/cycle.hpp>

namespace ashlar::amg {

/// Options of smoothed aggregation.
struct Options {
  cycles::CycleKind cycle = cycles::CycleKind::v;
  /// Coupling of nodes i and j is strong if ||A_ij|| > strength * sqrt(||A_ii|| ||A_jj||), in the Frobenius norm. Weak
  /// couplings neither aggregate nodes nor take part in the smoothing of the prolongator.
  double strength = 0;
  /// Products with A in one smoothing, the degree of its Chebyshev polynomial; 1 to 10.
  int smoother_degree = 2;
  /// Eigenvalues of D^-1 A from the largest down to this fraction of it are damped by the smoother.
  double smoothed_fraction = 0.1;
  /// P = (I - damping/lambda D^-1 A) P0; 0 leaves the tentative prolongator P0.
  double prolongator_damping = 4.0 / 3;
  /// A level of at most so many rows is solved by a dense inverse; 1 to 2000.
  int coarsest_rows = 200;
  int max_levels = 20;
};

/// Throws   ArgumentError if an option is out of range.
void check(const Options& options);

}  // namespace ashlar::amg
