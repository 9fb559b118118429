#include "memory_left.hpp"

#include <sys/resource.h>
#include <unistd.h>

#include <fstream>
#include <locale>

namespace ashlar::app {

namespace {

std::uint64_t within(decltype(RLIMIT_AS) resource, std::uint64_t used) {
  rlimit limit{};
  if (::getrlimit(resource, &limit) != 0 || limit.rlim_cur == RLIM_INFINITY) {
    return std::numeric_limits<std::uint64_t>::max();
  }
  return limit.rlim_cur - std::min<std::uint64_t>(limit.rlim_cur, used);
}

}  // namespace

std::uint64_t bytes_within_limits() {
  // Pages: of all, resident, shared, code, none, data and stack.
  std::uint64_t pages[6] = {};
  std::ifstream file("/proc/self/statm");
  file.imbue(std::locale::classic());
  for (std::uint64_t& count : pages) file >> count;
  const auto page = static_cast<std::uint64_t>(::sysconf(_SC_PAGESIZE));
  return std::min(within(RLIMIT_AS, pages[0] * page), within(RLIMIT_DATA, pages[5] * page));
}

}  // namespace ashlar::app
