#pragma once

#include <mpi.h>

#include <ashlar/comm/communicator.hpp>
#include <string>

namespace ashlar {

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
