#include <CLI/CLI.hpp>
#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <exception>
#include <iostream>
#include <new>
#include <string>
#include <vector>

#include "convert.hpp"
#include "device.hpp"
#include "info.hpp"
#include "solve/options.hpp"
#include "solve/phases.hpp"
#include "solve/run.hpp"

namespace {

using namespace ashlar;

constexpr int exit_bad_input = 1;

constexpr const char* examples = R"(Examples:
  ashlar solve --problem cantilever --nodes 81,21,21 --vtk beam.vtu
  ashlar solve --matrix A.mtx --rhs b.mtx --solution x.mtx --report r.json
  ashlar convert A.mtx A.bcsr

Exit codes: 0 converged, converted, 1 bad usage or bad input, 2 did not converge.
Options that begin with --kokkos- go to Kokkos, which reads OMP_NUM_THREADS and the like too.)";

/// Kokkos ends the program, with a stack trace, where one of its numbers is none: looked at before it sees them.
void check_number(const std::string& argument) {
  const bool is_device = argument.rfind("--kokkos-device-id", 0) == 0;
  if (!is_device && argument.rfind("--kokkos-num-threads", 0) != 0) return;
  const std::size_t equals = argument.find('=');
  const std::string value = equals == std::string::npos ? "" : argument.substr(equals + 1);
  const bool is_number = !value.empty() && value.size() < 7 && value.find_first_not_of("0123456789") == value.npos;
  const int least = is_device ? 0 : 1;
  if (!is_number || std::stoi(value) < least) {
    throw ArgumentError(argument, text("it is given a whole number, at least ", least),
                        text("pass ", argument.substr(0, equals), "=", least + 1));
  }
  if (is_device && app::num_devices() > 0 && std::stoi(value) >= app::num_devices()) {
    throw ArgumentError(argument, text("there are ", app::num_devices(), " devices, counted from 0"),
                        "name one of these; ashlar info shows them");
  }
}

/// The command line in two: what is Kokkos' (and the program's name), and what is ours.
struct Arguments {
  std::vector<std::string> kokkos, own;

  Arguments(int argc, char** argv) {
    kokkos.emplace_back(argc > 0 ? argv[0] : "ashlar");
    for (int i = 1; i < argc; ++i) {
      const std::string argument = argv[i];
      (argument.rfind("--kokkos-", 0) == 0 ? kokkos : own).push_back(argument);
    }
    for (const std::string& argument : kokkos) check_number(argument);
    // Its advice on thread binding belongs into docs/, not above every result.
    kokkos.emplace_back("--kokkos-disable-warnings");
  }
};

/// Kokkos for as long as this lives.
class KokkosScope {
 public:
  explicit KokkosScope(std::vector<std::string> arguments) {
    std::vector<char*> pointers;
    for (std::string& argument : arguments) pointers.push_back(argument.data());
    pointers.push_back(nullptr);
    int count = static_cast<int>(arguments.size());
    Kokkos::initialize(count, pointers.data());
  }
  ~KokkosScope() { Kokkos::finalize(); }
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

std::string one_line(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return message;
}

/// What went wrong, on one line of standard error.
int fail(const std::string& message) {
  std::cerr << "ashlar: " << one_line(message) << std::endl;
  return exit_bad_input;
}

int run(int argc, char** argv) {
  app::Phases phases;
  const Arguments arguments(argc, argv);
  CLI::App command("Solves linear systems of small dense blocks, and says how fast.", "ashlar");
  command.set_version_flag("--version", text("ashlar ", version_string));
  // At most one; that there is one is asked below, where a word that is none has been named already.
  command.require_subcommand(0, 1);
  command.footer(examples);

  app::SolveOptions options;
  CLI::App* solve = command.add_subcommand("solve", "Solve A x = b by preconditioned conjugate gradients.");
  app::declare_options(*solve, options);
  solve->footer(examples);

  app::ConvertOptions conversion;
  CLI::App* convert =
      command.add_subcommand("convert", "Make a block file (.bcsr) of a Matrix Market file (.mtx), or the reverse.");
  app::declare_options(*convert, conversion);

  bool as_json = false;
  CLI::App* info = command.add_subcommand("info", "Show backends, devices, versions, memory and bandwidths.");
  info->add_flag("--json", as_json, "as JSON");

  try {
    // CLI11 takes a vector from its end.
    command.parse(std::vector<std::string>(arguments.own.rbegin(), arguments.own.rend()));
  } catch (const CLI::ParseError& error) {
    if (error.get_exit_code() == 0) return command.exit(error);  // --help, --version
    const auto is_in = [&](CLI::App* part) {
      return part->parsed() || (!arguments.own.empty() && arguments.own.front() == part->get_name());
    };
    return fail(text("the arguments are not understood (", one_line(error.what()), "); see ashlar ",
                     is_in(solve)     ? "solve "
                     : is_in(convert) ? "convert "
                                      : "",
                     "--help"));
  }

  if (!solve->parsed() && !convert->parsed() && !info->parsed()) {
    return fail("nothing to do (neither solve nor info nor convert was given); try: ashlar solve --problem cantilever");
  }
  if (solve->parsed()) app::check_before_start(options);
  if (convert->parsed()) app::check_before_start(conversion);
  int exit_code = 0;
  {
    const KokkosScope kokkos = phases.run("start", [&] { return KokkosScope(arguments.kokkos); });
    if (solve->parsed()) {
      exit_code = app::run_solve(options, phases);
    } else if (convert->parsed()) {
      app::run_convert(conversion);
    } else {
      app::print_info(as_json);
    }
  }
  if (!std::cout.flush()) return fail("standard output cannot be written (is its disk full?); send it elsewhere");
  return exit_code;
}

}  // namespace

int main(int argc, char** argv) {
  try {
    return run(argc, argv);
  } catch (const std::bad_alloc&) {
    return fail("out of memory (an allocation failed); try a smaller problem, or a machine with more memory");
  } catch (const Error& error) {
    return fail(error.what());
  } catch (const std::exception& error) {
    return fail(text("something went wrong that should not (", one_line(error.what()),
                     "); please report it, with the arguments"));
  } catch (...) {
    return fail("something went wrong that should not (of an unknown type); please report it, with the arguments");
  }
}
