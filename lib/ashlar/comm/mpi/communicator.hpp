#pragma once

#include <mpi.h>

#include <ashlar/comm/communicator.hpp>
#include <cstddef>
#include <string>

namespace ashlar {

struct MpiOptions {
  /// Longer messages travel in pieces of so many bytes. MPI counts to 2^31-1; tests take less.
  std::size_t largest_piece = std::size_t{1} << 30;
};

/// The ranks of an MPI communicator of the caller's. Collective over it.
///
/// Messages go through a duplicate, which is freed with what is returned: no message of the caller's, whatever its tag,
/// meets one of ours. The caller's communicator may be freed at any time. MPI's errors on the duplicate are exceptions.
///
/// While it waits a rank polls, and sleeps between polls once it has waited for a while: others may use the processor.
///
/// Throws   CommError where MPI is not initialised, or has ended; ArgumentError for a communicator that is null or
///          joins two groups.
Communicator borrow_mpi(MPI_Comm comm, MpiOptions options = {});

/// MPI for as long as this lives: initialised here unless that was done before, and ended by whoever began.
///
/// Where it is left by an exception that the other ranks do not share, it ends the whole job: they would wait for this
/// one for ever. So that the exception's message is seen, catch it within and call Communicator::abort().
///
/// Throws   CommError where MPI gives less than the thread level asked for, or has ended already.
class MpiSession {
 public:
  /// `level` is one of MPI's constants; MPI_THREAD_FUNNELED serves a program whose MPI calls are all on the thread that
  /// made the session. With MPI_THREAD_MULTIPLE, for several, OMPI_MCA_btl_sm_fbox_max is set to 0 in the environment
  /// unless it is set: Open MPI 6.0.0rc2 loses messages of several threads otherwise, between ranks of a host.
  explicit MpiSession(int level = MPI_THREAD_FUNNELED);
  ~MpiSession();
  MpiSession(const MpiSession&) = delete;
  MpiSession& operator=(const MpiSession&) = delete;

  /// What MPI gave; as a word: "funneled".
  int thread_level() const { return level_; }
  std::string thread_level_name() const;

  /// All ranks of the job. Collective.
  Communicator world() const;

 private:
  int level_ = MPI_THREAD_SINGLE;
  int exceptions_ = 0;
  bool is_owner_ = false;
  /// For the last meeting of all ranks.
  MPI_Comm farewell_ = MPI_COMM_NULL;
};

}  // namespace ashlar
