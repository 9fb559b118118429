#pragma once

#include <string>

#include "solve/system.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Whether a mesh of this name is written in pieces, one for each rank: x.pvtu.
bool is_mesh_of_pieces(const std::string& path);

/// The piece of a rank, beside it: x_0.vtu.
std::string mesh_piece(const std::string& path, int rank);

/// Writes the cantilever's mesh to `path`, a VTK file, and at its points the solution `x`, of which each rank has its
/// part: in pieces, which take their names when all are whole, and the file that names them; or, of another name, all
/// of it on rank 0. Collective.
///
/// Throws   FileError where a rank cannot write its piece, in the name of `path`, RankError on the others; as
/// World::on_all().
template <class Exec>
void write_mesh(const Exec& exec, const World& world, const std::string& path, const LinearSystem<Exec>& system,
                const Vector<Exec>& x);

}  // namespace ashlar::app
