#pragma once

#include <ashlar/comm/memory_kind.hpp>

namespace ashlar::impl {

/// Whether the MPI library says of itself that its messages may lie in memory of this kind. Not all libraries can be
/// asked; those do not say so.
bool mpi_says_it_takes(MemoryKind kind);

}  // namespace ashlar::impl
