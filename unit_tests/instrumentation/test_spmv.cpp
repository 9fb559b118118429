#include <algorithm>
#include <ashlar/spmv/spmv.hpp>
#include <string>
#include <support/instances.hpp>
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
  const bool one_by_one = is_gpu_v<Exec> || exec.concurrency() == 1;
  const bool runs_nothing = mode == Mode::no_transpose && plan.kernel() == Kernel::block_row_per_thread && one_by_one;
  if (!runs_nothing) {
    expect_kept(exec, Promise::waits, [&] { return SpmvPlan<Matrix>(exec, matrix, options); });
  }
  spmv(exec, plan, 1, matrix, x, 0, y);  // team kernels give the instance its scratch memory
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, y); });

  exec.fence();
  const Watcher watcher;
  spmv(exec, plan, 1, matrix, x, 0, y);
  const std::string method = std::string("ashlar::spmv[") + std::string(to_string(plan.kernel()));
  EXPECT_THAT(kernels(watcher), ::testing::ElementsAre(::testing::StartsWith(method)));
}

Kokkos::View<int*, Space> every_other_row(const Exec& exec, int count) {
  const Kokkos::View<int*, Space> rows("test::rows", count);
  Kokkos::parallel_for(
      "test::rows", Kokkos::RangePolicy<Exec>(exec, 0, count), KOKKOS_LAMBDA(int i) { rows(i) = 2 * i; });
  return rows;
}

TEST_P(SpmvConduct, ProductInSomeRows) {
  const SpmvPlan<Matrix> plan(exec, matrix, {.kernel = kernel, .mode = mode});
  const Vector longer = test_vector("longer", 2 * y.extent(0));
  const auto rows = every_other_row(exec, static_cast<int>(y.extent(0)) / block_size);
  spmv(exec, plan, 1, matrix, x, 0, longer, rows);
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, longer, rows); });
  expect_enqueued(exec, [&] { spmv(exec, plan, 0, matrix, x, 3, longer, rows); });
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

/// 300 block rows: the first of 3000 blocks, the others of one.
Kokkos::View<int*, Space> long_row_ptr(const Exec& exec) {
  const Kokkos::View<int*, Space> row_ptr("test::row_ptr", 301);
  Kokkos::parallel_for(
      "test::row_ptr", Kokkos::RangePolicy<Exec>(exec, 0, 301),
      KOKKOS_LAMBDA(int i) { row_ptr(i) = i == 0 ? 0 : 2999 + i; });
  exec.fence();
  return row_ptr;
}

Kokkos::View<int*, Space> long_row_columns(const Exec& exec) {
  const Kokkos::View<int*, Space> columns("test::columns", 3299);
  Kokkos::parallel_for(
      "test::columns", Kokkos::RangePolicy<Exec>(exec, 0, 3299), KOKKOS_LAMBDA(int k) { columns(k) = k % 3000; });
  exec.fence();
  return columns;
}

/// Every kernel in both modes, for a block size with kernels of its own and for one without, where the kernel takes it.
std::vector<Case> cases() {
  std::vector<Case> result;
  for (const Kernel kernel : {Kernel::automatic, Kernel::by_block, Kernel::by_column, Kernel::by_line, Kernel::by_tile,
                              Kernel::row_per_thread, Kernel::block_row_per_thread}) {
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      if (kernel == Kernel::by_column && mode == Mode::transpose) continue;  // it reads along columns
      for (const int b : kernel == Kernel::by_tile ? std::vector{1, 2} : std::vector{3, 33}) {
        if (kernel == Kernel::by_tile && !is_compiled_block_size(b)) continue;
        if ((kernel == Kernel::by_block || kernel == Kernel::by_line) && b > 32) continue;
        result.push_back({kernel, mode, b});
      }
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
  expect_kept(exec, exec.concurrency() > 1 ? Promise::waits : Promise::enqueues,
              [&] { spmv(exec, 1, matrix, x, 0, y); });
}

TEST(SpmvConductOfLongRows, ThreeKernelsAndNoMore) {
  const Exec exec = other_instance();
  // One block row of 3000 blocks among 300 of one.
  const Matrix matrix(3, Matrix::graph_type(3000, long_row_ptr(exec), long_row_columns(exec)),
                      Matrix::values_view("test::values", 3299 * 9));
  const Vector x = test_vector("x", matrix.num_cols()), y = test_vector("y", matrix.num_rows());
  const SpmvPlan<Matrix> plan(exec, matrix, {.kernel = Kernel::by_column});
  ASSERT_TRUE(plan.has_segments());
  spmv(exec, plan, 1, matrix, x, 0, y);
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, y); });
  const Watcher watcher;
  spmv(exec, plan, 1, matrix, x, 0, y);
  EXPECT_EQ(kernels(watcher).size(), 3);
}

