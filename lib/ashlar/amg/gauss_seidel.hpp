#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/colours.hpp>
#include <ashlar/amg/l1_diagonal.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/smoother_update.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cstddef>
#include <cstdint>
#include <utility>

namespace ashlar::amg {

namespace impl {

/// d_i := D_i^-1 (r_i - sum of A_ij d_j over nodes j of the colours before), x_i := x_i + d_i, for a node of one
/// colour.
template <class Matrix, int B>
struct SweepNode {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  static constexpr int most_rows = B > 0 ? B : 64;

  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  const Scalar *values, *inverse, *r;
  Scalar *d, *x;
  const std::int32_t *nodes, *colour_of;
  int colour;
  bool is_backward, from_zero;
  int block_size;  ///< where B is 0

  KOKKOS_FUNCTION void operator()(std::int64_t which) const {
    const int size = B > 0 ? B : block_size;
    const std::int64_t i = nodes[which], first = i * size;
    Scalar rest[most_rows];
    for (int row = 0; row < size; ++row) rest[row] = r[first + row];
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      const std::int64_t j = col_idx(k);
      const int other = colour_of[j];
      if (is_backward ? other <= colour : other >= colour) continue;
      const Scalar *const block = values + k * size * size, *const from = d + j * size;
      for (int c = 0; c < size; ++c) {
        for (int row = 0; row < size; ++row) rest[row] -= block[Layout::at(row, c, size)] * from[c];
      }
    }
    const Scalar* const block = inverse + first * size;
    for (int row = 0; row < size; ++row) {
      Scalar sum(0);
      for (int c = 0; c < size; ++c) sum += block[Layout::at(row, c, size)] * rest[c];
      d[first + row] = sum;
      x[first + row] = (from_zero ? Scalar(0) : x[first + row]) + sum;
    }
  }
};

}  // namespace impl

/// Sweeps of block Gauss-Seidel as smoother, one colour of nodes after another: nodes of a colour are not coupled. The
/// adjoint takes the colours in reverse order. With L the couplings of a rank's nodes to earlier colours, a sweep is
///
///   r := b - A x;   (D + L) d := r, colour by colour;   x := x + d
///
/// Over ranks, D takes l1 norms of the entries in columns of other ranks, so that sweeps converge. Made for hosts: each
/// colour is a kernel. Matrix is a rank's local part of A.
///
/// Source   Saad, Iterative Methods for Sparse Linear Systems, section 12.4; Baker, Falgout, Kolev and Yang 2011.
template <bcsr_matrix Matrix>
class GaussSeidelSmoother {
 public:
  static constexpr bool is_self_adjoint = false;

  /// Waits for `exec`. Over ranks: collective.
  template <execution_space Exec, class A>
  GaussSeidelSmoother(const Exec& exec, const LevelMatrix<A>& a, int sweeps)
      : inverse_(l1_diagonal_inverse(exec, a, L1Entries::of_others)),
        colours_(a.comm().together([&] { return colours_of_nodes(exec, a.local().graph()); })),
        sweeps_(sweeps) {}

  /// x := S(x, b), or S(0, b); in the adjoint order of colours if `is_adjoint`.
  ///
  /// Async    enqueued on `exec`; no fence, no allocation. Over ranks, products wait as multiply() does.
  template <execution_space Exec, class A, class Vector>
  void smooth(const Exec& exec, const LevelMatrix<A>& a, bool from_zero, bool is_adjoint,
              const SmootherVectors<Vector>& v) const {
    for_entries("ashlar::amg[copy]", exec, std::int64_t(v.r.extent(0)), impl::CopyEntry<Vector, Vector>{v.b, v.r});
    if (!from_zero) a.multiply(exec, -1, v.x, 1, v.r);
    sweep(exec, a.local(), from_zero, is_adjoint, v);
    for (int k = 1; k < sweeps_; ++k) {
      a.multiply(exec, -1, v.d, 1, v.r);
      sweep(exec, a.local(), false, is_adjoint, v);
    }
  }

  /// (A sweep reads half of the matrix.)
  int products_of_cycle() const { return 3 * sweeps_; }

 private:
  template <class Exec, class Vector>
  void sweep(const Exec& exec, const Matrix& a, bool from_zero, bool is_backward,
             const SmootherVectors<Vector>& v) const {
    const int count = colours_.count();
    for (int k = 0; k < count; ++k) {
      const int colour = is_backward ? count - 1 - k : k;
      const std::int64_t begin = colours_.begin[std::size_t(colour)], end = colours_.begin[std::size_t(colour) + 1];
      ashlar::impl::with_block_size_of(std::integer_sequence<int, 1, 2, 3, 6>{}, a.block_size(), [&](auto size) {
        Kokkos::parallel_for(
            "ashlar::amg[Gauss-Seidel]",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, end - begin),
            impl::SweepNode<Matrix, size()>{a.graph().row_ptr(), a.graph().col_idx(), a.values().data(),
                                            inverse_.diagonal_inverse().values, v.r.data(), v.d.data(), v.x.data(),
                                            colours_.nodes.data() + begin, colours_.of_node.data(), colour, is_backward,
                                            from_zero, a.block_size()});
      });
    }
  }

  BlockJacobiPreconditioner<Matrix> inverse_;
  Colours<typename Matrix::memory_space> colours_;
  int sweeps_;
};

}  // namespace ashlar::amg
