#pragma once

#include <KokkosSparse_spiluk.hpp>
#include <KokkosSparse_sptrsv.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/interop/kokkos_kernels/scaled_by_blocks.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>

namespace ashlar {

namespace impl {

inline constexpr int largest_spiluk_block = 11;

/// The first block row whose pivot block has no LU factors, which Kokkos Kernels takes without pivoting, or has only
/// entries of 1e6, which Kokkos Kernels puts in place of a zero pivot block. D^-1 A has pivots near 1.
template <class Matrix>
struct FindBadPivot {
  using Scalar = typename Matrix::scalar_type;

  const typename Matrix::offset_type* row_ptr;  ///< of U, whose rows begin with the pivot block
  const Scalar* values;                         ///< blocks by rows
  int b;

  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& first_bad) const {
    Scalar lu[largest_spiluk_block * largest_spiluk_block];
    bool replaced = true;
    for (int q = 0; q < b * b; ++q) {
      lu[q] = values[std::int64_t(row_ptr[i]) * b * b + q];
      replaced = replaced && lu[q] == Scalar(1e6);
    }
    bool has_factors = true;
    for (int k = 0; k < b; ++k) {
      has_factors = has_factors && lu[k * b + k] != Scalar(0);
      for (int r = k + 1; r < b; ++r) {
        lu[r * b + k] /= lu[k * b + k];
        for (int c = k + 1; c < b; ++c) lu[r * b + c] -= lu[r * b + k] * lu[k * b + c];
      }
    }
    for (int q = 0; q < b * b; ++q) has_factors = has_factors && is_finite(lu[q]);
    if ((!has_factors || replaced) && i < first_bad) first_bad = i;
  }
};

}  // namespace impl

/// Ilu0Preconditioner with Kokkos Kernels' spiluk and sptrsv, for matrices in any memory space.
///
/// The factors are by blocks, in the order of the rows. Rows that do not wait for each other are solved side by side,
/// one kernel for each level of rows. There is no shift for matrices whose factors are not positive definite.
///
/// Shapes   A is square, with square blocks of 11 x 11 at most whose columns ascend; r and z are vectors, or
///          multi-vectors, of as many rows as A.
/// Memory   blocks and indices as A has, an inverse block and two vectors for each block row, in A's memory space;
///          copies share them, so that only one may be applied at a time. For the set-up, a copy of the values, and an
///          index for each pair of a block row and a block row of the widest level: 4 n^2 bytes for a block diagonal.
///          On a GPU, Kokkos Kernels limits this array to 85 % of the free memory.
/// Async    the constructor waits for the device and orders the rows on the host. apply() is enqueued; whether Kokkos
///          Kernels waits within is not known, so that solvers do not capture it.
/// Throws   ShapeError for a matrix that is not square, or vectors of other lengths; BlockSizeError for larger blocks;
///          NumericalError naming the first block row whose diagonal block is missing or singular, or whose pivot block
///          has no LU factors without pivoting; StructureError instead if the graph is not valid.
/// Source   Saad, Iterative Methods for Sparse Linear Systems, sections 10.3.2 and 11.6.
template <bcsr_matrix Matrix>
class KokkosKernelsIlu0Preconditioner {
  using System = impl::ScaledByBlocks<Matrix>;

 public:
  using exec_type = typename System::Exec;

