#pragma once

namespace ashlar::app {

/// From here on signals that end the command remove the unfinished files first, and a file that has become as large as
/// `ulimit -f` allows is an error of writing instead of the end.
void handle_signals();

}  // namespace ashlar::app
