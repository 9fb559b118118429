#pragma once

#include <mpi.h>

namespace ashlar::impl {

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

}  // namespace ashlar::impl
