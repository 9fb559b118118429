#pragma once

#include <CLI/CLI.hpp>
#include <ashlar/comm/communicator.hpp>
#include <optional>

namespace ashlar::perf {

/// The options of a program of many ranks. What is wrong with them, or the help, is printed by one rank.
///
/// Returns  the exit code where the program ends by that.
inline std::optional<int> parse_options(CLI::App& app, int argc, char** argv, const Communicator& comm) {
  try {
    app.parse(argc, argv);
  } catch (const CLI::ParseError& error) {  // on all ranks, which have the same arguments
    return comm.rank() == 0 ? app.exit(error) : error.get_exit_code();
  }
  return std::nullopt;
}

}  // namespace ashlar::perf
