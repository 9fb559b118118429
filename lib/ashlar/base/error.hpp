#pragma once

#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace ashlar {

/// The base of all exceptions of Ashlar: a message of the form "problem (why); suggestion", and its three parts.
class Error : public std::runtime_error {
 public:
  Error(std::string problem, std::string why, std::string suggestion)
      : std::runtime_error(problem + " (" + why + "); " + suggestion),
        problem_(std::move(problem)),
        why_(std::move(why)),
        suggestion_(std::move(suggestion)) {}

  const std::string& problem() const { return problem_; }
  const std::string& why() const { return why_; }
  const std::string& suggestion() const { return suggestion_; }

 private:
  std::string problem_, why_, suggestion_;
};

/// Extents of matrices and vectors that do not fit together.
class ShapeError : public Error {
  using Error::Error;
};

/// A structure that is no BCSR matrix: row pointers that decrease, columns out of range or out of order.
class StructureError : public Error {
  using Error::Error;
};

/// A block size that the chosen kernel, or the matrix, cannot take.
class BlockSizeError : public Error {
 public:
  BlockSizeError(int block_size, std::string problem, std::string why, std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), block_size_(block_size) {}
  int block_size() const { return block_size_; }

 private:
  int block_size_;
};

/// Numbers with which the computation asked for has no meaning: a singular diagonal block, a matrix that is not
/// symmetric where symmetry is needed.
class NumericalError : public Error {
 public:
  NumericalError(std::string problem, std::string why, std::string suggestion)
      : NumericalError(-1, std::move(problem), std::move(why), std::move(suggestion)) {}
  NumericalError(std::int64_t row, std::string problem, std::string why, std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), row_(row) {}
  /// The row, or block row, to blame, from 0; -1 where none is.
  std::int64_t row() const { return row_; }

 private:
  std::int64_t row_;
};

/// A block row without a diagonal block, where one is needed.
class MissingDiagonalError : public NumericalError {
  using NumericalError::NumericalError;
};

/// A block that has an inverse, but is not positive definite.
class IndefiniteError : public NumericalError {
  using NumericalError::NumericalError;
};

/// An option or an argument outside its allowed range.
class ArgumentError : public Error {
  using Error::Error;
};

/// More memory asked for than there is. Both in bytes.
class MemoryError : public Error {
 public:
  MemoryError(std::uint64_t needed, std::uint64_t available, std::string problem, std::string why,
              std::string suggestion)
      : Error(std::move(problem), std::move(why), std::move(suggestion)), needed_(needed), available_(available) {}
  std::uint64_t needed() const { return needed_; }
  std::uint64_t available() const { return available_; }

 private:
  std::uint64_t needed_, available_;
};

/// A file that cannot be opened, read or written, or whose content is not what its format says.
class FileError : public Error {
 public:
  /// `line` counts from 1; 0 where no line is to blame.
  FileError(std::string file, std::int64_t line, const std::string& problem, std::string why, std::string suggestion)
      : Error(file + (line > 0 ? ":" + std::to_string(line) : "") + ": " + problem, std::move(why),
              std::move(suggestion)),
        file_(std::move(file)),
        line_(line) {}
  const std::string& file() const { return file_; }
  std::int64_t line() const { return line_; }

 private:
  std::string file_;
  std::int64_t line_;
};

}  // namespace ashlar
