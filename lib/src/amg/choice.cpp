#include <ashlar/amg/choice.hpp>
#include <ashlar/base/text.hpp>
#include <cmath>

namespace ashlar::amg {

namespace {

/// Iterations of CG with block-Jacobi to a relative residual of 1e-8 on a cube of as many nodes.
double iterations_of_block_jacobi(const Prospect& prospect) {
  const double of_elasticity = 8.7, of_diffusion = 1;  // for each node of a side
  return (prospect.has_modes ? of_elasticity : of_diffusion) * std::cbrt(double(prospect.num_nodes));
}

/// Set-up and solve, counted in iterations of CG with block-Jacobi. On a GPU, small levels take as long as launches do.
double cost_of_amg(const Prospect& prospect) {
  const double iterations = prospect.has_modes ? 15 : 10, set_ups = prospect.has_modes ? 1 : 1.8;
  if (!prospect.is_on_gpu) return set_ups * 100 + iterations * 7.5;
  const double root = std::sqrt(double(prospect.num_nodes) * prospect.block_size);
  return set_ups * (110 + 1.8e5 / root) + iterations * (6.5 + 2.7e3 / root);
}

/// True if amg should be faster, by a margin for the error of the model.
bool is_worth_its_cost(const Prospect& prospect) {
  constexpr double margin = 1.2;
  return iterations_of_block_jacobi(prospect) > margin * cost_of_amg(prospect);
}

}  // namespace

Choice choose(const Prospect& prospect) {
  if (!prospect.is_symmetric) return {false, "amg is chosen with CG and MINRES alone"};
  const Choice too_small{false, "amg is faster only for larger systems"};
  Prospect with_modes = prospect;
  with_modes.has_modes = true;
  if (!is_worth_its_cost(with_modes)) return too_small;  // whatever the rows are
  if (!prospect.has_room) return {false, "there is too little memory for amg"};
  if (prospect.signs.without_positive_diagonal > 0) return {false, "a diagonal entry is not positive"};
  Prospect known = prospect;
  if (known.signs.are_of_diffusion()) {
    known.has_modes = false;  // whatever the modes are, block-Jacobi takes the iterations of diffusion
  } else if (!known.has_modes) {
    return {false, "amg needs rows of diffusion, or coordinates or modes of elasticity"};
  }
  if (!is_worth_its_cost(known)) return too_small;
  return {true, text("block-jacobi takes about ", std::lround(iterations_of_block_jacobi(known)),
                     " iterations, and amg the time of ", std::lround(cost_of_amg(known)))};
}

Choice without_amg(const NumericalError& failure) { return {false, "amg cannot be set up: " + failure.problem()}; }

}  // namespace ashlar::amg
