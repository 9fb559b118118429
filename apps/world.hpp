#pragma once

#include <ashlar/base/error.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/comm/transport.hpp>
#include <exception>
#include <memory>
#include <type_traits>

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
  /// Whether this rank tells what is to be told once.
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

}  // namespace ashlar::app
