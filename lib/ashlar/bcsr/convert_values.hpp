#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/host/huge_pages.hpp>
#include <cstdint>

namespace ashlar {

namespace impl {
template <matrix_value To, matrix_value From>
KOKKOS_INLINE_FUNCTION To converted(const From& value) {
  if constexpr (is_complex_v<To>) {
    return To(static_cast<real_t<To>>(value.real()), static_cast<real_t<To>>(value.imag()));
  } else if constexpr (std::is_same_v<From, bfloat16>) {
    return static_cast<To>(static_cast<float>(value));
  } else {
    return static_cast<To>(value);
  }
}
}  // namespace impl

/// The same matrix with values of another precision, each rounded to the nearest: convert_values<bfloat16>(exec, A).
///
/// Shapes   as the matrix's; real values become real ones, complex ones complex ones.
/// Memory   new values in the matrix's memory space, sizeof(To) each; the graph is shared.
/// Async    enqueued on `exec`; the allocation is not asynchronous.
template <matrix_value To, execution_space Exec, class From, class Layout, class Ordinal, class Offset, class Space>
BcsrMatrix<To, Layout, Ordinal, Offset, Space> convert_values(
    const Exec& exec, const BcsrMatrix<From, Layout, Ordinal, Offset, Space>& matrix) {
  using Result = BcsrMatrix<To, Layout, Ordinal, Offset, Space>;
  static_assert(reachable_from<Exec, typename Result::values_view>,
                "ashlar::convert_values: the matrix must be reachable from the execution space");
  static_assert(is_complex_v<To> == is_complex_v<From>,
                "ashlar::convert_values: real values stay real, complex ones complex");
  const typename Result::values_view values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"),
                                            matrix.values().extent(0));
  ask_for_huge_pages(values);
  const auto from = matrix.values();
  Kokkos::parallel_for(
      "ashlar::convert_values",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(from.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { values(i) = impl::converted<To>(from(i)); });
  return Result(matrix.block_shape(), matrix.graph(), values);
}

}  // namespace ashlar
