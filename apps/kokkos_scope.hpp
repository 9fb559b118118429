#pragma once

#include <string>
#include <vector>

namespace ashlar::app {

/// Looks at what Kokkos is told, by its options (--kokkos-...) and by variables, before it sees that: it ends the
/// program, with a stack trace, where a value is none, and crashes with more threads than it has room for.
///
/// Throws   ArgumentError that names the option or the variable.
void check_kokkos_settings(const std::vector<std::string>& options);

/// Kokkos for as long as this lives; its options have been checked.
///
/// Throws   ArgumentError where there is no device for it, or it does not start for another reason; Error where its
///          threads cannot be started.
class KokkosScope {
 public:
  explicit KokkosScope(const std::string& program, const std::vector<std::string>& options);
  ~KokkosScope();
  KokkosScope(const KokkosScope&) = delete;
  KokkosScope& operator=(const KokkosScope&) = delete;
};

/// Starts so many threads and ends them: OpenMP ends the program where it cannot start one of its own. Those that it
/// starts next find the stacks of these.
///
/// Throws   Error where the limits of the process (`ulimit -v`, `ulimit -u`) or of the machine do not allow them.
void require_threads(int count);

/// Has OpenMP's threads sleep while they wait for work, unless the user has said how they are to wait: threads that
/// spin take the processors of those that work wherever there are more of them than processors that nobody else uses.
///
/// OpenMP reads its variables when it is loaded, before main() begins. If the user has set none of them, the program
/// restarts itself once with OMP_WAIT_POLICY set; if that fails it continues as it is.
void wait_passively(char** arguments);

}  // namespace ashlar::app
