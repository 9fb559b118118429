#include <algorithm>
#include <ashlar/streaming/subdivision.hpp>

namespace ashlar {

std::vector<int> subdivision_units(int count, bool taper) {
  std::vector<int> units(count, 1);
  constexpr int first = 4, most = 8 * first, most_tapered = 1024;
  if (!taper || count > most_tapered) return units;
  int size = first;
  for (int k = 0; k <= (count - 1) / 2; ++k) {
    units[k] = units[count - 1 - k] = size;
    size = std::min(size + size / 4, most);
  }
  return units;
}

}  // namespace ashlar
