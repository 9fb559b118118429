#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/product_workspace.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar {

namespace impl {

template <class X>
int columns_of(const X& x) {
  return X::rank() == 1 ? 1 : static_cast<int>(x.extent(1));
}

/// to(i) := from(rows(i)), block row by block row.
template <class Exec, class Rows, class From, class To>
void gather_block_rows(const Exec& exec, const Rows& rows, int block_rows, const From& from, const To& to) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(exec, 0,
                                                                       std::int64_t(rows.extent(0)) * block_rows);
  if constexpr (From::rank() == 1) {
    Kokkos::parallel_for(
        "ashlar::distributed[gather rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          to(i) = from(std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows);
        });
  } else {
    Kokkos::parallel_for(
        "ashlar::distributed[gather rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          const std::int64_t row = std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows;
          for (std::size_t j = 0; j < from.extent(1); ++j) to(i, j) = from(row, j);
        });
  }
}

/// A view of rank 2 as vectors of rank X: the same, or its one column.
template <class X, class Vectors>
auto as_vectors(const Vectors& vectors) {
  if constexpr (X::rank() == 1) {
    return Kokkos::View<typename Vectors::value_type*, typename Vectors::memory_space>(vectors.data(),
                                                                                       vectors.extent(0));
  } else {
    return vectors;
  }
}

}  // namespace impl

/// y := alpha*A*x + beta*y. The halo travels under the product with local columns.
///
/// Shapes   x: column_map.size(rank) block entries of C on each rank; y: row_map.size(rank) of R. Rank 1, or rank 2
/// with
///          as many columns on all ranks, of any layout.
/// Memory   all reachable from `exec`; x and y must not overlap.
/// Async    collective: all ranks make the same products in the same order. Waits on the host as HaloExchange does;
///          nothing is allocated after the first product with so many vectors.
/// beta==0  y is overwritten: NaN in y does not spread.
/// Throws   ShapeError, ArgumentError on the rank whose vectors or workspace do not fit, before anything is sent.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG.
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply(const Exec& exec, const DistributedMatrix<Matrix>& a, ProductWorkspace<Matrix, Exec, Scalar>& workspace,
              const std::type_identity_t<Scalar>& alpha, const X& x, const std::type_identity_t<Scalar>& beta,
              const Y& y) {
  const Kokkos::Profiling::ScopedRegion region("ashlar::distributed::multiply");
  workspace.check_pattern(a);
  impl::check_spmv(workspace.local_plan(), a.local(), x, y);
  if (a.communicator().is_alone() || impl::columns_of(x) == 0) {
    return spmv(exec, workspace.local_plan(), alpha, a.local(), x, beta, y);
  }
  auto& halo = workspace.forward(exec, impl::columns_of(x));
  halo.begin(exec, x);
  spmv(exec, workspace.local_plan(), alpha, a.local(), x, beta, y);
  halo.end(exec);
  if (!workspace.remote_plan()) return;
  const auto from_others = impl::as_vectors<X>(halo.multi_halo());
  spmv(exec, *workspace.remote_plan(), alpha, a.remote(), from_others, Scalar(1), y, a.remote_rows());
}

/// y := A x
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply(const Exec& exec, const DistributedMatrix<Matrix>& a, ProductWorkspace<Matrix, Exec, Scalar>& workspace,
              const X& x, const Y& y) {
  multiply(exec, a, workspace, Scalar(1), x, Scalar(0), y);
}

/// y := alpha*A^T*x + beta*y, or alpha*A^H*x + beta*y with Mode::conjugate_transpose. The contributions of this rank's
/// rows to other ranks' entries of y travel under the product with local columns. Their owners add them in the order of
/// the ranks that sent them: the same bits each time.
///
/// Shapes   x: row_map.size(rank) block entries of R on each rank; y: column_map.size(rank) of C.
/// All else as multiply(); the first product with A^T or A^H on a workspace is collective, too.
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply_transpose(const Exec& exec, const DistributedMatrix<Matrix>& a,
                        ProductWorkspace<Matrix, Exec, Scalar>& workspace, const std::type_identity_t<Scalar>& alpha,
                        const X& x, const std::type_identity_t<Scalar>& beta, const Y& y, Mode mode = Mode::transpose) {
  const Kokkos::Profiling::ScopedRegion region("ashlar::distributed::multiply_transpose");
  if (!is_transposed(mode)) {
    throw ArgumentError(text("multiply_transpose: a product with ", symbol_of(mode)), "it multiplies by A^T or A^H",
                        "call multiply()");
  }
  workspace.check_pattern(a);
  const auto& plans = workspace.transposed(exec, mode);
  impl::check_spmv(plans.local, a.local(), x, y);
  if (a.communicator().is_alone() || impl::columns_of(x) == 0) {
    return spmv(exec, plans.local, alpha, a.local(), x, beta, y);
  }
  auto& [remote_x, back] = workspace.reverse(exec, impl::columns_of(x));
  back.open(exec);
  if (plans.remote) {
    impl::gather_block_rows(exec, a.remote_rows(), a.block_shape().rows, x, impl::as_vectors<X>(remote_x));
    spmv(exec, *plans.remote, alpha, a.remote(), impl::as_vectors<X>(remote_x), Scalar(0),
         impl::as_vectors<X>(back.multi_halo()));
  }
  back.begin(exec);
  spmv(exec, plans.local, alpha, a.local(), x, beta, y);
  back.end_and_add(exec, y);
}

/// y := A^T x, or A^H x with Mode::conjugate_transpose
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply_transpose(const Exec& exec, const DistributedMatrix<Matrix>& a,
                        ProductWorkspace<Matrix, Exec, Scalar>& workspace, const X& x, const Y& y,
                        Mode mode = Mode::transpose) {
  multiply_transpose(exec, a, workspace, Scalar(1), x, Scalar(0), y, mode);
}

}  // namespace ashlar
