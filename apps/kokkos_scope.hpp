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

}  // namespace ashlar::app
