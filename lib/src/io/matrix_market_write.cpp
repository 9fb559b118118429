#include <algorithm>
#include <array>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <charconv>
#include <string>
#include <string_view>
#include <utility>

#include "matrix_market_format.hpp"

namespace ashlar::io {

/// Text in memory, written to as a FileWriter is.
class TextWriter {
 public:
  void write(std::string_view characters) { text_.append(characters); }
  void write(const char* characters, std::size_t size) { text_.append(characters, size); }
  std::string take() { return std::move(text_); }

 private:
  std::string text_;
};

/// Lines put together from numbers, each with as many digits as it takes to read back the same bits.
template <class Sink>
class LineWriter {
 public:
  explicit LineWriter(Sink& sink) : sink_(sink) {}

  template <class Number>
  void write_number(Number number, char after) {
    std::array<char, 48> digits;
    char* end = std::to_chars(digits.data(), digits.data() + digits.size() - 1, number).ptr;
    *end++ = after;
    sink_.write(digits.data(), static_cast<std::size_t>(end - digits.data()));
  }

  template <scalar S>
  void write_value(const S& value) {
    if constexpr (is_complex_v<S>) {
      write_number(value.real(), ' ');
      write_number(value.imag(), '\n');
    } else {
      write_number(value, '\n');
    }
  }

  template <scalar S>
  void write_entry(std::int64_t row, std::int64_t column, const S& value) {
    write_number(row + 1, ' ');
    write_number(column + 1, ' ');
    write_value(value);
  }

