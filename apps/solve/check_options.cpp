#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <cmath>
#include <cstddef>
#include <optional>

#include "file_names.hpp"
#include "numbers.hpp"
#include "option_values.hpp"
#include "solve/options.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace {

void require(bool holds, const std::string& problem, const std::string& why, const std::string& suggestion) {
  if (!holds) throw ArgumentError(problem, why, suggestion);
}

void check_limits_of_amg(const SolveOptions& options, int ranks) {
  const auto& [source, method, placement, distribution, outputs] = options;
  const std::string with_amg = "--preconditioner amg";
  require(ranks == 1 || distribution.ranks_on_host == 0,
          with_amg + text(" with --ranks-on-host ", distribution.ranks_on_host),
          "its levels are all on devices, or all on hosts", "leave one of them out");
  require(ranks == 1 || !outputs.efficiency, with_amg + text(" over ", ranks, " ranks with --efficiency"),
          "a rank does not make a cycle alone", "leave one of them out");
  require(placement.stream != StreamKind::from_file, with_amg + " with --stream file",
          "its levels are made of a matrix in memory", "pass --stream on or off, or another preconditioner");
  if (placement.stream == StreamKind::on) {
    const std::string with_stream = " with --stream on";
    require(ranks == 1, with_amg + with_stream + text(" over ", ranks, " ranks"),
            "over ranks its levels are made of matrices in device memory", "pass --stream off, or take one rank");
    require(method.preconditioner_precision == PrecisionKind::in_double,
            "--preconditioner-precision single" + with_stream, "levels have the precision of the matrix that is sent",
            "leave one of them out");
    amg::check_streamed({.smoother = method.amg_smoother});
  }
  require(!(outputs.checkpoint || outputs.resume), with_amg + " with a checkpoint",
          "checkpoints do not keep its options", "leave one of them out");
}

/// The limits of algebraic multigrid, and the options that only it takes.
void check_amg(const SolveOptions& options, int ranks) {
  const auto& [source, method, placement, distribution, outputs] = options;
  const std::string with_amg = "--preconditioner amg";
  const bool is_automatic = method.preconditioner == PreconditionerKind::automatic;
  require(!source.problem || !method.coordinates,
          text("--coordinates ", method.coordinates.value_or(""), " with --problem"), "a problem knows its own",
          "leave it out");
  if (method.preconditioner != PreconditionerKind::amg && !is_automatic) {
    const std::string other = " with --preconditioner " + to_string(method.preconditioner);
    require(method.near_null == NearNullKind::automatic, "--near-null " + method.near_null_name() + other,
            "only amg has modes", "pass " + with_amg);
    require(!method.coordinates || method.null_space == NullSpaceKind::rigid,
            text("--coordinates ", method.coordinates.value_or(""), other),
            "only amg and --null-space rigid use coordinates", "pass " + with_amg);
    require(method.preconditioner_precision == PrecisionKind::in_double, "--preconditioner-precision single" + other,
            "only amg has levels of its own", "pass " + with_amg);
    require(method.amg_smoother == amg::SmootherKind::chebyshev,
            text("--amg-smoother ", to_string(method.amg_smoother), other), "only amg has levels of its own",
            "pass " + with_amg);
    return;
  }
  require(!is_automatic || !outputs.efficiency, "--preconditioner auto with --efficiency",
          "efficiency compares one preconditioner on one rank and on several", "name the preconditioner");
  if (!is_automatic) check_limits_of_amg(options, ranks);
  const bool is_for_null_space = method.null_space == NullSpaceKind::rigid;
  require(method.near_null != NearNullKind::constants || !method.coordinates || is_for_null_space,
          text("--coordinates ", method.coordinates.value_or(""), " with --near-null constants"),
          "constants need no coordinates", "leave one of them out");
  require(method.near_null != NearNullKind::from_file || !method.coordinates || is_for_null_space,
          text("--coordinates ", method.coordinates.value_or(""), " with --near-null ", method.near_null_name()),
          "the file has the modes", "leave one of them out");
  require(method.near_null != NearNullKind::rigid || source.problem || method.coordinates,
          "--near-null rigid without --coordinates", "rigid-body modes are made of the coordinates of the nodes",
          "pass --coordinates FILE, or --near-null constants");
  require(method.near_null != NearNullKind::rigid || !source.problem || *source.problem == "cantilever",
          "--near-null rigid with --problem " + source.problem.value_or(""), "its unknowns are no displacements",
          "leave it out");
  require(method.near_null != NearNullKind::rigid || !source.problem || source.dof_or_default() != 1,
          "--near-null rigid with --dof 1", "a Laplacian's unknowns are no displacements", "leave it out");
}

