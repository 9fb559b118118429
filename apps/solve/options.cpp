#include "solve/options.hpp"

#include <CLI/CLI.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <map>

#include "file_names.hpp"
#include "option_values.hpp"

namespace ashlar::app {

namespace {

PreconditionerKind parse_preconditioner(const std::string& value) {
  for (const auto kind : {PreconditionerKind::none, PreconditionerKind::jacobi, PreconditionerKind::block_jacobi}) {
    if (to_string(kind) == value) return kind;
  }
  throw ArgumentError(text("--preconditioner '", value, "'"), "there is none of this name",
                      "pass none, jacobi or block-jacobi");
}

SolverKind parse_solver(const std::string& value) {
  for (const auto kind : {SolverKind::cg, SolverKind::block_cg}) {
    if (to_string(kind) == value) return kind;
  }
  throw ArgumentError(text("--solver '", value, "'"), "there is none of this name", "pass cg or block-cg");
}

VariantKind parse_variant(const std::string& value) {
  for (const auto kind : {VariantKind::standard, VariantKind::single_reduction, VariantKind::pipelined}) {
    if (to_string(kind) == value) return kind;
  }
  throw ArgumentError(text("--variant '", value, "'"), "there is none of this name",
                      "pass standard, single-reduction or pipelined");
}

StreamKind parse_stream(const std::string& value) {
  for (const auto kind : {StreamKind::automatic, StreamKind::on, StreamKind::from_file, StreamKind::off}) {
    if (to_string(kind) == value) return kind;
  }
  throw ArgumentError(text("--stream '", value, "'"), "a matrix is streamed or is not", "pass auto, on, file or off");
}

TransferKind parse_transfer(const std::string& value) {
  for (const auto kind : {TransferKind::all, TransferKind::half}) {
    if (to_string(kind) == value) return kind;
  }
  throw ArgumentError(text("--transfer '", value, "'"), "all of a matrix is sent, or half of it", "pass all or half");
}

Kernel parse_kernel(const std::string& value) {
  if (const auto kernel = kernel_from_string(value)) return *kernel;
  throw ArgumentError(text("--kernel '", value, "'"), "there is none of this name",
                      "pass auto, by_block, by_column, by_line, by_tile, row_per_thread or block_row_per_thread");
}

template <class Value>
void declare_parsed(CLI::App& command, const std::string& name, Value& target, const std::string& description,
                    const std::string& shape, Value (*parse)(const std::string&), const std::string& group) {
  command
      .add_option_function<std::string>(
          name, [&target, parse](const std::string& value) { target = parse(value); }, description)
      ->type_name(shape)
      ->group(group);
}

void require(bool holds, const std::string& problem, const std::string& why, const std::string& suggestion) {
  if (!holds) throw ArgumentError(problem, why, suggestion);
}

void check_problem(const SolveOptions& options) {
  const std::string& problem = *options.problem;
  require(problem == "cantilever" || problem == "stencil11", text("--problem '", problem, "'"),
          "there is none of this name", "pass cantilever or stencil11");
  require(!options.block_size, text("--block-size with --problem ", problem),
          "the blocks of a problem are its unknowns a node", "leave it out, or choose --dof");
  const int dof = options.dof_or_default();
  if (problem == "cantilever") {
    require(dof == 1 || dof == 3 || dof == 6, text("--dof ", dof), "a node of the cantilever has 1, 3 or 6 unknowns",
            "pass one of these");
  } else {
    require(dof >= 1 && dof <= max_block_size, text("--dof ", dof),
            text("a point of the stencil has 1 to ", max_block_size, " unknowns"), "pass such a number");
    require(!options.vtk, text("--vtk ", *options.vtk, " with --problem stencil11"), "it draws the cantilever's mesh",
            "leave it out; --solution writes the numbers");
  }
}

void check_matrix(const SolveOptions& options) {
  require(!options.nodes && !options.dof, text(options.nodes ? "--nodes" : "--dof", " with --matrix ", *options.matrix),
          "the file says how large the matrix is", "leave it out; --block-size sets the size of the blocks");
  require(!options.vtk, text("--vtk ", options.vtk.value_or(""), " with --matrix ", *options.matrix),
          "a matrix file has no mesh to draw on", "leave it out; --solution writes the numbers");
}

}  // namespace

std::string to_string(PreconditionerKind kind) {
  switch (kind) {
    case PreconditionerKind::none:
      return "none";
    case PreconditionerKind::jacobi:
      return "jacobi";
    case PreconditionerKind::block_jacobi:
      return "block-jacobi";
  }
  return "unknown";
}

std::string to_string(SolverKind kind) { return kind == SolverKind::cg ? "cg" : "block-cg"; }

std::string to_string(VariantKind kind) {
  switch (kind) {
    case VariantKind::standard:
      return "standard";
    case VariantKind::single_reduction:
      return "single-reduction";
    case VariantKind::pipelined:
      return "pipelined";
  }
  return "unknown";
}

std::string to_string(StreamKind kind) {
  switch (kind) {
    case StreamKind::automatic:
      return "auto";
    case StreamKind::on:
      return "on";
    case StreamKind::from_file:
      return "file";
    case StreamKind::off:
      return "off";
  }
  return "unknown";
}

std::string to_string(TransferKind kind) { return kind == TransferKind::half ? "half" : "all"; }

void declare_options(CLI::App& command, SolveOptions& options) {
  std::string group = "What is solved";
  command.add_option("--problem", options.problem, "a generated problem: cantilever or stencil11")
      ->type_name("NAME")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--nodes", [&options](const std::string& value) { options.nodes = parse_nodes(value); },
          "nodes of the problem's mesh, one number for a cube (default 33)")
      ->type_name("N|NX,NY,NZ")
      ->group(group);
  command
      .add_option("--dof", options.dof,
                  "unknowns a node: 1 (Laplacian), 3 (elasticity, the default) or 6 for the cantilever; "
                  "any number up to 64 for stencil11 (default 1)")
      ->type_name("N")
      ->group(group);
  command.add_option("--matrix", options.matrix, "a matrix in a Matrix Market file, or in a block file (A.bcsr)")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option("--rhs", options.rhs,
                  "the right-hand side in a Matrix Market file; without it the problem's own load, or for a matrix "
                  "A*1, so that the solution is known and the error can be told")
      ->type_name("FILE")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--block-size", [&options](const std::string& value) { options.block_size = parse_block_size(value); },
          "rows of a block in which the matrix is stored; auto (the default) takes the size that moves the fewest "
          "bytes")
      ->type_name("auto|N")
      ->group(group);

  group = "How";
  declare_parsed(command, "--solver", options.solver,
                 "cg (the default), or block-cg for several right-hand sides at once", "NAME", &parse_solver, group);
  declare_parsed(command, "--variant", options.variant,
                 "the form of cg: standard (the default), single-reduction or pipelined, which wait less for sums over "
                 "many ranks",
                 "NAME", &parse_variant, group);
  command
      .add_option(
          "--num-rhs", options.num_rhs,
          "right-hand sides of block-cg: the usual one, and A times vectors of pseudo-random numbers (default 1)")
      ->type_name("N")
      ->group(group);
  declare_parsed(command, "--stream", options.stream,
                 "leave the matrix in the host's memory and send it through the device for each product: auto (the "
                 "default: where the device has too little memory for it), on, file (leave it in its block file), off",
                 "NAME", &parse_stream, group);
  declare_parsed(command, "--transfer", options.transfer,
                 "what of a streamed matrix is sent: all (the default), or half, its upper triangle, each block of "
                 "which is used for its row and for its column",
                 "NAME", &parse_transfer, group);
  declare_parsed(command, "--preconditioner", options.preconditioner, "none, jacobi or block-jacobi (the default)",
                 "NAME", &parse_preconditioner, group);
  command
      .add_option("--rtol", options.rtol,
                  "stop when ||b - A x|| <= rtol * ||b|| (default 1e-8; 0: not before b - A x is 0)")
      ->type_name("NUMBER")
      ->group(group);
  command.add_option("--max-iterations", options.max_iterations, "stop after so many iterations (default 10000)")
      ->type_name("N")
      ->group(group);
  declare_parsed(command, "--kernel", options.kernel,
                 "how products are computed: auto (the default), by_block, by_column, by_line, by_tile, "
                 "row_per_thread or block_row_per_thread",
                 "NAME", &parse_kernel, group);
  command
      .add_option(
          "--tune", options.tune,
          "measure which kernel is fastest for such a matrix, and keep it in this file (JSON) for the next time")
      ->type_name("FILE")
      ->group(group);
  command
      .add_flag("--skip-symmetry-check", options.skip_symmetry_check,
                "hand a matrix to CG without looking whether it is symmetric")
      ->group(group);
  command
      .add_option_function<std::string>(
          "--device-memory-limit",
          [&options](const std::string& value) { options.device_memory_limit = parse_bytes(value); },
          "use no more memory of the device than this, and say so beforehand where that is too little")
      ->type_name("BYTES|8GiB")
      ->group(group);

  group = "What is written";
  command.add_option("--solution", options.solution, "x as a Matrix Market file")->type_name("FILE")->group(group);
  command.add_option("--report", options.report, "status, history, timings, traffic and versions as JSON")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--vtk", options.vtk, "mesh and solution for ParaView (.vtu; cantilever only)")
      ->type_name("FILE")
      ->group(group);
  command.add_option("--trace", options.trace, "a timeline for ui.perfetto.dev or chrome://tracing (JSON)")
      ->type_name("FILE")
      ->group(group);
  command.add_flag("--history", options.history, "print the residual after each iteration")->group(group);
}

