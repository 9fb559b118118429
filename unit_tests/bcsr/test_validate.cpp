#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/validate.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <limits>

#include "bcsr/matrices.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::HasSubstr;
using ::testing::StartsWith;

template <class Graph>
std::string fault(std::int64_t num_block_cols, const std::vector<int>& row_ptr, const std::vector<int>& col_idx) {
  const auto graph = graph_of<Graph>(num_block_cols, row_ptr, col_idx);
  return message_of<StructureError>([&] { validate(Device(), graph); });
}

template <class Graph>
class Validate : public ::testing::Test {};
using Graphs =
    ::testing::Types<BcsrGraph<>, BcsrGraph<std::int32_t, std::int64_t>, BcsrGraph<std::int64_t, std::int64_t>>;
TYPED_TEST_SUITE(Validate, Graphs);

TYPED_TEST(Validate, ValidGraphs) {
  const Device exec;
  EXPECT_NO_THROW(validate(exec, TypeParam()));
  EXPECT_NO_THROW(validate(exec, graph_of<TypeParam>(5, {0}, {})));
  EXPECT_NO_THROW(validate(exec, graph_of<TypeParam>(0, {0, 0, 0}, {})));
  EXPECT_NO_THROW(validate(exec, graph_of<TypeParam>(4, {0, 0, 2, 2, 3, 3}, {1, 3, 0})));
  // The next row may start at the column at which the last one ended.
  EXPECT_NO_THROW(validate(exec, graph_of<TypeParam>(4, {0, 2, 3}, {1, 3, 3})));
}

TYPED_TEST(Validate, RowPointersThatDoNotStartAtZero) {
  EXPECT_THAT(fault<TypeParam>(4, {1, 1, 2}, {0, 1}), StartsWith("validate: row_ptr(0) is 1 (block row 0 starts"));
  EXPECT_THAT(fault<TypeParam>(4, {-1, 1, 2}, {0, 1}), StartsWith("validate: row_ptr(0) is -1"));
}

TYPED_TEST(Validate, RowPointersThatDecrease) {
  EXPECT_THAT(fault<TypeParam>(4, {0, 2, 1, 0, 2}, {0, 1}),
              StartsWith("validate: row_ptr(2) is 1 (block row 1 starts at 2,"));
  // An offset far out of range must not be followed.
  EXPECT_THAT(fault<TypeParam>(4, {0, 1000000000, 2}, {0, 1}),
              StartsWith("validate: row_ptr(2) is 2 (block row 1 starts at 1000000000,"));
}

TYPED_TEST(Validate, RowPointersThatDoNotEndAtTheNumberOfBlocks) {
  EXPECT_THAT(fault<TypeParam>(4, {0, 1, 3}, {0, 1}), StartsWith("validate: row_ptr(2) is 3 (there are 2 blocks)"));
  EXPECT_THAT(fault<TypeParam>(4, {0, 1, 1}, {0, 1}), StartsWith("validate: row_ptr(2) is 1 (there are 2 blocks)"));
  EXPECT_THAT(fault<TypeParam>(4, {0}, {0, 1}), StartsWith("validate: row_ptr(0) is 0 (there are 2 blocks)"));
}

TYPED_TEST(Validate, ColumnsOutOfRange) {
  EXPECT_THAT(fault<TypeParam>(4, {0, 1, 3}, {0, 1, 4}),
              StartsWith("validate: block column 4 in block row 1 (block columns go from 0 to 3)"));
  EXPECT_THAT(fault<TypeParam>(4, {0, 1, 3}, {-2, 1, 4}), StartsWith("validate: block column -2 in block row 0"));
}

TYPED_TEST(Validate, ColumnsThatDoNotAscend) {
  EXPECT_THAT(fault<TypeParam>(5, {0, 1, 1, 4, 6}, {4, 0, 3, 2, 1, 0}),
              StartsWith("validate: block column 2 after block column 3 in block row 2"));
}

TYPED_TEST(Validate, ColumnsStoredTwice) {
  EXPECT_THAT(fault<TypeParam>(5, {0, 1, 1, 4}, {4, 0, 3, 3}),
              StartsWith("validate: block column 3 twice in block row 2"));
}

