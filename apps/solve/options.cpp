#include "solve/options.hpp"

#include <CLI/CLI.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cmath>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

#include "file_names.hpp"
#include "numbers.hpp"
#include "option_values.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace {

/// The name of a kind in options and reports.
template <class Kind>
struct Named {
  Kind kind;
  const char* name;
};

constexpr Named<PreconditionerKind> preconditioners[] = {
    {PreconditionerKind::automatic, "auto"}, {PreconditionerKind::none, "none"},
    {PreconditionerKind::jacobi, "jacobi"},  {PreconditionerKind::block_jacobi, "block-jacobi"},
    {PreconditionerKind::ilu0, "ilu0"},      {PreconditionerKind::ssor, "ssor"},
    {PreconditionerKind::amg, "amg"}};
constexpr Named<NearNullKind> near_nulls[] = {
    {NearNullKind::automatic, "auto"}, {NearNullKind::constants, "constants"}, {NearNullKind::rigid, "rigid"}};
constexpr Named<PrecisionKind> precisions[] = {{PrecisionKind::in_double, "double"}, {PrecisionKind::single, "single"}};
constexpr Named<amg::SmootherKind> smoothers[] = {{amg::SmootherKind::chebyshev, "chebyshev"},
                                                  {amg::SmootherKind::l1_jacobi, "l1-jacobi"},
                                                  {amg::SmootherKind::gauss_seidel, "gauss-seidel"}};
constexpr Named<PrecisionKind> solve_precisions[] = {{PrecisionKind::in_double, "double"},
                                                     {PrecisionKind::mixed, "mixed"}};
constexpr Named<SolverKind> solvers[] = {{SolverKind::automatic, "auto"},    {SolverKind::cg, "cg"},
                                         {SolverKind::block_cg, "block-cg"}, {SolverKind::minres, "minres"},
                                         {SolverKind::gmres, "gmres"},       {SolverKind::bicgstab, "bicgstab"}};
constexpr Named<VariantKind> variants[] = {{VariantKind::standard, "standard"},
                                           {VariantKind::single_reduction, "single-reduction"},
                                           {VariantKind::pipelined, "pipelined"}};
constexpr Named<NullSpaceKind> null_spaces[] = {{NullSpaceKind::none, "none"},
                                                {NullSpaceKind::constant, "constant"},
                                                {NullSpaceKind::components, "components"},
                                                {NullSpaceKind::rigid, "rigid"}};
constexpr Named<StreamKind> streams[] = {
    {StreamKind::automatic, "auto"}, {StreamKind::on, "on"}, {StreamKind::from_file, "file"}, {StreamKind::off, "off"}};
constexpr Named<Decomposition> decompositions[] = {{Decomposition::one_d, "1d"}, {Decomposition::two_d, "2d"}};
constexpr Named<HaloForm> halos[] = {{HaloForm::automatic, "auto"},
                                     {HaloForm::packed, "packed"},
                                     {HaloForm::contiguous, "contiguous"},
                                     {HaloForm::whole, "whole"}};
constexpr Named<ExchangeMode> exchanges[] = {{ExchangeMode::automatic, "auto"},
                                             {ExchangeMode::blocking, "blocking"},
                                             {ExchangeMode::stream, "stream"},
                                             {ExchangeMode::kernel, "kernel"}};
constexpr Named<ResidualNorm> norms[] = {{ResidualNorm::unpreconditioned, "unpreconditioned"},
                                         {ResidualNorm::preconditioned, "preconditioned"},
                                         {ResidualNorm::natural, "natural"}};
constexpr Named<TransferKind> transfers[] = {{TransferKind::all, "all"}, {TransferKind::half, "half"}};

template <class Kind, std::size_t count>
std::string name_of(const Named<Kind> (&names)[count], Kind kind) {
  for (const auto& named : names) {
    if (named.kind == kind) return named.name;
  }
  return "unknown";
}

/// An option of a group. Values are read by our own parsers, which say more than CLI11's, and take less.
class Group {
 public:
  Group(CLI::App& command, std::string name) : command_(command), name_(std::move(name)) {}

  /// parse(option, value) makes what the target becomes.
  template <class Target, class Parse>
  void parsed(const std::string& option, Target& target, const std::string& shape, const std::string& description,
              const Parse& parse) {
    command_
        .add_option_function<std::string>(
            option, [&target, option, parse](const std::string& value) { target = parse(option, value); }, description)
        ->type_name(shape)
        ->group(name_);
  }

  /// One of these names.
  template <class Kind, std::size_t count>
  void choice(const std::string& option, Kind& target, const Named<Kind> (&names)[count], const std::string& why,
              const std::string& description) {
    parsed(option, target, "NAME", description, [&names, why](const std::string& name, const std::string& value) {
      return kind_of(name, value, names, why);
    });
  }

