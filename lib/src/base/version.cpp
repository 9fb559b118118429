#include <Kokkos_Macros.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/base/version.hpp>
#include <string>

namespace ashlar {

const char* linked_version() noexcept { return version_string; }

const char* linked_kokkos_version() noexcept {
  static const std::string version =
      text(KOKKOS_VERSION / 10000, ".", KOKKOS_VERSION / 100 % 100, ".", KOKKOS_VERSION % 100);
  return version.c_str();
}

}  // namespace ashlar
