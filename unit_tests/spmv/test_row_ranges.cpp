// How block rows are dealt to the threads of a CPU, and products with matrices that are hard to deal.
#include <gmock/gmock.h>

#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <limits>
#include <spmv/product_case.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultHostExecutionSpace;
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;
using ::testing::ElementsAre;
using ::testing::HasSubstr;
using RowPtr = Kokkos::View<std::int64_t*, Kokkos::HostSpace>;

RowPtr row_ptr_of(std::int64_t rows, const std::function<std::int64_t(std::int64_t)>& length) {
  const RowPtr row_ptr("row_ptr", rows + 1);
  for (std::int64_t i = 0; i < rows; ++i) row_ptr(i + 1) = row_ptr(i) + length(i);
  return row_ptr;
}

std::vector<std::int64_t> cuts(const RowPtr& row_ptr, int b, int ranges,
                               std::int64_t longest = std::numeric_limits<std::int64_t>::max()) {
  return to_host(row_ranges(Exec(), row_ptr, b, ranges, longest));
}

/// The work of each range: that of a block row of n blocks is n*b + 1.
std::vector<std::int64_t> work(const RowPtr& row_ptr, int b, const std::vector<std::int64_t>& first) {
  std::vector<std::int64_t> result;
  for (std::size_t t = 0; t + 1 < first.size(); ++t) {
    result.push_back((row_ptr(first[t + 1]) - row_ptr(first[t])) * b + first[t + 1] - first[t]);
  }
  return result;
}

TEST(RowRanges, AreOfEqualWorkUpToOneRow) {
  // Ten times as many blocks in the first tenth of the rows as in all the rest: ranges of equal rows would be far off.
  const std::function<std::int64_t(std::int64_t)> lengths[] = {
      [](std::int64_t i) { return i < 100 ? 90 + i % 20 : 1; }, [](std::int64_t i) { return i < 900 ? 0 : 100; },
      [](std::int64_t i) { return i % 7; }, [](std::int64_t i) { return i == 500 ? 40 : 2; }};
  const std::int64_t longest[] = {109, 100, 6, 40};
  for (int which = 0; which < 4; ++which) {
    const RowPtr row_ptr = row_ptr_of(1000, lengths[which]);
    for (const int b : {1, 4}) {
      for (const int ranges : {1, 2, 3, 16}) {
        const auto first = cuts(row_ptr, b, ranges);
        ASSERT_EQ(first.size(), ranges + 1);
        EXPECT_EQ(first.front(), 0);
        EXPECT_EQ(first.back(), 1000);
        const double fair = double(row_ptr(1000) * b + 1000) / ranges;
        for (const std::int64_t each : work(row_ptr, b, first)) {
          EXPECT_LE(std::abs(double(each) - fair), double(longest[which] * b + 1)) << which << ", " << ranges;
        }
      }
    }
  }
}

/// No other row would be nearer to where a cut should be.
TEST(RowRanges, BeginAtTheNearestRow) {
  const std::function<std::int64_t(std::int64_t)> lengths[] = {[](std::int64_t i) { return 1 + i * 7 % 13; },
                                                               [](std::int64_t i) { return i < 30 ? 20 : 1; },
                                                               [](std::int64_t i) { return i % 10 == 0 ? 35 : 2; }};
  for (const auto& length : lengths) {
    const RowPtr row_ptr = row_ptr_of(100, length);
    for (const int b : {1, 3}) {
      const auto work_before = [&](std::int64_t row) { return double(row_ptr(row) * b + row); };
      for (const int ranges : {2, 3, 7, 16}) {
        const auto first = cuts(row_ptr, b, ranges);
        for (int t = 1; t < ranges; ++t) {
          const double wanted = work_before(100) * t / ranges, off = std::abs(work_before(first[t]) - wanted);
          // A unit of work, as where it should be is a whole number.
          if (first[t] > 0) {
            EXPECT_LE(off, std::abs(work_before(first[t] - 1) - wanted) + 1) << t << " of " << ranges;
          }
          if (first[t] < 100) {
            EXPECT_LE(off, std::abs(work_before(first[t] + 1) - wanted) + 1) << t << " of " << ranges;
          }
        }
      }
    }
  }
  // A long row goes to the side where it is less too much.
  EXPECT_THAT(cuts(row_ptr_of(3, [](std::int64_t i) { return i == 0 ? 30 : 10; }), 1, 2), ElementsAre(0, 1, 3));
  EXPECT_THAT(cuts(row_ptr_of(3, [](std::int64_t i) { return i == 1   ? 30
                                                             : i == 0 ? 4
                                                                      : 10; }), 1, 2),
              ElementsAre(0, 2, 3));
  EXPECT_THAT(cuts(row_ptr_of(3, [](std::int64_t i) { return i == 1   ? 30
                                                             : i == 0 ? 10
                                                                      : 4; }), 1, 2),
              ElementsAre(0, 1, 3));
}

