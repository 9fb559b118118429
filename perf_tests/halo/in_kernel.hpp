#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cstdint>
#include <memory>
#include <support/types.hpp>

namespace ashlar::perf {

/// Rounds of what the kernels of ranks do with each other that iterate CG as one, by the very functions that these call
/// (persistent_cg_of_ranks): one kernel of each rank, for many rounds.
class RoundsInKernel {
 public:
  /// Threads of a thread block, of which each multiprocessor has one: as CG has them for single entries.
  static constexpr int threads = 768;

  enum class Round {
    four_sums,  ///< of doubles, over all threads of all thread blocks of all ranks
    barrier,    ///< a vector is written; a barrier of each rank's thread blocks; a sum of one double over all ranks
    halo,       ///< the same, and before the sum all entries of the vector go to the rank before, where as many threads
                ///< multiply one each: all from the first thread blocks on, as of a slab's boundary rows
  };

  /// Collective. Vectors of so many entries on each rank.
  ///
  /// Throws   Error on all ranks together where there are no such kernels.
  RoundsInKernel(const Exec& exec, const Communicator& comm, std::int64_t entries);
  ~RoundsInKernel();

  int thread_blocks() const;

  /// Collective. Whether all threads of all ranks have the right sums, in some rounds.
  bool are_right(Round round) const;

  /// Collective. The median of so many samples, of each the rank that takes longest; without what a launch takes.
  double seconds_of_round(Round round, int samples) const;

 private:
  struct Kernel;
  std::unique_ptr<Kernel> kernel_;
};

}  // namespace ashlar::perf
