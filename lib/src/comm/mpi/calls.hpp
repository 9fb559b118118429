#pragma once

#include <mpi.h>

#include <chrono>
#include <mutex>
#include <vector>

namespace ashlar::impl {

/// Every call of MPI goes through here: throws a CommError with MPI's own text where `code` is not MPI_SUCCESS. `call`
/// is the name of the function.
void check_mpi(int code, const char* call);

/// Whether MPI may be called: initialised, and not ended.
bool mpi_is_alive();

/// A thread level of MPI as a word.
inline const char* thread_level_name(int level) {
  switch (level) {
    case MPI_THREAD_SINGLE:
      return "single";
    case MPI_THREAD_FUNNELED:
      return "funneled";
    case MPI_THREAD_SERIALIZED:
      return "serialized";
    case MPI_THREAD_MULTIPLE:
      return "multiple";
    default:
      return "unknown";
  }
}

/// An MPI communicator of our own: its errors are returned, and it is freed unless MPI has ended before.
class MpiHandle {
 public:
  /// Takes what MPI_Comm_dup or MPI_Comm_split made.
  explicit MpiHandle(MPI_Comm comm);
  ~MpiHandle();
  MpiHandle(const MpiHandle&) = delete;
  MpiHandle& operator=(const MpiHandle&) = delete;

  MPI_Comm get() const { return comm_; }

 private:
  MPI_Comm comm_;
};

/// Held while a thread begins messages, or asks whether they have ended: for programs that initialise MPI themselves,
/// and where nobody has Open MPI 6.0.0rc2 do without what loses messages of two threads (MpiSession). No such call
/// waits, and so none keeps the others long.
inline std::mutex one_at_a_time;

/// Whether all are complete. One complete once is complete for good; persistent requests may be started again.
bool test_all(std::vector<MPI_Request>& requests);

/// Returns when all are complete. It polls; after a while it gives way to other threads, and then sleeps between polls:
/// there may be more ranks than processors, and the one that is waited for must run.
void wait_all(std::vector<MPI_Request>& requests);

/// The same, but gives up after `limit`; returns whether all are complete.
bool wait_all_for(std::vector<MPI_Request>& requests, std::chrono::milliseconds limit);

/// Ends the whole job. For destructors and the like, which cannot throw: says why first, as this rank of `comm`.
[[noreturn]] void abort_mpi(MPI_Comm comm, const char* why) noexcept;

/// Ends the whole job in silence.
[[noreturn]] void abort_mpi(int exit_code) noexcept;

}  // namespace ashlar::impl