TEST(RowRanges, CountRowsWithoutBlocks) {
  EXPECT_THAT(cuts(row_ptr_of(8, [](std::int64_t) { return 0; }), 3, 4), ElementsAre(0, 2, 4, 6, 8));
}

TEST(RowRanges, OfFewRowsAreEmpty) {
  EXPECT_THAT(cuts(row_ptr_of(0, {}), 3, 3), ElementsAre(0, 0, 0, 0));
  EXPECT_THAT(cuts(RowPtr(), 3, 2), ElementsAre(0, 0, 0));
  const RowPtr two = row_ptr_of(2, [](std::int64_t) { return 5; });
  const auto first = cuts(two, 1, 6);
  EXPECT_TRUE(std::is_sorted(first.begin(), first.end()));
  EXPECT_EQ(first.back(), 2);
  const auto each = work(two, 1, first);
  EXPECT_EQ(std::count(each.begin(), each.end(), 6), 2) << "two rows, one in each of two ranges";
  EXPECT_EQ(std::count(each.begin(), each.end(), 0), 4);
}

TEST(RowRanges, LeaveALongRowOutOfAccount) {
  // The first row is left to others: what remains is dealt evenly.
  const RowPtr row_ptr = row_ptr_of(101, [](std::int64_t i) { return i == 0 ? 10'000 : 9; });
  EXPECT_THAT(cuts(row_ptr, 1, 2, 100), ElementsAre(0, 51, 101));
  EXPECT_EQ(cuts(row_ptr, 1, 2)[1], 1) << "and is taken into account where nobody else takes it";
}

TEST(RowRanges, CountBeyond64BitsOfBlocksTimesRanges) {
  const std::int64_t length = std::int64_t(1) << 56;
  const RowPtr row_ptr = row_ptr_of(64, [&](std::int64_t) { return length; });
  const auto first = cuts(row_ptr, 1, 32);
  for (int t = 0; t <= 32; ++t) EXPECT_EQ(first[t], 2 * t);
}

TEST(RowRanges, MakeRightProducts) {
  const Exec exec;
  const auto random = [](std::int64_t rows, std::int64_t cols, int b, reference::RandomRows lengths) {
    return reference::random_bcsr<Matrix>(rows, cols, b, lengths, 9);
  };
  for (const int b : {1, 3, 4, 33}) {
    for (const Matrix& a : {random(1, 40, b, {}), random(2, 3, b, {}), random(90, 400, b, {.full_row = 0}),
                            random(90, 400, b, {.empty_every = 2, .full_row = 89}),
                            random(90, 5, b, {.min_blocks = 0, .max_blocks = 0})}) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        const SpmvPlan<Matrix> plan(exec, a, {.mode = mode});
        const bool transpose = mode == Mode::transpose;
        const auto x = random_vector<double>(transpose ? a.num_rows() : a.num_cols(), 1);
        const std::vector<double> none(transpose ? a.num_cols() : a.num_rows());
        auto expected = none;
        transpose ? reference::spmv_transpose(1.0, a, x, 0.0, expected) : reference::spmv(1.0, a, x, 0.0, expected);
        const auto y = to_device<Kokkos::HostSpace>(std::vector<double>(none.size(), -7));
        spmv(exec, plan, 1, a, to_device<Kokkos::HostSpace>(x), 0, y);
        exec.fence();
        EXPECT_LE(max_difference(to_host(y), expected), 1e-12 * b) << plan.explain();
      }
    }
  }
}

