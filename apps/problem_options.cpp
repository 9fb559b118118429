#include "problem_options.hpp"

#include <CLI/CLI.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>

#include "option_values.hpp"

namespace ashlar::app {

void declare_problem(CLI::App& command, ProblemOptions& options, const std::string& group) {
  command
      .add_option("--problem", options.problem, "a generated problem: cantilever, stencil11 or convection-diffusion")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--nodes", [&options](const std::string& value) { options.nodes = nodes_of("--nodes", value); },
          "nodes of the problem's mesh, one number for a cube (default 33)")
      ->type_name("N|NX,NY,NZ")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--dof", [&options](const std::string& value) { options.dof = whole_number_of("--dof", value); },
          "unknowns a node: 1 (Laplacian), 3 (elasticity, the default) or 6 for the cantilever; 1 to 64 for stencil11 "
          "and 1 to 6 for convection-diffusion (default 1)")
      ->type_name("N")
      ->group(group);
}

void check_problem(const ProblemOptions& options) {
  const std::string& problem = *options.problem;
  const int dof = options.dof_or_default();
  const auto refuse_dof = [&](const std::string& why, const char* suggestion) {
    throw ArgumentError(text("--dof ", dof), why, suggestion);
  };
  if (problem == "cantilever") {
    if (dof != 1 && dof != 3 && dof != 6) {
      refuse_dof("a node of the cantilever has 1, 3 or 6 unknowns", "pass one of these");
    }
  } else if (problem == "stencil11") {
    if (dof < 1 || dof > max_block_size) {
      refuse_dof(text("a point of the stencil has 1 to ", max_block_size, " unknowns"), "pass such a number");
    }
  } else if (problem == "convection-diffusion") {
    if (dof < 1 || dof > 6) refuse_dof("a node has 1 to 6 species", "pass such a number");
  } else {
    throw ArgumentError(text("--problem '", problem, "'"), "there is none of this name",
                        "pass cantilever, stencil11 or convection-diffusion");
  }
}

}  // namespace ashlar::app
