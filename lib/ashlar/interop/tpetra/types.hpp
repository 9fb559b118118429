#pragma once

#include <Kokkos_Core.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <complex>
#include <cstddef>

namespace ashlar {

/// Where Tpetra objects of a node compute, and where their memory is.
template <class Node>
using tpetra_execution_space = typename Node::device_type::execution_space;
template <class Node>
using tpetra_memory_space = typename Node::device_type::memory_space;

namespace impl {

/// What views of Tpetra objects hold: Kokkos::complex where Scalar is std::complex.
template <class Scalar, class LO, class GO, class Node>
struct ViewScalar {
  using type = typename Tpetra::MultiVector<Scalar, LO, GO, Node>::impl_scalar_type;
  static_assert(sizeof(type) == sizeof(Scalar) && alignof(type) == alignof(Scalar),
                "ashlar: Kokkos::complex and std::complex are aligned differently, so that one cannot be read as the "
                "other; build Kokkos with -D Kokkos_ENABLE_COMPLEX_ALIGN=OFF, as Trilinos does");
  static_assert(scalar<type>,
                "ashlar: scalars are float, double and their complex types; instantiate Tpetra with one "
                "of these");
};

template <class Scalar, class LO, class GO, class Node>
using view_scalar = typename ViewScalar<Scalar, LO, GO, Node>::type;

}  // namespace impl

/// The Ashlar matrix on the memory of a Tpetra one.
template <class Scalar, class LO, class GO, class Node>
using bcsr_of_tpetra =
    BcsrMatrix<impl::view_scalar<Scalar, LO, GO, Node>, BlockRowMajor, LO, std::size_t, tpetra_memory_space<Node>>;

}  // namespace ashlar
