#include <algorithm>
#include <ashlar/streaming/subdivision.hpp>

namespace ashlar {

std::string to_string(Taper taper) {
  switch (taper) {
    case Taper::none:
      return "none";
    case Taper::front:
      return "front";
    case Taper::back:
      return "back";
    case Taper::both:
      return "both";
  }
  return "unknown";
}

std::vector<int> subdivision_units(int count, Taper taper) {
  std::vector<int> units(count, 1);
  constexpr int first = 4, most = 8 * first, most_tapered = 1024;
  if (taper == Taper::none || count > most_tapered) return units;
  int size = first;
  const int grown = taper == Taper::both ? (count + 1) / 2 : count;
  for (int k = 0; k < grown; ++k) {
    if (taper != Taper::back) units[k] = size;
    if (taper != Taper::front) units[count - 1 - k] = size;
    size = std::min(size + size / 4, most);
  }
  return units;
}

}  // namespace ashlar
