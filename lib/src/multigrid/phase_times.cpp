#include <ashlar/multigrid/phase_times.hpp>

namespace ashlar::multigrid {

std::string_view to_string(Phase phase) {
  constexpr std::string_view names[num_phases] = {"smooth",        "residual", "exchange", "restriction",
                                                  "interpolation", "bottom",   "visit"};
  return names[std::size_t(phase)];
}

void PhaseTimes::take_slowest(const Communicator& comm) {
  for (auto& phases : seconds_) {
    for (double& seconds : phases) seconds = comm.max(seconds);
  }
}

}  // namespace ashlar::multigrid
