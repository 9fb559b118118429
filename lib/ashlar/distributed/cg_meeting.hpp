#pragma once

#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/peer_meeting.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/operators/cg_ranks.hpp>
#include <memory>
#include <vector>

namespace ashlar {

/// Collective. Where the kernels of ranks meet that iterate as one, as DistributedOperator makes it for its own: for
/// vectors with this halo, of block entries of so many entries, and without a matrix.
///
/// Memory   connect() makes what the ranks share, on the device of `exec`; destroyed by all ranks in step.
template <class Value, class Exec>
std::shared_ptr<CgMeeting<Value>> cg_meeting(const Exec& exec, const Communicator& comm, const HaloPlan& halo,
                                             int block_size) {
  return std::make_shared<impl::PeerMeeting<Value, Exec>>(exec, comm, halo, block_size,
                                                          std::vector<impl::OtherPart<BcsrMatrix<Value>>>());
}

}  // namespace ashlar
