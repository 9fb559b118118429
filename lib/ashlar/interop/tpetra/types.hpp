#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>
#include <TpetraCore_config.h>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <complex>
#include <cstddef>

#ifdef HAVE_TPETRACORE_MPI
#include <Teuchos_DefaultMpiComm.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#endif

namespace ashlar {

/// Where Tpetra objects of a node compute, and where their memory is.
template <class Node>
using tpetra_execution_space = typename Node::device_type::execution_space;
template <class Node>
using tpetra_memory_space = typename Node::device_type::memory_space;

namespace impl {

/// The element type of Tpetra objects' views: Kokkos::complex if Scalar is std::complex.
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

/// The ranks of a Teuchos communicator, which need not outlive the result. Collective over it.
///
/// Throws   ArgumentError for a communicator of several ranks that is not one of MPI.
inline Communicator from_teuchos(const Teuchos::Comm<int>& comm) {
#ifdef HAVE_TPETRACORE_MPI
  if (const auto* const mpi = dynamic_cast<const Teuchos::MpiComm<int>*>(&comm)) {
    return borrow_mpi(*mpi->getRawMpiComm());
  }
#endif
  if (comm.getSize() == 1) return Communicator();
  throw ArgumentError(text("from_teuchos: a communicator of ", comm.getSize(), " ranks"),
                      "it is not a Teuchos::MpiComm", "make the maps with one of MPI");
}

}  // namespace ashlar
