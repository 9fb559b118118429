#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::amg {

/// The strong couplings of the nodes of a matrix: for each node its strong neighbours, not itself, ascending, and how
/// strong each coupling is, ||A_ij|| in the Frobenius norm.
template <class Graph>
struct StrengthGraph {
  using memory_space = typename Graph::memory_space;

  typename Graph::row_ptr_view row_ptr;
  typename Graph::col_idx_view col_idx;
  Kokkos::View<const double*, typename Graph::memory_space> weight;

  std::int64_t num_nodes() const { return std::int64_t(row_ptr.extent(0)) - 1; }
};

namespace impl {

/// The strong couplings: blocks k in block row i.
template <class Graph>
struct StrongCouplings {
  using Space = typename Graph::memory_space;
  typename Graph::row_ptr_view row_ptr;
  typename Graph::col_idx_view col_idx;
  Kokkos::View<const double*, Space> norm;      // of each block
  Kokkos::View<const double*, Space> diagonal;  // the square root of the norm of each block row's diagonal block
  double strength;

  /// How strongly the nodes of block k in block row i are coupled: the larger norm of the block and its counterpart; 0
  /// if they are not coupled strongly, if it has no counterpart, or on the diagonal. The same for both blocks.
  KOKKOS_INLINE_FUNCTION double strong_norm(std::int64_t i, std::int64_t k) const {
    const std::int64_t j = col_idx(k);
    if (j == i) return 0;
    const std::int64_t end = row_ptr(j + 1), other = first_not_less(col_idx, row_ptr(j), end, i);
    if (other == end || std::int64_t(col_idx(other)) != i) return 0;
    const double larger = Kokkos::max(norm(k), norm(other));
    return larger > strength * (diagonal(i) * diagonal(j)) ? larger : 0;
  }
  KOKKOS_INLINE_FUNCTION bool is_strong(std::int64_t i, std::int64_t k) const { return strong_norm(i, k) > 0; }
};

/// Counts and fills the rows of a strength graph.
template <class Graph>
struct StrengthRow {
  StrongCouplings<Graph> couplings;

  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for (std::int64_t k = couplings.row_ptr(i); k < std::int64_t(couplings.row_ptr(i + 1)); ++k) {
      count += couplings.is_strong(i, k);
    }
    return count;
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    int place = 0;
    for (std::int64_t k = couplings.row_ptr(i); k < std::int64_t(couplings.row_ptr(i + 1)); ++k) {
      const double norm = couplings.strong_norm(i, k);
      if (!(norm > 0)) continue;
      row.column(place) = couplings.col_idx(k);
      row.value(place++, 0, 0) = norm;
    }
  }
};

template <class Exec, class Matrix>
StrongCouplings<typename Matrix::graph_type> strong_couplings(const Exec& exec, const Matrix& a, double strength) {
  using Norms = Kokkos::View<double*, typename Matrix::memory_space>;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const Norms norm(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::norm"),
                   std::size_t(a.num_blocks()));
  const auto values = a.values();
  const auto size = static_cast<int>(a.block_shape().num_values());
  Kokkos::parallel_for(
      "ashlar::amg[block norms]", Policy(exec, 0, std::int64_t(a.num_blocks())), KOKKOS_LAMBDA(std::int64_t k) {
        double sum = 0;
        for (int e = 0; e < size; ++e) sum += double(values(k * size + e)) * double(values(k * size + e));
        norm(k) = Kokkos::sqrt(sum);
      });
  const auto place = diagonal_block_index(exec, a);
  const std::int64_t n = a.num_block_rows();
  const Norms diagonal(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::diagonal"), std::size_t(n));
  Kokkos::parallel_for(
      "ashlar::amg[diagonal norms]", Policy(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) { diagonal(i) = place(i) >= 0 ? Kokkos::sqrt(norm(place(i))) : 0; });
  return {a.graph().row_ptr(), a.graph().col_idx(), norm, diagonal, strength};
}

}  // namespace impl

/// The strong couplings of A: the larger of ||A_ij|| and ||A_ji|| is more than strength * sqrt(||A_ii|| ||A_jj||), and
/// more than zero. Symmetric, whether A is or not.
///
/// Async    waits for `exec` once; the fill is enqueued.
template <execution_space Exec, bcsr_matrix Matrix>
StrengthGraph<typename Matrix::graph_type> strength_graph(const Exec& exec, const Matrix& a, double strength) {
  using Norms = BcsrMatrix<double, BlockColumnMajor, typename Matrix::ordinal_type, typename Matrix::offset_type,
                           typename Matrix::memory_space>;
  const impl::StrengthRow<typename Matrix::graph_type> row{impl::strong_couplings(exec, a, strength)};
  const auto norms = build_by_rows<Norms>(exec, 1, a.num_block_rows(), a.num_block_cols(), row, row);
  return {norms.graph().row_ptr(), norms.graph().col_idx(), norms.values()};
}

namespace impl {

/// Counts and fills the block rows of a matrix without its weak couplings.
template <class Matrix>
struct FilteredRow {
  StrongCouplings<typename Matrix::graph_type> couplings;
  typename Matrix::values_view values;
  int b;

  KOKKOS_INLINE_FUNCTION bool stays(std::int64_t i, std::int64_t k) const {
    return couplings.col_idx(k) == i || couplings.is_strong(i, k);
  }

  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for (std::int64_t k = couplings.row_ptr(i); k < std::int64_t(couplings.row_ptr(i + 1)); ++k) count += stays(i, k);
    return count;
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    int place = 0, diagonal = -1;
    for (std::int64_t k = couplings.row_ptr(i); k < std::int64_t(couplings.row_ptr(i + 1)); ++k) {
      if (!stays(i, k)) continue;
      if (couplings.col_idx(k) == i) diagonal = place;
      row.column(place++) = couplings.col_idx(k);
    }
    place = 0;
    for (std::int64_t k = couplings.row_ptr(i); k < std::int64_t(couplings.row_ptr(i + 1)); ++k) {
      const int target = stays(i, k) ? place++ : diagonal;
      if (target < 0) continue;
      for (int c = 0; c < b; ++c) {
        for (int r = 0; r < b; ++r) {
          row.value(target, r, c) += values(k * b * b + Matrix::layout_type::at(r, c, b));
        }
      }
    }
  }
};

}  // namespace impl

/// A without its weak couplings: their blocks are added to the diagonal blocks, so that row sums stay.
///
/// Async    waits for `exec` once; the fill is enqueued.
template <execution_space Exec, bcsr_matrix Matrix>
Matrix filtered_matrix(const Exec& exec, const Matrix& a, double strength) {
  const impl::FilteredRow<Matrix> row{impl::strong_couplings(exec, a, strength), a.values(), a.block_size()};
  return build_by_rows<Matrix>(exec, a.block_shape(), a.num_block_rows(), a.num_block_cols(), row, row);
}

}  // namespace ashlar::amg
