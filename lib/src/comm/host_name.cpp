#include <unistd.h>

#include <ashlar/comm/impl/host_name.hpp>
#include <cstdlib>

namespace ashlar::impl {

std::string host_name() {
  if (const char* const given = std::getenv("ASHLAR_HOST_NAME"); given != nullptr && *given != '\0') return given;
  char name[256] = {};
  // (A name that was cut short need not end in a zero: the last place is left alone.)
  if (::gethostname(name, sizeof(name) - 1) != 0) return "localhost";
  return name;
}

}  // namespace ashlar::impl
