#pragma once

#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// A x = b, and what it is solved with.
struct CgSystem {
  std::string name;
  Matrix matrix;  ///< SPD
  Vector<double> b;
  std::vector<std::string> preconditioners;  ///< "none", "block_jacobi"
};

/// Made from a name: "grid27:80" is a grid of 80^3 points, each coupled to the 27 around it, "stencil11:128" one with
/// 11, "grid27x3:68" one with dense 3x3 blocks, and "cantilever:33" the cantilever with three unknowns at each of 33^3
/// nodes, which is solved with block-Jacobi, too.
///
/// Values are such that CG takes hundreds of iterations: those of the grids are a Laplacian without boundary
/// conditions, whose diagonal is larger than the rest of its row by some thousandths at most.
///
/// Throws   ArgumentError for a name that is none.
CgSystem make_system(const Exec& exec, const std::string& name);

}  // namespace ashlar::perf
