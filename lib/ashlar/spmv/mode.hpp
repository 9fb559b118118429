#pragma once

#include <optional>
#include <string_view>

namespace ashlar {

/// Which operator op(A) a matrix stands for: A, A^T, conj(A) or A^H. For real matrices conjugation changes nothing.
enum class Mode { no_transpose, transpose, conjugate, conjugate_transpose };

/// Whether op(A) has the shape of A^T.
constexpr bool is_transposed(Mode mode) { return mode == Mode::transpose || mode == Mode::conjugate_transpose; }

/// Whether op(A) has the entries of A conjugated.
constexpr bool is_conjugated(Mode mode) { return mode == Mode::conjugate || mode == Mode::conjugate_transpose; }

/// "conjugate_transpose": the name in labels, options and reports.
std::string_view to_string(Mode mode);

/// The mode of this name, or of its letter in BLAS (N, T, C for conjugate, H), or nothing.
std::optional<Mode> mode_from_string(std::string_view name);

/// op(A) as formulas write it: "A", "A^T", "conj(A)", "A^H".
std::string_view symbol_of(Mode mode);

}  // namespace ashlar
