#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::HasSubstr;

template <class Matrix>
class Bcsr : public ::testing::Test {};
TYPED_TEST_SUITE(Bcsr, MatrixTypes);

TYPED_TEST(Bcsr, SizesOfARectangularMatrix) {
  using Scalar = typename TypeParam::scalar_type;
  const auto matrix = matrix_of<TypeParam>(2, 5, {0, 1, 1, 3}, {4, 0, 2}, std::vector<Scalar>(12));
  EXPECT_EQ(matrix.block_size(), 2);
  EXPECT_EQ(matrix.num_block_rows(), 3);
  EXPECT_EQ(matrix.num_block_cols(), 5);
  EXPECT_EQ(matrix.num_rows(), 6);
  EXPECT_EQ(matrix.num_cols(), 10);
  EXPECT_EQ(matrix.num_blocks(), 3);
  EXPECT_EQ(matrix.num_values(), 12);
}

TYPED_TEST(Bcsr, TheDefaultHasNothing) {
  const TypeParam matrix;
  EXPECT_EQ(matrix.num_rows(), 0);
  EXPECT_EQ(matrix.num_cols(), 0);
  EXPECT_EQ(matrix.num_values(), 0);
}

TYPED_TEST(Bcsr, NoBlockRows) {
  const auto matrix = matrix_of<TypeParam>(3, 4, {0}, {}, {});
  EXPECT_EQ(matrix.num_rows(), 0);
  EXPECT_EQ(matrix.num_cols(), 12);
  EXPECT_EQ(on_host(matrix).num_block_cols(), 4);
  EXPECT_TRUE(dense(matrix).empty());
}

TYPED_TEST(Bcsr, CopyingAMatrixSharesItsData) {
  using Scalar = typename TypeParam::scalar_type;
  const auto matrix = matrix_of<TypeParam>(1, 1, {0, 1}, {0}, {Scalar(3)});
  const TypeParam copy = matrix;
  EXPECT_EQ(copy.values().data(), matrix.values().data());
  const auto same_space = copy_to<typename TypeParam::memory_space>(Device(), matrix);
  EXPECT_EQ(same_space.values().data(), matrix.values().data());
  EXPECT_EQ(same_space.graph().col_idx().data(), matrix.graph().col_idx().data());
}

// A host space that is no HostSpace on every backend would be needed to see the copying branch here: where the device
// has its own memory, on_host takes it; elsewhere this is the identity.
TYPED_TEST(Bcsr, ThereAndBackAgain) {
  using Scalar = typename TypeParam::scalar_type;
  const auto values = random_vector<Scalar>(12, 1);
  const auto matrix = matrix_of<TypeParam>(2, 5, {0, 1, 1, 3}, {4, 0, 2}, values);
  const auto host = on_host(matrix);
  static_assert(std::is_same_v<typename decltype(host)::memory_space, Kokkos::HostSpace>);
  const auto back = copy_to<DeviceSpace>(Device(), host);
  EXPECT_EQ(to_host(back.values()), values);
  EXPECT_EQ(to_host(back.graph().col_idx()), to_host(matrix.graph().col_idx()));
  EXPECT_EQ(to_host(back.graph().row_ptr()), to_host(matrix.graph().row_ptr()));
  EXPECT_EQ(back.block_size(), 2);
}

TYPED_TEST(Bcsr, ABlockSizeOfZeroIsRefused) {
  const auto make = [] { matrix_of<TypeParam>(0, 1, {0, 1}, {0}, {}); };
  EXPECT_THAT(message_of<BlockSizeError>(make), HasSubstr("block size 0"));
}

TYPED_TEST(Bcsr, TooFewValuesAreRefused) {
  using Scalar = typename TypeParam::scalar_type;
  const auto make = [] { matrix_of<TypeParam>(2, 2, {0, 2}, {0, 1}, std::vector<Scalar>(7)); };
  const std::string message = message_of<ShapeError>(make);
  EXPECT_THAT(message, HasSubstr("7 values"));
  EXPECT_THAT(message, HasSubstr("2 blocks of size 2 hold 8"));
}

TEST(Graph, NegativeColumnsAreRefused) {
  EXPECT_THAT(message_of<ShapeError>([] { graph_of<BcsrGraph<>>(-1, {0}, {}); }), HasSubstr("-1 block columns"));
}

TEST(Graph, BlocksWithoutRowPointersAreRefused) {
  EXPECT_THAT(message_of<ShapeError>([] { graph_of<BcsrGraph<>>(3, {}, {0, 1}); }), HasSubstr("empty row pointers"));
}

TEST(Graph, MoreBlocksThanTheIndexTypesCountAreRefused) {
  using Small = BcsrGraph<std::int8_t, std::int8_t, Kokkos::HostSpace>;
  const Kokkos::View<std::int8_t*, Kokkos::HostSpace> two("test::row_ptr", 2), many("test::many", 200);
  EXPECT_THAT(message_of<ShapeError>([&] { Small(1, two, many); }), HasSubstr("200 blocks"));
  EXPECT_THAT(message_of<ShapeError>([&] { Small(1, many, two); }), HasSubstr("200 row pointers"));
}

TEST(Graph, ValuesAreCountedBeyond32Bits) {
  // 2^16 blocks of 256 x 256 values: 2^32 of them, one more than an unsigned 32-bit number holds. Only the count is
  // made, not the values.
  Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("test::row_ptr", 2), col_idx("test::col_idx", 1 << 16);
  const BcsrGraph<std::int32_t, std::int32_t, Kokkos::HostSpace> graph(1 << 16, row_ptr, col_idx);
  using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Kokkos::HostSpace>;
  EXPECT_THAT(message_of<ShapeError>([&] { Matrix(256, graph, {}); }), HasSubstr("hold 4294967296"));
}

}  // namespace
