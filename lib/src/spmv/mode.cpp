#include <ashlar/spmv/mode.hpp>

namespace ashlar {

namespace {

struct Names {
  Mode mode;
  std::string_view name, letter, symbol;
};

constexpr Names all_modes[] = {{Mode::no_transpose, "no_transpose", "N", "A"},
                               {Mode::transpose, "transpose", "T", "A^T"},
                               {Mode::conjugate, "conjugate", "C", "conj(A)"},
                               {Mode::conjugate_transpose, "conjugate_transpose", "H", "A^H"}};

const Names& names_of(Mode mode) {
  for (const Names& names : all_modes) {
    if (names.mode == mode) return names;
  }
  return all_modes[0];
}

}  // namespace

std::string_view to_string(Mode mode) { return names_of(mode).name; }

std::string_view symbol_of(Mode mode) { return names_of(mode).symbol; }

std::optional<Mode> mode_from_string(std::string_view name) {
  for (const Names& names : all_modes) {
    if (name == names.name || name == names.letter) return names.mode;
  }
  return std::nullopt;
}

}  // namespace ashlar