TYPED_TEST(Validate, TheFirstOfManyFaultsInALargeGraph) {
  // Rows of 0 to 9 blocks; then faults of each kind from row 3000 on.
  constexpr int rows = 5000;
  std::vector<int> row_ptr{0}, col_idx;
  for (int i = 0; i < rows; ++i) {
    for (int k = 0; k < i % 10; ++k) col_idx.push_back(i + 3 * k);
    row_ptr.push_back(static_cast<int>(col_idx.size()));
  }
  const int cols = rows + 30;
  EXPECT_NO_THROW(validate(Device(), graph_of<TypeParam>(cols, row_ptr, col_idx)));
  col_idx[row_ptr[3005] + 2] = cols + 7;
  EXPECT_THAT(fault<TypeParam>(cols, row_ptr, col_idx), HasSubstr(text("column ", cols + 7, " in block row 3005 ")));
  for (int i = 4005; i < rows; i += 10) std::swap(col_idx[row_ptr[i]], col_idx[row_ptr[i] + 1]);
  EXPECT_THAT(fault<TypeParam>(cols, row_ptr, col_idx), HasSubstr(text("column ", cols + 7, " in block row 3005 ")));
  std::swap(col_idx[row_ptr[3004]], col_idx[row_ptr[3004] + 1]);
  EXPECT_THAT(fault<TypeParam>(cols, row_ptr, col_idx), HasSubstr("column 3004 after block column 3007"));
  // Row pointers come before columns, whatever the row.
  std::swap(row_ptr[4503], row_ptr[4504]);
  std::swap(row_ptr[4603], row_ptr[4606]);
  EXPECT_THAT(fault<TypeParam>(cols, row_ptr, col_idx), HasSubstr("block row 4503 starts at"));
}

template <class Matrix>
class ValidateValues : public ::testing::Test {};
TYPED_TEST_SUITE(ValidateValues, MatrixTypes);

TYPED_TEST(ValidateValues, TheFirstThatIsNotFiniteIsNamedWhenAsked) {
  using S = typename TypeParam::scalar_type;
  using Layout = typename TypeParam::layout_type;
  constexpr int b = 3;
  std::vector<S> values(4 * b * b, S(1));
  const auto validated = [&](bool finite) {
    const auto matrix = matrix_of<TypeParam>(b, 6, {0, 1, 1, 4}, {2, 0, 3, 5}, values);
    validate(Device(), matrix, {.finite_values = finite});
  };
  EXPECT_NO_THROW(validated(true));
  values[3 * b * b] = S(std::numeric_limits<real_t<S>>::infinity());
  values[2 * b * b + Layout::at(1, 2, b)] = S(std::numeric_limits<real_t<S>>::quiet_NaN());
  EXPECT_NO_THROW(validated(false));
  const std::string message = message_of<NumericalError>([&] { validated(true); });
  EXPECT_THAT(message, HasSubstr("nan"));
  EXPECT_THAT(message, HasSubstr("entry (1, 2) of the block at block row 2, block column 3 (values must be finite)"));
  values[2 * b * b + Layout::at(1, 2, b)] = S(1);
  EXPECT_THAT(message_of<NumericalError>([&] { validated(true); }),
              HasSubstr("entry (0, 0) of the block at block row 2, block column 5"));
}

TYPED_TEST(ValidateValues, TheGraphComesFirst) {
  using S = typename TypeParam::scalar_type;
  const std::vector<S> values(2, S(std::numeric_limits<real_t<S>>::quiet_NaN()));
  const auto matrix = matrix_of<TypeParam>(1, 3, {0, 2}, {1, 1}, values);
  EXPECT_THAT(message_of<StructureError>([&] { validate(Device(), matrix, {.finite_values = true}); }),
              HasSubstr("block column 1 twice in block row 0"));
  EXPECT_THAT(message_of<StructureError>([&] { validate(Device(), matrix); }), HasSubstr("twice"));
}

}  // namespace
