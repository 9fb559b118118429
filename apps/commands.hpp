#pragma once

#include <optional>
#include <string>

#include "problem_options.hpp"
#include "world.hpp"

namespace CLI {
class App;
}

namespace ashlar::app {

/// What `ashlar convert` was asked for.
struct ConvertOptions : ProblemOptions {
  std::string from, to;            ///< from: empty for a generated problem
  std::optional<std::string> rhs;  ///< an output: the right-hand side of the problem
  std::optional<int> block_size;   ///< 0: auto
};

/// Declares the arguments of `ashlar convert`; parsing fills `options`, which must outlive `command`.
void declare_options(CLI::App& command, ConvertOptions& options);

/// Checks what can be checked before Kokkos is initialised: the names of the files, the problem, the header of a Matrix
/// Market file, and that all ranks see the same file. Collective.
///
/// Throws   ashlar::Error.
void check_before_start(const World& world, const ConvertOptions& options);

/// `ashlar convert`, on the host; Kokkos is initialised. Prints a line that says what was written. Over ranks the new
/// file is written by all of them, each its rows. Collective.
void run_convert(const World& world, const ConvertOptions& options);

/// Prints backends, devices, versions, memory and measured bandwidths to standard output; where there are several ranks
/// also these, and the messages between them. Kokkos must be initialised. Collective.
void print_info(const World& world, bool as_json);

}  // namespace ashlar::app