  /// One of these names, or a file, which has a dot or a slash in its name.
  template <class Kind, std::size_t count>
  void choice(const std::string& option, Kind& target, const Named<Kind> (&names)[count],
              std::optional<std::string>& file, Kind of_file, const std::string& why, const std::string& description) {
    parsed(option, target, "NAME|FILE", description,
           [&names, &file, of_file, why](const std::string& name, const std::string& value) {
             file.reset();
             if (value.find_first_of("./") == std::string::npos) return kind_of(name, value, names, why, ", or a file");
             file = value;
             return of_file;
           });
  }

  void word(const std::string& option, std::optional<std::string>& target, const std::string& shape,
            const std::string& description) {
    command_.add_option(option, target, description)->type_name(shape)->group(name_);
  }

  void flag(const std::string& option, bool& target, const std::string& description) {
    command_.add_flag(option, target, description)->group(name_);
  }

 private:
  template <class Kind, std::size_t count>
  static Kind kind_of(const std::string& option, const std::string& value, const Named<Kind> (&names)[count],
                      const std::string& why, const std::string& or_else = "") {
    std::string list;
    for (std::size_t k = 0; k < count; ++k) {
      if (value == names[k].name) return names[k].kind;
      list += text(k == 0 ? "" : k + 1 < count ? ", " : " or ", names[k].name);
    }
    throw ArgumentError(text(option, " '", value, "'"), why, "pass " + list + or_else);
  }

  CLI::App& command_;
  std::string name_;
};

/// "by_line, by_tile, ..."
std::string kernel_names() {
  std::string names;
  for (const Kernel kernel : all_kernels()) names += text(names.empty() ? "" : ", ", to_string(kernel));
  return names;
}

Kernel kernel_of(const std::string& option, const std::string& value) {
  if (const auto kernel = kernel_from_string(value)) return *kernel;
  throw ArgumentError(text(option, " '", value, "'"), "there is none of this name",
                      "pass auto or one of " + kernel_names());
}

}  // namespace

bool DistributionOptions::has_rates() const {
  return partition == "measured" || (partition == "auto" && is_gpu_v<Execution> && ranks_on_host > 0);
}

std::vector<SharedInput> inputs_of_all_ranks(const SolveOptions& options) {
  const MethodOptions& method = options.method;
  std::vector<SharedInput> inputs;
  const auto add = [&](const char* option, const std::optional<std::string>& path) {
    if (path) inputs.push_back({option, *path});
  };
  add("--partition", options.distribution.partition_file());
  add("--efficiency", options.outputs.efficiency);
  add("--near-null", method.near_null_file);
  add("--coordinates", method.coordinates);
  add("--null-space", method.null_space_file);
  return inputs;
}

std::string to_string(PreconditionerKind kind) { return name_of(preconditioners, kind); }
std::string to_string(NearNullKind kind) {
  return kind == NearNullKind::from_file ? "file" : name_of(near_nulls, kind);
}
std::string to_string(PrecisionKind kind) {
  return kind == PrecisionKind::mixed ? name_of(solve_precisions, kind) : name_of(precisions, kind);
}
std::string to_string(SolverKind kind) { return name_of(solvers, kind); }
std::string to_string(VariantKind kind) { return name_of(variants, kind); }
std::string to_string(NullSpaceKind kind) {
  return kind == NullSpaceKind::from_file ? "file" : name_of(null_spaces, kind);
}
std::string to_string(StreamKind kind) { return name_of(streams, kind); }
std::string to_string(TransferKind kind) { return name_of(transfers, kind); }
std::string option_name(HaloForm form) { return name_of(halos, form); }
std::string option_name(ExchangeMode mode) { return name_of(exchanges, mode); }