 private:
  Sink& sink_;
};

namespace {

template <class Matrix>
using scalar_of = typename decltype(Matrix::values)::value_type;

template <scalar S, class Entry>
void for_each_entry(const CooMatrix<S>& matrix, const Entry& entry) {
  for (std::size_t k = 0; k < matrix.values.size(); ++k) entry(matrix.rows[k], matrix.cols[k], matrix.values[k]);
}

template <scalar S, class Entry>
void for_each_entry(const CsrMatrix<S>& matrix, const Entry& entry) {
  for (std::int64_t i = 0; i < matrix.num_rows; ++i) {
    for (std::int64_t k = matrix.row_ptr[i]; k < matrix.row_ptr[i + 1]; ++k) {
      entry(i, std::int64_t(matrix.col_idx[k]), matrix.values[k]);
    }
  }
}

template <scalar S>
void require_arrays_fit(const CooMatrix<S>& matrix) {
  if (matrix.rows.size() == matrix.values.size() && matrix.cols.size() == matrix.values.size()) return;
  throw ShapeError(text("write_matrix_market: ", matrix.rows.size(), " rows, ", matrix.cols.size(), " columns and ",
                        matrix.values.size(), " values"),
                   "an entry of a CooMatrix has one of each", "make the three vectors of one length");
}

template <scalar S>
void require_arrays_fit(const CsrMatrix<S>& matrix) {
  const auto fail = [](const std::string& problem, const std::string& why) {
    throw ShapeError("write_matrix_market: " + problem, why, "build the CsrMatrix with csr_from_coo()");
  };
  if (static_cast<std::int64_t>(matrix.row_ptr.size()) != matrix.num_rows + 1) {
    fail(text(matrix.row_ptr.size(), " row pointers"), text("the matrix has ", matrix.num_rows, " rows"));
  }
  if (matrix.col_idx.size() != matrix.values.size() || matrix.row_ptr.front() != 0 ||
      matrix.row_ptr.back() != matrix.num_values() || !std::is_sorted(matrix.row_ptr.begin(), matrix.row_ptr.end())) {
    fail(text(matrix.col_idx.size(), " columns, ", matrix.values.size(), " values, row pointers from ",
              matrix.row_ptr.front(), " to ", matrix.row_ptr.back()),
         "row pointers must ascend from 0 to the number of columns and of values");
  }
}

template <class Matrix>
void require_good_entries(const Matrix& matrix) {
  for_each_entry(matrix, [&](std::int64_t i, std::int64_t j, const auto& value) {
    if (i < 0 || i >= matrix.num_rows || j < 0 || j >= matrix.num_cols) {
      throw StructureError(text("write_matrix_market: entry (", i, ", ", j, ")"),
                           text("the matrix is ", matrix.num_rows, " x ", matrix.num_cols, ", counted from 0"),
                           "correct the matrix");
    }
    if (!is_finite(value)) {
      throw NumericalError(text("write_matrix_market: entry (", i, ", ", j, ") is ", value),
                           "a Matrix Market file holds finite numbers", "find out where it comes from");
    }
  });
}

/// One entry off the diagonal, as the half below the diagonal has it.
template <scalar S>
struct HalfEntry {
  std::int64_t row, col;
  S value;
  bool is_before(const HalfEntry& other) const { return std::pair(row, col) < std::pair(other.row, other.col); }
};

template <scalar S>
S mirrored(MatrixMarketSymmetry symmetry, const S& value) {
  return symmetry == MatrixMarketSymmetry::symmetric   ? value
         : symmetry == MatrixMarketSymmetry::hermitian ? conj(value)
                                                       : -value;
}

template <class Matrix>
void require_symmetry(const Matrix& matrix, MatrixMarketSymmetry symmetry) {
  using S = scalar_of<Matrix>;
  const auto fail = [&](std::int64_t i, std::int64_t j, const std::string& what, const std::string& why) {
    throw NumericalError(
        text("write_matrix_market: no ", name(symmetry), " matrix: entry (", i, ", ", j, ") is ", what), why,
        "write it as general");
  };
  if (matrix.num_rows != matrix.num_cols) {
    throw ShapeError(text("write_matrix_market: a ", name(symmetry), " matrix of ", matrix.num_rows, " rows and ",
                          matrix.num_cols, " columns"),
                     "it must be square", "write it as general");
  }
  std::vector<HalfEntry<S>> below, above;
  for_each_entry(matrix, [&](std::int64_t i, std::int64_t j, const S& value) {
    if (i > j) below.push_back({i, j, value});
    if (i < j) above.push_back({j, i, mirrored(symmetry, value)});
    if (i == j && symmetry != MatrixMarketSymmetry::symmetric && value != mirrored(symmetry, value)) {
      fail(i, j, text(value),
           symmetry == MatrixMarketSymmetry::hermitian ? "the diagonal is real" : "the diagonal is zero");
    }
  });
  // Stable: entries that a CooMatrix repeats must be the same, one by one, for their sums to be the same.
  const auto is_before = [](const HalfEntry<S>& a, const HalfEntry<S>& b) { return a.is_before(b); };
  std::stable_sort(below.begin(), below.end(), is_before);
  std::stable_sort(above.begin(), above.end(), is_before);
  auto b = below.begin();
  auto a = above.begin();
  while (b != below.end() || a != above.end()) {
    const bool only_below = a == above.end() || (b != below.end() && b->is_before(*a));
    const bool only_above = b == below.end() || (a != above.end() && a->is_before(*b));
    const S in_below = only_above ? S(0) : b->value;
    const S in_above = only_below ? S(0) : a->value;
    if (in_below != in_above) {
      const auto& [row, col, value] = only_above ? *a : *b;
      fail(row, col, text(in_below), text("entry (", col, ", ", row, ") is ", mirrored(symmetry, in_above)));
    }
    if (!only_above) ++b;
    if (!only_below) ++a;
  }
}

template <scalar S>
MatrixMarketField field_of() {
  return is_complex_v<S> ? MatrixMarketField::complex : MatrixMarketField::real;
}

template <scalar S>
std::string matrix_head(MatrixMarketSymmetry symmetry, std::int64_t num_rows, std::int64_t num_cols,
                        std::int64_t count) {
  return text("%%MatrixMarket matrix ", name(MatrixMarketFormat::coordinate), " ", name(field_of<S>()), " ",
              name(symmetry), "\n", num_rows, " ", num_cols, " ", count, "\n");
}

template <class Matrix>
void write(const std::string& path, const Matrix& matrix, MatrixMarketSymmetry symmetry) {
  using S = scalar_of<Matrix>;
  using enum MatrixMarketSymmetry;
  require_arrays_fit(matrix);
  require_good_entries(matrix);
  if (symmetry == hermitian && !is_complex_v<S>) {
    throw ArgumentError(text("write_matrix_market: a hermitian matrix of ", scalar_name<S>()),
                        "the format has complex ones alone", "write it as symmetric");
  }
  if (symmetry != general) require_symmetry(matrix, symmetry);
  const auto is_written = [symmetry](std::int64_t i, std::int64_t j) {
    return symmetry == general || i > j || (i == j && symmetry != skew_symmetric);
  };
  std::int64_t count = 0;
  for_each_entry(matrix, [&](std::int64_t i, std::int64_t j, const S&) { count += is_written(i, j); });

  FileWriter file(path);
  file.write(matrix_head<S>(symmetry, matrix.num_rows, matrix.num_cols, count));
  LineWriter lines(file);
  for_each_entry(matrix, [&](std::int64_t i, std::int64_t j, const S& value) {
    if (is_written(i, j)) lines.write_entry(i, j, value);
  });
  file.close();
}

}  // namespace

template <scalar S>
void write_matrix_market(const std::string& path, const CooMatrix<S>& matrix, MatrixMarketSymmetry symmetry) {
  write(path, matrix, symmetry);
}

template <scalar S>
void write_matrix_market(const std::string& path, const CsrMatrix<S>& matrix, MatrixMarketSymmetry symmetry) {
  write(path, matrix, symmetry);
}

template <scalar S>
std::string matrix_market_head(std::int64_t num_rows, std::int64_t num_cols, std::int64_t num_entries) {
  return matrix_head<S>(MatrixMarketSymmetry::general, num_rows, num_cols, num_entries);
}

template <scalar S>
std::string matrix_market_lines(const CsrMatrix<S>& rows, std::int64_t first_row) {
  require_arrays_fit(rows);
  require_good_entries(rows);
  TextWriter written;
  LineWriter lines(written);
  for_each_entry(rows,
                 [&](std::int64_t i, std::int64_t j, const S& value) { lines.write_entry(first_row + i, j, value); });
  return written.take();
}

namespace {

template <scalar S>
void require_finite(std::span<const S> entries) {
  for (std::size_t i = 0; i < entries.size(); ++i) {
    if (is_finite(entries[i])) continue;
    throw NumericalError(text("write_matrix_market_vector: entry ", i, " is ", entries[i]),
                         "a Matrix Market file holds finite numbers", "find out where it comes from");
  }
}

/// Columns one after another.
template <scalar S>
void write_array(const std::string& path, std::int64_t num_rows, std::int64_t num_columns,
                 const std::vector<S>& entries) {
  require_finite<S>(entries);
  FileWriter file(path);
  file.write(matrix_market_array_head<S>(num_rows, num_columns));
  LineWriter lines(file);
  for (const S& value : entries) lines.write_value(value);
  file.close();
}

}  // namespace

template <scalar S>
std::string matrix_market_array_head(std::int64_t num_rows, std::int64_t num_columns) {
  return text("%%MatrixMarket matrix ", name(MatrixMarketFormat::array), " ", name(field_of<S>()), " ",
              name(MatrixMarketSymmetry::general), "\n", num_rows, " ", num_columns, "\n");
}

template <scalar S>
std::string matrix_market_array_lines(std::span<const S> entries) {
  require_finite(entries);
  TextWriter written;
  LineWriter lines(written);
  for (const S& value : entries) lines.write_value(value);
  return written.take();
}

template <scalar S>
void write_matrix_market_vector(const std::string& path, const std::vector<S>& vector) {
  write_array(path, static_cast<std::int64_t>(vector.size()), 1, vector);
}

template <scalar S>
void write_matrix_market_array(const std::string& path, std::int64_t num_rows, const std::vector<S>& entries) {
  const auto count = static_cast<std::int64_t>(entries.size());
  if (num_rows < 1 || count % num_rows != 0) {
    throw ShapeError(text("write_matrix_market_array: ", count, " entries"),
                     text("vectors of ", num_rows, " each are to be written"), "pass whole vectors");
  }
  write_array(path, num_rows, count / num_rows, entries);
}

// One line a scalar type.
#define ASHLAR_INSTANTIATE(S)                                                                          \
  template void write_matrix_market<S>(const std::string&, const CooMatrix<S>&, MatrixMarketSymmetry); \
  template void write_matrix_market<S>(const std::string&, const CsrMatrix<S>&, MatrixMarketSymmetry); \
  template void write_matrix_market_vector<S>(const std::string&, const std::vector<S>&);              \
  template void write_matrix_market_array<S>(const std::string&, std::int64_t, const std::vector<S>&); \
  template std::string matrix_market_array_head<S>(std::int64_t, std::int64_t);                        \
  template std::string matrix_market_array_lines<S>(std::span<const S>);                               \
  template std::string matrix_market_head<S>(std::int64_t, std::int64_t, std::int64_t);                \
  template std::string matrix_market_lines<S>(const CsrMatrix<S>&, std::int64_t);
ASHLAR_INSTANTIATE(float)
ASHLAR_INSTANTIATE(double)
ASHLAR_INSTANTIATE(Kokkos::complex<float>)
ASHLAR_INSTANTIATE(Kokkos::complex<double>)
#undef ASHLAR_INSTANTIATE

}  // namespace ashlar::io
