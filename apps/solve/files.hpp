#pragma once

#include <ashlar/io/block_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/krylov/checkpoint.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <cstdint>
#include <string>
#include <vector>

#include "entry_files.hpp"
#include "solve/options.hpp"
#include "solve/solve.hpp"
#include "solve/system.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Checks before any work is done that inputs can be opened and outputs written, and that no output is an input or
/// another output: rank `rank` of `ranks`, which tries the files that it makes. Rank 0 makes all outputs, and each rank
/// its piece of a mesh.
///
/// Throws   FileError, ArgumentError.
void check_files(const SolveOptions& options, int rank, int ranks);

/// Reads the headers of the files named by `options`, however large these are, and checks them: real matrix, square, a
/// block size that divides it, right-hand sides and an initial guess of its length. Checks the tuning table, too.
///
/// Files that can be read once only are left alone.
///
/// Throws   FileError with the file, the line and the numbers.
void check_headers(const SolveOptions& options);

/// Sets the number of right-hand sides to the columns of the file of --rhs.
///
/// Throws   FileError; ArgumentError if other options do not go with several.
void count_right_hand_sides(SolveOptions& options);

/// Sets the number of modes to the columns of the file of --near-null, as far as amg takes so many.
///
/// Throws   FileError.
void count_modes(SolveOptions& options);

/// The contents of the file of --tune; nothing if there is no file yet. Throws FileError.
TuningTable load_tuning(const MethodOptions& method);

/// The same for one file: after reading, where it was a pipe.
void check_matrix_header(const SolveOptions& options, const io::MatrixMarketHeader& header);
void check_block_file(const SolveOptions& options, const io::BlockFile& file);

/// A file with vectors, and the description of one for people: "a right-hand side".
struct VectorFile {
  const char* what;
  std::string path;
  int num_columns = 1;
};

/// The files of --rhs and of --initial-guess.
inline VectorFile rhs_file(const SourceOptions& source) {
  return {"a right-hand side", source.rhs.value(), source.rhs_columns};
}
inline VectorFile guess_file(const SourceOptions& source) { return {"an initial guess", source.initial_guess.value()}; }

/// Its entries, as many in a column as the system has rows. Throws FileError.
Columns read_vectors(const SolveOptions& options, const VectorFile& vector, std::int64_t num_rows);

/// A property of the solve that a checkpoint records, in words: "system", "cantilever of 33 x 33 x 33 nodes". A solve
/// resumes from a checkpoint only if all of them are the same.
struct Identity {
  std::string name, value;
};

/// A checkpoint of all ranks in one file: a header with the place, the size and the checksum of each rank's part, and
/// these parts. Numbers have the format of the machine that wrote it: a checkpoint serves the same build on the same
/// kind of machine.
///
/// Writes the parts of all ranks. Whoever reads the file finds all of the old checkpoint or all of the new. Collective.
///
/// Throws   FileError on the rank that cannot write its part, RankError on the others.
void write_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities,
                      const CgCheckpoint& checkpoint);

/// Reads this rank's part. Not collective.
///
/// Throws   FileError if the file is no checkpoint, is damaged, or is of another number of ranks; ArgumentError that
///          names what differs, if it is of another solve.
CgCheckpoint read_checkpoint(const World& world, const std::string& path, const std::vector<Identity>& identities);

/// Throws FileError, before any work, if read_checkpoint() would for the header alone.
void check_checkpoint_header(const World& world, const std::string& path);

/// True if a mesh of this name is written in pieces, one for each rank: x.pvtu.
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

/// True if one of them is "-", standard output, for which the command has nothing else to say there then.
bool uses_standard_output(const OutputOptions& options);

/// Finds out before any work is done whether all ranks see the files that they are to write together. Collective.
///
/// Throws   FileError on a rank that does not, RankError on the others.
void check_shared_outputs(const World& world, const OutputOptions& options);

/// Writes the solution and the mesh to the files that `options` name. All ranks write the solution, each its lines, and
/// a mesh of pieces; what has no places (standard output, pipes) and a mesh that is one file rank 0 does, to which all
/// others send theirs. Collective.
///
/// Returns  false, and writes nothing, where x holds NaN or infinity.
/// Errors   FileError where a file cannot be written, all of it, on the rank that cannot, and RankError on the others:
///          kept in `errors`, and the next one is written.
template <class Exec>
bool write_outputs(const Exec& exec, const World& world, const OutputOptions& options, const LinearSystem<Exec>& system,
                   const Solution<Exec>& solution, WriteErrors& errors);

}  // namespace ashlar::app
