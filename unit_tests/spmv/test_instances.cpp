// One plan that serves several execution-space instances at once.
#include <gmock/gmock.h>

#include <array>
#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>
#include <support/instances.hpp>
#include <thread>

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Case = ProductCase<Matrix>;
using Vector = Kokkos::View<double*, Matrix::memory_space>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutRight, Matrix::memory_space>;

/// 60 rows of up to 3 blocks, and two of them as long as the matrix is wide.
Case with_long_rows() {
  return Case(reference::random_bcsr<Matrix>(
      60, 9000, 3, [](std::int64_t row) { return row == 17 || row == 41 ? 9000 : row % 4; }, 4));
}

/// What each of two instances multiplies: other vectors than the other.
struct Work {
  Kokkos::DefaultExecutionSpace exec;
  Vector x, y, expected;
  Vectors several_x, several_y, several_expected;

  Work(const Kokkos::DefaultExecutionSpace& instance, const Case& c, const SpmvPlan<Matrix>& plan, unsigned seed)
      : exec(instance),
        x(to_device<Matrix::memory_space>(random_vector<double>(c.host.num_cols(), seed))),
        y("test::y", c.host.num_rows()),
        expected("test::expected", c.host.num_rows()),
        several_x(random_block<Vectors>(c.host.num_cols(), 3, seed)),
        several_y("test::several_y", c.host.num_rows(), 3),
        several_expected("test::several_expected", c.host.num_rows(), 3) {
    // Alone, on the instance of the plan.
    spmv(c.exec, plan, 1, c.device, x, 0, expected);
    spmv(c.exec, plan, 1, c.device, several_x, 0, several_expected);
    c.exec.fence();
  }

  void multiply(const Case& c, const SpmvPlan<Matrix>& plan) const {
    spmv(exec, plan, 1, c.device, x, 0, y);
    spmv(exec, plan, 1, c.device, several_x, 0, several_y);
  }

  /// Whether both are what they were, and are forgotten.
  bool is_right() const {
    exec.fence();
    const auto same = [&](const auto& found, const auto& wanted) {
      const auto a = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), found);
      const auto b = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), wanted);
      const bool result = std::equal(a.data(), a.data() + a.size(), b.data());
      Kokkos::deep_copy(exec, found, -1.0);
      exec.fence();
      return result;
    };
    const bool one = same(y, expected), several = same(several_y, several_expected);
    return one && several;
  }
};

class SpmvInstances : public ::testing::TestWithParam<Kernel> {
 public:
  const Case c = with_long_rows();
  const SpmvPlan<Matrix> plan{c.exec, c.device, {.kernel = GetParam(), .num_vectors = 3}};
  const std::array<Kokkos::DefaultExecutionSpace, 2> instances = two_instances();
  const Work one{instances[0], c, plan, 1}, other{instances[1], c, plan, 2};

  void SetUp() override {
    if (!plan.has_segments()) GTEST_SKIP() << plan.explain();
  }
};

TEST_P(SpmvInstances, TakeTurns) {
  const auto& partial = plan.long_rows().partial;
  EXPECT_EQ(partial.num_pieces(), 1u) << "that of the plan's instance";
  for (int round = 0; round < 5; ++round) {
    one.multiply(c, plan);
    other.multiply(c, plan);
    EXPECT_TRUE(one.is_right() && other.is_right()) << round << ", " << plan.explain();
  }
  EXPECT_NE(partial.of(one.exec), partial.of(other.exec));
  EXPECT_EQ(partial.num_pieces(), 3u);
}

/// A thread each: partial results that both wrote to would be those of the other's vectors.
TEST_P(SpmvInstances, MultiplyAtTheSameTime) {
#ifdef KOKKOS_ENABLE_ATOMICS_BYPASS
  GTEST_SKIP() << "this Kokkos has no threads, and does not count copies of views atomically";
#endif
  bool all_right[2] = {true, true};
  const auto multiply_often = [&](const Work& work, bool& right) {
    for (int round = 0; round < 100; ++round) {
      work.multiply(c, plan);
      right = work.is_right() && right;
    }
  };
  std::thread thread([&] { multiply_often(one, all_right[0]); });
  multiply_often(other, all_right[1]);
  thread.join();
  EXPECT_TRUE(all_right[0] && all_right[1]) << plan.explain();
}

INSTANTIATE_TEST_SUITE_P(Kernels, SpmvInstances,
                         ::testing::Values(Kernel::automatic, Kernel::by_block, Kernel::by_column,
                                           Kernel::row_per_thread),
                         [](const auto& info) { return std::string(to_string(info.param)); });

}  // namespace
}  // namespace ashlar::testing
