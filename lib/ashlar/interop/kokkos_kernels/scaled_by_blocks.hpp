#pragma once

#include <KokkosKernels_Handle.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>

// The common part of the preconditioners of Kokkos Kernels.
//
// Both work on D^-1 A, where D is the block diagonal of A. Kokkos Kernels factors diagonal blocks without pivoting, and
// its Gauss-Seidel for blocks sweeps entry by entry. If the diagonal blocks are identities, both are the methods by
// blocks, and they name the same M as for A: M^-1 r = (M of D^-1 A)^-1 D^-1 r.

namespace ashlar::impl {

/// Block row i of D^-1 A, blocks by rows.
template <class Matrix>
struct ScaleBlockRow {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;

  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const Scalar *values, *inverse;
  Scalar* scaled;
  int b;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t size = std::int64_t(b) * b;
    for (std::int64_t k = row_ptr[i]; k < std::int64_t(row_ptr[i + 1]); ++k) {
      const bool on_diagonal = std::int64_t(col_idx[k]) == i;
      for (int r = 0; r < b; ++r) {
        for (int c = 0; c < b; ++c) {
          Scalar sum(on_diagonal && r == c ? 1 : 0);
          for (int q = 0; q < b && !on_diagonal; ++q) {
            sum += inverse[i * size + Layout::at(r, q, b)] * values[k * size + Layout::at(q, c, b)];
          }
          scaled[k * size + BlockRowMajor::at(r, c, b)] = sum;
        }
      }
    }
  }
};

/// The inverse of D, two vectors, and the types of Kokkos Kernels.
template <class Matrix>
class ScaledByBlocks {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  using Exec = typename Space::execution_space;
  using Handle = KokkosKernels::Experimental::KokkosKernelsHandle<Offset, Ordinal, Scalar, Exec, Space, Space>;
  template <class Entry>
  using Vector = Kokkos::View<Entry*, Space>;
  static_assert(scalar<Scalar>, "ashlar: Kokkos Kernels has no bfloat16; make the matrix of float or double");

  ScaledByBlocks(const Exec& exec, const Matrix& a)
      : diagonal_(exec, a), first_(vector(a.num_rows())), second_(vector(a.num_rows())) {}

  template <class Entry = Scalar>
  static Vector<Entry> vector(std::int64_t n) {
    return Vector<Entry>(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::kokkos_kernels"), std::size_t(n));
  }

  /// D^-1 A, blocks by rows.
  Vector<Scalar> scaled(const Exec& exec, const Matrix& a) const {
    const Vector<Scalar> values = vector(a.num_values());
    Kokkos::parallel_for(
        "ashlar::kokkos_kernels[scale]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_block_rows()),
        ScaleBlockRow<Matrix>{a.graph().row_ptr().data(), a.graph().col_idx().data(), a.values().data(),
                              diagonal_.diagonal_inverse().values, values.data(), a.block_size()});
    exec.fence("ashlar::kokkos_kernels: Kokkos Kernels may use another instance");
    return values;
  }

  /// z := M^-1 r, where solve(f, other, z) solves with right-hand side f := D^-1 r. It may overwrite f, which z may be,
  /// and `other`. All are contiguous.
  template <class R, class Z, class Solve>
  void apply(const char* name, const Exec& exec, const R& r, const Z& z, const Solve& solve) const {
    static_assert(
        std::is_same_v<typename R::non_const_value_type, Scalar> && std::is_same_v<typename Z::value_type, Scalar>,
        "ashlar: preconditioners of Kokkos Kernels take vectors of the matrix's scalar");
    if (r.extent(0) != first_.extent(0) || z.extent(0) != first_.extent(0) || r.extent(1) != z.extent(1)) {
      throw ShapeError(
          text(name, ": r of ", r.extent(0), " x ", r.extent(1), ", z of ", z.extent(0), " x ", z.extent(1)),
          text("the matrix has ", first_.extent(0), " rows"), "pass vectors as long as the matrix");
    }
    if (first_.extent(0) == 0) return;
    if constexpr (vector_view<R> && vector_view<Z>) {
      diagonal_.apply(exec, r, first_);
      solve(first_, second_, Vector<Scalar>(z.data(), z.extent(0)));
    } else {
      for (std::size_t j = 0; j < z.extent(1); ++j) {
        Kokkos::deep_copy(exec, second_, Kokkos::subview(r, Kokkos::ALL, j));
        diagonal_.apply(exec, second_, first_);
        solve(first_, second_, first_);
        Kokkos::deep_copy(exec, Kokkos::subview(z, Kokkos::ALL, j), first_);
      }
    }
  }

  const BlockJacobiPreconditioner<Matrix>& diagonal() const { return diagonal_; }

 private:
  BlockJacobiPreconditioner<Matrix> diagonal_;
  Vector<Scalar> first_, second_;
};

}  // namespace ashlar::impl
