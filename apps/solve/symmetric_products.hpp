#pragma once

#include <string>

#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// Throws NumericalError where x^T (A y) and y^T (A x) differ for some x and y by more than rounding: for matrices
/// whose entries lie too far apart to be compared one by one, in a file or on other ranks. Collective.
template <class Exec>
void require_symmetric_products(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system);

}  // namespace ashlar::app
