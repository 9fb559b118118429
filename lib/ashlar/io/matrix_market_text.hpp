#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <cstdint>
#include <span>
#include <string>

/// Matrix Market files in parts, as text, for those who write one together: head and lines, one after another, are what
/// write_matrix_market() and write_matrix_market_array() write.
namespace ashlar::io {

/// The first lines of an array of so many rows and columns.
template <scalar S>
std::string matrix_market_array_head(std::int64_t num_rows, std::int64_t num_columns);

/// The lines of some entries of an array, one each.
///
/// Throws   NumericalError for nan and inf.
template <scalar S>
std::string matrix_market_array_lines(std::span<const S> entries);

/// The first lines of a matrix without symmetry that has so many entries.
template <scalar S>
std::string matrix_market_head(std::int64_t num_rows, std::int64_t num_cols, std::int64_t num_entries);

/// The lines of some rows of a matrix, of which `rows` has them alone: its row 0 is row `first_row`.
///
/// Throws   as write_matrix_market().
template <scalar S>
std::string matrix_market_lines(const CsrMatrix<S>& rows, std::int64_t first_row);

}  // namespace ashlar::io
