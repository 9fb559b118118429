#pragma once

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/problems/lattice.hpp>
#include <optional>
#include <string>

#include "solve/options.hpp"
#include "solve/system.hpp"

namespace ashlar::app {

/// The modes of algebraic multigrid that were asked for, of the block rows `rows` of the system, on the rank of `comm`
/// that has them: constants, rigid-body modes from coordinates, or a file's. Each rank reads the whole file.
/// Collective.
///
/// Throws   FileError for a file that does not fit the matrix; ArgumentError for coordinates of one node.
template <class Exec>
amg::NearNullSpace<typename Exec::memory_space> amg_modes(const Exec& exec, const LinearSystem<Exec>& system,
                                                          const MethodOptions& method, const Communicator& comm,
                                                          const problems::RowRange& rows);

/// Rigid-body modes of the block rows `rows` of an elastic system, on the rank of `comm` that has them: of the
/// cantilever, or by a file of coordinates, which each rank reads as a whole. If the block size does not fit those, the
/// message suggests the option `other`. Collective.
///
/// Throws   FileError for the file of coordinates.
template <class Exec>
amg::NearNullSpace<typename Exec::memory_space> rigid_modes(const Exec& exec, const LinearSystem<Exec>& system,
                                                            const std::optional<std::string>& coordinates,
                                                            const std::string& other, const Communicator& comm,
                                                            const problems::RowRange& rows);

/// The rows of this rank of a file with a column for each vector of a null space. Each rank reads the whole file. Not
/// collective.
///
/// Throws   FileError for a file that does not fit the matrix.
template <class Exec>
Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> vectors_of_file(
    const Exec& exec, const std::string& path, const LinearSystem<Exec>& system);

}  // namespace ashlar::app
