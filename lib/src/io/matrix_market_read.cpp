#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <bit>
#include <limits>
#include <new>
#include <utility>

#include "in_quotes.hpp"
#include "matrix_market_format.hpp"
#include "text_parsing.hpp"
#include <ashlar/host/text_file.hpp>

namespace ashlar::io {

namespace {

struct Place {
  const std::string& file;
  std::int64_t line;
};

/// Reports the error in the number at the cursor.
template <class Number>
[[noreturn]] void fail_at_number(const Place& place, const Cursor& cursor, NumberFault fault, const char* what,
                                 const char* line_shape) {
  const std::string word = in_quotes(word_at(cursor));
  switch (fault) {
    case NumberFault::missing:
      throw FileError(place.file, place.line, text("the line ends before the ", what), line_shape,
                      "complete the line, or correct the banner");
    case NumberFault::not_finite:
      throw FileError(place.file, place.line, text("the ", what, " is ", word), "every value must be finite",
                      "find out where it comes from");
    case NumberFault::too_large:
      if constexpr (std::floating_point<Number>) {
        throw FileError(place.file, place.line, text("the ", what, " ", word, " does not fit ", scalar_name<Number>()),
                        text("the largest is ", std::numeric_limits<Number>::max()),
                        "scale the matrix, or read it in a larger type");
      } else {
        throw FileError(place.file, place.line, text("the ", what, " ", word, " does not fit a 64-bit integer"),
                        text("the largest is ", std::numeric_limits<Number>::max()), "correct the number");
      }
    default:
      throw FileError(place.file, place.line, text(word, " where the ", what, " belongs"),
                      std::floating_point<Number> ? "it is no number" : "it is no integer", line_shape);
  }
}

template <class Number>
Number read_or_fail(Cursor& cursor, const Place& place, const char* what, const char* line_shape) {
  Number value{};
  const NumberFault fault = read_number(cursor, value);
  if (fault != NumberFault::none) [[unlikely]]
    fail_at_number<Number>(place, cursor, fault, what, line_shape);
  return value;
}

const char* line_shape(const MatrixMarketHeader& header) {
  if (header.format == MatrixMarketFormat::array) {
    return header.field == MatrixMarketField::complex ? "a line of a complex array holds a real and an imaginary part"
                                                      : "a line of an array holds one value";
  }
  switch (header.field) {
    case MatrixMarketField::complex:
      return "a line of this file holds row, column, real and imaginary part";
    case MatrixMarketField::pattern:
      return "a line of this file holds row and column";
    default:
      return "a line of this file holds row, column and value";
  }
}

std::int32_t read_index(Cursor& cursor, const Place& place, const char* what, std::int64_t count, const char* shape) {
  const auto index = read_or_fail<std::int64_t>(cursor, place, what, shape);
  if (index < 1 || index > count) [[unlikely]] {
    throw FileError(place.file, place.line, text(what, " ", index, " out of range"),
                    text("the matrix has ", count, " of them, counted from 1"), "correct the entry or the size line");
  }
  return static_cast<std::int32_t>(index - 1);
}

/// An integer of the file in Real, which must hold it: counts are not rounded.
template <std::floating_point Real>
Real read_integer(Cursor& cursor, const Place& place, const char* shape) {
  const auto value = read_or_fail<std::int64_t>(cursor, place, "value", shape);
  const std::uint64_t size = value < 0 ? 0 - std::uint64_t(value) : std::uint64_t(value);
  constexpr int digits = std::numeric_limits<Real>::digits;
  if (size != 0 && std::bit_width(size) - std::countr_zero(size) > digits) [[unlikely]] {
    throw FileError(place.file, place.line, text("the value ", value, " is no ", scalar_name<Real>()),
                    text("the banner says integer, and not every integer beyond 2^", digits, " is one"),
                    "let the banner say real if the value may be rounded");
  }
  return static_cast<Real>(value);
}

template <scalar S>
S read_value(Cursor& cursor, const Place& place, MatrixMarketField field, const char* shape) {
  using Real = real_t<S>;
  switch (field) {
    case MatrixMarketField::pattern:
      return S(1);
    case MatrixMarketField::integer:
      return S(read_integer<Real>(cursor, place, shape));
    case MatrixMarketField::real:
      return S(read_or_fail<Real>(cursor, place, "value", shape));
    case MatrixMarketField::complex:
      break;
  }
  if constexpr (is_complex_v<S>) {
    const Real re = read_or_fail<Real>(cursor, place, "real part", shape);
    return S(re, read_or_fail<Real>(cursor, place, "imaginary part", shape));
  } else {
    return S{};  // Not reached: a complex file is refused before its entries are read.
  }
}

/// Calls read(cursor, place, number of the entry) for the first `limit` entries, in parallel over the chunks, and sees
/// that nothing is left on their lines.
template <class Read>
void for_each_entry(const std::string& path, const std::vector<TextChunk>& chunks, std::int64_t limit,
                    const char* shape, const Read& read) {
  in_parallel(chunks.size(), [&](std::size_t i) {
    Cursor cursor{chunks[i].text.data(), chunks[i].text.data() + chunks[i].text.size()};
    Place place{path, chunks[i].first_line};
    for (std::int64_t entry = chunks[i].first_entry; entry < limit;) {
      skip_blanks(cursor);
      if (cursor.at == cursor.end) return;
      if (*cursor.at != '\n' && *cursor.at != '%') {
        read(cursor, place, entry++);
        skip_blanks(cursor);
        if (!at_line_end(cursor)) {
          throw FileError(path, place.line, text(in_quotes(word_at(cursor)), " at the end of the line"), shape,
                          "remove it, or correct the banner");
        }
      }
      while (!at_line_end(cursor)) ++cursor.at;
      if (cursor.at != cursor.end) ++cursor.at;
      ++place.line;
    }
  });
}

/// 0 if there is none. It reads as a comment among the entries.
std::int64_t line_of_second_banner(const std::vector<TextChunk>& chunks) {
  constexpr std::string_view banner = "%%MatrixMarket ";
  for (const TextChunk& chunk : chunks) {
    std::int64_t line = chunk.first_line;
    for (std::string_view text = chunk.text; !text.empty(); ++line) {
      if (text.starts_with(banner)) return line;
      text.remove_prefix(std::min(text.find('\n'), text.size() - 1) + 1);
    }
  }
  return 0;
}

void require_number_of_entries(const std::string& path, const ParsedHeader& parsed,
                               const std::vector<TextChunk>& chunks, std::int64_t found) {
  const std::int64_t promised = parsed.header.entries;
  if (found < promised) {
    throw FileError(path, parsed.size_line, text("too few entries: ", found, " found, ", promised, " promised"),
                    text("the file ends at line ",
                         chunks.empty() ? parsed.size_line : chunks.back().first_line + chunks.back().num_lines - 1),
                    "is the file incomplete? Or correct the size line");
  }
  if (found > promised) {
    if (const std::int64_t line = line_of_second_banner(chunks); line > 0) {
      throw FileError(path, line, "a second Matrix Market banner", "a file holds one matrix, or one right-hand side",
                      "put what begins here into a file of its own");
    }
    const bool may_be_vector = parsed.header.rows > 0 && (found - promised) % parsed.header.rows == 0;
    throw FileError(path, line_of_entry(chunks, promised),
                    text("too many entries: ", found, " found, ", promised, " promised"),
                    text("the size line is line ", parsed.size_line,
                         may_be_vector ? "; the rest may be a right-hand side, of one entry a row" : ""),
                    may_be_vector ? "put what begins here into a file of its own, or correct the size line"
                                  : "correct the size line");
  }
}

/// Refuses a matrix whose vectors do not fit in memory: the objects built from it next would exhaust the machine.
template <scalar S>
void require_vectors_fit_memory(const std::string& path, const ParsedHeader& parsed) {
  const auto& [rows, columns] = std::pair(parsed.header.rows, parsed.header.columns);
  const std::uint64_t memory = host_memory().total;
  const std::uint64_t needed = (rows + columns) * sizeof(S);
  if (memory > 0 && needed > memory) {
    throw FileError(path, parsed.size_line, text("a matrix of ", rows, " rows and ", columns, " columns"),
                    text("one vector for each side takes ", needed, " bytes, the machine has ", memory),
                    "correct the size line, or use a larger machine");
  }
}

/// Row and column of each entry of an array, whose entries go down one column after another.
template <scalar S>
void number_array_entries(const MatrixMarketHeader& header, CooMatrix<S>& matrix) {
  std::size_t k = 0;
  for (std::int64_t j = 0; j < header.columns; ++j) {
    const std::int64_t first = header.symmetry == MatrixMarketSymmetry::general          ? 0
                               : header.symmetry == MatrixMarketSymmetry::skew_symmetric ? j + 1
                                                                                         : j;
    for (std::int64_t i = first; i < header.rows; ++i, ++k) {
      matrix.rows[k] = static_cast<std::int32_t>(i);
      matrix.cols[k] = static_cast<std::int32_t>(j);
    }
  }
}

template <scalar S>
void require_diagonal_fits_symmetry(const std::string& path, MatrixMarketSymmetry symmetry,
                                    const std::vector<TextChunk>& chunks, const CooMatrix<S>& matrix) {
  if (symmetry == MatrixMarketSymmetry::symmetric) return;
  const bool is_skew = symmetry == MatrixMarketSymmetry::skew_symmetric;
  for (std::size_t k = 0; k < matrix.values.size(); ++k) {
    if (matrix.rows[k] != matrix.cols[k]) continue;
    const S value = matrix.values[k];
    if (is_skew ? value == S(0) : conj(value) == value) continue;
    throw FileError(
        path, line_of_entry(chunks, k),
        text("the diagonal entry (", matrix.rows[k] + 1, ", ", matrix.cols[k] + 1, ") is ", value),
        is_skew ? "the diagonal of a skew-symmetric matrix is zero" : "the diagonal of a hermitian matrix is real",
        "correct the entry or the banner");
  }
}

/// Throws for the first entry above the diagonal whose mirror image is in the file as well.
template <scalar S>
void require_one_half(const std::string& path, const std::vector<TextChunk>& chunks, const CooMatrix<S>& matrix) {
  const std::size_t n = matrix.values.size();
  const auto is_above = [&](std::size_t k) { return matrix.rows[k] < matrix.cols[k]; };
  std::size_t num_above = 0, num_below = 0;
  for (std::size_t k = 0; k < n; ++k) {
    num_above += is_above(k);
    num_below += matrix.rows[k] > matrix.cols[k];
  }
  if (num_above == 0 || num_below == 0) return;
  std::vector<std::pair<std::int32_t, std::int32_t>> below;
  below.reserve(num_below);
  for (std::size_t k = 0; k < n; ++k) {
    if (matrix.rows[k] > matrix.cols[k]) below.emplace_back(matrix.rows[k], matrix.cols[k]);
  }
  std::sort(below.begin(), below.end());
  for (std::size_t k = 0; k < n; ++k) {
    if (!is_above(k) || !std::binary_search(below.begin(), below.end(), std::pair(matrix.cols[k], matrix.rows[k]))) {
      continue;
    }
    throw FileError(path, line_of_entry(chunks, k),
                    text("the entry (", matrix.rows[k] + 1, ", ", matrix.cols[k] + 1, ") above the diagonal and (",
                         matrix.cols[k] + 1, ", ", matrix.rows[k] + 1, ") below it are both in the file"),
                    "a symmetric file holds one half of the matrix, and each would count twice",
                    "remove one half, or make the banner say general");
  }
}

template <scalar S>
void mirror(MatrixMarketSymmetry symmetry, CooMatrix<S>& matrix) {
  const std::size_t n = matrix.values.size();
  std::size_t next = 2 * n;
  for (std::size_t k = 0; k < n; ++k) next -= matrix.rows[k] == matrix.cols[k];
  matrix.rows.resize(next);
  matrix.cols.resize(next);
  matrix.values.resize(next);
  next = n;
  for (std::size_t k = 0; k < n; ++k) {
    if (matrix.rows[k] == matrix.cols[k]) continue;
    const S value = matrix.values[k];
    matrix.rows[next] = matrix.cols[k];
    matrix.cols[next] = matrix.rows[k];
    matrix.values[next] = symmetry == MatrixMarketSymmetry::symmetric   ? value
                          : symmetry == MatrixMarketSymmetry::hermitian ? conj(value)
                                                                        : -value;
    ++next;
  }
}

template <scalar S>
CooMatrix<S> parse_matrix(const std::string& path, const ParsedHeader& parsed, std::string_view entries) {
  const MatrixMarketHeader& header = parsed.header;
  if (header.field == MatrixMarketField::complex && !is_complex_v<S>) {
    throw FileError(path, 1, "the values are complex", text("they are to be read as ", scalar_name<S>()),
                    "read them as complex numbers, or use a real matrix");
  }
  require_vectors_fit_memory<S>(path, parsed);
  const auto chunks = split_into_chunks(entries, parsed.size_line + 1);
  const std::int64_t found = chunks.empty() ? 0 : chunks.back().first_entry + chunks.back().num_entries;
  const std::int64_t n = std::min(found, header.entries);
  const bool is_array = header.format == MatrixMarketFormat::array;
  const bool is_general = header.symmetry == MatrixMarketSymmetry::general;

  CooMatrix<S> matrix{.num_rows = header.rows, .num_cols = header.columns, .rows = {}, .cols = {}, .values = {}};
  const std::size_t capacity = is_general ? n : 2 * n;
  matrix.rows.reserve(capacity);
  matrix.cols.reserve(capacity);
  matrix.values.reserve(capacity);
  matrix.rows.resize(n);
  matrix.cols.resize(n);
  matrix.values.resize(n);

  const char* const shape = line_shape(header);
  for_each_entry(path, chunks, n, shape, [&](Cursor& cursor, const Place& place, std::int64_t k) {
    if (!is_array) {
      matrix.rows[k] = read_index(cursor, place, "row", header.rows, shape);
      matrix.cols[k] = read_index(cursor, place, "column", header.columns, shape);
    }
    matrix.values[k] = read_value<S>(cursor, place, header.field, shape);
  });
  require_number_of_entries(path, parsed, chunks, found);

  if (is_array) number_array_entries(header, matrix);
  if (!is_general) {
    require_diagonal_fits_symmetry(path, header.symmetry, chunks, matrix);
    require_one_half(path, chunks, matrix);
    mirror(header.symmetry, matrix);
  }
  return matrix;
}

template <scalar S>
CooMatrix<S> parse_or_out_of_memory(const std::string& path, const ParsedHeader& parsed, std::string_view text) {
  try {
    return parse_matrix<S>(path, parsed, text.substr(parsed.entries_begin));
  } catch (const std::bad_alloc&) {
    throw FileError(path, parsed.size_line, ashlar::text("no memory for ", parsed.header.entries, " entries"),
                    "the matrix is built beside the text of the file", "use a machine with more memory");
  }
}

}  // namespace

MatrixMarketHeader read_matrix_market_header(const std::string& path) {
  for (std::size_t bytes = 1 << 16;; bytes *= 4) {
    const FileText file(path, bytes);
    if (file.is_whole_file()) return parse_header(path, file.view()).header;
    if (const auto parsed = parse_header_of_part(path, file.view())) return parsed->header;
  }
}

namespace {

FileText text_of(const std::string& path) {
  return FileText(path, std::numeric_limits<std::size_t>::max(),
                  [&](std::string_view beginning) { parse_header_of_part(path, beginning); });
}

}  // namespace

template <scalar S>
CooMatrix<S> read_matrix_market(const std::string& path) {
  const FileText file = text_of(path);
  return parse_or_out_of_memory<S>(path, parse_header(path, file.view()), file.view());
}

template <scalar S>
std::vector<S> read_matrix_market_vector(const std::string& path) {
  const FileText file = text_of(path);
  const ParsedHeader parsed = parse_header(path, file.view());
  const MatrixMarketHeader& header = parsed.header;
  if (header.columns != 1) {
    throw FileError(path, parsed.size_line, text("a matrix of ", header.rows, " rows and ", header.columns, " columns"),
                    "a vector was asked for, which has one column", "name a file of one vector");
  }
  CooMatrix<S> matrix = parse_or_out_of_memory<S>(path, parsed, file.view());
  if (header.format == MatrixMarketFormat::array && header.symmetry == MatrixMarketSymmetry::general) {
    return std::move(matrix.values);
  }
  std::vector<S> result(header.rows);
  for (std::size_t k = 0; k < matrix.values.size(); ++k) result[matrix.rows[k]] += matrix.values[k];
  return result;
}

template CooMatrix<float> read_matrix_market<float>(const std::string&);
template CooMatrix<double> read_matrix_market<double>(const std::string&);
template CooMatrix<Kokkos::complex<float>> read_matrix_market<Kokkos::complex<float>>(const std::string&);
template CooMatrix<Kokkos::complex<double>> read_matrix_market<Kokkos::complex<double>>(const std::string&);
template std::vector<float> read_matrix_market_vector<float>(const std::string&);
template std::vector<double> read_matrix_market_vector<double>(const std::string&);
template std::vector<Kokkos::complex<float>> read_matrix_market_vector<Kokkos::complex<float>>(const std::string&);
template std::vector<Kokkos::complex<double>> read_matrix_market_vector<Kokkos::complex<double>>(const std::string&);

}  // namespace ashlar::io