  KokkosKernelsIlu0Preconditioner(const exec_type& exec, const Matrix& a) : system_(exec, checked(a)) {
    const int b = a.block_size();
    const auto n = a.num_block_rows();
    if (n == 0) return;
    auto row_ptr = a.graph().row_ptr();
    auto col_idx = a.graph().col_idx();
    auto values = system_.scaled(exec, a);
    typename System::Handle handle;
    handle.create_spiluk_handle(KokkosSparse::Experimental::SPILUKAlgorithm::SEQLVLSCHD_TP1, n, a.num_blocks(),
                                a.num_blocks(), kernel_block_size(b));
    // The threads of a larger team would overwrite a block that others still read.
    if (b > 1) handle.get_spiluk_handle()->set_team_size(1);
    for (Factor* factor : {&lower_, &upper_}) {
      factor->row_ptr = System::template vector<typename System::Offset>(std::int64_t(n) + 1);
      factor->col_idx = System::template vector<typename System::Ordinal>(a.num_blocks());
    }
    KokkosSparse::spiluk_symbolic(&handle, 0, row_ptr, col_idx, lower_.row_ptr, lower_.col_idx, upper_.row_ptr,
                                  upper_.col_idx);
    lower_.allocate(handle.get_spiluk_handle()->get_nnzL(), b);
    upper_.allocate(handle.get_spiluk_handle()->get_nnzU(), b);
    KokkosSparse::spiluk_numeric(&handle, 0, row_ptr, col_idx, values, lower_.row_ptr, lower_.col_idx, lower_.values,
                                 upper_.row_ptr, upper_.col_idx, upper_.values);
    exec_type().fence("ashlar::kokkos_kernels: spiluk runs on the default instance");
    std::int64_t first_bad = n;
    Kokkos::parallel_reduce("ashlar::kokkos_kernels[pivots]",
                            Kokkos::RangePolicy<exec_type, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
                            impl::FindBadPivot<Matrix>{upper_.row_ptr.data(), upper_.values.data(), b},
                            Kokkos::Min<std::int64_t>(first_bad));
    if (first_bad < n) {
      throw NumericalError(
          first_bad, text("ILU(0): the pivot block of block row ", first_bad, " (from 0) has no inverse"),
          text("once the rows before it are eliminated, it or its leading part is singular; the block size is ", b),
          "use block-Jacobi or SSOR, or another block size");
    }
    lower_.analyse(exec, n, true, kernel_block_size(b));
    upper_.analyse(exec, n, false, kernel_block_size(b));
    exec.fence("ashlar::kokkos_kernels: levels of rows");
  }

  /// z := M^-1 r. Enqueued on `exec`. r and z may be one.
  template <class R, class Z>
  void apply(const exec_type& exec, const R& r, const Z& z) const {
    system_.apply("KokkosKernelsIlu0Preconditioner", exec, r, z,
                  [&](const auto& from, const auto& between, const auto& to) {
                    lower_.solve(exec, from, between);
                    upper_.solve(exec, between, to);
                  });
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return false; }
  bool is_capturable() const { return false; }
  std::int64_t traffic_bytes() const {
    return system_.diagonal().traffic_bytes() + lower_.traffic_bytes() + upper_.traffic_bytes();
  }

 private:
  using Values = typename System::template Vector<typename System::Scalar>;

  /// A triangular matrix in Kokkos Kernels' order, its diagonal blocks included.
  struct Factor {
    typename System::template Vector<typename System::Offset> row_ptr;
    typename System::template Vector<typename System::Ordinal> col_idx;
    Values values;
    std::shared_ptr<typename System::Handle> handle;

    void allocate(std::int64_t num_blocks, int b) {
      Kokkos::resize(col_idx, std::size_t(num_blocks));
      values = System::vector(num_blocks * b * b);
    }
    void analyse(const exec_type& exec, std::int64_t n, bool is_lower, int b) {
      handle = std::make_shared<typename System::Handle>();
      handle->create_sptrsv_handle(KokkosSparse::Experimental::SPTRSVAlgorithm::SEQLVLSCHD_TP1,
                                   typename System::Offset(n), is_lower, b);
      KokkosSparse::sptrsv_symbolic(exec, handle.get(), row_ptr, col_idx);
    }
    void solve(exec_type exec, const Values& from, const Values& to) const {
      KokkosSparse::sptrsv_solve(exec, handle.get(), row_ptr, col_idx, values, from, to);
    }
    std::int64_t traffic_bytes() const {
      return std::int64_t(values.extent(0) * sizeof(typename System::Scalar) +
                          col_idx.extent(0) * sizeof(typename System::Ordinal));
    }
  };

  static const Matrix& checked(const Matrix& a) {
    constexpr int largest = impl::largest_spiluk_block;
    if (a.block_size() <= largest) return a;
    throw BlockSizeError(a.block_size(), text("ILU(0) of Kokkos Kernels: blocks of size ", a.block_size()),
                         text("it takes blocks of size ", largest, " at most"),
                         "use KokkosKernelsSsorPreconditioner, or smaller blocks");
  }

  /// Kokkos Kernels calls matrices of single entries 0 blocks.
  static int kernel_block_size(int b) { return b > 1 ? b : 0; }

  System system_;
  Factor lower_, upper_;
};

}  // namespace ashlar
