#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>

namespace ashlar {

/// The graph in another memory space; the graph itself where it lies there already.
///
/// Async    the copies are enqueued on `exec`; the allocation of the result is not asynchronous.
template <memory_space To, execution_space Exec, class Ordinal, class Offset, class From>
BcsrGraph<Ordinal, Offset, To> copy_to(const Exec& exec, const BcsrGraph<Ordinal, Offset, From>& graph) {
  if constexpr (std::is_same_v<To, From>) {
    return graph;
  } else {
    using Kokkos::view_alloc;
    using Kokkos::WithoutInitializing;
    Kokkos::View<Offset*, To> row_ptr(view_alloc(WithoutInitializing, "ashlar::row_ptr"), graph.row_ptr().extent(0));
    Kokkos::View<Ordinal*, To> col_idx(view_alloc(WithoutInitializing, "ashlar::col_idx"), graph.col_idx().extent(0));
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
    Kokkos::View<Scalar*, To> values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"),
                                     matrix.values().extent(0));
    Kokkos::deep_copy(exec, values, matrix.values());
    return {matrix.block_shape(), copy_to<To>(exec, matrix.graph()), values};
  }
}

}  // namespace ashlar
