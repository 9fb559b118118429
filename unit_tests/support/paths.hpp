#pragma once

#include <string>

// Where things are. (Not macros: a folder's name in the command line of every test would keep a compiler cache from
// finding there what was compiled in another folder.)

namespace ashlar {

/// The source tree.
std::string source_dir();

/// The command that this build made; empty where it makes none.
std::string built_command();

/// What starts a command on so many ranks, as a shell takes it; empty where there is no MPI, or it starts nothing.
std::string mpiexec(int ranks);

/// The Kokkos tool that counts fences; empty where this build makes no command.
std::string no_fence_tool();

}  // namespace ashlar
