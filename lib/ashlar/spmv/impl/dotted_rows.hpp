#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/real_product.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Block rows whose product y := A x leaves x^H y behind: a thread adds its share to *dot as it stores. A is square.
template <class Rows>
struct DottedRows : Rows {
  double* dot;

  KOKKOS_INLINE_FUNCTION void store(std::int64_t block_row, int row, const typename Rows::scalar_type& sum) const {
    const std::int64_t i = block_row * this->rows_of_block() + row;
    this->a.y[i] = sum;
    *dot += real_product(this->a.x[i], sum);
  }
};

}  // namespace ashlar::impl
