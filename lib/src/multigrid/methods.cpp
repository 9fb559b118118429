#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/smoother.hpp>

namespace ashlar::multigrid {

std::string_view to_string(Discretisation discretisation) {
  return discretisation == Discretisation::fv2 ? "fv2" : "fv4";
}

std::string_view to_string(Equation equation) { return equation == Equation::poisson ? "poisson" : "helmholtz"; }

std::string_view to_string(Smoother smoother) {
  static_assert(all_smoothers.size() == std::tuple_size_v<Smoothers>);
  std::string_view name = "unknown";
  with_smoother(smoother, [&]<class Kind>(const Kind&) { name = Kind::name; });
  return name;
}

std::string_view to_string(Cycle cycle) {
  constexpr std::string_view names[] = {"f", "v", "fv"};
  return names[std::size_t(cycle)];
}

std::string_view to_string(Overlap overlap) {
  constexpr std::string_view names[] = {"automatic", "on", "off"};
  return names[std::size_t(overlap)];
}

std::string_view to_string(SweepForm form) {
  constexpr std::string_view names[] = {"automatic", "cells", "planes"};
  return names[std::size_t(form)];
}

std::string_view to_string(Phase phase) {
  constexpr std::string_view names[num_phases] = {"smooth",        "residual", "exchange",  "restriction",
                                                  "interpolation", "bottom",   "one_kernel"};
  return names[std::size_t(phase)];
}

void PhaseTimes::take_slowest(const Communicator& comm) {
  for (auto& phases : seconds_) {
    for (double& seconds : phases) seconds = comm.max(seconds);
  }
}

}  // namespace ashlar::multigrid
