#pragma once

namespace ashlar::cycles {

/// The coefficients of Chebyshev's iteration for eigenvalues of D^-1 A between `lowest` and `largest`. With r = b - A x
/// its steps are d := of_d d + of_r D^-1 r, x := x + d.
///
/// The smoothers of all kinds of levels take theirs from here. The vector operations stay with the levels: box levels
/// form x from its two last values in the pass that computes A x, block levels update r, d and x after a product.
///
/// Source   Saad, Iterative Methods for Sparse Linear Systems, algorithm 12.1.
class Chebyshev {
 public:
  struct Step {
    double of_d, of_r;
  };

  Chebyshev(double lowest, double largest)
      : centre_((largest + lowest) / 2), half_((largest - lowest) / 2), sigma_(centre_ / half_), rho_(1 / sigma_) {}

  double largest() const { return centre_ + half_; }

  Step first() const { return {0, 1 / centre_}; }
  /// The second step, the third, ... by one call each.
  Step next() {
    const double next = 1 / (2 * sigma_ - rho_);
    const Step step{next * rho_, 2 * next / half_};
    rho_ = next;
    return step;
  }

 private:
  double centre_, half_, sigma_, rho_;
};

}  // namespace ashlar::cycles
