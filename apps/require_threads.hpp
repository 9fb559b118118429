#pragma once

namespace ashlar::app {

/// Starts so many threads and ends them: OpenMP ends the program where it cannot start one of its own. Those that it
/// starts next find the stacks of these.
///
/// Throws   Error where the limits of the process (`ulimit -v`, `ulimit -u`) or of the machine do not allow them.
void require_threads(int count);

}  // namespace ashlar::app
