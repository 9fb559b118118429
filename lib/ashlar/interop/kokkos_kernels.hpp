#pragma once

#include <KokkosSparse_BsrMatrix.hpp>
#include <KokkosSparse_CrsMatrix.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <type_traits>

// Matrices of Kokkos Kernels as Ashlar's, and Ashlar's as theirs, on the same memory. Component KokkosKernels of the
// package.

namespace ashlar {

/// The Ashlar matrix on the memory of a Kokkos Kernels matrix of such types: blocks by rows, row offsets of its
/// SizeType. The library holds products compiled for double, int, and int or std::size_t; others are compiled where
/// they are used.
template <class Scalar, class Ordinal, class Device, class SizeType>
using bcsr_of_kokkos_kernels = BcsrMatrix<Scalar, BlockRowMajor, std::remove_const_t<Ordinal>,
                                          std::remove_const_t<SizeType>, typename Device::memory_space>;

namespace impl {

/// The device whose memory an Ashlar matrix of this space lies in, as Kokkos Kernels names it.
template <class MemorySpace>
using device_of_space = Kokkos::Device<typename MemorySpace::execution_space, MemorySpace>;

/// An Ashlar matrix on the memory of one of theirs.
template <class Scalar, class Ordinal, class Device, class SizeType, class Theirs>
auto on_memory_of(const Theirs& a, int block_size) {
  static_assert(!std::is_const_v<Scalar>,
                "ashlar::from_kokkos_kernels: the values are const, and Ashlar's matrices hold values that can be "
                "written; hand in the matrix without const in its scalar type");
  static_assert(matrix_value<std::remove_const_t<Scalar>>,
                "ashlar::from_kokkos_kernels: values are float, double or their Kokkos::complex; where they are "
                "std::complex, make the matrix with Kokkos::complex");
  if constexpr (matrix_value<Scalar>) {
    using Matrix = bcsr_of_kokkos_kernels<Scalar, Ordinal, Device, SizeType>;
    using Graph = typename Matrix::graph_type;
    return Matrix(block_size, Graph(a.numCols(), a.graph.row_map, a.graph.entries), a.values);
  }
}

}  // namespace impl

/// An Ashlar matrix (bcsr_of_kokkos_kernels) on the memory of a BsrMatrix: row map, entries and values are shared, as
/// views are, and nothing is copied. A change of the values in one is visible in the other.
///
/// Shapes   as the BsrMatrix. That its columns ascend in each row is the caller's promise (`validate()` checks).
/// Async    nothing is enqueued.
/// Throws   ShapeError where the views' lengths are no matrix's.
template <class Scalar, class Ordinal, class Device, class Traits, class SizeType>
auto from_kokkos_kernels(const KokkosSparse::Experimental::BsrMatrix<Scalar, Ordinal, Device, Traits, SizeType>& a) {
  return impl::on_memory_of<Scalar, Ordinal, Device, SizeType>(a, static_cast<int>(a.blockDim()));
}

/// The same of a CrsMatrix: an Ashlar matrix with blocks of size 1.
template <class Scalar, class Ordinal, class Device, class Traits, class SizeType>
auto from_kokkos_kernels(const KokkosSparse::CrsMatrix<Scalar, Ordinal, Device, Traits, SizeType>& a) {
  return impl::on_memory_of<Scalar, Ordinal, Device, SizeType>(a, 1);
}

/// A BsrMatrix on the memory of an Ashlar matrix. Its entries are const, as an Ashlar matrix's structure is: Kokkos
/// Kernels' products take it so.
///
/// Shapes   square blocks.
/// Async    nothing is enqueued.
/// Throws   BlockSizeError where blocks are not square.
template <class Scalar, class Layout, class Ordinal, class Offset, class Space>
KokkosSparse::Experimental::BsrMatrix<Scalar, const Ordinal, impl::device_of_space<Space>, void, Offset>
to_kokkos_kernels(const BcsrMatrix<Scalar, Layout, Ordinal, Offset, Space>& a) {
  static_assert(std::is_same_v<Layout, BlockRowMajor>,
                "ashlar::to_kokkos_kernels: Kokkos Kernels stores blocks by rows; make the matrix with BlockRowMajor, "
                "or hand one of block size 1 to to_kokkos_kernels_crs()");
  static_assert(scalar<Scalar>,
                "ashlar::to_kokkos_kernels: Kokkos Kernels has no bfloat16; make the matrix of float or double");
  using Theirs =
      KokkosSparse::Experimental::BsrMatrix<Scalar, const Ordinal, impl::device_of_space<Space>, void, Offset>;
  return Theirs("ashlar::to_kokkos_kernels", a.num_block_cols(), a.values(),
                typename Theirs::staticcrsgraph_type(a.graph().col_idx(), a.graph().row_ptr()), a.block_size());
}

/// The same as a CrsMatrix, of a matrix with blocks of size 1, whose layout then does not matter.
///
/// Throws   BlockSizeError for larger blocks.
template <class Scalar, class Layout, class Ordinal, class Offset, class Space>
KokkosSparse::CrsMatrix<Scalar, const Ordinal, impl::device_of_space<Space>, void, Offset> to_kokkos_kernels_crs(
    const BcsrMatrix<Scalar, Layout, Ordinal, Offset, Space>& a) {
  static_assert(scalar<Scalar>,
                "ashlar::to_kokkos_kernels_crs: Kokkos Kernels has no bfloat16; make the matrix of float or double");
  if (a.block_shape() != BlockShape(1)) {
    throw BlockSizeError(a.block_shape().rows, text("to_kokkos_kernels_crs: blocks of ", to_string(a.block_shape())),
                         "a CrsMatrix has single entries", "use to_kokkos_kernels(), which makes a BsrMatrix");
  }
  using Theirs = KokkosSparse::CrsMatrix<Scalar, const Ordinal, impl::device_of_space<Space>, void, Offset>;
  return Theirs("ashlar::to_kokkos_kernels_crs", a.num_block_cols(), a.values(),
                typename Theirs::staticcrsgraph_type(a.graph().col_idx(), a.graph().row_ptr()));
}

}  // namespace ashlar
