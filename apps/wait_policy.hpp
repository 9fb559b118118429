#pragma once

namespace ashlar::app {

/// Has OpenMP's threads sleep while they wait for work, unless the user has said how they are to wait: threads that
/// spin take the processors of those that work wherever there are more of them than processors that nobody else uses.
///
/// OpenMP reads its variables when it is loaded, before main() begins. So where nobody has set one of them the program
/// starts anew, once, with OMP_WAIT_POLICY set; where that fails it goes on as it is.
void wait_passively(char** arguments);

}  // namespace ashlar::app
