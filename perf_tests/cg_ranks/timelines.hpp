#pragma once

#include <ashlar/comm/communicator.hpp>
#include <cg_ranks/measure.hpp>
#include <cg_ranks/system.hpp>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// What all ranks do in a few iterations of each form, side by side, as figures 3 to 6 of the multi-GPU paper have it.
class Timelines {
 public:
  explicit Timelines(const Communicator& comm) : comm_(comm) {}

  /// Records a solve of so many iterations, after one that is not recorded; `name` is shown with it. Collective.
  ///
  /// On GPUs Kokkos waits for each kernel while it is recorded: what overlaps there is then shown one after another.
  template <class Exec>
  void add(const Exec& exec, const RankSystem<Exec>& system, const RanksForm& form, const std::string& name,
           int iterations);

  /// What was recorded, for Perfetto; "" but on rank 0. Collective.
  std::string json() const;

 private:
  const Communicator& comm_;
  std::vector<std::string> events_;  // of this rank, one form after another
};

}  // namespace ashlar::perf
