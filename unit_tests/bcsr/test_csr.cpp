#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <ashlar/bcsr/csr.hpp>
#include <cmath>
#include <limits>

#include "bcsr/matrices.hpp"
#include "support/some_types.hpp"

namespace {

using namespace ashlar;
using namespace ashlar::testing;
using ::testing::ElementsAre;
using ::testing::HasSubstr;

template <class Scalar>
class Csr : public ::testing::Test {};
using Scalars = ashlar::testing::SomeTypes<float, double, Kokkos::complex<float>, Kokkos::complex<double>>;
TYPED_TEST_SUITE(Csr, Scalars);

TYPED_TEST(Csr, FromEntriesInAnyOrder) {
  using S = TypeParam;
  // Row 1 is empty, row 2 comes before row 0, and its columns descend.
  const CooMatrix<S> coo{3, 4, {2, 2, 0, 2}, {3, 1, 2, 0}, {S(1), S(2), S(3), S(4)}};
  EXPECT_EQ(coo.num_values(), 4);
  const CsrMatrix<S> csr = csr_from_coo(coo);
  EXPECT_EQ(csr.num_rows, 3);
  EXPECT_EQ(csr.num_cols, 4);
  EXPECT_THAT(csr.row_ptr, ElementsAre(0, 1, 1, 4));
  EXPECT_THAT(csr.col_idx, ElementsAre(2, 0, 1, 3));
  EXPECT_THAT(csr.values, ElementsAre(S(3), S(4), S(2), S(1)));
  EXPECT_NO_THROW(validate(csr));
}

TYPED_TEST(Csr, DuplicatesAreSummedInTheOrderOfTheList) {
  using S = TypeParam;
  // (big + 1) - big is 0 in this order, and 1 in others: the order shows in the sum.
  const S big(real_t<S>(4) / std::numeric_limits<real_t<S>>::epsilon());
  const CooMatrix<S> coo{2, 3, {1, 1, 0, 1, 1}, {2, 0, 1, 0, 0}, {S(7), big, S(5), S(1), -big}};
  const CsrMatrix<S> csr = csr_from_coo(coo);
  EXPECT_THAT(csr.row_ptr, ElementsAre(0, 1, 3));
  EXPECT_THAT(csr.col_idx, ElementsAre(1, 0, 2));
  // The sum is zero, and stored all the same.
  EXPECT_THAT(csr.values, ElementsAre(S(5), S(0), S(7)));

  const CooMatrix<S> other{2, 3, {1, 1, 1}, {0, 0, 0}, {big, -big, S(1)}};
  EXPECT_THAT(csr_from_coo(other).values, ElementsAre(S(1)));
}

TYPED_TEST(Csr, ManyDuplicatesAgainstADenseSum) {
  using S = TypeParam;
  constexpr int rows = 17, cols = 13, entries = 2000;
  const auto values = random_vector<S>(entries, 3);
  CooMatrix<S> coo{rows, cols, {}, {}, values};
  std::vector<S> dense(rows * cols, S(0));
  for (int k = 0; k < entries; ++k) {
    coo.rows.push_back(k * 7919 % rows);
    coo.cols.push_back(k * 104729 / 17 % cols);
    dense[coo.rows[k] * cols + coo.cols[k]] += values[k];
  }
  const CsrMatrix<S> csr = csr_from_coo(coo);
  EXPECT_NO_THROW(validate(csr));
  EXPECT_LT(csr.num_values(), entries);
  std::vector<S> sums(rows * cols, S(0));
  for (int i = 0; i < rows; ++i) {
    for (auto k = csr.row_ptr[i]; k < csr.row_ptr[i + 1]; ++k) sums[i * cols + csr.col_idx[k]] = csr.values[k];
  }
  EXPECT_EQ(sums, dense);  // to the bit: the order of the sums is the list's
}

TEST(CsrFromCoo, Empty) {
  EXPECT_THAT(csr_from_coo(CooMatrix<double>{}).row_ptr, ElementsAre(0));
  const auto csr = csr_from_coo(CooMatrix<double>{2, 0, {}, {}, {}});
  EXPECT_THAT(csr.row_ptr, ElementsAre(0, 0, 0));
  EXPECT_EQ(csr.num_values(), 0);
}

TEST(CsrFromCoo, NamesTheFirstEntryOutOfRange) {
  const auto at = [](int row, int col) {
    return message_of<StructureError>([=] {
      csr_from_coo(CooMatrix<double>{3, 4, {0, row, 9}, {0, col, 9}, {1, 1, 1}});
    });
  };
  EXPECT_THAT(at(3, 0), HasSubstr("entry 1 lies at (3, 0)"));
  EXPECT_THAT(at(-1, 0), HasSubstr("entry 1 lies at (-1, 0)"));
  EXPECT_THAT(at(0, 4), HasSubstr("entry 1 lies at (0, 4)"));
  EXPECT_THAT(at(0, -2), HasSubstr("entry 1 lies at (0, -2)"));
  EXPECT_THAT(at(0, 4), HasSubstr("the matrix is 3 x 4"));
  EXPECT_THAT(at(2, 3), HasSubstr("entry 2 lies at (9, 9)"));
}

TEST(CsrFromCoo, RefusesVectorsOfDifferentLengths) {
  const auto convert = [] { csr_from_coo(CooMatrix<double>{3, 4, {0, 1}, {0, 1}, {1}}); };
  EXPECT_THAT(message_of<ShapeError>(convert), HasSubstr("2 rows, 2 columns, 1 values"));
}

TEST(CsrFromCoo, RefusesExtentsThatAreNone) {
  EXPECT_THAT(message_of<ShapeError>([] { csr_from_coo(CooMatrix<double>{-1, 4, {}, {}, {}}); }), HasSubstr("-1 x 4"));
  EXPECT_THAT(message_of<ShapeError>([] {
                csr_from_coo(CooMatrix<double>{1, std::int64_t(1) << 32, {}, {}, {}});
              }),
              HasSubstr("1 x 4294967296"));
}

using D = CsrMatrix<double>;

TEST(ValidateCsr, NamesEachFault) {
  const auto structure = [](const D& csr) { return message_of<StructureError>([&] { validate(csr); }); };
  const auto shape = [](const D& csr) { return message_of<ShapeError>([&] { validate(csr); }); };
  EXPECT_NO_THROW(validate(D{2, 3, {0, 2, 3}, {0, 2, 1}, {1, 2, 3}}));
  EXPECT_THAT(shape({2, 3, {0, 2}, {0, 2}, {1, 2}}), HasSubstr("2 row pointers"));
  EXPECT_THAT(shape({2, 3, {0, 2, 3}, {0, 2}, {1, 2, 3}}), HasSubstr("2 columns and 3 values"));
  EXPECT_THAT(structure({2, 3, {1, 2, 3}, {0, 2, 1}, {1, 2, 3}}), HasSubstr("row_ptr[0] is 1"));
  EXPECT_THAT(structure({3, 3, {0, 2, 1, 3}, {0, 2, 1}, {1, 2, 3}}), HasSubstr("row_ptr[2] is 1 (row 1 starts at 2"));
  EXPECT_THAT(structure({2, 3, {0, 2, 2}, {0, 2, 1}, {1, 2, 3}}), HasSubstr("row_ptr[2] is 2 (there are 3 values)"));
  EXPECT_THAT(structure({2, 3, {0, 2, 3}, {0, 3, 1}, {1, 2, 3}}), HasSubstr("column 3 in row 0"));
  EXPECT_THAT(structure({2, 3, {0, 2, 3}, {0, 2, -1}, {1, 2, 3}}), HasSubstr("column -1 in row 1"));
  EXPECT_THAT(structure({2, 3, {0, 2, 3}, {2, 1, 1}, {1, 2, 3}}), HasSubstr("column 1 after column 2 in row 0"));
  EXPECT_THAT(structure({2, 3, {0, 1, 3}, {2, 1, 1}, {1, 2, 3}}), HasSubstr("column 1 after column 1 in row 1"));
}

}  // namespace
