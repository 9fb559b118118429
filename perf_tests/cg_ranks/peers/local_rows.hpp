#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cg_ranks/system.hpp>
#include <cstdint>
#include <spmv/matrices.hpp>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// A rank's rows by single entries, as one has them who writes CG over ranks anew: the columns are its own entries of a
/// vector, and behind these the halo, what it needs of other ranks', in the order of the whole vector.
struct LocalRows {
  struct Message {
    int rank;                   ///< whom it goes to, or comes from
    std::int64_t begin, count;  ///< which places of `sent`, or of the halo
    std::int64_t begin_there;   ///< where the receiver's halo has it; of messages that go away
  };

  Csr csr;
  std::int64_t num_rows = 0, num_halo = 0;
  Kokkos::View<int*, Space> sent;  ///< the rank's entries that others need, message after message
  std::vector<Message> to, from;
};

/// Collective; no code of the library's own halos is in it.
///
/// Throws   ArgumentError on all ranks together, where one has more non-zeros than an int counts.
LocalRows make_local_rows(const Exec& exec, const Communicator& comm, const RankSystem<Exec>& system);

}  // namespace ashlar::perf
