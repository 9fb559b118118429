#pragma once

#include <ashlar/base/error.hpp>
#include <optional>
#include <string>

#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

struct SymmetryOfSystem {
  bool is_known = true;                      ///< false if there was no room for the check
  std::optional<NumericalError> fault = {};  ///< what is wrong, if the matrix is not symmetric
};

/// Compares x^T (A y) with y^T (A x) for some x and y: for matrices whose entries lie too far apart to be compared one
/// by one, in a file or on other ranks. Collective, with the same result on all ranks.
template <class Exec>
SymmetryOfSystem symmetry_by_products(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system);

}  // namespace ashlar::app
