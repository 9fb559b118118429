#include <ashlar/base/count_text.hpp>

namespace ashlar {

std::string noun_for(std::int64_t number, std::string_view noun) {
  if (number == 1) return std::string(noun);
  if (noun.ends_with('y')) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + (noun.ends_with('x') ? "es" : "s");
}

std::string count_text(std::int64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + noun_for(number, noun);
}

}  // namespace ashlar
