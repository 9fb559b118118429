// A rank that solves holds its part of the matrix, its halo and its vectors, and little else.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/problems/grid27.hpp>
#include <atomic>
#include <cstdint>

#include "distributed/rank_parts.hpp"

namespace ashlar::testing {
namespace {

std::atomic<std::int64_t> held{0}, most_held{0};

/// Counts what views of all threads take, from its construction to its destruction.
class HeldBytesOfAll {
 public:
  HeldBytesOfAll() : before_(Kokkos::Tools::Experimental::get_callbacks()) {
    held = most_held = 0;
    Kokkos::Tools::Experimental::set_allocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t bytes) {
          const std::int64_t now = held += std::int64_t(bytes);
          std::int64_t most = most_held;
          while (most < now && !most_held.compare_exchange_weak(most, now)) {
          }
        });
    Kokkos::Tools::Experimental::set_deallocate_data_callback(
        [](Kokkos::Tools::SpaceHandle, const char*, const void*, std::uint64_t bytes) { held -= std::int64_t(bytes); });
  }
  HeldBytesOfAll(const HeldBytesOfAll&) = delete;
  HeldBytesOfAll& operator=(const HeldBytesOfAll&) = delete;
  ~HeldBytesOfAll() { Kokkos::Tools::Experimental::set_callbacks(before_); }

 private:
  Kokkos::Tools::Experimental::EventSet before_;
};

TEST(DistributedMemory, OfASolveIsThePartTheHaloAndTheVectors) {
  using Matrix = BcsrMatrix<double>;
  constexpr int side = 20, b = 3, ranks = 4;
  const std::int64_t nodes = side * side * side;
  const RowPartition partition = RowPartition::even(nodes, ranks);
  std::atomic<std::int64_t> needed{0};
  const HeldBytesOfAll counting;
  run_ranks(ranks, [&](Communicator& comm) {
    const Exec exec = instance_of_rank();
    const problems::RowRange own{partition.begin(comm.rank()), partition.end(comm.rank())};
    std::int64_t blocks = 0;
    const DistributedOperator<Matrix> a = [&] {
      const auto rows = problems::grid27<Matrix>(exec, side, side, side, b, own);
      blocks = rows.num_blocks();
      return DistributedOperator<Matrix>(exec, comm, partition, rows);
    }();
    const std::int64_t num_rows = own.end - own.begin;
    const Kokkos::View<double*, Space> right_hand_side("b", std::size_t(num_rows * b)),
        x("x", std::size_t(num_rows * b));
    Kokkos::deep_copy(exec, right_hand_side, 1.0);
    exec.fence();
    comm.barrier();
    if (comm.rank() == 0) most_held = held.load();  // of making the operator nothing is counted
    comm.barrier();
    cg(exec, a, IdentityPreconditioner(), right_hand_side, x, {.max_iterations = 20});
    const std::int64_t vectors = 5;  // b, x, r, p and A p
    needed += blocks * (b * b * 8 + 4) + 4 * num_rows + 8 * b * (a.halo_plan().num_entries() + vectors * num_rows);
    comm.barrier();
  });
  EXPECT_GT(most_held, needed);
  EXPECT_LT(double(most_held), 1.1 * double(needed)) << "needed " << needed;
}

}  // namespace
}  // namespace ashlar::testing
