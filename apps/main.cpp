#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <optional>
#include <string>
#include <vector>

#include "commands.hpp"
#include "file_names.hpp"
#include "hpgmg/options.hpp"
#include "kokkos_scope.hpp"
#include "matrix_bytes.hpp"
#include "solve/options.hpp"
#include "solve/progress.hpp"
#include "solve/run.hpp"
#include "stop_signals.hpp"
#include "world.hpp"

namespace {

using namespace ashlar;

constexpr int exit_bad_input = 1;

/// Below the options of --help.
std::string footer(const std::string& examples) {
  return text("Examples:\n", examples, R"(
Exit codes: 0 converged, converted, 1 bad usage or bad input, 2 did not converge.
Options that begin with --kokkos- go to Kokkos, which reads OMP_NUM_THREADS and the like too.)");
}

constexpr const char* solve_examples = R"(  ashlar solve --problem cantilever --nodes 81,21,21 --vtk beam.vtu
  ashlar solve --matrix A.mtx --rhs b.mtx --solution x.mtx --report r.json
)";
constexpr const char* convert_examples = R"(  ashlar convert A.mtx A.bcsr
  ashlar convert A.bcsr A.mtx
  ashlar convert --problem cantilever --nodes 33,9,9 A.mtx --rhs b.mtx
)";
constexpr const char* hpgmg_examples = R"(  ashlar hpgmg 5 8 --report r.json
)";
constexpr const char* info_examples = R"(  ashlar info --json
)";

/// The command line in three parts: the program's name, Kokkos' arguments, and ours.
struct Arguments {
  std::string program = "ashlar";
  std::vector<std::string> kokkos, own;

  Arguments(int argc, char** argv) {
    if (argc > 0) program = argv[0];
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      (argument.starts_with("--kokkos-") ? kokkos : own).push_back(argument);
    }
  }
};

/// An error message, on one line of standard error.
int fail(const std::string& message) {
  app::tell_error(message);
  return exit_bad_input;
}

/// The exit code once all is printed: another one if standard output has not taken it.
int exit_code_when_printed(const app::World& world, int exit_code) {
  if (!world.speaks()) return exit_code;
  const std::optional<std::string> fault = app::standard_output_fault();
  if (fault) fail(*fault);
  return fault && exit_code < app::exit_by_signal ? exit_bad_input : exit_code;
}

int run_command(const app::World& world, int argc, char** argv) {
  app::Phases phases;
  const Arguments arguments(argc, argv);
  app::require_same_arguments(world, arguments.own);
  CLI::App command("Solves linear systems of small dense blocks, and says how fast.", "ashlar");
  command.set_version_flag("--version", text("ashlar ", version_string));
  // At most one; that there is one is asked below, where a word that is none has been named already.
  command.require_subcommand(0, 1);
  command.footer(footer(text(solve_examples, "  ashlar convert A.mtx A.bcsr\n", hpgmg_examples)));

  app::SolveOptions options;
  CLI::App* solve = command.add_subcommand("solve", "Solve A x = b by a Krylov method.");
  app::declare_options(*solve, options);
  solve->footer(footer(solve_examples));

  app::ConvertOptions conversion;
  CLI::App* convert =
      command.add_subcommand("convert", "Convert between Matrix Market files and block files, or write a problem.");
  app::declare_options(*convert, conversion);
  convert->footer(footer(convert_examples));

  app::HpgmgOptions benchmark;
  CLI::App* hpgmg = command.add_subcommand("hpgmg", "Run the multigrid benchmark HPGMG-FV.");
  app::declare_options(*hpgmg, benchmark);
  hpgmg->footer(footer(hpgmg_examples));

  bool as_json = false;
  CLI::App* info = command.add_subcommand("info", "Show backends, devices, versions, memory and bandwidths.");
  info->add_flag("--json", as_json, "as JSON");
  info->footer(footer(info_examples));

  std::optional<CLI::ParseError> shown;  // of --help and --version, which CLI11 throws as errors
  world.on_all([&] {
    try {
      // CLI11 takes a vector from its end.
      command.parse(std::vector<std::string>(arguments.own.rbegin(), arguments.own.rend()));
    } catch (const CLI::ParseError& error) {
      if (error.get_exit_code() == 0) {
        shown = error;
        return;
      }
      std::string part;
      for (const CLI::App* const each : {solve, convert, hpgmg}) {
        const bool is_first = !arguments.own.empty() && arguments.own.front() == each->get_name();
        if (each->parsed() || is_first) part = each->get_name() + " ";
      }
      throw ArgumentError("the arguments are not understood", app::one_line(error.what()),
                          text("see ashlar ", part, "--help"));
    }
    if (!solve->parsed() && !convert->parsed() && !hpgmg->parsed() && !info->parsed()) {
      throw ArgumentError("nothing to do", "neither solve nor info nor convert nor hpgmg was given",
                          "try: ashlar solve --problem cantilever");
    }
  });
  if (shown) {
    if (world.speaks()) command.exit(*shown);
    return exit_code_when_printed(world, 0);
  }

  world.on_all([&] {
    app::check_kokkos_settings(arguments.kokkos);
    instruction_set();  // throws if the environment has a wrong name
  });
  if (convert->parsed()) app::check_before_start(world, conversion);
  if (solve->parsed()) app::check_before_start(world, options);
  if (hpgmg->parsed()) world.on_all([&] { app::check_before_start(world, benchmark); });
  int exit_code = 0;
  {
    std::optional<app::KokkosScope> kokkos;
    phases.run("start", [&] { world.on_all([&] { kokkos.emplace(arguments.program, arguments.kokkos); }); });
    if (solve->parsed()) {
      exit_code = app::run_solve(world, options, phases);
    } else if (convert->parsed()) {
      app::run_convert(world, conversion);
    } else if (hpgmg->parsed()) {
      exit_code = app::run_hpgmg(world, benchmark);
    } else {
      app::print_info(world, as_json);
    }
  }
  return exit_code_when_printed(world, exit_code);
}