void check_generated(const SolveOptions& options) {
  const auto& [source, method, placement, distribution, outputs] = options;
  const std::string& problem = *source.problem;
  check_problem(source);
  require(!source.is_unsymmetric() || source.skip_symmetry_check || !needs_symmetry(method.solver),
          text("--solver ", to_string(method.solver), " with --problem ", problem), "its matrix is not symmetric",
          "pass --solver gmres or bicgstab, or --skip-symmetry-check to try nevertheless");
  require(!source.pad, text("--pad with --problem ", problem), "its blocks are full", "leave it out");
  require(!source.block_size, text("--block-size with --problem ", problem),
          "the blocks of a problem are its unknowns a node", "leave it out, or choose --dof");
  if (!outputs.vtk) return;
  require(problem == "cantilever", text("--vtk ", *outputs.vtk, " with --problem ", problem),
          "it draws the cantilever's mesh", "leave it out; --solution writes the numbers");
  require_ending("--vtk", *outputs.vtk, {".vtu", ".pvtu"}, "the mesh is written as one file, or as one of each rank",
                 "name it like x.vtu or x.pvtu");
}

void check_matrix(const SolveOptions& options) {
  const auto& [source, method, placement, distribution, outputs] = options;
  require(!source.nodes && !source.dof, text(source.nodes ? "--nodes" : "--dof", " with --matrix ", *source.matrix),
          "the file says how large the matrix is", "leave it out; --block-size sets the size of the blocks");
  require(!outputs.vtk, text("--vtk ", outputs.vtk.value_or(""), " with --matrix ", *source.matrix),
          "a matrix file has no mesh to draw on", "leave it out; --solution writes the numbers");
  require(!source.pad || !is_block_file(*source.matrix), text("--pad with --matrix ", *source.matrix),
          "a block file is taken with the blocks that it holds", "leave it out");
  require(!source.pad || source.block_size.value_or(0) > 0, "--pad without --block-size N",
          "rows are added to fill the last block of N rows", "pass --block-size N");
  require(!source.pad || !method.near_null_file, text("--pad with --near-null ", method.near_null_name()),
          "the file has no entries for rows that are added", "leave one of them out");
  require(!source.pad || !method.coordinates, text("--pad with --coordinates ", method.coordinates.value_or("")),
          "rows that are added are of no node", "leave one of them out");
  require(!source.pad || method.null_space == NullSpaceKind::none,
          "--pad with --null-space " + to_string(method.null_space), "rows that are added are not singular",
          "leave one of them out");
}

