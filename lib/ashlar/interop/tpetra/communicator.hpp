#pragma once

#include <TpetraCore_config.h>
#include <Teuchos_Comm.hpp>
#include <Teuchos_RCP.hpp>

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>

#ifdef HAVE_TPETRACORE_MPI
#include <Teuchos_DefaultMpiComm.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#endif

namespace ashlar {

/// The ranks of a Teuchos communicator, which may go before what is returned. Collective over it.
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
