#pragma once

namespace ashlar::multigrid {

/// The order of the polynomial that a boundary condition u = 0 makes ghost cells of: through the averages of the 1, 2
/// or 4 cells next to the boundary, and zero there.
enum class BoundaryOrder { linear, quadratic, quartic };

/// A ghost cell as a sum over the cells next to the boundary, the nearest first: by how deep it lies beyond.
template <class Real>
struct BoundaryWeights {
  int points = 1;
  Real of[2][4] = {};
};

/// What `wanted` becomes in boxes of so few cells that they have not enough next to the boundary.
constexpr BoundaryOrder boundary_order(BoundaryOrder wanted, int box_dim) {
  if (box_dim < 2) return BoundaryOrder::linear;
  if (box_dim < 4 && wanted == BoundaryOrder::quartic) return BoundaryOrder::quadratic;
  return wanted;
}

/// Ghost cells deeper than the polynomial is used for are 0: the second ones of all but quartic.
template <class Real>
constexpr BoundaryWeights<Real> boundary_weights(BoundaryOrder order) {
  switch (order) {
    case BoundaryOrder::linear:
      return {1, {{-1}, {}}};
    case BoundaryOrder::quadratic:
      return {2, {{-5. / 2, 1. / 2}, {}}};
    case BoundaryOrder::quartic:
      break;
  }
  return {4, {{-77. / 12, 43. / 12, -17. / 12, 3. / 12}, {-505. / 12, 335. / 12, -145. / 12, 27. / 12}}};
}

}  // namespace ashlar::multigrid