/// The limits of --precision mixed.
void check_mixed(const SolveOptions& options) {
  const auto& [source, method, placement, distribution, outputs] = options;
  if (method.precision != PrecisionKind::mixed) return;
  const std::string mixed = "--precision mixed";
  const char* const leave = "leave one of them out";
  require(method.solver == SolverKind::cg, mixed + " with --solver " + to_string(method.solver),
          "cg alone iterates with a rounded matrix", "pass --solver cg");
  require(method.variant == VariantKind::standard, mixed + " with --variant " + to_string(method.variant),
          "the standard form alone has it", leave);
  require(method.norm == ResidualNorm::unpreconditioned, text(mixed, " with --norm ", to_string(method.norm)),
          "it is judged by ||b - A x||", leave);
  require(placement.stream == StreamKind::automatic || placement.stream == StreamKind::off,
          mixed + " with --stream " + to_string(placement.stream), "its copy is made of a matrix in memory", leave);
  require(method.null_space == NullSpaceKind::none, mixed + " with --null-space " + to_string(method.null_space),
          "products in single precision leave the null space in x", leave);
  require(!method.tune, text(mixed, " with --tune ", method.tune.value_or("")), "kernels are tuned for double", leave);
  require(!outputs.efficiency, text(mixed, " with --efficiency ", outputs.efficiency.value_or("")),
          "a rank alone iterates in double", leave);
  require(!(outputs.checkpoint || outputs.resume), mixed + " with a checkpoint", "checkpoints are of double", leave);
  require(distribution.ranks_on_host == 0, mixed + text(" with --ranks-on-host ", distribution.ranks_on_host),
          "its ranks are all on devices, or all on hosts", leave);
  require(!distribution.has_rates(), mixed + " with --partition measured", "rates are measured in double",
          "pass --partition nnz, rows or a file");
}

/// Preconditioners that sweep through the matrix need a CPU, and a matrix in memory.
void check_sweeps(const SolveOptions& options) {
  const PreconditionerKind kind = options.method.preconditioner;
  if (kind != PreconditionerKind::ilu0 && kind != PreconditionerKind::ssor) return;
  require(!is_gpu_v<Execution>, "--preconditioner " + to_string(kind) + " on a GPU", "its sweeps run on CPUs alone",
          "pass block-jacobi or amg, or take a build for CPUs");
  const StreamKind stream = options.placement.stream;
  require(stream == StreamKind::automatic || stream == StreamKind::off,
          "--preconditioner " + to_string(kind) + " with --stream " + to_string(stream),
          "it sweeps through a matrix in memory", "pass --stream off, or another preconditioner");
}

/// Restrictions of solves over several ranks.
void check_over_ranks(const SolveOptions& options, int ranks) {
  const auto& [source, method, placement, distribution, outputs] = options;
  const std::string over = text(" over ", ranks, " ranks");
  require(placement.stream != StreamKind::from_file, "--stream file" + over,
          "each rank has its rows in memory, its own or its device's", "pass --stream on, or take more ranks");
  require(placement.transfer == TransferKind::all, "--transfer half" + over, "ranks stream all of their own columns",
          "leave it out");
  require(!method.tune, text("--tune ", method.tune.value_or(""), over), "tuning multiplies by a whole matrix",
          "tune on one rank");
  if (source.matrix) {
    require(!is_read_once(*source.matrix), text("--matrix ", *source.matrix, over), "all ranks read its header",
            "name a file, not a pipe");
  }
  for (const SharedInput& file : inputs_of_all_ranks(options)) {
    require(!is_read_once(file.path), text(file.option, " ", file.path, over), "all ranks read it",
            "name a file, not a pipe");
  }
}

}  // namespace

