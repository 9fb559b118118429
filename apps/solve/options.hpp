#pragma once

#include <array>
#include <ashlar/amg/options.hpp>
#include <ashlar/distributed/options.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "problem_options.hpp"

namespace CLI {
class App;
}

namespace ashlar::app {

enum class PreconditionerKind {
  automatic,  ///< amg if a cost model expects it to be faster, else block_jacobi
  none,
  jacobi,
  block_jacobi,
  ilu0,
  ssor,
  amg
};

/// The vectors that coarse levels of algebraic multigrid represent exactly.
enum class NearNullKind {
  automatic,  ///< rigid for an elastic problem or with coordinates, else constants
  constants,  ///< of each unknown of a node its constant vector
  rigid,      ///< translations and rotations
  from_file   ///< the columns of a file
};

/// In which a preconditioner keeps its hierarchy, and in which CG iterates: mixed, in single precision with the
/// residual in double from time to time.
enum class PrecisionKind { in_double, single, mixed };

enum class SolverKind { automatic, cg, block_cg, minres, gmres, bicgstab };

/// True if it takes symmetric matrices alone.
inline bool needs_symmetry(SolverKind kind) {
  return kind == SolverKind::cg || kind == SolverKind::block_cg || kind == SolverKind::minres;
}

/// Which form of CG.
enum class VariantKind { standard, single_reduction, pipelined };

/// The vectors that a singular matrix maps to 0.
enum class NullSpaceKind {
  none,
  constant,    ///< the vector of ones
  components,  ///< of each unknown of a node its constant vector
  rigid,       ///< translations and rotations
  from_file    ///< the columns of a file
};

/// True if the matrix stays in the host's memory, or in its file, and is sent to the device for each product.
enum class StreamKind {
  automatic,  ///< where the device has too little memory for it; from its file, where the host has, too
  on,
  from_file,
  off
};

/// The part of a streamed matrix that is sent.
enum class TransferKind {
  all,
  half  ///< the upper triangle of blocks: each is used for its row and, transposed, for its column
};

/// "block-jacobi": the name in options and reports.
std::string to_string(PreconditionerKind kind);
std::string to_string(NearNullKind kind);
std::string to_string(PrecisionKind kind);
std::string to_string(SolverKind kind);
std::string to_string(VariantKind kind);
std::string to_string(NullSpaceKind kind);
std::string to_string(StreamKind kind);
std::string to_string(TransferKind kind);
/// The names in options: "auto", for the library's "automatic".
std::string option_name(HaloForm form);
std::string option_name(ExchangeMode mode);

// The requests to `ashlar solve`, in groups. Members without a value were not given.

/// The system: a generated problem, or files.
struct SourceOptions : ProblemOptions {
  std::optional<std::string> matrix;
  std::optional<std::string> rhs;
  int rhs_columns = 1;  ///< of that file; set once its header is read
  std::optional<std::string> initial_guess;
  std::optional<int> block_size;  ///< 0: auto
  bool pad = false;               ///< rows are added until the block size divides them
  bool skip_symmetry_check = false;
};

/// How it is solved.
struct MethodOptions {
  SolverKind solver = SolverKind::cg;
  VariantKind variant = VariantKind::standard;
  int num_rhs = 1;
  std::string why_solver;      ///< set once --solver auto has chosen
  std::optional<int> restart;  ///< GmresOptions::restart
  int restart_or_default() const { return restart.value_or(30); }
  PreconditionerKind preconditioner = PreconditionerKind::block_jacobi;
  std::string why_preconditioner;  ///< set once --preconditioner auto has chosen
  NearNullKind near_null = NearNullKind::automatic;
  std::optional<std::string> near_null_file;
  std::optional<int> near_null_columns;  ///< of that file; set once its header is read
  /// As in the option.
  std::string near_null_name() const { return near_null_file.value_or(to_string(near_null)); }
  std::optional<std::string> coordinates;  ///< of the nodes, a file
  PrecisionKind preconditioner_precision = PrecisionKind::in_double;
  amg::SmootherKind amg_smoother = amg::SmootherKind::chebyshev;
  PrecisionKind precision = PrecisionKind::in_double;
  NullSpaceKind null_space = NullSpaceKind::none;
  std::optional<std::string> null_space_file;
  double rtol = 1e-8, atol = 0;
  ResidualNorm norm = ResidualNorm::unpreconditioned;
  int max_iterations = 10000;
  int stagnation_window = 0;  ///< CgOptions::stagnation_window
  Kernel kernel = Kernel::automatic;
  std::optional<std::string> tune;  ///< the file of the tuning table
  std::optional<int> threads;       ///< of a CPU; none: as many as the system is worth
};

/// Where the matrix is, and how much memory the solve may take.
struct PlacementOptions {
  StreamKind stream = StreamKind::automatic;
  TransferKind transfer = TransferKind::all;
  std::optional<std::uint64_t> device_memory_limit;
};

/// How the system is distributed over the ranks, if there are several.
struct DistributionOptions {
  Decomposition decomposition = Decomposition::one_d;
  HaloForm halo = HaloForm::automatic;
  ExchangeMode exchange = ExchangeMode::automatic;
  std::string partition = "auto";  ///< or "nnz", "rows", "weighted", "measured", or a file
  int ranks_on_host = 0;           ///< of each host: the last ones compute there, whatever devices there are

  bool is_weighted() const { return partition == "weighted"; }
  /// True if ranks have rows by the rates of their own products: asked for, or by default where some compute on the
  /// host beside devices.
  bool has_rates() const;
  /// True if each rank has as many blocks.
  bool is_by_blocks() const { return partition == "nnz" || (partition == "auto" && !has_rates()); }
  /// True if the rows of ranks follow from what was measured of them.
  bool is_measured() const { return is_weighted() || has_rates(); }
  std::optional<std::string> partition_file() const {
    if (is_by_blocks() || partition == "rows" || is_measured()) return std::nullopt;
    return partition;
  }
};

/// The outputs.
struct OutputOptions {
  std::optional<std::string> solution, report, vtk, trace;
  std::optional<std::string> checkpoint, resume;
  double checkpoint_every = 600;          ///< seconds
  std::optional<std::string> efficiency;  ///< a report that is read: of the same solve on one rank
  bool history = false;
  bool no_probe = false;  ///< what the device reads at is not measured
};

struct SolveOptions {
  SourceOptions source;
  MethodOptions method;
  PlacementOptions placement;
  DistributionOptions distribution;
  OutputOptions outputs;
};

/// An input file that every rank reads as a whole, and the option that names it.
struct SharedInput {
  const char* option;
  std::string path;
};
std::vector<SharedInput> inputs_of_all_ranks(const SolveOptions& options);

/// Declares the options of `ashlar solve`; parsing fills `options`, which must outlive `command`.
void declare_options(CLI::App& command, SolveOptions& options);

/// Throws ArgumentError if options contradict each other, are out of range, or request something that this number of
/// ranks does not support.
void check_options(const SolveOptions& options, int ranks);

}  // namespace ashlar::app