/// An allocation has failed although the memory checks found enough room.
int fail_for_memory(const std::string& what) {
  return fail(text("out of memory (", what, "); try a smaller problem, or a machine with more memory"));
}

/// What Kokkos says of an allocation that fails: 'Cuda memory space failed to allocate 8 GiB (label="x")'; nothing of
/// another error. (Only from 5.2 on such errors have a type of their own.)
std::string failed_allocation(const std::string& message) {
  if (message.find("failed to allocate") == message.npos) return "";
  const std::size_t begin = message.find("ERROR: ");
  const std::size_t end = message.find_last_not_of(". ") + 1;
  return begin == message.npos ? message.substr(0, end) : message.substr(begin + 7, end - begin - 7);
}

/// Reports the current error, on the one failed rank that knows more than that another rank failed.
int fail_for_exception() {
  try {
    throw;
  } catch (const RankError&) {
    return exit_bad_input;
  } catch (const std::bad_alloc&) {
    return fail_for_memory(text("an allocation on the host failed, where ",
                                bytes_text(app::bytes_left<Kokkos::HostSpace>()), " are available"));
  } catch (const Error& error) {
    return fail(error.what());
  } catch (const std::exception& error) {
    const std::string message = app::one_line(error.what());
    if (const std::string failed = failed_allocation(message); !failed.empty()) return fail_for_memory(failed);
    return fail(text("something went wrong that should not (", message, "); please report it, with the arguments"));
  } catch (...) {
    return fail("something went wrong that should not (of an unknown type); please report it, with the arguments");
  }
}

/// An error that has been told.
struct Told {
  int exit_code;
};

int run(int argc, char** argv) {
  app::handle_signals();
  app::survive_closed_pipes();
  const app::World world;
  try {
    return run_command(world, argc, argv);
  } catch (...) {
    // Before the ranks part: should the others not share this error, the world ends them.
    throw Told{fail_for_exception()};
  }
}

}  // namespace

int main(int argc, char** argv) {
  app::wait_passively(argv);
  try {
    const int exit_code = run(argc, argv);
    // A signal has stopped the solve: MPI has ended, and so does the command.
    if (exit_code > app::exit_by_signal) app::end_by_signal(exit_code - app::exit_by_signal);
    return exit_code;
  } catch (const Told& told) {
    return told.exit_code;
  } catch (...) {
    return fail_for_exception();
  }
}
