#pragma once

#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

/// Matrices and vectors as text files of the Matrix Market exchange format.
///
/// Read are the formats coordinate and array, the fields real, complex, integer and pattern, the symmetries general,
/// symmetric, skew-symmetric and hermitian, in upper or lower case. One entry stands on a line. Tolerated beyond the
/// format's definition: Windows line ends, blank lines, comments between the entries, a '+' before a number, Fortran
/// exponents (1.0D+00). A number too small for its type becomes 0, with its sign; a number too large is an error, and
/// so are nan and inf, and values of an integer file that the type does not hold exactly. Files that gzip has
/// compressed are read if Ashlar was built with zlib (reads_compressed_files()). Other compressed files, and text with
/// a byte order mark, are refused by name.
///
/// Numbers are read and written with a decimal point, whatever the locale of the program.
///
/// Source   Boisvert, Pozo, Remington: The Matrix Market Exchange Formats: Initial Design. NISTIR 5935, 1996.
namespace ashlar::io {

enum class MatrixMarketFormat { coordinate, array };
enum class MatrixMarketField { real, complex, integer, pattern };
enum class MatrixMarketSymmetry { general, symmetric, skew_symmetric, hermitian };

/// The banner and the size line of a file.
struct MatrixMarketHeader {
  std::string object;
  MatrixMarketFormat format;
  MatrixMarketField field;
  MatrixMarketSymmetry symmetry;
  std::int64_t rows, columns;
  /// Entries in the file: one half of the matrix where the symmetry is not general.
  std::int64_t entries;
  /// The line of the size line, from 1: for messages.
  std::int64_t size_line;
};

/// Reads the banner and the size line alone, however large the file.
///
/// Throws   FileError with the file, the line and the text that is at fault.
MatrixMarketHeader read_matrix_market_header(const std::string& path);

/// Reads a matrix. Symmetric storage is expanded: the mirrored entries follow the entries of the file, in their order.
///
/// An array file gives an entry for every one of its values, zeros included. Entries of a pattern are 1. Files of real
/// values may be read as complex numbers.
///
/// Entries above the diagonal of a symmetric, skew-symmetric or hermitian file, which the format does not allow but
/// other readers accept, are accepted and mirrored like the others. An entry that the file holds on both sides of the
/// diagonal (a full matrix under the wrong banner) is an error: mirrored, each would count twice.
///
/// Memory   the text of the file and the result, at the same time. Nothing is allocated on the word of the size line:
///          entries are counted first, and a matrix whose vectors alone would not fit this machine is refused.
/// Async    none: plain host code, on as many threads as the machine has (Kokkos need not be initialised).
/// Throws   FileError with the file, the line and the text that is at fault.
template <scalar S>
CooMatrix<S> read_matrix_market(const std::string& path);

/// Reads a vector: an array or a coordinate file with one column. Entries that a coordinate file does not name are 0,
/// entries that it repeats are summed.
///
/// Throws   FileError as read_matrix_market() does, and for a file with more columns than one.
template <scalar S>
std::vector<S> read_matrix_market_vector(const std::string& path);

/// Writes a matrix as a coordinate file, each value with as many digits as it takes to read back the same bits.
///
/// If a matrix is declared symmetric, skew-symmetric or hermitian, only the entries on and below the diagonal are
/// written (below it, if skew-symmetric). It must then be so exactly; a missing entry counts as 0.
///
/// Throws   ShapeError, StructureError, NumericalError (nan or inf; a matrix without the symmetry declared),
///          ArgumentError (a real matrix declared hermitian) before the file is touched; FileError when it cannot be
///          written, all of it: the incomplete file is removed.
template <scalar S>
void write_matrix_market(const std::string& path, const CooMatrix<S>& matrix,
                         MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general);
template <scalar S>
void write_matrix_market(const std::string& path, const CsrMatrix<S>& matrix,
                         MatrixMarketSymmetry symmetry = MatrixMarketSymmetry::general);

/// Writes a vector as an array file of one column, to be read back bit for bit.
///
/// Throws   NumericalError (nan or inf) before the file is touched; FileError as write_matrix_market() does.
template <scalar S>
void write_matrix_market_vector(const std::string& path, const std::vector<S>& vector);

/// Writes vectors of num_rows entries, one after another in `entries`, as an array file of so many columns.
///
/// Throws   ShapeError where the entries are no whole number of vectors; otherwise as write_matrix_market_vector().
template <scalar S>
void write_matrix_market_array(const std::string& path, std::int64_t num_rows, const std::vector<S>& entries);

}  // namespace ashlar::io

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
