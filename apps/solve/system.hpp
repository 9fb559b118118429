#pragma once

#include <ashlar/problems/cantilever.hpp>
#include <cstdint>
#include <optional>
#include <string>

#include "solve/options.hpp"
#include "types.hpp"

namespace ashlar::app {

/// A x = b, where it came from, and what is known of x.
struct LinearSystem {
  std::string description;             ///< "cantilever of 33 x 33 x 33 nodes"
  Matrix matrix;                       ///< on the device; none where it is streamed
  std::optional<HostMatrix> streamed;  ///< in the host's memory, to be sent to the device
  Vector rhs;
  double block_fill = 1;          ///< values stored over entries of the matrix
  bool ones_is_solution = false;  ///< b is A*1
  std::optional<problems::Cantilever> cantilever;
  std::uint64_t device_limit = 0;  ///< bytes of the device that the solve may take, from before there was anything

  /// work(exec, matrix) with the matrix that there is, and an instance that reaches it.
  template <class Work>
  auto visit(const Execution& exec, const Work& work) const {
    return streamed ? work(HostExecution(), *streamed) : work(exec, matrix);
  }

  std::int64_t num_block_rows() const { return streamed ? streamed->num_block_rows() : matrix.num_block_rows(); }
  std::int64_t num_blocks() const { return streamed ? streamed->num_blocks() : matrix.num_blocks(); }
  int block_size() const { return streamed ? streamed->block_size() : matrix.block_size(); }
  std::int64_t num_rows() const { return num_block_rows() * block_size(); }
};

/// Generates the problem or reads the files that `options` name, after seeing that memory suffices.
///
/// Throws   MemoryError, FileError with file, line and value; what the generators throw.
LinearSystem load_system(const Execution& exec, const SolveOptions& options);

}  // namespace ashlar::app
