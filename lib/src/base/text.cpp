#include <ashlar/base/text.hpp>

namespace ashlar {

std::string noun_for(std::int64_t number, std::string_view noun) {
  if (number == 1) return std::string(noun);
  if (noun.ends_with('y')) return std::string(noun.substr(0, noun.size() - 1)) + "ies";
  return std::string(noun) + (noun.ends_with('x') ? "es" : "s");
}

std::string count_text(std::int64_t number, std::string_view noun) {
  return std::to_string(number) + ' ' + noun_for(number, noun);
}

namespace {

bool is_continuation(char c) { return (static_cast<unsigned char>(c) & 0xc0) == 0x80; }

/// U+0000 to U+001f, U+007f to U+009f.
bool is_control(std::string_view character) {
  const auto first = static_cast<unsigned char>(character[0]);
  return first < 0x20 || first == 0x7f || (first == 0xc2 && static_cast<unsigned char>(character[1]) < 0xa0);
}

}  // namespace

std::size_t utf8_length(std::string_view text) {
  const auto first = static_cast<unsigned char>(text[0]);
  if (first < 0x80) return 1;
  const std::size_t length = first >= 0xf0 ? 4 : first >= 0xe0 ? 3 : 2;
  if (first < 0xc2 || first > 0xf4 || text.size() < length) return 0;
  for (std::size_t i = 1; i < length; ++i) {
    if (!is_continuation(text[i])) return 0;
  }
  // Longer than need be, half of a UTF-16 pair, or past the last character.
  const auto second = static_cast<unsigned char>(text[1]);
  const bool wrong = (first == 0xe0 && second < 0xa0) || (first == 0xed && second > 0x9f) ||
                     (first == 0xf0 && second < 0x90) || (first == 0xf4 && second > 0x8f);
  return wrong ? 0 : length;
}

std::string printable(std::string_view text) {
  constexpr const char* digits = "0123456789abcdef";
  std::string result;
  while (!text.empty()) {
    const std::size_t length = utf8_length(text);
    const std::string_view character = text.substr(0, length == 0 ? 1 : length);
    text.remove_prefix(character.size());
    if (length > 0 && !is_control(character)) {
      result += character;
      continue;
    }
    for (const char c : character) {
      result += "\\x";
      result += digits[static_cast<unsigned char>(c) >> 4];
      result += digits[static_cast<unsigned char>(c) & 0xf];
    }
  }
  return result;
}

}  // namespace ashlar
