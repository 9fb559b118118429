#include "wait_policy.hpp"

#include <unistd.h>
#include <Kokkos_Macros.hpp>

#include <array>
#include <cstdlib>

namespace ashlar::app {

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

}  // namespace ashlar::app
