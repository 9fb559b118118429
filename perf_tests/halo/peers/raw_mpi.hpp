#pragma once

#include <mpi.h>

#include <cstddef>
#include <cstdint>
#include <halo/messages.hpp>
#include <vector>

namespace ashlar::perf {

/// The same messages by MPI alone, from and to the host's memory, between the ranks of MPI_COMM_WORLD.
class RawMpi {
 public:
  /// Collective.
  explicit RawMpi(const RankMessages& messages);
  ~RawMpi();
  RawMpi(const RawMpi&) = delete;
  RawMpi& operator=(const RawMpi&) = delete;

  /// One exchange, from begin to end.
  void run();
  /// How many bytes of one are wrong.
  std::int64_t num_wrong(int round);

 private:
  RankMessages messages_;
  MPI_Comm comm_ = MPI_COMM_NULL;
  std::vector<std::byte> send_, receive_;
  std::vector<MPI_Request> requests_;
};

}  // namespace ashlar::perf
