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
  switch (cycle) {
    case Cycle::f:
      return "f";
    case Cycle::v:
      return "v";
    case Cycle::fv:
      return "fv";
  }
  return "unknown";
}

std::string_view to_string(Overlap overlap) {
  switch (overlap) {
    case Overlap::automatic:
      return "automatic";
    case Overlap::on:
      return "on";
    case Overlap::off:
      return "off";
  }
  return "unknown";
}

std::string_view to_string(SweepForm form) {
  switch (form) {
    case SweepForm::automatic:
      return "automatic";
    case SweepForm::cells:
      return "cells";
    case SweepForm::planes:
      return "planes";
  }
  return "unknown";
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
