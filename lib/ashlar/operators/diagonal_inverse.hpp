#pragma once

namespace ashlar {

/// The inverses of diagonal blocks, as kernels that apply a preconditioner by themselves see it: one block a block row,
/// one after another in the device's memory. With block size 1 they are those of diagonal entries.
template <class Scalar>
struct DiagonalInverse {
  const Scalar* values = nullptr;
  int block_size = 1;
  bool by_columns = true;  ///< whether a block is stored by columns
};

}  // namespace ashlar
