#pragma once

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <cstddef>
#include <exception>
#include <iostream>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar::app {

/// The ranks that this command runs on: those that mpirun or srun has started, or itself alone.
///
/// Throws   ArgumentError where it is one of several that were started together, and was built without MPI; CommError.
class World {
 public:
  World();
  ~World();
  World(const World&) = delete;
  World& operator=(const World&) = delete;

  const Communicator& comm() const { return *comm_; }
  bool is_alone() const { return comm_->is_alone(); }
  /// A group of the same ranks whose messages may go in the order of streams, by NCCL, where this command has been
  /// built with it and it works on all ranks; else it says why not. So many ranks compute on their hosts, beside others
  /// on devices. Collective, once Kokkos has started.
  Communicator with_streams(int ranks_on_host = 0) const;
  /// The ranks that say the same: as a world of their own, which must go before this one. Collective.
  World part(bool belongs) const;
  /// True if this rank prints messages that are printed once.
  bool speaks() const { return comm_->rank() == 0; }

  /// Calls work() on all ranks, and leaves it on all of them where it fails on some: on the lowest of those with its
  /// error, which is to be told, on the others with RankError, which is not. Collective; what work() does is not.
  template <class Work>
  auto on_all(const Work& work) const;

  /// Calls work(), which is collective, and whose numerical errors all ranks find alike: one of them tells.
  template <class Work>
  auto alike(const Work& work) const;

 private:
  struct Session;  // none where the command is alone, and of a part
  explicit World(Communicator comm);

  std::unique_ptr<Session> session_;
  std::unique_ptr<Communicator> comm_;
};

template <class Work>
auto World::alike(const Work& work) const {
  try {
    return work();
  } catch (const NumericalError&) {
    if (speaks()) throw;
    throw RankError(0, "the system cannot be solved", "rank 0 says why", "mend what it names");
  }
}

template <class Work>
auto World::on_all(const Work& work) const {
  if (is_alone()) return work();
  const auto leave = [&](bool is_mine) {
    // Negative, so that the largest is the lowest rank.
    const int first = -comm_->max(is_mine ? -comm_->rank() : -comm_->size());
    if (first != comm_->rank()) {
      throw RankError(first, "another rank failed", "it says why", "mend what it names");
    }
  };
  try {
    return comm_->together(work);
  } catch (const RankError&) {
    leave(false);
    throw;
  } catch (...) {
    leave(true);
    throw;
  }
}

/// Refuses ranks that were started with different arguments: their work would differ, and some would wait for others
/// without end. Collective.
///
/// Throws   ArgumentError that names the first argument that differs, on the lowest rank that has another one than rank
///          0; RankError on the others.
void require_same_arguments(const World& world, const std::vector<std::string>& arguments);

/// Bytes of an input file that stand for all of it, where it is a matrix or a right-hand side.
///
/// A block file is read by all ranks, and begins with a header of 4096 bytes, in which there is a checksum of its table
/// of checksums: files with the same header have the same content, or are found to be damaged where they are read. A
/// Matrix Market file is read by rank 0 alone. The others read its header, which lies there, too.
inline constexpr std::size_t beginning_of_matrix = 4096;

/// Refuses an input file that is not the same on all ranks, by its size and its first `most_bytes` bytes. What can be
/// read once only (a pipe) is left alone. Collective.
///
/// Throws   FileError that names the rank, on the lowest one that cannot read the file or has another one than rank 0;
///          RankError on the others.
void require_same_file(const World& world, const std::string& path,
                       std::size_t most_bytes = std::numeric_limits<std::size_t>::max());

/// A message of others, of which we show one line, without what a terminal would take for commands.
inline std::string one_line(std::string message) {
  while (!message.empty() && (message.back() == '\n' || message.back() == ' ')) message.pop_back();
  std::replace(message.begin(), message.end(), '\n', ' ');
  return printable(message);
}

/// An error message as one line of standard error: one write, which other ranks' lines do not mix with.
inline void tell_error(const std::string& message) {
  const std::string line = "ashlar: " + one_line(message) + "\n";
  std::cerr << line << std::flush;
}

/// Lets work go on past errors: what has been computed is written as far as it can be, and then every error is told.
class WriteErrors {
 public:
  /// RankError says that another rank keeps the error.
  template <class Work>
  void keep_from(const Work& work) {
    try {
      work();
    } catch (const RankError&) {
    } catch (...) {
      errors_.push_back(std::current_exception());
    }
  }

  /// Tells all errors of all ranks but one, which it throws where it was kept; on the others RankError. Collective.
  void rethrow(const World& world) const {
    const int rank = world.comm().rank(), ranks = world.comm().size();
    // Negative, so that the largest is the lowest rank.
    const int first = -world.comm().max(errors_.empty() ? -ranks : -rank);
    const std::size_t left = rank == first ? 1 : 0;
    for (std::size_t k = 0; k + left < errors_.size(); ++k) tell(errors_[k]);
    if (left > 0) std::rethrow_exception(errors_.back());
    if (first < ranks) throw RankError(first, "another rank failed", "it says why", "mend what it names");
  }

 private:
  static void tell(const std::exception_ptr& error) {
    try {
      std::rethrow_exception(error);
    } catch (const std::exception& known) {
      tell_error(known.what());
    } catch (...) {
      tell_error("an output could not be written, for an unknown reason");
    }
  }

  std::vector<std::exception_ptr> errors_;
};

}  // namespace ashlar::app