/// Each instance has partial results of its own: made by its first product, or with the plan.
TEST(SpmvConductOfLongRows, AllocatesOncePerInstance) {
  const Exec of_plan;
  const Exec exec = two_instances()[0];
  const Matrix matrix(3, Matrix::graph_type(3000, long_row_ptr(exec), long_row_columns(exec)),
                      Matrix::values_view("test::values", 3299 * 9));
  const Vector x = test_vector("x", matrix.num_cols()), y = test_vector("y", matrix.num_rows());
  const SpmvPlan<Matrix> plan(of_plan, matrix, {.kernel = Kernel::by_column});
  ASSERT_TRUE(plan.has_segments());
  const auto partial_results = [&](const Exec& each) {
    const Watcher watcher;
    spmv(each, plan, 1, matrix, x, 0, y);
    const auto made = allocations(watcher);
    return std::count(made.begin(), made.end(), "ashlar::spmv_plan::partial");
  };
  EXPECT_EQ(partial_results(of_plan), 0);
  EXPECT_EQ(partial_results(exec), 1);
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, y); });
}

/// Blocks on the diagonal.
Matrix::graph_type diagonal_graph(const Exec& exec, int rows) {
  const Kokkos::View<int*, Space> row_ptr("test::row_ptr", rows + 1), columns("test::columns", rows);
  Kokkos::parallel_for(
      "test::diagonal", Kokkos::RangePolicy<Exec>(exec, 0, rows + 1), KOKKOS_LAMBDA(int i) {
        row_ptr(i) = i;
        if (i < rows) columns(i) = i;
      });
  exec.fence();
  return {rows, row_ptr, columns};
}

/// Values that begin where no 16 bytes can be loaded.
TEST(SpmvConductOfMisalignedValues, IsRowPerThreadByItsOwnName) {
  if (!is_compiled_block_size(2)) GTEST_SKIP() << "2 is not compiled";
  const Exec exec = other_instance();
  constexpr int rows = 100;
  const Kokkos::View<double*, Space> room("test::values", 4 * rows + 1);
  Kokkos::deep_copy(room, 2.0);
  const Matrix matrix(2, diagonal_graph(exec, rows), Matrix::values_view(room.data() + 1, std::size_t(4 * rows)));
  const Vector x = test_vector("x", 2 * rows), y = test_vector("y", 2 * rows);
  for (const Kernel kernel : {Kernel::by_tile, Kernel::by_line, Kernel::by_column}) {
    const SpmvPlan<Matrix> plan(exec, matrix, {.kernel = kernel});
    ASSERT_EQ(plan.kernel(), kernel);
    const Watcher watcher;
    spmv(exec, plan, 1, matrix, x, 0, y);
    EXPECT_THAT(kernels(watcher), ::testing::ElementsAre("ashlar::spmv[row_per_thread,b=2,double]"));
    exec.fence();
    EXPECT_EQ(Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y)(7), 4.0);
  }
}

}  // namespace
}  // namespace ashlar::testing
