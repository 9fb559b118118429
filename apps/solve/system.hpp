#pragma once

#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "solve/options.hpp"
#include "types.hpp"

namespace ashlar::app {

/// The figures of a system, whichever ranks hold it.
struct SystemAccount {
  std::string description;
  std::int64_t num_block_rows = 0, num_blocks = 0;
  int block_size = 1;
  double block_fill = 1;
  bool is_streamed = false, is_in_file = false;  ///< this rank's
  std::string exchange, why_exchange;            ///< between ranks; nothing where there is one
  std::int64_t padding = 0;                      ///< rows, of num_rows(), that were added

  std::int64_t num_rows() const { return num_block_rows * block_size; }
};

/// A x = b, its source, and the known parts of x.
template <class Exec>
struct LinearSystem {
  std::string description;                   ///< "cantilever of 33 x 33 x 33 nodes"
  Matrix<Exec> matrix;                       ///< on the device; none where it is streamed
  std::optional<HostMatrix<Exec>> streamed;  ///< in the host's memory, to be sent to the device
  std::shared_ptr<Streamed<Exec>> in_file;   ///< in a block file, which products read
  Vector<Exec> rhs;
  std::vector<Vector<Exec>> more_rhs;  ///< the other columns of a file of several right-hand sides
  Vector<Exec> initial_guess;          ///< where a solve begins; none: 0
  double block_fill = 1;               ///< values stored over entries of the matrix
  std::int64_t padding = 0;            ///< rows of an identity that --pad has added behind the others
  bool ones_is_solution = false;       ///< b is A*1
  std::optional<problems::Cantilever> cantilever;
  /// Where several ranks solve: all of the matrix, of which this rank has its rows; the vectors have its entries.
  std::shared_ptr<const DistributedOperator<Matrix<Exec>>> over_ranks;
  /// The same, for algebraic multigrid and --precision mixed, which are made of all of the matrix; else none.
  std::optional<DistributedMatrix<Matrix<Exec>>> matrix_over_ranks;
  std::int64_t total_block_rows = 0, total_blocks = 0;  ///< of all ranks
  std::uint64_t device_limit = 0;  ///< bytes of the device that the solve may take, from before there was anything

  /// Of this rank's.
  bool is_streamed() const {
    return streamed.has_value() || in_file != nullptr || (over_ranks && over_ranks->streamed() != nullptr);
  }

  /// work(exec, matrix) with the matrix that is in memory, and an instance that reaches it.
  template <class Work>
  auto visit(const Exec& exec, const Work& work) const {
    return streamed ? work(HostExecution(), *streamed) : work(exec, matrix);
  }

  // Figures of the whole system, whichever ranks hold it.
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
  SystemAccount account() const {
    SystemAccount account;
    account.description = description;
    account.num_block_rows = num_block_rows();
    account.num_blocks = num_blocks();
    account.block_size = block_size();
    account.block_fill = block_fill;
    account.is_streamed = is_streamed();
    account.is_in_file = in_file != nullptr;
    account.padding = padding;
    if (over_ranks) {
      account.exchange = std::string(to_string(over_ranks->exchange_mode()));
      account.why_exchange = over_ranks->why_exchange_mode();
    }
    return account;
  }
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
template <class Exec>
LinearSystem<Exec> make_system(const Exec& exec, const SolveOptions& options);

}  // namespace ashlar::app
