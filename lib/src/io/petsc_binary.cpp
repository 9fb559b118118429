#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/host/text_file.hpp>
#include <ashlar/io/foreign_files.hpp>
#include <bit>
#include <cstddef>
#include <limits>
#include <string_view>

namespace ashlar::io {

namespace {

constexpr std::int32_t matrix_mark = 1211216, vector_mark = 1211214;
constexpr std::size_t bytes_of_matrix_header = 16, bytes_of_vector_header = 8;

std::uint64_t big_endian(std::string_view bytes, std::size_t place, int count) {
  std::uint64_t value = 0;
  for (int k = 0; k < count; ++k) value = value << 8 | static_cast<unsigned char>(bytes[place + std::size_t(k)]);
  return value;
}

std::int32_t integer_at(std::string_view bytes, std::size_t place) {
  return static_cast<std::int32_t>(static_cast<std::uint32_t>(big_endian(bytes, place, 4)));
}

double value_at(std::string_view bytes, std::size_t place) {
  return std::bit_cast<double>(big_endian(bytes, place, 8));
}

std::int32_t swapped(std::int32_t value) {
  const auto bits = static_cast<std::uint32_t>(value);
  return static_cast<std::int32_t>(bits >> 24 | (bits >> 8 & 0xff00U) | (bits << 8 & 0xff0000U) | bits << 24);
}

[[noreturn]] void refuse(const std::string& path, const std::string& problem, const std::string& why,
                         const std::string& suggestion) {
  throw FileError(path, 0, problem, why, suggestion);
}

/// Throws unless the file begins with this mark and has a whole header.
void require_kind(const std::string& path, std::string_view bytes, std::int32_t mark, std::size_t bytes_of_header) {
  const bool wants_matrix = mark == matrix_mark;
  const std::string wanted = wants_matrix ? "a matrix of PETSc" : "a vector of PETSc";
  if (bytes.size() < bytes_of_header) {
    refuse(path, text("a file of ", bytes.size(), " bytes"), text(wanted, " has a header of ", bytes_of_header),
           "is the file incomplete?");
  }
  const std::int32_t found = integer_at(bytes, 0);
  if (found == mark) return;
  if (found == 0 && integer_at(bytes, 4) == mark) {
    refuse(path, "its integers have 64 bits", "this PETSc was configured with 64-bit indices, and 32 bits are read",
           "write it with another PETSc, or as a Matrix Market file");
  }
  if (swapped(found) == mark) {
    refuse(path, "its bytes are in the order of this machine", "binary files of PETSc are big-endian",
           "write it with PETSc's binary viewer");
  }
  if (found == matrix_mark || found == vector_mark) {
    refuse(path, wants_matrix ? "it holds a vector" : "it holds a matrix", wanted + " is to be read",
           "name another file");
  }
  refuse(path, "it is no binary file of PETSc", text(wanted, " begins with the number ", mark),
         "is it a file of another format?");
}

ForeignHeader matrix_header(const std::string& path, std::string_view bytes) {
  require_kind(path, bytes, matrix_mark, bytes_of_matrix_header);
  const ForeignHeader header{integer_at(bytes, 4), integer_at(bytes, 8), integer_at(bytes, 12)};
  if (header.entries == -1) {
    refuse(path, "a dense matrix", "sparse ones are read", "convert it to MatAIJ before it is written");
  }
  if (header.rows < 0 || header.columns < 0 || header.entries < 0) {
    refuse(path,
           text("a matrix of ", header.rows, " rows, ", header.columns, " columns and ", header.entries, " entries"),
           "none of them is negative", "is the file damaged?");
  }
  return header;
}

/// Returns a name for the bytes behind the matrix: nothing, or a vector. Throws if the file is too short, or holds
/// something else.
std::string behind(const std::string& path, std::string_view bytes, const ForeignHeader& header) {
  const auto rows = static_cast<std::size_t>(header.rows), entries = static_cast<std::size_t>(header.entries);
  const std::size_t size = bytes_of_matrix_header + 4 * rows + 12 * entries;
  const std::string what = text("a matrix of ", rows, " rows and ", entries, " entries");
  if (bytes.size() < size) {
    refuse(path, text("the file has ", bytes.size(), " bytes"), text(what, " takes ", size), "is the file incomplete?");
  }
  if (bytes.size() == size) return "";
  const std::string_view rest = bytes.substr(size);
  const bool is_vector = rest.size() >= bytes_of_vector_header && integer_at(rest, 0) == vector_mark &&
                         integer_at(rest, 4) >= 0 &&
                         rest.size() == bytes_of_vector_header + 8 * static_cast<std::size_t>(integer_at(rest, 4));
  if (is_vector) return "vector behind it";
  if (rest.size() == 8 * entries) {
    refuse(path, text("the file has ", bytes.size(), " bytes, not ", size),
           "its values are complex, and real ones are read", "write it with a PETSc of real numbers");
  }
  refuse(path, text(rest.size(), " bytes behind the matrix"), text(what, " takes ", size, " bytes"),
         "is the file damaged?");
}

double finite_value(const std::string& path, std::string_view bytes, std::size_t place, std::int64_t k) {
  const double value = value_at(bytes, place);
  if (!is_finite(value)) {
    refuse(path, text("value ", k + 1, " is ", value), "every value must be finite", "find out where it comes from");
  }
  return value;
}

std::int64_t vector_length(const std::string& path, std::string_view bytes) {
  require_kind(path, bytes, vector_mark, bytes_of_vector_header);
  const std::int32_t length = integer_at(bytes, 4);
  if (length < 0) refuse(path, text("a vector of ", length, " entries"), "it is negative", "is the file damaged?");
  return length;
}

}  // namespace

ForeignHeader read_petsc_header(const std::string& path) {
  const FileText file(path, bytes_of_matrix_header);
  return matrix_header(path, file.view());
}

ForeignMatrix read_petsc_matrix(const std::string& path) {
  const FileText file(path, std::numeric_limits<std::size_t>::max(),
                      [&](std::string_view beginning) { matrix_header(path, beginning); });
  const std::string_view bytes = file.view();
  const ForeignHeader header = matrix_header(path, bytes);
  ForeignMatrix result{{header.rows, header.columns, {}, {}, {}}, behind(path, bytes, header)};
  CooMatrix<double>& matrix = result.matrix;
  const auto entries = static_cast<std::size_t>(header.entries);
  matrix.rows.reserve(entries);
  for (std::int64_t row = 0; row < header.rows; ++row) {
    const std::int32_t length = integer_at(bytes, bytes_of_matrix_header + 4 * static_cast<std::size_t>(row));
    if (length < 0 || std::size_t(length) > entries - matrix.rows.size()) {
      refuse(path, text("row ", row + 1, " has ", length, " entries"), text("the matrix has ", entries),
             "is the file damaged?");
    }
    matrix.rows.insert(matrix.rows.end(), std::size_t(length), static_cast<std::int32_t>(row));
  }
  if (matrix.rows.size() != entries) {
    refuse(path, text("its rows have ", matrix.rows.size(), " entries"), text("the matrix has ", entries),
           "is the file damaged?");
  }
  const std::size_t columns_begin = bytes_of_matrix_header + 4 * static_cast<std::size_t>(header.rows);
  matrix.cols.resize(entries);
  matrix.values.resize(entries);
  for (std::size_t k = 0; k < entries; ++k) {
    const std::int32_t column = integer_at(bytes, columns_begin + 4 * k);
    if (column < 0 || column >= header.columns) {
      refuse(path, text("entry ", k + 1, " is in column ", column), text("the matrix has ", header.columns, ", from 0"),
             "is the file damaged?");
    }
    matrix.cols[k] = column;
    matrix.values[k] = finite_value(path, bytes, columns_begin + 4 * entries + 8 * k, std::int64_t(k));
  }
  return result;
}

std::int64_t read_petsc_vector_length(const std::string& path) {
  const FileText file(path, bytes_of_vector_header);
  return vector_length(path, file.view());
}

std::vector<double> read_petsc_vector(const std::string& path) {
  const FileText file(path, std::numeric_limits<std::size_t>::max(),
                      [&](std::string_view beginning) { vector_length(path, beginning); });
  const std::string_view bytes = file.view();
  const std::int64_t length = vector_length(path, bytes);
  const std::size_t size = bytes_of_vector_header + 8 * static_cast<std::size_t>(length);
  if (bytes.size() != size) {
    refuse(path, text("the file has ", bytes.size(), " bytes"), text("a vector of ", length, " entries takes ", size),
           "is it incomplete, or does it hold more than one vector?");
  }
  std::vector<double> values(static_cast<std::size_t>(length));
  for (std::size_t k = 0; k < values.size(); ++k) {
    values[k] = finite_value(path, bytes, bytes_of_vector_header + 8 * k, std::int64_t(k));
  }
  return values;
}

}  // namespace ashlar::io