namespace {

const std::string no_such_name = "there is none of this name";

void declare_source(CLI::App& command, SourceOptions& source) {
  Group group(command, "What is solved");
  declare_problem(command, source, "What is solved");
  group.parsed(
      "--matrix", source.matrix, "FILE|-",
      "a matrix in a Matrix Market file, a block file (A.bcsr), or a file of Harwell-Boeing (A.rb, .rsa, .rua, "
      ".hb) or PETSc (A.petsc, .bin); -: Matrix Market from standard input",
      [](const std::string&, const std::string& value) { return value == "-" ? "/dev/stdin" : value; });
  group.word("--rhs", source.rhs, "FILE",
             "right-hand sides: a Matrix Market file, one column each, or a vector of PETSc (b.petsc, .bin); "
             "default: the load of the cantilever, else A times ones, whose solution is known, so that the error is "
             "reported");
  group.word("--initial-guess", source.initial_guess, "FILE",
             "x to start from, in a Matrix Market file or of PETSc (default: 0); --solution writes one");
  group.parsed("--block-size", source.block_size, "auto|N",
               "rows of a block in which the matrix is stored; auto (the default) takes the size that moves the fewest "
               "bytes",
               &block_size_of);
  group.flag("--pad", source.pad,
             "if --block-size N does not divide the rows, add rows of an identity, with b = 0, to fill the last block; "
             "x is written without them");
  group.flag("--skip-symmetry-check", source.skip_symmetry_check,
             "do not check whether the matrix is symmetric; gmres and bicgstab never do");
}

void declare_method(CLI::App& command, MethodOptions& method) {
  Group group(command, "How");
  group.choice("--solver", method.solver, solvers, no_such_name,
               "cg (the default) or block-cg, the latter for several right-hand sides: for symmetric positive definite "
               "matrices; minres: for symmetric ones; gmres or bicgstab: for any; auto: by the matrix");
  group.parsed("--restart", method.restart, "N", "iterations of a cycle of gmres, at most 1000 (default 30)",
               &whole_number_of);
  group.choice("--variant", method.variant, variants, no_such_name,
               "the form of cg: standard (the default), single-reduction or pipelined, which wait less for sums over "
               "many ranks");
  group.parsed("--num-rhs", method.num_rhs, "N",
               "right-hand sides of block-cg without --rhs: the usual one, and A times vectors of pseudo-random "
               "numbers (default 1)",
               &whole_number_of);
  group.choice(
      "--preconditioner", method.preconditioner, preconditioners, no_such_name,
      "none, jacobi, block-jacobi (the default), amg, algebraic multigrid by smoothed aggregation, or auto, amg "
      "if a cost model expects it to be faster, else block-jacobi; on CPUs ilu0, incomplete factors, and ssor, "
      "symmetric "
      "Gauss-Seidel, too");
  group.choice("--near-null", method.near_null, near_nulls, method.near_null_file, NearNullKind::from_file,
               no_such_name,
               "modes of amg: rigid, rigid-body modes from coordinates; constants, one vector for each unknown of a "
               "node; auto (the default), rigid if the coordinates of an elastic problem are known; or a Matrix Market "
               "file, with a dot or a slash in its name, with a row for each row of the matrix and a column for each "
               "mode");
  group.word("--coordinates", method.coordinates, "FILE",
             "coordinates of the nodes for --near-null rigid and --null-space rigid: a Matrix Market file with a row "
             "for each node");
  group.choice("--preconditioner-precision", method.preconditioner_precision, precisions, no_such_name,
               "precision of amg's levels: double (the default) or single, which moves half of the bytes");
  group.choice("--amg-smoother", method.amg_smoother, smoothers, no_such_name,
               "smoother of amg's levels: chebyshev (the default), l1-jacobi, or gauss-seidel, which is made for CPUs");
  group.choice("--precision", method.precision, solve_precisions, no_such_name,
               "precision of cg: double (the default), or mixed, iterations with the matrix in single precision, whose "
               "residual is computed in double whenever it has fallen to a tenth");
  group.choice("--null-space", method.null_space, null_spaces, method.null_space_file, NullSpaceKind::from_file,
               no_such_name,
               "null space of a singular symmetric matrix; removed from b and x: constant, the vector of ones; "
               "components, of each unknown of a node its constant vector; rigid, translations and rotations; a Matrix "
               "Market file, with a dot or a slash in its name, with a column for each vector; or none (the default)");
  group.parsed("--rtol", method.rtol, "NUMBER",
               "stop when ||b - A x|| <= rtol * ||b|| (default 1e-8; 0: not before b - A x is 0); see --norm",
               &number_of);
  group.parsed("--atol", method.atol, "NUMBER",
               "stop also when ||b - A x|| <= atol, whatever ||b|| is (default 0: never by this); see --norm",
               &number_of);
  group.choice("--norm", method.norm, norms, no_such_name,
               "the norm of --rtol and --atol: unpreconditioned, ||b - A x|| (the default); preconditioned, ||M^-1 (b "
               "- A x)||, in "
               "which rows of any size count alike; or natural, the square root of r^T M^-1 r");
  group.parsed("--stagnation-window", method.stagnation_window, "N|off",
               "stop after so many iterations without progress (default: the number of unknowns, at least 2000)",
               &stagnation_window_of);
  group.parsed("--max-iterations", method.max_iterations, "N", "stop after so many iterations (default 10000)",
               &whole_number_of);
  group.parsed("--kernel", method.kernel, "NAME", "how products are computed: auto (the default), or " + kernel_names(),
               &kernel_of);
  group.word("--tune", method.tune, "FILE",
             "measure which kernel is fastest for such a matrix, and keep it in this file (JSON) for the next time");
  group.parsed("--threads", method.threads, "N",
               "threads of a CPU that solve, of those that OMP_NUM_THREADS says (default: one for each MiB of the "
               "system)",
               &whole_number_of);
}

void declare_placement(CLI::App& command, PlacementOptions& placement) {
  Group group(command, "Where");
  group.choice("--stream", placement.stream, streams, "a matrix is streamed or is not",
               "where the matrix is kept: off, on the device; on, in host memory; file, in its block file; auto (the "
               "default), the first with room");
  group.choice("--transfer", placement.transfer, transfers, "all of a matrix is sent, or half of it",
               "send the whole streamed matrix (all, the default) or only its upper triangle (half), each block of "
               "which is used for its row and for its column");
  group.parsed("--device-memory-limit", placement.device_memory_limit, "BYTES|8GiB",
               "device memory that the solve may use, for each rank (default: what is free)", &bytes_of);
}

void declare_distribution(CLI::App& command, DistributionOptions& distribution) {
  Group group(command, "Over several ranks (mpirun -n N ashlar solve ...)");
  group.choice(
      "--decomposition", distribution.decomposition, decompositions, no_such_name,
      "when a rank multiplies remote columns: 1d (the default), after all messages have arrived; 2d, message by "
      "message");
  group.choice("--halo", distribution.halo, halos, no_such_name,
               "what a message holds: packed, the needed entries; contiguous, their range; whole, all entries; or "
               "auto (the default), by a cost model");
  group.choice("--exchange", distribution.exchange, exchanges, no_such_name,
               "what sends halo entries and sums: blocking, the host; stream, streams of the devices, by NCCL; kernel, "
               "kernels, through shared memory; or auto (the default), the fastest by measurement");
  group.parsed("--ranks-on-host", distribution.ranks_on_host, "N",
               "let the last N ranks of each host compute on its processors, beside the others on devices (default 0)",
               &whole_number_of);
  command
      .add_option(
          "--partition", distribution.partition,
          "distribution of block rows: nnz, equally many blocks; rows, equally many block rows; weighted, blocks by "
          "each rank's memory bandwidth; measured, blocks by each rank's speed, adjusted during the solve if that is "
          "worth its cost; auto (the default), measured if --ranks-on-host mixes processors and GPUs, else nnz; or a "
          "file with the number of block rows of each rank")
      ->type_name("auto|nnz|rows|weighted|measured|FILE")
      ->group("Over several ranks (mpirun -n N ashlar solve ...)");
}

void declare_efficiency(CLI::App& command, OutputOptions& outputs) {
  Group group(command, "Over several ranks (mpirun -n N ashlar solve ...)");
  group.word("--efficiency", outputs.efficiency, "FILE",
             "report of the same solve on one rank; the command then measures each rank while the others rest, and "
             "splits the parallel efficiency into factors");
}

void declare_outputs(CLI::App& command, OutputOptions& outputs) {
  Group group(command, "What is written (to standard output, if FILE is -)");
  group.word("--solution", outputs.solution, "FILE", "x as a Matrix Market file");
  group.word("--report", outputs.report, "FILE", "status, history, timings, traffic and versions as JSON");
  group.word("--vtk", outputs.vtk, "FILE",
             "mesh and solution of the cantilever for ParaView: x.vtu, or x.pvtu with one piece for each rank");
  group.word("--trace", outputs.trace, "FILE", "a timeline for ui.perfetto.dev or chrome://tracing (JSON)");
  group.word("--checkpoint", outputs.checkpoint, "FILE",
             "save the state of cg here every --checkpoint-every seconds, and when a signal stops it");
  group.parsed("--checkpoint-every", outputs.checkpoint_every, "SECONDS",
               "seconds from one checkpoint to the next at least (default 600; 0: at each convergence check)",
               &number_of);
  group.word("--resume", outputs.resume, "FILE",
             "go on from this checkpoint of the same solve, with the same bits as without a break");
  group.flag("--history", outputs.history, "print the residual after each iteration");
  group.flag("--no-probe", outputs.no_probe, "do not measure the device's memory bandwidth");
}

}  // namespace

void declare_options(CLI::App& command, SolveOptions& options) {
  declare_source(command, options.source);
  declare_method(command, options.method);
  declare_placement(command, options.placement);
  declare_distribution(command, options.distribution);
  declare_efficiency(command, options.outputs);
  declare_outputs(command, options.outputs);
}

}  // namespace ashlar::app
