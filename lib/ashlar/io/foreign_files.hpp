#pragma once

#include <ashlar/bcsr/csr.hpp>
#include <cstdint>
#include <string>
#include <vector>

/// Real matrices in files of other programs: Harwell-Boeing and Rutherford-Boeing (text), PETSc (binary). Files that
/// gzip has compressed are read as well (reads_compressed_files()).
///
/// Harwell-Boeing and Rutherford-Boeing: assembled real matrices, the types RUA, RRA, RSA and RZA. A symmetric or
/// skew-symmetric file holds the lower triangle. Values have a decimal point and are fields of their Fortran format,
/// I, E, D, F or G. Right-hand sides are left out.
///
/// PETSc: what MatView() and VecView() write to a binary viewer for MatAIJ and Vec, with integers of 32 bits and values
/// of double precision. A vector behind the matrix is left out.
///
/// Source   Duff, Grimes, Lewis: Users' Guide for the Harwell-Boeing Sparse Matrix Collection, 1992; The
///          Rutherford-Boeing Sparse Matrix Collection, 1997. PETSc: manual pages of MatLoad() and VecLoad().
namespace ashlar::io {

/// The sizes that a file tells at its beginning.
struct ForeignHeader {
  std::int64_t rows = 0, columns = 0;
  std::int64_t entries = 0;  ///< in the file
  bool is_half = false;      ///< the file holds one triangle
};

struct ForeignMatrix {
  CooMatrix<double> matrix;  ///< both triangles; mirrored entries follow the entries of the file
  std::string left_out;      ///< what else the file holds: "right-hand sides"; empty: nothing
};

/// Reads the header alone.
///
/// Throws   FileError with the file, the line and the text that is at fault.
ForeignHeader read_harwell_boeing_header(const std::string& path);

/// Reads the matrix.
///
/// Memory   the text of the file and the result, at the same time.
/// Throws   FileError, also if a value is not finite.
ForeignMatrix read_harwell_boeing(const std::string& path);

/// The same for a file of PETSc.
ForeignHeader read_petsc_header(const std::string& path);
ForeignMatrix read_petsc_matrix(const std::string& path);

/// The number of entries of a vector, and the vector.
///
/// Throws   FileError.
std::int64_t read_petsc_vector_length(const std::string& path);
std::vector<double> read_petsc_vector(const std::string& path);

}  // namespace ashlar::io
