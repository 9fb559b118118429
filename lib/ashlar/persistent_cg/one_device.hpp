#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/spmv/team_product.hpp>
#include <concepts>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar {

/// The inverses of diagonal blocks, for kernels that apply a preconditioner by themselves: one block per block row,
/// contiguous in the device's memory. With block size 1 they are the inverses of diagonal entries.
template <class Scalar>
struct DiagonalInverse {
  const Scalar* values = nullptr;
  int block_size = 1;
  bool by_columns = true;  ///< whether a block is stored by columns
};

/// A preconditioner by diagonal blocks of this scalar that shows them.
template <class M, class Scalar>
concept inverts_diagonal = requires(const M& m) {
  { m.diagonal_inverse() } -> std::same_as<DiagonalInverse<Scalar>>;
};

namespace impl {

/// The suggestion for a matrix that is not square and thus has no diagonal preconditioner.
inline constexpr const char* instead_of_not_square =
    "check how the matrix was built; for a rank's rows with ghost columns pass diagonal_blocks() of the operator";

/// CG's iterations with a BCSR matrix in one kernel. One specialisation for each type of matrix and of vectors, in the
/// library; one file a backend, as Kokkos has no barrier for all teams of a kernel.
template <class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct PersistentCg {
  static constexpr bool is_compiled = false;
};

#ifdef KOKKOS_ENABLE_CUDA
/// Vectors of the matrix's type, or of double if that is float and blocks are stored by columns.
template <class Value, class Scalar, class Layout>
concept iterates_in_one_kernel = std::is_floating_point_v<Value> &&
    (std::is_same_v<Value, Scalar> ||
     (std::is_same_v<Value, float> && std::is_same_v<Scalar, double> && std::is_same_v<Layout, BlockColumnMajor>));

template <class Value, class Scalar, class Layout>
requires iterates_in_one_kernel<Value, Scalar, Layout>
struct PersistentCg<Kokkos::Cuda, Value, Scalar, Layout, std::int32_t, std::int32_t> {
  using Arguments = SpmvArguments<Value, Scalar, std::int32_t, std::int32_t>;
  static constexpr bool is_compiled = true;

  static CgKernelOffer<Kokkos::Cuda> make(const Kokkos::Cuda& exec, const Arguments& arguments,
                                          const DiagonalInverse<Scalar>& inverse, const CgPlace<Scalar>& place);
};
#endif

/// Sets `inverse` to what such a kernel applies of a preconditioner, or says why it cannot.
template <class M, class Scalar>
std::string why_no_inverse(const M& m, int block_size, DiagonalInverse<Scalar>& inverse) {
  if (m.is_identity()) return "";
  if constexpr (inverts_diagonal<M, Scalar>) inverse = m.diagonal_inverse();
  if (inverse.values == nullptr) return "the preconditioner is none by diagonal blocks";
  if (inverse.block_size != 1 && inverse.block_size != block_size) {
    return "the preconditioner's blocks are not the matrix's";
  }
  return "";
}

}  // namespace impl

/// The kernel that makes many iterations of CG with this matrix, or why there is none. CUDA, for matrices whose product
/// is a TeamProduct, without preconditioner or with one by diagonal blocks of the matrix's size or of 1.
///
/// It has three steps an iteration that all thread blocks of the grid take together: [x and p] barrier [q = A p, p^H q]
/// sum [r, z = M^-1 r, r^H r, r^H z] sum. Each thread block keeps to its own rows, so that only p is exchanged in
/// memory. Sums are added up thread block after thread block. They differ by rounding from the sums of separate
/// kernels.
///
/// Shapes   A is square, and has place.n rows.
/// Memory   all of `place`, the matrix and the preconditioner are on the device, and outlive the kernel; besides some
///          17 KB for the sums of the grid, a flag in pinned memory, and a copy of the matrix if its blocks have one
///          value, of the vectors' type, and diagonals make it smaller: at most place.copy_bytes, and half of the free
///          memory. The copy has the values at the time when the kernel is made.
/// Async    waits for `exec` (how large slices of the matrix are, and how far apart the columns of some lie: where that
///          is far, the offer says that it is not worth it); the kernel is enqueued as CgKernel says.
/// Throws   Error if a call of CUDA fails. A system that cannot be served is no error: the offer says why.
/// Source   Hestenes & Stiefel 1952.
template <class Exec, bcsr_matrix Matrix, class M, class Scalar>
CgKernelOffer<Exec> persistent_cg(const Exec& exec, const SpmvPlan<Matrix>& plan, const Matrix& a, const M& m,
                                  const CgPlace<Scalar>& place) {
  using Persistent = impl::PersistentCg<Exec, typename Matrix::scalar_type, Scalar, typename Matrix::layout_type,
                                        typename Matrix::ordinal_type, typename Matrix::offset_type>;
  if constexpr (!Persistent::is_compiled) {
    return {
        nullptr,
        "there is one for CUDA alone, with 32-bit indices, for values and vectors of double, of float, or of float and "
        "double with blocks by columns",
        false};
  } else {
    if (std::string why = why_no_team_product(plan, a); !why.empty()) return {nullptr, why, false};
    DiagonalInverse<Scalar> inverse;
    if (std::string why = impl::why_no_inverse(m, a.block_size(), inverse); !why.empty()) return {nullptr, why, false};
    return Persistent::make(exec, impl::spmv_arguments(plan, a, Scalar(1), Scalar(0)), inverse, place);
  }
}

}  // namespace ashlar
