#include <ashlar/spmv/spmv.hpp>
#include <string>
#include <tuple>
#include <vector>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

using Case = std::tuple<Kernel, Mode, int>;  // with the block size

class SpmvConduct : public ::testing::TestWithParam<Case> {
 protected:
  const Exec exec = other_instance();
  const Kernel kernel = std::get<0>(GetParam());
  const Mode mode = std::get<1>(GetParam());
  const int block_size = std::get<2>(GetParam());
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, block_size);
  const Vector x = test_vector("x", matrix.num_cols()), y = test_vector("y", matrix.num_rows());
};

TEST_P(SpmvConduct, PlanAndProduct) {
  const SpmvOptions options{.kernel = kernel, .mode = mode};
  const SpmvPlan<Matrix> plan(exec, matrix, options);
  if (mode == Mode::transpose) {
    expect_kept(exec, Promise::allocates, [&] { return SpmvPlan<Matrix>(exec, matrix, options); });
  }
  spmv(exec, plan, 1, matrix, x, 0, y);  // team kernels give the instance its scratch memory
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, y); });

  exec.fence();
  const Watcher watcher;
  spmv(exec, plan, 1, matrix, x, 0, y);
  const std::string method = std::string("ashlar::spmv[") + std::string(to_string(plan.kernel()));
  EXPECT_THAT(kernels(watcher), ::testing::ElementsAre(::testing::StartsWith(method)));
}

TEST_P(SpmvConduct, AlphaZero) {
  const SpmvPlan<Matrix> plan(exec, matrix, {.kernel = kernel, .mode = mode});
  expect_enqueued(exec, [&] { spmv(exec, plan, 0, matrix, x, 3, y); });
}

TEST_P(SpmvConduct, AMatrixWithoutRowsRunsNothing) {
  const Matrix empty(block_size, {0, Kokkos::View<int*, Space>("test::row_ptr", 1), {}}, {});
  const SpmvPlan<Matrix> plan(exec, empty, {.kernel = kernel, .mode = mode});
  const Watcher watcher;
  spmv(exec, plan, 1, empty, Vector(), 0, Vector());
  EXPECT_THAT(kernels(watcher), ::testing::IsEmpty());
}

/// Every kernel in both modes, for a block size with kernels of its own and for one without, where the kernel takes it.
std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Kernel kernel :
       {Kernel::automatic, Kernel::by_block, Kernel::by_column, Kernel::row_per_thread, Kernel::block_row_per_thread}) {
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      result.push_back({kernel, mode, 3});
      if (kernel != Kernel::by_block) result.push_back({kernel, mode, 9});  // 81 entries: more than a group has lanes
    }
  }
  return result;
}

INSTANTIATE_TEST_SUITE_P(Kernels, SpmvConduct, ::testing::ValuesIn(cases()), [](const auto& info) {
  return std::string(to_string(std::get<0>(info.param))) +
         (std::get<1>(info.param) == Mode::transpose ? "_transpose_" : "_") + std::to_string(std::get<2>(info.param));
});

TEST(SpmvConductWithoutPlan, MakesOneOnTheSpot) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 3);
  const Vector x = test_vector("x", matrix.num_cols()), y = test_vector("y", matrix.num_rows());
  expect_enqueued(exec, [&] { spmv(exec, 1, matrix, x, 0, y); });
}

}  // namespace
}  // namespace ashlar::testing
