#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <cmath>

namespace ashlar {

std::string bytes_text(std::uint64_t bytes) {
  constexpr std::array<const char*, 7> units{"bytes", "KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  double amount = static_cast<double>(bytes);
  std::size_t unit = 0;
  for (; amount >= 1024 && unit + 1 < units.size(); ++unit) amount /= 1024;
  if (unit == 0) return text(bytes, " bytes");
  return text(bytes, " bytes = ", std::round(amount * 10) / 10, " ", units[unit]);
}

void require_memory(std::uint64_t needed, std::uint64_t available, const std::string& what) {
  if (needed <= available) return;
  throw MemoryError(needed, available, text(what, " needs ", bytes_text(needed)),
                    text(bytes_text(available), " are available"),
                    "make it smaller, or use a machine with more memory");
}

}  // namespace ashlar
