#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The i-th of all entries of a vector or multi-vector, column by column.
template <class Y>
KOKKOS_INLINE_FUNCTION auto& entry_of(const Y& y, std::int64_t i) {
  if constexpr (Y::rank() == 1) {
    return y(i);
  } else {
    const std::int64_t rows = static_cast<std::int64_t>(y.extent(0));
    return y(i % rows, i / rows);
  }
}

/// y := beta*y, zeros if beta is 0: a product with alpha 0, which reads neither A nor x.
template <class Exec, class Scalar, class Y>
void scale(const Exec& exec, const Scalar beta, const Y& y) {
  Kokkos::parallel_for(
      "ashlar::spmv[alpha=0]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(y.size())),
      KOKKOS_LAMBDA(std::int64_t i) {
        Scalar& entry = entry_of(y, i);
        entry = beta == Scalar(0) ? Scalar(0) : beta * entry;
      });
}

/// The same for the block rows of a list, of `rows_of_block` rows each.
template <class Exec, class Scalar, class Y, class Rows>
void scale_rows(const Exec& exec, const Scalar beta, const Y& y, const Rows& rows, int rows_of_block) {
  const std::int64_t rows_of_vector = static_cast<std::int64_t>(rows.extent(0)) * rows_of_block;
  const std::int64_t num_vectors = Y::rank() == 1 ? 1 : static_cast<std::int64_t>(y.extent(1));
  const auto height = static_cast<std::int64_t>(y.extent(0));
  Kokkos::parallel_for(
      "ashlar::spmv[alpha=0]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows_of_vector * num_vectors),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t vector = i / rows_of_vector, place = i - vector * rows_of_vector;
        const std::int64_t row = std::int64_t(rows(place / rows_of_block)) * rows_of_block + place % rows_of_block;
        Scalar& entry = entry_of(y, vector * height + row);
        entry = beta == Scalar(0) ? Scalar(0) : beta * entry;
      });
}

}  // namespace ashlar::impl
