#include <algorithm>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <cstdint>
#include <support/compare.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
using Kind = Happening::Kind;

struct Identity : IdentityPreconditioner {
  Identity(const Exec&, const Matrix&) {}
};

template <class Preconditioner>
class BlockCgConduct : public ::testing::Test {
 protected:
  static constexpr int num_columns = 3;

  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const BcsrOperator<Matrix> a{exec, matrix, {.num_vectors = num_columns}};
  const Preconditioner m{exec, matrix};
  const Block b = random_block<Block>(matrix.num_rows(), num_columns, 3);
  const Block x{"test::x", b.extent(0), b.extent(1)};

  /// What a solve of exactly this many steps does.
  std::vector<Happening> seen_in(int steps) {
    Kokkos::deep_copy(x, 0.0);
    const Watcher watcher;
    const BlockSolveReport report = block_cg(exec, a, m, b, x, {.rtol = 0, .max_iterations = steps});
    EXPECT_EQ(report.iterations, steps);
    EXPECT_EQ(report.num_directions.back(), num_columns);
    return watcher.seen();
  }

  std::size_t waits_in(int steps) { return labels(seen_in(steps), Kind::fence).size(); }

  /// The last column becomes nearly the first.
  void weaken() {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), b);
    for (std::size_t i = 0; i < host.extent(0); ++i) {
      host(i, num_columns - 1) = host(i, 0) + 1e-4 * host(i, num_columns - 1);
    }
    Kokkos::deep_copy(b, host);
  }
};

using Preconditioners = ::testing::Types<Identity, JacobiPreconditioner<Matrix>, BlockJacobiPreconditioner<Matrix>>;
TYPED_TEST_SUITE(BlockCgConduct, Preconditioners);

TYPED_TEST(BlockCgConduct, Solve) {
  expect_kept(this->exec, Promise::waits, [&] {
    EXPECT_EQ(block_cg(this->exec, this->a, this->m, this->b, this->x).status, SolveStatus::converged);
  });
}

TYPED_TEST(BlockCgConduct, StepsAllocateNothingAndWaitTwice) {
  this->seen_in(2);  // scratch memory of the instance
  const auto few = this->seen_in(2), many = this->seen_in(10);
  EXPECT_EQ(labels(few, Kind::allocation), labels(many, Kind::allocation));
  EXPECT_EQ(labels(few, Kind::region), labels(many, Kind::region));
  EXPECT_EQ(labels(many, Kind::fence).size(), labels(few, Kind::fence).size() + 8 * 2);
  EXPECT_GE(labels(many, Kind::kernel).size(), labels(few, Kind::kernel).size() + 8 * 8);
}

TYPED_TEST(BlockCgConduct, AWeakDirectionCostsOneWait) {
  const std::size_t without = this->waits_in(1);
  this->weaken();
  EXPECT_EQ(this->waits_in(1), without + 1);
}

TYPED_TEST(BlockCgConduct, AllocatesWhatBlockCgBytesSays) {
  std::uint64_t found = 0;
  for (const Happening& happening : this->seen_in(2)) {
    const bool is_on_device = impl::is_ours(happening.label) && !happening.label.ends_with("::pinned");
    if (happening.kind == Kind::allocation && is_on_device) found += happening.bytes;
  }
  EXPECT_EQ(found, block_cg_bytes(this->matrix.num_rows(), this->num_columns, sizeof(double), !this->m.is_identity()));
}

}  // namespace
}  // namespace ashlar::testing
