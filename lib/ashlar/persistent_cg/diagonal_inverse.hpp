#pragma once

#include <concepts>

namespace ashlar {

/// The inverses of diagonal blocks, as kernels that apply a preconditioner by themselves see it: one block a block row,
/// one after another in the device's memory. With block size 1 they are those of diagonal entries.
template <class Scalar>
struct DiagonalInverse {
  const Scalar* values = nullptr;
  int block_size = 1;
  bool by_columns = true;  ///< whether a block is stored by columns
};

/// A preconditioner by diagonal blocks of this scalar that shows them.
template <class M, class Scalar>
concept inverts_diagonal = requires(const M& m) {
  { m.diagonal_inverse() } -> std::same_as<DiagonalInverse<Scalar>>;
};

namespace impl {

/// What to do instead of preconditioning a matrix that is not square by its diagonal.
inline constexpr const char* instead_of_not_square =
    "check how the matrix was built; for a rank's rows with ghost columns pass diagonal_blocks() of the operator";

}  // namespace impl

}  // namespace ashlar
