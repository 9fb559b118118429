#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/host/memory.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar::impl {

/// Where an operation that was given `exec` does what only the host can: on `exec` itself if that is the host's, on the
/// host's default instance otherwise.
template <execution_space Exec>
Kokkos::DefaultHostExecutionSpace host_execution(const Exec& exec) {
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

}  // namespace ashlar::impl

namespace ashlar {

namespace impl {

/// A vector in `To` that data is copied into. On a host its threads write it first, so that its pages do not all lie
/// near the copying thread.
template <class T, memory_space To>
Kokkos::View<T*, To> target_of_copy(const std::string& label, std::size_t count) {
  if constexpr (std::is_same_v<To, Kokkos::HostSpace>) {
    const Kokkos::View<T*, To> target(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), count);
    ask_for_huge_pages(target);
    const Kokkos::DefaultHostExecutionSpace host;
    T* const entries = target.data();
    // (Kokkos may fill with zeros by one thread.)
    Kokkos::parallel_for("ashlar::copy_to[first touch]",
                         Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::size_t>>(
                             host, std::size_t(0), count),
                         [entries](std::size_t i) { entries[i] = T(0); });
    host.fence("ashlar::copy_to: first touch");
    return target;
  } else {
    return Kokkos::View<T*, To>(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), count);
  }
}

}  // namespace impl

/// The graph in another memory space; the graph itself where it lies there already.
///
/// Async    the copies are enqueued on `exec`; the allocation of the result is not asynchronous. Pages of a host are
///          first touched by its default instance.
template <memory_space To, execution_space Exec, class Ordinal, class Offset, class From>
BcsrGraph<Ordinal, Offset, To> copy_to(const Exec& exec, const BcsrGraph<Ordinal, Offset, From>& graph) {
  if constexpr (std::is_same_v<To, From>) {
    return graph;
  } else {
    const auto row_ptr = impl::target_of_copy<Offset, To>("ashlar::row_ptr", graph.row_ptr().extent(0));
    const auto col_idx = impl::target_of_copy<Ordinal, To>("ashlar::col_idx", graph.col_idx().extent(0));
    Kokkos::deep_copy(exec, row_ptr, graph.row_ptr());
    Kokkos::deep_copy(exec, col_idx, graph.col_idx());
    return {graph.num_block_cols(), row_ptr, col_idx};
  }
}

/// The matrix in another memory space; the matrix itself, sharing its data, where it lies there already.
///
/// Async    the copies are enqueued on `exec`: fence it before the host reads the result.
template <memory_space To, execution_space Exec, class Scalar, class Layout, class Ordinal, class Offset, class From>
BcsrMatrix<Scalar, Layout, Ordinal, Offset, To> copy_to(
    const Exec& exec, const BcsrMatrix<Scalar, Layout, Ordinal, Offset, From>& matrix) {
  if constexpr (std::is_same_v<To, From>) {
    return matrix;
  } else {
    const auto values = impl::target_of_copy<Scalar, To>("ashlar::values", matrix.values().extent(0));
    Kokkos::deep_copy(exec, values, matrix.values());
    return {matrix.block_shape(), copy_to<To>(exec, matrix.graph()), values};
  }
}

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
