#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>

namespace ashlar::testing {

/// The same product by a matrix whose blocks count from `far` on: its columns and values are views that begin as many
/// blocks before the arrays of `a`, which must outlive it. `far` keeps them aligned, being a multiple of 16.
template <bcsr_matrix Matrix>
struct FarBlocks {
  using Space = typename Matrix::memory_space;
  using Offset = typename Matrix::offset_type;
  using Graph = typename Matrix::graph_type;

  Matrix matrix;

  FarBlocks(const Matrix& a, std::int64_t far) {
    const std::int64_t all = far + a.num_blocks(), bb = a.block_shape().num_values();
    using ColIdx = typename Graph::col_idx_view;
    matrix = Matrix(a.block_shape(),
                    Graph(a.num_block_cols(), moved(a.graph().row_ptr(), far),
                          ColIdx(before(a.graph().col_idx().data(), far), std::size_t(all))),
                    typename Matrix::values_view(before(a.values().data(), far * bb), std::size_t(all * bb)));
  }

  static Kokkos::View<Offset*, Space> moved(const typename Graph::row_ptr_view& from, std::int64_t far) {
    const Kokkos::View<Offset*, Space> row_ptr("test::row_ptr", from.extent(0));
    Kokkos::parallel_for(
        "test::far_blocks",
        Kokkos::RangePolicy<typename Space::execution_space, Kokkos::IndexType<std::int64_t>>(0, from.extent(0)),
        KOKKOS_LAMBDA(std::int64_t i) { row_ptr(i) = static_cast<Offset>(from(i) + far); });
    Kokkos::fence("test::far_blocks");
    return row_ptr;
  }

  /// By way of numbers: a pointer before its array is none that the language knows.
  template <class T>
  static T* before(T* array, std::int64_t count) {
    return reinterpret_cast<T*>(reinterpret_cast<std::uintptr_t>(array) - std::uintptr_t(count) * sizeof(T));
  }
};

}  // namespace ashlar::testing
