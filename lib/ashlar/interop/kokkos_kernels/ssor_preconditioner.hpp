#pragma once

#include <KokkosSparse_gauss_seidel.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/interop/kokkos_kernels/scaled_by_blocks.hpp>
#include <ashlar/operators/ssor_preconditioner.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <memory>

namespace ashlar {

/// SSOR by blocks as SsorPreconditioner, with Kokkos Kernels' Gauss-Seidel, for matrices in any memory space.
///
/// Kokkos Kernels sweeps colour by colour: block rows of one colour have no blocks in each other's columns. M equals
/// the one of SsorPreconditioner for rows in the order of their colours, so iterations differ from the order of the
/// matrix. If several threads choose the colours, the order may differ from run to run.
///
/// Shapes   as KokkosKernelsIlu0Preconditioner, with blocks of any size that products take.
/// Memory   a copy of A in the order of the colours, an inverse block for each block row and four vectors, in A's
///          memory space; copies share them, so that only one may be applied at a time.
/// Async    the constructor and update_values() wait for the device. apply() allocates and runs on the instance of the
///          constructor: it waits for `exec` before and after if that is another.
/// Throws   ShapeError for a matrix that is not square, or vectors of other lengths; ArgumentError for a relaxation
///          that is not between 0 and 2; NumericalError naming the first block row whose diagonal block is missing or
///          singular; StructureError instead if the graph is not valid; BlockSizeError as BlockJacobiPreconditioner.
/// Source   Young 1971; Saad, Iterative Methods for Sparse Linear Systems, sections 10.2 and 12.4.
template <bcsr_matrix Matrix>
class KokkosKernelsSsorPreconditioner {
  using System = impl::ScaledByBlocks<Matrix>;

 public:
  using exec_type = typename System::Exec;

  KokkosKernelsSsorPreconditioner(const exec_type& exec, const Matrix& a, double relaxation = 1)
      : exec_(exec),
        relaxation_(real_t<typename System::Scalar>(impl::checked_relaxation(relaxation))),
        system_(exec, a),
        graph_(a.graph()),
        block_size_(a.block_size()),
        matrix_bytes_(spmv_traffic_bytes(a)),
        handle_(std::make_shared<typename System::Handle>()) {
    if (a.num_block_rows() == 0) return;
    handle_->create_gs_handle(exec, 1);
    KokkosSparse::block_gauss_seidel_symbolic(handle_.get(), a.num_block_rows(), a.num_block_rows(), block_size_,
                                              graph_.row_ptr(), graph_.col_idx(), is_symmetric);
    set_values(exec, a);
  }

  /// M of new values on the same graph, for this object and its copies. After an exception it is of no use until
  /// another call succeeds.
  ///
  /// Throws   as BlockJacobiPreconditioner::update_values().
  void update_values(const exec_type& exec, const Matrix& a) const {
    system_.diagonal().update_values(exec, a);
    if (a.num_block_rows() > 0) set_values(exec, a);
  }

  /// z := M^-1 r. r and z may be one.
  template <class R, class Z>
  void apply(const exec_type& exec, const R& r, const Z& z) const {
    system_.apply("KokkosKernelsSsorPreconditioner", exec, r, z, [&](const auto& from, const auto&, const auto& to) {
      const bool same = exec == exec_;
      if (!same) exec.fence("ashlar::kokkos_kernels: the sweeps run on another instance");
      const auto n = graph_.num_block_rows();
      // (The handle holds the values.)
      KokkosSparse::symmetric_block_gauss_seidel_apply(handle_.get(), n, n, block_size_, graph_.row_ptr(),
                                                       graph_.col_idx(), Values(), to, from, true, true, relaxation_,
                                                       1);
      if (!same) exec_.fence("ashlar::kokkos_kernels: the sweeps ran on another instance");
    });
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return false; }
  bool is_capturable() const { return false; }
  std::int64_t traffic_bytes() const { return system_.diagonal().traffic_bytes() + 2 * matrix_bytes_; }

 private:
  using Values = typename System::template Vector<typename System::Scalar>;
  static constexpr bool is_symmetric = false;  // Kokkos Kernels then makes the graph symmetric before it colours it

  void set_values(const exec_type& exec, const Matrix& a) const {
    KokkosSparse::block_gauss_seidel_numeric(handle_.get(), a.num_block_rows(), a.num_block_rows(), block_size_,
                                             graph_.row_ptr(), graph_.col_idx(), system_.scaled(exec, a), is_symmetric);
    exec_.fence("ashlar::kokkos_kernels: a copy of the values");
  }

  exec_type exec_;
  typename System::Scalar relaxation_;
  System system_;
  typename Matrix::graph_type graph_;
  int block_size_;
  std::int64_t matrix_bytes_;
  std::shared_ptr<typename System::Handle> handle_;
};

}  // namespace ashlar
