#pragma once

#include <array>
#include <optional>
#include <string>

namespace CLI {
class App;
}

namespace ashlar::app {

/// A generated problem, as asked for: --problem, --nodes and --dof. Members without a value were not given.
struct ProblemOptions {
  std::optional<std::string> problem;
  std::optional<std::array<int, 3>> nodes;
  std::optional<int> dof;

  std::array<int, 3> nodes_or_default() const { return nodes.value_or(std::array<int, 3>{33, 33, 33}); }
  int dof_or_default() const { return dof.value_or(problem == "cantilever" ? 3 : 1); }
  /// True if the problem asked for has an unsymmetric matrix.
  bool is_unsymmetric() const { return problem == "convection-diffusion"; }
};

/// Declares the three options in a group of the help.
void declare_problem(CLI::App& command, ProblemOptions& options, const std::string& group);

/// Throws ArgumentError if there is no problem of this name, or none with so many unknowns a node.
void check_problem(const ProblemOptions& options);

}  // namespace ashlar::app