TEST(RowRanges, ArePartOfThePlan) {
  const Exec exec;
  const auto a = reference::random_bcsr<Matrix>(50, 50, 2, {}, 1),
             other = reference::random_bcsr<Matrix>(50, 50, 2, {}, 1);
  const SpmvPlan<Matrix> plan(exec, a);
  EXPECT_EQ(plan.has_ranges(), exec.concurrency() > 1);
  EXPECT_TRUE(plan.fits(a));
  if (!plan.has_ranges()) GTEST_SKIP() << "one thread takes all rows";
  EXPECT_FALSE(plan.fits(other)) << "its rows may be of other lengths";
  EXPECT_THAT(plan.explain(), HasSubstr(text(exec.concurrency(), " ranges")));
  const std::int64_t whole = a.num_block_rows();
  EXPECT_EQ(to_host(plan.launch().first_row).back(), whole);
  // Several vectors are multiplied by ranges whatever kernel one vector is.
  const SpmvPlan<Matrix> by_tile(exec, a, {.kernel = Kernel::by_tile});
  EXPECT_EQ(by_tile.launch().first_row.extent(0), 0);
  EXPECT_FALSE(by_tile.fits(other));
  for (const auto& each : {plan, by_tile, plan.with(exec, {.num_vectors = 8}), SpmvPlan<Matrix>(exec, a, plan)}) {
    for (const bool by_rows : {false, true}) {
      EXPECT_EQ(to_host(each.multi_launch(by_rows).first_row), to_host(plan.launch().first_row)) << each.explain();
    }
  }
}

TEST(RowRanges, AreHelpedWithAHugeRow) {
  const Exec exec;
  // More than four segments, and nearly all there is.
  const auto a = reference::random_bcsr<Matrix>(300, 9000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4);
  const SpmvPlan<Matrix> plan(exec, a);
  EXPECT_EQ(plan.has_segments(), exec.concurrency() > 1) << plan.explain();
  const auto x = random_vector<double>(a.num_cols(), 1);
  auto expected = random_vector<double>(a.num_rows(), 2);
  const auto y = to_device<Kokkos::HostSpace>(expected);
  reference::spmv(-0.5, a, x, 2.0, expected);
  spmv(exec, plan, -0.5, a, to_device<Kokkos::HostSpace>(x), 2, y);
  exec.fence();
  EXPECT_LE(max_difference(to_host(y), expected), 1e-11);
  // Several vectors: one whole panel and a part of one.
  constexpr int k = 11;
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> xs("x", a.num_cols(), k),
      ys("y", a.num_rows(), k);
  std::vector<std::vector<double>> columns;
  for (int v = 0; v < k; ++v) {
    const auto x_of_column = random_vector<double>(a.num_cols(), 10 + v);
    columns.push_back(random_vector<double>(a.num_rows(), 30 + v));
    for (std::size_t i = 0; i < x_of_column.size(); ++i) xs(i, v) = x_of_column[i];
    for (std::size_t i = 0; i < columns[v].size(); ++i) ys(i, v) = columns[v][i];
    reference::spmv(-0.5, a, x_of_column, 2.0, columns[v]);
  }
  spmv(exec, SpmvPlan<Matrix>(exec, a, {.num_vectors = k}), -0.5, a, xs, 2, ys);
  exec.fence();
  for (int v = 0; v < k; ++v) {
    for (std::size_t i = 0; i < columns[v].size(); ++i) ASSERT_NEAR(ys(i, v), columns[v][i], 1e-11) << i << ", " << v;
  }
  // A row of the same length among many that are as long needs no help.
  const auto many = reference::random_bcsr<Matrix>(
      300, 9000, 1, [](std::int64_t) { return 9000; }, 4);
  EXPECT_FALSE(SpmvPlan<Matrix>(exec, many).has_segments());
}

}  // namespace
}  // namespace ashlar::testing
