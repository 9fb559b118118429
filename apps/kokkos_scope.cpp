#include <unistd.h>

#include <Kokkos_Core.hpp>
#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/processors.hpp>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <latch>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <system_error>
#include <thread>
#include <vector>

#include "device.hpp"
#include "kokkos_scope.hpp"
#include "numbers.hpp"
#include "world.hpp"

#ifdef KOKKOS_ENABLE_OPENMP
#include <omp.h>
#endif

namespace ashlar::app {

void require_threads(int count) {
  std::vector<std::jthread> threads;
  threads.reserve(static_cast<std::size_t>(count));
  // (All simultaneously: one that has ended leaves its place to the next.)
  std::latch all_there(1);
  std::string why;
  try {
    for (int i = 0; i < count; ++i) threads.emplace_back([&all_there] { all_there.wait(); });
  } catch (const std::system_error& error) {
    why = error.what();
  }
  all_there.count_down();
  const std::size_t started = threads.size();
  threads.clear();
  if (why.empty()) return;
  throw Error(text("thread ", started + 1, " of ", count, " cannot be started beside the first"),
              text(why, ": limits of the process or of the machine do not allow it"),
              "raise ulimit -v or ulimit -u, lower ulimit -s, or set OMP_NUM_THREADS to fewer");
}

void wait_passively([[maybe_unused]] char** arguments) {
#ifdef KOKKOS_ENABLE_OPENMP
  for (const char* const variable : {"OMP_WAIT_POLICY", "GOMP_SPINCOUNT", "KMP_BLOCKTIME"}) {
    if (std::getenv(variable) != nullptr) return;
  }
  // By its real name, which ps and top then show.
  std::array<char, 4096> program{};
  const ssize_t length = ::readlink("/proc/self/exe", program.data(), program.size() - 1);
  if (length <= 0) return;
  ::setenv("OMP_WAIT_POLICY", "passive", 1);
  ::execv(program.data(), arguments);
  // It did not work out: what the program starts itself is not to see it.
  ::unsetenv("OMP_WAIT_POLICY");
#endif
}

namespace {

/// The threads that Kokkos' OpenMP has room for (OpenMPTraits::MAX_THREAD_COUNT); it checks no number itself.
constexpr int most_threads = 512;

enum class Kind { threads, device, truth, mapping };

struct Setting {
  std::string_view option;
  const char* variable;
  Kind kind;
};

constexpr Setting settings[] = {
    {"--kokkos-num-threads", "KOKKOS_NUM_THREADS", Kind::threads},
    {"--kokkos-device-id", "KOKKOS_DEVICE_ID", Kind::device},
    {"--kokkos-map-device-id-by", "KOKKOS_MAP_DEVICE_ID_BY", Kind::mapping},
    {"--kokkos-disable-warnings", "KOKKOS_DISABLE_WARNINGS", Kind::truth},
    {"--kokkos-print-configuration", "KOKKOS_PRINT_CONFIGURATION", Kind::truth},
    {"--kokkos-tune-internals", "KOKKOS_TUNE_INTERNALS", Kind::truth},
};

/// What Kokkos takes: digits alone.
std::optional<int> parse_count(std::string_view value) {
  if (value.find_first_not_of("0123456789") != value.npos) return std::nullopt;
  const auto number = parse_whole_number(value);
  if (!number || *number > std::numeric_limits<int>::max()) return std::nullopt;
  return static_cast<int>(*number);
}

void check_threads(const std::string& shown, const std::string& name, std::string_view value) {
  const auto threads = parse_count(value);
  if (!threads || *threads < 1) {
    throw ArgumentError(shown, "it is given a whole number of threads, at least 1", text("pass ", name, "=2"));
  }
  if (*threads > most_threads) {
    throw ArgumentError(shown, text("Kokkos has room for ", most_threads, " threads"),
                        text("pass ", name, "=", most_threads, ", or fewer"));
  }
}

void check_device(const std::string& shown, const std::string& name, std::string_view value) {
  const auto device = parse_count(value);
  if (!device) throw ArgumentError(shown, "it is given the number of a device, from 0", text("pass ", name, "=0"));
  const int num_devices = app::num_devices();
  if (num_devices > 0 && *device >= num_devices) {
    throw ArgumentError(
        shown,
        text(num_devices == 1 ? "there is " : "there are ", count_text(num_devices, "device"), ", counted from 0"),
        "name one of these; ashlar info shows them");
  }
}

void check_choice(const std::string& shown, const std::string& name, std::string value,
                  const std::vector<std::string_view>& choices) {
  for (char& c : value) c = c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  if (std::find(choices.begin(), choices.end(), value) != choices.end()) return;
  std::string list;
  for (const std::string_view choice : choices) list += (list.empty() ? "" : ", ") + std::string(choice);
  throw ArgumentError(shown, text("it is one of ", list), text("pass ", name, "=", choices[0], ", or leave it out"));
}

void check(const Setting& setting, const std::string& name, const std::string& value) {
  const std::string shown = text(name, "=", value);
  switch (setting.kind) {
    case Kind::threads:
      return check_threads(shown, name, value);
    case Kind::device:
      return check_device(shown, name, value);
    case Kind::mapping:
      return check_choice(shown, name, value, {"mpi_rank", "random"});
    case Kind::truth:
      return check_choice(shown, name, value, {"yes", "no", "true", "false", "1", "0"});
  }
}

void check_option(const std::string& argument) {
  const std::size_t equals = std::min(argument.find('='), argument.size());
  const std::string name = argument.substr(0, equals);
  const bool has_value = equals < argument.size();
  for (const Setting& setting : settings) {
    if (name != setting.option) continue;
    if (has_value) return check(setting, name, argument.substr(equals + 1));
    if (setting.kind == Kind::truth) return;
    throw ArgumentError(argument, "it is given a value", text("pass ", name, "=..., without a blank"));
  }
  if (name == "--kokkos-help" || name == "--kokkos-tools-help") return;
  if (name != "--kokkos-tools-libs" && name != "--kokkos-tools-args") {
    throw ArgumentError(argument, "Kokkos has no option of this name", "see ashlar info --kokkos-help");
  }
  if (!has_value) throw ArgumentError(argument, "it is given a value", text("pass ", name, "=..., without a blank"));
}

/// Devices that Kokkos is to see, for which it has a variable only.
void check_visible_devices() {
  constexpr const char* name = "KOKKOS_VISIBLE_DEVICES";
  const char* const value = std::getenv(name);
  if (value == nullptr || num_devices() == 0) return;
  std::string_view rest = value;
  for (;;) {
    const std::size_t comma = std::min(rest.find(','), rest.size());
    check_device(text(name, "=", value), name, rest.substr(0, comma));
    if (comma == rest.size()) return;
    rest.remove_prefix(comma + 1);
  }
}

/// The threads that OpenMP takes if Kokkos has no number.
void check_openmp_threads(bool is_told) {
#ifdef KOKKOS_ENABLE_OPENMP
  if (is_told) return;
  const char* const asked = std::getenv("OMP_NUM_THREADS");
  if (asked == nullptr) {
    // As many as the machine has processors: nobody has asked for them.
    return omp_set_num_threads(std::min(threads_within_quota(omp_get_max_threads()), most_threads));
  }
  if (omp_get_max_threads() <= most_threads) return;
  throw ArgumentError(text("OMP_NUM_THREADS=", asked), text("Kokkos has room for ", most_threads, " threads"),
                      text("set OMP_NUM_THREADS=", most_threads, ", or fewer"));
#else
  (void)is_told;
#endif
}

#ifdef KOKKOS_ENABLE_OPENMP
/// The settings that Kokkos reads, in its order; they have been checked.
int num_threads(const std::vector<std::string>& options) {
  constexpr std::string_view option = "--kokkos-num-threads=";
  for (const std::string& given : options) {
    if (given.starts_with(option)) return *parse_count(std::string_view(given).substr(option.size()));
  }
  if (const char* const value = std::getenv("KOKKOS_NUM_THREADS")) return *parse_count(value);
  return omp_get_max_threads();
}
#endif

}  // namespace

void check_kokkos_settings(const std::vector<std::string>& options) {
  for (const std::string& option : options) check_option(option);
  for (const Setting& setting : settings) {
    if (const char* const value = std::getenv(setting.variable)) check(setting, setting.variable, value);
  }
  check_visible_devices();
  check_openmp_threads(std::getenv("KOKKOS_NUM_THREADS") != nullptr ||
                       std::any_of(options.begin(), options.end(), [](const std::string& option) {
                         return option.starts_with("--kokkos-num-threads=");
                       }));
}

KokkosScope::KokkosScope(const std::string& program, const std::vector<std::string>& options) {
  require_device();
#ifdef KOKKOS_ENABLE_OPENMP
  require_threads(num_threads(options) - 1);
#endif
  std::vector<std::string> arguments{program};
  arguments.insert(arguments.end(), options.begin(), options.end());
  // Its advice on thread binding belongs into docs/, not above every result.
  arguments.emplace_back("--kokkos-disable-warnings");
  std::vector<char*> pointers;
  for (std::string& argument : arguments) pointers.push_back(argument.data());
  pointers.push_back(nullptr);
  int count = static_cast<int>(arguments.size());
  try {
    Kokkos::initialize(count, pointers.data());
  } catch (const std::exception& error) {
    throw ArgumentError("Kokkos does not start", one_line(error.what()),
                        "mend that; ashlar info tells what this build is for");
  }
}

KokkosScope::~KokkosScope() { Kokkos::finalize(); }

}  // namespace ashlar::app
