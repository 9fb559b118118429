#pragma once

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>

namespace ashlar::amg {

/// Moves a coarse level to fewer ranks, if it has few block rows a rank.
template <class A>
class Gathering;

/// On one rank nothing moves.
template <bcsr_matrix Matrix>
class Gathering<Matrix> {
 public:
  using Modes = NearNullSpace<typename Matrix::memory_space>;

  /// For the level whose block rows are the block columns of P.
  Gathering(const Matrix& /*p*/, int /*fewest_rows*/) {}

  /// P with the columns where they go.
  template <execution_space Exec>
  const Matrix& prolongator(const Exec&, const Matrix& p) {
    return p;
  }
  /// The matrix of the level where it goes.
  template <execution_space Exec>
  const Matrix& matrix(const Exec&, const Matrix& coarse) {
    return coarse;
  }
  /// The modes of the level where they go.
  template <execution_space Exec>
  Modes modes(const Exec&, const Modes& modes) const {
    return modes;
  }
};

}  // namespace ashlar::amg
