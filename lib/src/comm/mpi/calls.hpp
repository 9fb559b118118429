#pragma once

#include <mpi.h>

#include <chrono>
#include <mutex>
#include <vector>

// Calls of MPI with their checks, defined in session.cpp.

namespace ashlar::impl {

/// Checks the result of every call of MPI: throws CommError with the text of MPI unless `code` is MPI_SUCCESS. `call`
/// is the name of the function.
void check_mpi(int code, const char* call);

/// True if MPI is initialised and has not ended.
bool mpi_is_alive();

/// A thread level of MPI as a word.
inline const char* thread_level_name(int level) {
  return level == MPI_THREAD_SINGLE       ? "single"
         : level == MPI_THREAD_FUNNELED   ? "funneled"
         : level == MPI_THREAD_SERIALIZED ? "serialized"
         : level == MPI_THREAD_MULTIPLE   ? "multiple"
                                          : "unknown";
}

/// Owns an MPI communicator, which returns errors. The destructor frees it, unless MPI has ended before.
class MpiHandle {
 public:
  /// Takes the result of MPI_Comm_dup or MPI_Comm_split.
  explicit MpiHandle(MPI_Comm comm);
  ~MpiHandle();
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;

  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

/// Held while a thread starts or polls messages. Programs that initialise MPI themselves need it with Open MPI
/// 6.0.0rc2, which loses messages of two threads (MpiSession). No such call waits, so none blocks others for long.
inline std::mutex one_at_a_time;

/// True if all requests are complete. A complete request stays complete; persistent requests may be started again.
bool test_all(std::vector<MPI_Request>& requests);

/// Returns when all requests are complete. It polls, yields to other threads after a while, and then sleeps between
/// polls: there may be more ranks than processors, and the other rank must run.
void wait_all(std::vector<MPI_Request>& requests);

/// The same, but gives up after `limit`. Returns true if all are complete.
bool wait_all_for(std::vector<MPI_Request>& requests, std::chrono::milliseconds limit);

/// Ends the whole job, after a message as this rank of `comm`. For destructors, which cannot throw.
[[noreturn]] void abort_mpi(MPI_Comm comm, const char* why) noexcept;

/// Ends the whole job without a message.
[[noreturn]] void abort_mpi(int exit_code) noexcept;

}  // namespace ashlar::impl
