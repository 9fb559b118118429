// A rank that solves holds its part of the matrix, its halo and its vectors, and little else.
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/problems/grid27.hpp>
#include <atomic>
#include <cstdint>

#include "distributed/rank_parts.hpp"
#include "support/held_bytes.hpp"

namespace ashlar::testing {
namespace {

TEST(DistributedMemory, OfASolveIsThePartTheHaloAndTheVectors) {
  using Matrix = BcsrMatrix<double>;
  constexpr int side = 20, b = 3, ranks = 4;
  const std::int64_t nodes = side * side * side;
  const RowPartition partition = RowPartition::even(nodes, ranks);
  std::atomic<std::int64_t> needed{0};
  const HeldBytes counting;
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
    if (comm.rank() == 0) counting.forget_most();  // of making the operator nothing is counted
    comm.barrier();
    cg(exec, a, IdentityPreconditioner(), right_hand_side, x, {.max_iterations = 20});
    const std::int64_t vectors = 5;  // b, x, r, p and A p
    needed += blocks * (b * b * 8 + 4) + 4 * num_rows + 8 * b * (a.halo_plan().num_entries() + vectors * num_rows);
    comm.barrier();
  });
  EXPECT_GT(counting.most(), needed);
  EXPECT_LT(double(counting.most()), 1.1 * double(needed)) << "needed " << needed;
}

}  // namespace
}  // namespace ashlar::testing