void check_options(const SolveOptions& options) {
  require(options.problem || options.matrix, "nothing to solve", "neither --problem nor --matrix was given",
          "try: ashlar solve --problem cantilever");
  require(!(options.problem && options.matrix), "--problem and --matrix together", "one system is solved at a time",
          "leave one of them out");
  require(options.rtol >= 0 && options.rtol < 1, text("--rtol ", options.rtol),
          "it is the part of ||b|| that may be left: at least 0, less than 1", "pass something like 1e-8");
  require(options.max_iterations >= 1, text("--max-iterations ", options.max_iterations), "it counts iterations",
          "pass a positive number");
  const bool is_block = options.solver == SolverKind::block_cg;
  const int most = is_block ? 64 : 1;
  require(options.num_rhs >= 1 && options.num_rhs <= most,
          text("--num-rhs ", options.num_rhs, " with --solver ", to_string(options.solver)),
          is_block ? "a block has 1 to 64 right-hand sides" : "CG solves for one right-hand side",
          is_block ? "pass such a number" : "pass --solver block-cg");
  require(!is_block || options.variant == VariantKind::standard,
          text("--variant ", to_string(options.variant), " with --solver block-cg"), "it is a form of cg",
          "leave one of them out");
  require(options.num_rhs == 1 || !options.rhs,
          text("--rhs ", options.rhs.value_or(""), " with --num-rhs ", options.num_rhs),
          "a file has one right-hand side", "leave one of them out");
  require(!options.tune || options.stream == StreamKind::automatic || options.stream == StreamKind::off,
          text("--tune ", options.tune.value_or(""), " with --stream ", to_string(options.stream)),
          "tuning multiplies by the whole matrix on the device", "leave one of them out");
  require(!options.tune || options.kernel == Kernel::automatic,
          text("--tune ", options.tune.value_or(""), " with --kernel ", to_string(options.kernel)),
          "the kernel is what tuning chooses", "leave one of them out");
  require(options.stream != StreamKind::from_file || (options.matrix && is_block_file(*options.matrix)),
          "--stream file without a block file", "only from one can parts of a matrix be read",
          "name a file that ends in .bcsr with --matrix; ashlar convert makes them");
  const bool may_be_in_memory = options.stream == StreamKind::automatic || options.stream == StreamKind::on;
  require(options.transfer == TransferKind::all || may_be_in_memory,
          text("--transfer half with --stream ", to_string(options.stream)),
          "half of a matrix that is in the host's memory is sent", "leave one of them out");
  require(options.transfer == TransferKind::all || !options.skip_symmetry_check,
          "--transfer half with --skip-symmetry-check", "what is not sent is taken to be the transpose of what is",
          "leave one of them out");
  require(options.transfer == TransferKind::all || !options.tune,
          text("--tune ", options.tune.value_or(""), " with --transfer half"),
          "tuning multiplies by the whole matrix on the device", "leave one of them out");
  if (options.problem) {
    check_problem(options);
  } else {
    check_matrix(options);
  }
}

}  // namespace ashlar::app
