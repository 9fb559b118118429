#pragma once

#include <mpi.h>

#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <string>

namespace ashlar {

struct MpiOptions {
  /// Longer messages travel in pieces of this many bytes. MPI counts to 2^31-1; tests use small pieces.
  std::size_t largest_piece = std::size_t{1} << 30;
};

/// The ranks of an MPI communicator of the caller. Collective over it.
///
/// Messages go through a duplicate, which lives as long as the result: they never match messages of the caller. The
/// caller may free its communicator at any time. Errors of MPI on the duplicate become exceptions.
///
/// A waiting rank polls, and sleeps between polls after a while, so that other ranks may use the processor.
///
/// Throws   CommError if MPI is not initialised or has ended; ArgumentError for a null communicator or an
///          intercommunicator.
Communicator borrow_mpi(MPI_Comm comm, MpiOptions options = {});

/// Initialises MPI unless the program has done so, and ends it in the destructor if it has initialised it.
///
/// If this rank leaves by an exception that other ranks do not share, the destructor ends the whole job: the others
/// would wait for ever. To see the message of the exception, catch it before and call Communicator::abort().
///
/// Throws   CommError if MPI has ended already, or offers less than the requested thread level.
class MpiSession {
 public:
  /// `level` is a constant of MPI. MPI_THREAD_FUNNELED suffices if all calls of MPI are on the thread that made the
  /// session. With MPI_THREAD_MULTIPLE the constructor sets OMPI_MCA_btl_sm_fbox_max to 0 in the environment, unless it
  /// is set: Open MPI 6.0.0rc2 otherwise loses messages of several threads between ranks of a host.
  explicit MpiSession(int level = MPI_THREAD_FUNNELED);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// The level that MPI offers; as a word: "funneled".
  int thread_level() const { return level_; }
  std::string thread_level_name() const;

  /// All ranks of the job. Collective.
  Communicator world() const;

 private:
  int level_ = MPI_THREAD_SINGLE;
  int exceptions_ = 0;
  bool is_owner_ = false;
  /// For the last barrier of all ranks.
  MPI_Comm farewell_ = MPI_COMM_NULL;
};

}  // namespace ashlar
