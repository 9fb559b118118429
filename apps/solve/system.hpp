#pragma once

#include <ashlar/problems/cantilever.hpp>
#include <optional>
#include <string>

#include "solve/options.hpp"
#include "types.hpp"

namespace ashlar::app {

/// A x = b, where it came from, and what is known of x.
struct LinearSystem {
  std::string description;  ///< "cantilever of 33 x 33 x 33 nodes"
  Matrix matrix;
  Vector rhs;
  double block_fill = 1;          ///< values stored over entries of the matrix
  bool ones_is_solution = false;  ///< b is A*1
  std::optional<problems::Cantilever> cantilever;
};

/// Generates the problem or reads the files that `options` name, after seeing that memory suffices.
///
/// Throws   MemoryError, FileError with file, line and value; what the generators throw.
LinearSystem load_system(const Execution& exec, const SolveOptions& options);

}  // namespace ashlar::app
