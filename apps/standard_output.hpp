#pragma once

#include <optional>
#include <string>

namespace ashlar::app {

/// From here on writing to a pipe that nobody reads any more is an error of writing, instead of the end of the command:
/// what it has computed reaches its other outputs.
void survive_closed_pipes();

/// Flushes standard output. Returns a message where it has not taken all that was printed.
std::optional<std::string> standard_output_fault();

}  // namespace ashlar::app
