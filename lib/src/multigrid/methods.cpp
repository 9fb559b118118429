#include <ashlar/multigrid/methods.hpp>

namespace ashlar::multigrid {

std::string_view to_string(Discretisation discretisation) {
  return discretisation == Discretisation::fv2 ? "fv2" : "fv4";
}

std::string_view to_string(Equation equation) { return equation == Equation::poisson ? "poisson" : "helmholtz"; }

std::string_view to_string(Smoother smoother) {
  switch (smoother) {
    case Smoother::gsrb:
      return "gsrb";
    case Smoother::chebyshev:
      return "chebyshev";
    case Smoother::jacobi:
      return "jacobi";
  }
  return "unknown";
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

}  // namespace ashlar::multigrid
