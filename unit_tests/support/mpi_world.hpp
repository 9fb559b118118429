#pragma once

#include <ashlar/comm/communicator.hpp>

namespace ashlar::testing {

/// All ranks of a test under mpiexec. Its program is linked with support/mpi_main.cpp.
const Communicator& world();

}  // namespace ashlar::testing