void check_options(const SolveOptions& options, int ranks) {
  const auto& [source, method, placement, distribution, outputs] = options;
  if (ranks > 1) check_over_ranks(options, ranks);
  require(!outputs.efficiency || ranks > 1, text("--efficiency ", outputs.efficiency.value_or(""), " on one rank"),
          "it is what the efficiency of several ranks is counted from", "leave it out, or start them with mpirun");
  require(source.problem || source.matrix, "nothing to solve", "neither --problem nor --matrix was given",
          "try: ashlar solve --problem cantilever");
  require(!(source.problem && source.matrix), "--problem and --matrix together", "one system is solved at a time",
          "leave one of them out");
  require(method.rtol >= 0 && method.rtol < 1, text("--rtol ", exact_number(method.rtol)),
          "it is the part of ||b|| that may be left: at least 0, less than 1", "pass something like 1e-8");
  require(method.atol >= 0 && std::isfinite(method.atol), text("--atol ", exact_number(method.atol)),
          "it is a norm of b - A x, in the units of b", "pass a number from 0 on");
  require(method.max_iterations >= 1, text("--max-iterations ", method.max_iterations), "it counts iterations",
          "pass a positive number");
  require(!method.threads || *method.threads >= 1, text("--threads ", method.threads.value_or(0)),
          "one at least must solve", "pass a positive number, or leave it out");
  const bool is_block = method.solver == SolverKind::block_cg, is_cg = method.solver == SolverKind::cg;
  const std::string solver = to_string(method.solver);
  const int most = is_block ? 64 : 1;
  require(method.num_rhs >= 1 && method.num_rhs <= most, text("--num-rhs ", method.num_rhs, " with --solver ", solver),
          is_block ? "block-cg solves for 1 to 64 right-hand sides" : solver + " solves for one right-hand side",
          is_block ? "pass a number from 1 to 64" : "pass --solver block-cg");
  require(is_cg || method.solver == SolverKind::minres || method.norm == ResidualNorm::unpreconditioned,
          text("--norm ", to_string(method.norm), " with --solver ", solver), solver + " is judged by ||b - A x||",
          "leave one of them out");
  require(is_cg || method.variant == VariantKind::standard,
          text("--variant ", to_string(method.variant), " with --solver ", solver), "it is a form of cg",
          "leave one of them out");
  require(!method.restart || method.solver == SolverKind::gmres || method.solver == SolverKind::automatic,
          text("--restart ", method.restart.value_or(0), " with --solver ", solver), "gmres alone has cycles",
          "leave one of them out");
  require(!method.restart || (*method.restart >= 1 && *method.restart <= 1000),
          text("--restart ", method.restart.value_or(0)), "a cycle has 1 to 1000 iterations", "pass something like 30");
  check_mixed(options);
  check_sweeps(options);
  require(method.num_rhs == 1 || !source.rhs,
          text("--rhs ", source.rhs.value_or(""), " with --num-rhs ", method.num_rhs),
          "the columns of the file are the right-hand sides", "leave one of them out");
  const bool is_singular = method.null_space != NullSpaceKind::none;
  const std::string singular = "--null-space " + method.null_space_file.value_or(to_string(method.null_space));
  require(!is_singular || !is_block, singular + " with --solver block-cg", "it is removed from one vector at a time",
          "leave one of them out");
  require(!is_singular || method.variant != VariantKind::pipelined, singular + " with --variant pipelined",
          "its reduction is under way while the null space needs another", "pass --variant standard");
  require(!is_singular || source.rhs || method.null_space == NullSpaceKind::from_file, singular + " without --rhs",
          "b would be A*1, of which nothing is left", "name a right-hand side");
  const bool is_rigid = method.null_space == NullSpaceKind::rigid;
  require(!is_rigid || !source.problem, singular + " with --problem " + source.problem.value_or(""),
          "no problem is of a body that nothing holds", "leave it out");
  require(!is_rigid || method.coordinates, singular + " without --coordinates",
          "rigid-body modes are made of the coordinates of the nodes", "pass --coordinates FILE");
  require((method.null_space != NullSpaceKind::components && !is_rigid) || source.problem ||
              source.block_size.value_or(0) > 0 || is_block_file(source.matrix.value_or("")),
          singular + " without --block-size", "the unknowns of a node are the rows of a block", "pass --block-size N");
  require(!is_singular || !(outputs.checkpoint || outputs.resume), singular + " with a checkpoint",
          "checkpoints do not know of it", "leave one of them out");
  const std::string guess = text("--initial-guess ", source.initial_guess.value_or(""));
  require(!source.initial_guess || !is_block, guess + " with --solver block-cg", "block-cg starts from 0",
          "leave one of them out");
  require(!source.initial_guess || !outputs.resume, guess + " with --resume", "a checkpoint has an x of its own",
          "leave one of them out");
  require(!method.tune || placement.stream == StreamKind::automatic || placement.stream == StreamKind::off,
          text("--tune ", method.tune.value_or(""), " with --stream ", to_string(placement.stream)),
          "tuning multiplies by the whole matrix on the device", "leave one of them out");
  require(!method.tune || method.kernel == Kernel::automatic,
          text("--tune ", method.tune.value_or(""), " with --kernel ", to_string(method.kernel)),
          "the kernel is what tuning chooses", "leave one of them out");
  require(placement.stream != StreamKind::from_file || (source.matrix && is_block_file(*source.matrix)),
          "--stream file without a block file", "only from one can parts of a matrix be read",
          "name a file that ends in .bcsr with --matrix; ashlar convert makes them");
  const bool may_be_in_memory = placement.stream == StreamKind::automatic || placement.stream == StreamKind::on;
  require(placement.transfer == TransferKind::all || may_be_in_memory,
          text("--transfer half with --stream ", to_string(placement.stream)),
          "half of a matrix that is in the host's memory is sent", "leave one of them out");
  require(placement.transfer == TransferKind::all || !source.skip_symmetry_check,
          "--transfer half with --skip-symmetry-check", "what is not sent is taken to be the transpose of what is",
          "leave one of them out");
  require(placement.transfer == TransferKind::all || needs_symmetry(method.solver),
          "--transfer half with --solver " + solver, "half of a matrix is sent if it is symmetric",
          "leave one of them out");
  const bool needs_like_ranks = method.solver == SolverKind::gmres || method.solver == SolverKind::minres ||
                                method.solver == SolverKind::automatic;
  require(distribution.ranks_on_host == 0 || !needs_like_ranks,
          text("--ranks-on-host ", distribution.ranks_on_host, " with --solver ", solver),
          "hosts and devices round its scalars differently, and would end at different iterations",
          "pass --solver cg or bicgstab, or leave --ranks-on-host out");
  require(!outputs.efficiency || is_cg || is_block,
          text("--efficiency ", outputs.efficiency.value_or(""), " with --solver ", solver),
          "each rank would solve with its own block, for which it need not converge", "leave one of them out");
  require(placement.transfer == TransferKind::all || !method.tune,
          text("--tune ", method.tune.value_or(""), " with --transfer half"),
          "tuning multiplies by the whole matrix on the device", "leave one of them out");
  require(distribution.ranks_on_host >= 0, text("--ranks-on-host ", distribution.ranks_on_host), "it counts ranks",
          "pass a number from 0 on");
  const bool has_checkpoints = outputs.checkpoint || outputs.resume;
  const char* const checkpoints = outputs.checkpoint ? "--checkpoint" : "--resume";
  require(!has_checkpoints || (is_cg && method.variant == VariantKind::standard),
          text(checkpoints, is_cg ? " with --variant " + to_string(method.variant) : " with --solver " + solver),
          "the standard form of cg alone has checkpoints", "leave one of them out");
  require(!has_checkpoints || ranks == 1 || !distribution.is_measured(),
          text(checkpoints, " with rows by measured rates"),
          "a solve resumes with the same rows on each rank, and rates differ from run to run",
          "pass --partition nnz, rows or a file");
  require(outputs.checkpoint_every >= 0, text("--checkpoint-every ", outputs.checkpoint_every),
          "it is a time in seconds", "pass something like 600");
  require(!outputs.solution || ending_of(*outputs.solution) != ".gz",
          text("--solution ", outputs.solution.value_or("")), "compressed files are read, not written",
          "take the name without .gz, and run gzip on the file");
  check_amg(options, ranks);
  require(!distribution.is_weighted() || !outputs.no_probe, "--partition weighted with --no-probe",
          "a rank is given blocks by the rate at which it reads its memory, and that is not measured",
          "leave one of them out");
  if (source.problem) {
    check_generated(options);
  } else {
    check_matrix(options);
  }
}

}  // namespace ashlar::app
