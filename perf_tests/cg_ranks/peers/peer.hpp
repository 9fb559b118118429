#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cg_ranks/peers/local_rows.hpp>
#include <functional>
#include <memory>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// CG over ranks that is not the library's, on a system's rows and their right-hand side, without preconditioner.
class RanksPeer {
 public:
  RanksPeer() = default;
  virtual ~RanksPeer() = default;
  RanksPeer(const RanksPeer&) = delete;
  RanksPeer& operator=(const RanksPeer&) = delete;

  /// Starts from x = 0 and goes on until ||r|| <= rtol ||b|| by the recurrence, or for so many iterations; returns how
  /// many there were, and waits for them. With rtol 0 the host looks at nothing in between. Collective.
  virtual int solve(double rtol, int max_iterations) = 0;
};

/// How one is called, and how it is made; collective. It throws an Error on all ranks together where it cannot be had.
struct RanksPeerForm {
  std::string library, kernel, launch;
  std::function<std::unique_ptr<RanksPeer>()> make;
};

/// What peers solve: the vectors have the rank's own entries, and x is theirs to write.
struct RanksPeerSystem {
  LocalRows rows;
  Vector<double> b, x;
};

/// "nccl": products of cuSPARSE, vector operations of cuBLAS, sums and a packed halo by NCCL, all on one stream. None
/// where this was built without these libraries. `comm` and `system` live longer.
std::vector<RanksPeerForm> nccl_peers(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system);

/// "in_kernel": one kernel of each rank for a whole solve, which writes halo and sums to the other ranks' memory. None
/// where this was built without CUDA.
std::vector<RanksPeerForm> in_kernel_peers(const Exec& exec, const Communicator& comm, const RanksPeerSystem& system);

}  // namespace ashlar::perf
