#pragma once

#include <ashlar/distributed/operator.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdint>
#include <memory>
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
  std::shared_ptr<Streamed> in_file;   ///< in a block file, which products read
  Vector rhs;
  double block_fill = 1;          ///< values stored over entries of the matrix
  bool ones_is_solution = false;  ///< b is A*1
  std::optional<problems::Cantilever> cantilever;
  /// Where several ranks solve: all of the matrix, of which this rank has its rows; `rhs` has its entries.
  std::shared_ptr<const DistributedOperator<Matrix>> over_ranks;
  std::int64_t total_block_rows = 0, total_blocks = 0;  ///< of all ranks
  std::uint64_t device_limit = 0;  ///< bytes of the device that the solve may take, from before there was anything

  /// Of this rank's.
  bool is_streamed() const {
    return streamed.has_value() || in_file != nullptr || (over_ranks && over_ranks->streamed() != nullptr);
  }

  /// work(exec, matrix) with the matrix that is in memory, and an instance that reaches it.
  template <class Work>
  auto visit(const Execution& exec, const Work& work) const {
    return streamed ? work(HostExecution(), *streamed) : work(exec, matrix);
  }

  // Of the whole system, whoever has it.
  std::int64_t num_block_rows() const {
    if (over_ranks) return total_block_rows;
    return shape([](const auto& a) { return a.num_block_rows(); });
  }
  std::int64_t num_blocks() const {
    if (over_ranks) return total_blocks;
    return shape([](const auto& a) { return a.num_blocks(); });
  }
  int block_size() const {
    if (over_ranks) return over_ranks->block_size();
    return static_cast<int>(shape([](const auto& a) { return a.block_size(); }));
  }
  std::int64_t num_rows() const { return num_block_rows() * block_size(); }
  /// Of this rank's.
  std::int64_t first_row() const {
    return over_ranks ? over_ranks->partition().begin(over_ranks->communicator().rank()) * block_size() : 0;
  }

 private:
  template <class Get>
  std::int64_t shape(const Get& get) const {
    if (in_file) return get(in_file->matrix());
    return streamed ? get(*streamed) : get(matrix);
  }
};

/// Generates the problem or reads the files that `options` name, after seeing that memory suffices.
///
/// Throws   MemoryError, FileError with file, line and value; what the generators throw.
LinearSystem make_system(const Execution& exec, const SolveOptions& options);

}  // namespace ashlar::app
