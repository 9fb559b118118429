// Inner products and combinations of blocks of vectors against plain loops.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/blas1/multi_axpby.hpp>
#include <ashlar/blas1/multi_dot.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

template <class T>
class BlockVectors : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Block = Kokkos::View<Scalar**, typename T::second_type, Space>;
  using Host = std::vector<std::vector<double>>;  // by rows

  static Block block(std::int64_t n, int columns, unsigned seed) { return random_block<Block>(n, columns, seed); }

  template <class View>
  static Host entries(const View& view) {
    // Some columns of a block do not lie together, and cannot be copied from space to space.
    const Kokkos::View<typename View::non_const_value_type**, Kokkos::LayoutRight, Space> together(
        "test::together", view.extent(0), view.extent(1));
    Kokkos::deep_copy(together, view);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace{}, together);
    Host result(view.extent(0), std::vector<double>(view.extent(1)));
    for (std::size_t i = 0; i < view.extent(0); ++i) {
      for (std::size_t j = 0; j < view.extent(1); ++j) result[i][j] = double(host(i, j));
    }
    return result;
  }
};

using Types = ::testing::Types<std::pair<double, Kokkos::LayoutRight>, std::pair<double, Kokkos::LayoutLeft>,
                               std::pair<float, Kokkos::LayoutRight>>;
TYPED_TEST_SUITE(BlockVectors, Types);

using Small = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

TYPED_TEST(BlockVectors, InnerProductsOfAllColumns) {
  const Exec exec;
  for (const std::int64_t n : {0, 1, 511, 513, 5000}) {
    for (const auto& [p, q] : {std::pair{1, 1}, {3, 5}, {64, 64}, {7, 1}}) {
      const auto x = this->block(n, p, 1), y = this->block(n, q, 2);
      const Small result("test::result", p, q), partial("test::partial", multi_dot_ranges(n), p * q);
      Kokkos::deep_copy(result, 7);
      multi_dot(exec, x, y, result, partial);
      exec.fence();
      const auto of_x = this->entries(x), of_y = this->entries(y), found = this->entries(result);
      for (int i = 0; i < p; ++i) {
        for (int j = 0; j < q; ++j) {
          double sum = 0;
          for (std::int64_t row = 0; row < n; ++row) sum += of_x[row][i] * of_y[row][j];
          EXPECT_NEAR(found[i][j], sum, 1e-15 * (8 + double(n))) << n << ": " << i << ", " << j;
        }
      }
    }
  }
}

/// Where partial sums are folded: of more than 64 ranges of 256 rows. With small integers every sum is exact.
TYPED_TEST(BlockVectors, InnerProductsOfManyRows) {
  const Exec exec;
  const int p = 3, q = 2;
  const auto entry = [](std::int64_t row, int j) { return double((row * 7 + row / 256 + 3 * j) % 11) - 4; };
  for (const std::int64_t n : {16384, 16385, 16640, 16641, 33000, 100000}) {
    const auto x = this->block(n, p, 1), y = this->block(n, q, 2);
    const auto fill = [&](const auto& block, int first) {
      const auto host = Kokkos::create_mirror(block);
      for (std::int64_t row = 0; row < n; ++row) {
        for (std::size_t j = 0; j < block.extent(1); ++j) host(row, j) = entry(row, first + int(j));
      }
      Kokkos::deep_copy(block, host);
    };
    fill(x, 0);
    fill(y, p);
    const Small result("test::result", p, q), partial("test::partial", multi_dot_ranges(n), p * q);
    multi_dot(exec, x, y, result, partial);
    exec.fence();
    const auto found = this->entries(result);
    for (int i = 0; i < p; ++i) {
      for (int j = 0; j < q; ++j) {
        double sum = 0;
        for (std::int64_t row = 0; row < n; ++row) sum += entry(row, i) * entry(row, p + j);
        EXPECT_EQ(found[i][j], sum) << n << ": " << i << ", " << j;
      }
    }
  }
}

TYPED_TEST(BlockVectors, CombinationsOfColumnsInPlaceToo) {
  const Exec exec;
  const double eps = std::numeric_limits<typename TestFixture::Scalar>::epsilon();
  const std::int64_t n = 300;
  for (const auto& [p, q] : {std::pair{1, 1}, {3, 5}, {5, 3}, {64, 1}, {33, 64}, {64, 64}}) {
    const int most = std::max(p, q);
    const auto all = this->block(n, most, 1), w = this->block(n, q, 2), y = this->block(n, q, 3);
    const auto x = Kokkos::subview(all, Kokkos::ALL, std::make_pair(0, p));
    const auto t_block = BlockVectors<std::pair<double, Kokkos::LayoutRight>>::block(p, q, 4);
    const Kokkos::View<const double**, Kokkos::LayoutRight, Space> t = t_block;
    const auto of_x = this->entries(x), of_w = this->entries(w), of_t = this->entries(t_block);
    const auto expect = [&](const auto& found, double beta) {
      for (std::int64_t row = 0; row < n; ++row) {
        for (int j = 0; j < q; ++j) {
          double sum = beta * of_w[row][j];
          for (int i = 0; i < p; ++i) sum += of_x[row][i] * of_t[i][j];
          EXPECT_NEAR(found[row][j], sum, 2 * eps * (2 + p));
        }
      }
    };
    multi_axpby(exec, x, t, -1.5, w, y);
    exec.fence();
    expect(this->entries(y), -1.5);
    // With beta 0 what w holds does not matter; and the result may take the place of x.
    const auto nan = this->block(n, q, 5);
    Kokkos::deep_copy(nan, std::numeric_limits<typename TestFixture::Scalar>::quiet_NaN());
    const auto in_place = Kokkos::subview(all, Kokkos::ALL, std::make_pair(0, q));
    multi_axpby(exec, x, t, 0, nan, in_place);
    exec.fence();
    expect(this->entries(in_place), 0);
  }
}

/// As when directions run out.
TYPED_TEST(BlockVectors, MayHaveNoColumns) {
  const Exec exec;
  const std::int64_t n = 70;
  const auto block = this->block(n, 2, 1), none = this->block(n, 0, 2);
  const auto before = this->entries(block);
  multi_dot(exec, none, block, Small("test::result", 0, 2), Small("test::partial", multi_dot_ranges(n), 0));
  multi_axpby(exec, block, Small("test::t", 2, 0), 1, none, none);
  multi_axpby(exec, none, Small("test::t", 0, 2), 2, block, block);
  exec.fence();
  const auto found = this->entries(block);
  for (std::int64_t row = 0; row < n; ++row)
    EXPECT_THAT(found[row], ::testing::ElementsAre(2 * before[row][0], 2 * before[row][1]));
}

TYPED_TEST(BlockVectors, RefuseWhatDoesNotFit) {
  const Exec exec;
  const auto x = this->block(10, 3, 1), y = this->block(11, 2, 1);
  const Small result("test::result", 3, 2), partial("test::partial", 1, 6), narrow("test::narrow", 1, 5);
  EXPECT_THROW(multi_dot(exec, x, y, result, partial), ShapeError);
  EXPECT_THROW(multi_dot(exec, x, x, result, partial), ShapeError);
  EXPECT_THROW(multi_dot(exec, x, this->block(10, 2, 1), result, narrow), ShapeError);
  EXPECT_THROW(multi_dot(exec, this->block(10, 65, 1), x, Small("test::wide", 65, 3), Small("test::p", 1, 195)),
               ShapeError);
  EXPECT_THROW(multi_axpby(exec, x, result, 1, y, y), ShapeError);
}

}  // namespace
}  // namespace ashlar::testing
