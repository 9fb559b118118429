#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/reference/random_matrix.hpp>

#include "bcsr/matrices.hpp"
#include "support/some_types.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::HasSubstr;

// As CSR, a matrix made of full blocks.
template <class S>
CsrMatrix<S> full_blocks(int block_rows, int b) {
  using Matrix = BcsrMatrix<S>;
  const auto matrix = reference::random_bcsr<Matrix>(block_rows, block_rows, b, {.min_blocks = 3, .max_blocks = 7});
  return to_csr(Device(), copy_to<DeviceSpace>(Device(), matrix));
}

template <class Scalar>
class Detection : public ::testing::Test {};
using Scalars = ashlar::testing::SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Detection, Scalars);

TYPED_TEST(Detection, FindsTheBlocksThatAMatrixIsMadeOf) {
  for (const int b : {1, 2, 3, 5, 6, 8, 12, 16, 32}) EXPECT_EQ(detect_block_size(full_blocks<TypeParam>(60, b)), b);
}

TYPED_TEST(Detection, CandidatesAreWhatTheConversionStores) {
  const auto csr = full_blocks<TypeParam>(20, 6);
  const auto candidates = block_size_candidates(csr);
  std::vector<int> sizes;
  for (const BlockSizeCandidate& candidate : candidates) {
    sizes.push_back(candidate.block_size);
    const auto matrix = bcsr_from_csr<BcsrMatrix<TypeParam>>(Device(), csr, candidate.block_size);
    EXPECT_EQ(candidate.num_blocks, matrix.num_blocks());
    EXPECT_DOUBLE_EQ(candidate.fill, double(matrix.num_values()) / csr.num_values());
    EXPECT_EQ(candidate.bytes, std::int64_t(matrix.num_values() * sizeof(TypeParam) + 4 * matrix.num_blocks() +
                                            4 * (matrix.num_block_rows() + 1)));
  }
  EXPECT_EQ(sizes, (std::vector<int>{1, 2, 3, 4, 5, 6, 8, 10, 12, 15, 20, 24, 30}));
  EXPECT_EQ(candidates[1].fill, 1.0);  // 2 divides 6
  EXPECT_GT(candidates[3].fill, 1.0);  // 4 does not
}

TEST(DetectionByHand, HandCounted) {
  // 4 x 4:  1 1 . .
  //         1 . . .
  //         . . . 1
  //         . . . 1
  const CsrMatrix<double> csr{4, 4, {0, 2, 3, 4, 5}, {0, 1, 0, 3, 3}, {1, 1, 1, 1, 1}};
  const auto candidates = block_size_candidates(csr);
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(candidates[0].num_blocks, 5);
  EXPECT_EQ(candidates[0].bytes, 5 * 12 + 5 * 4);
  EXPECT_EQ(candidates[1].block_size, 2);
  EXPECT_EQ(candidates[1].num_blocks, 2);
  EXPECT_DOUBLE_EQ(candidates[1].fill, 8.0 / 5.0);
  EXPECT_EQ(candidates[1].bytes, 2 * 36 + 3 * 4);
  EXPECT_EQ(candidates[2].num_blocks, 1);
  EXPECT_DOUBLE_EQ(candidates[2].fill, 16.0 / 5.0);
  EXPECT_EQ(detect_block_size(candidates), 1);  // 80 bytes against 84 and 140
}

TEST(DetectionByHand, AFillThatPaysAndOneThatDoesNot) {
  // Blocks of 2 x 2 with one of 4 entries missing (fill 4/3) and of 3 x 3 with 3 of 9 missing (fill 3/2).
  const auto without = [](int b, int entries) {
    CooMatrix<double> coo{60, 60, {}, {}, {}};
    for (int block = 0; block < 60 / b; ++block) {
      for (int e = 0; e < entries; ++e) {
        coo.rows.push_back(block * b + e / b);
        coo.cols.push_back((block * 7 % (60 / b)) * b + e % b);
        coo.values.push_back(1);
      }
    }
    return csr_from_coo(coo);
  };
  EXPECT_EQ(detect_block_size(without(2, 3)), 2);  // 36 bytes against 36, and half the row pointers
  EXPECT_EQ(detect_block_size(without(2, 2)), 1);  // 36 against 24
  EXPECT_EQ(detect_block_size(without(3, 8)), 3);
  EXPECT_EQ(detect_block_size(without(3, 4)), 1);
}

TEST(DetectionByHand, OfTwoOfTheSameBytesTheLarger) {
  EXPECT_EQ(detect_block_size({{1, 0, 1.0, 100}, {2, 0, 1.0, 90}, {4, 0, 1.0, 90}, {8, 0, 1.0, 91}}), 4);
}

TEST(DetectionByHand, ARectangleIsDividedBothWays) {
  CsrMatrix<double> csr{12, 8, std::vector<std::int64_t>(13, 1), {3}, {1.0}};
  csr.row_ptr[0] = 0;
  const auto candidates = block_size_candidates(csr);
  ASSERT_EQ(candidates.size(), 3u);
  EXPECT_EQ(candidates[2].block_size, 4);
  EXPECT_EQ(block_size_candidates(csr, 3).size(), 2u);
}

TEST(DetectionByHand, WithoutEntries) {
  const auto candidates = block_size_candidates(CsrMatrix<double>{4, 4, {0, 0, 0, 0, 0}, {}, {}});
  ASSERT_EQ(candidates.size(), 1u);
  EXPECT_EQ(candidates[0].block_size, 1);
  EXPECT_EQ(candidates[0].fill, 1.0);
  EXPECT_EQ(detect_block_size(CsrMatrix<double>{}), 1);
}

TEST(DetectionByHand, Errors) {
  EXPECT_THAT(message_of<ArgumentError>([] { block_size_candidates(CsrMatrix<double>{}, 0); }), HasSubstr("up to 0"));
  EXPECT_THAT(message_of<ArgumentError>([] { detect_block_size(std::vector<BlockSizeCandidate>{}); }),
              HasSubstr("no candidates"));
  const CsrMatrix<double> wrong{1, 1, {0, 1}, {4}, {1.0}};
  EXPECT_THAT(message_of<StructureError>([&] { detect_block_size(wrong); }), HasSubstr("column 4 in row 0"));
}

}  // namespace
