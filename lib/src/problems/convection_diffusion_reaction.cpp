#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/convection_diffusion_reaction.hpp>

namespace ashlar::problems {

void check(const ConvectionDiffusionReaction& problem) {
  const auto require_option = [](bool holds, const std::string& option, const char* why, const char* suggestion) {
    if (!holds) throw ArgumentError("convection-diffusion-reaction: " + option, why, suggestion);
  };
  const auto& v = problem.velocity;
  require_option(problem.dof >= 1 && problem.dof <= 6, text("dof ", problem.dof), "a node has 1 to 6 species",
                 "choose one of these");
  require_option(problem.diffusion > 0 && is_finite(problem.diffusion), text("diffusion ", problem.diffusion),
                 "without it, nodes upstream would be coupled to none", "pass a positive number");
  require_option(is_finite(v[0]) && is_finite(v[1]) && is_finite(v[2]), text("velocity ", v[0], " ", v[1], " ", v[2]),
                 "a flow is finite", "pass three finite numbers");
  require_option(problem.reaction >= 0 && is_finite(problem.reaction), text("reaction ", problem.reaction),
                 "a species that grows makes the matrix indefinite", "pass a rate, or 0 for none");
  Lattice{problem.nodes};
}

std::int64_t convection_diffusion_reaction_num_blocks(const ConvectionDiffusionReaction& problem) {
  check(problem);
  const std::int64_t x = problem.nodes[0], y = problem.nodes[1], z = problem.nodes[2];
  // If 7 a node fit, each sum below does.
  impl::checked_product(impl::convection_diffusion_reaction_name(problem), {7, x, y, z});
  return x * y * z + 2 * ((x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1));
}

}  // namespace ashlar::problems
