// Files put together from parts against those written at once.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <Kokkos_Core.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "support/message.hpp"
#include "support/temporary_folder.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

template <class S>
S number(int i) {
  if constexpr (std::is_same_v<S, Kokkos::complex<double>>) {
    return {std::sqrt(i), -1.0 / (i + 1)};
  } else {
    return static_cast<S>(std::sqrt(i) * 1e-7);
  }
}

template <class S>
void expect_parts_of_an_array_make_the_file() {
  const TemporaryFolder folder;
  std::vector<S> entries;
  for (int i = 0; i < 12; ++i) entries.push_back(number<S>(i));
  io::write_matrix_market_array(folder / "x.mtx", 6, entries);
  const std::span<const S> all(entries);
  EXPECT_EQ(io::matrix_market_array_head<S>(6, 2) + io::matrix_market_array_lines(all.first(5)) +
                io::matrix_market_array_lines(all.subspan(5, 0)) + io::matrix_market_array_lines(all.subspan(5)),
            content_of(folder / "x.mtx"));
}

TEST(MatrixMarketText, PartsOfAnArrayMakeTheFile) {
  expect_parts_of_an_array_make_the_file<double>();
  expect_parts_of_an_array_make_the_file<float>();
  expect_parts_of_an_array_make_the_file<Kokkos::complex<double>>();
}

/// Rows begin .. end - 1, with all columns.
CsrMatrix<double> rows_of(const CsrMatrix<double>& whole, std::int64_t begin, std::int64_t end) {
  const std::int64_t first = whole.row_ptr[begin], last = whole.row_ptr[end];
  CsrMatrix<double> rows{end - begin, whole.num_cols, {}, {}, {}};
  rows.row_ptr.clear();
  for (std::int64_t i = begin; i <= end; ++i) rows.row_ptr.push_back(whole.row_ptr[i] - first);
  rows.col_idx.assign(whole.col_idx.begin() + first, whole.col_idx.begin() + last);
  rows.values.assign(whole.values.begin() + first, whole.values.begin() + last);
  return rows;
}

TEST(MatrixMarketText, RowsOfAMatrixMakeTheFile) {
  const TemporaryFolder folder;
  CsrMatrix<double> whole{4, 5, {0, 2, 2, 5, 6}, {0, 4, 1, 2, 3, 0}, {1, 0.1, 1e300, -2, 1 / 3.0, 7}};
  io::write_matrix_market(folder / "A.mtx", whole);
  for (const std::int64_t cut : {0, 1, 2, 3, 4}) {
    EXPECT_EQ(io::matrix_market_head<double>(4, 5, 6) + io::matrix_market_lines(rows_of(whole, 0, cut), 0) +
                  io::matrix_market_lines(rows_of(whole, cut, 4), cut),
              content_of(folder / "A.mtx"))
        << cut;
  }
}

TEST(MatrixMarketText, RefusesWhatNoFileHolds) {
  const std::vector<double> bad{1, std::nan("")};
  EXPECT_THAT(message_of<NumericalError>([&] { io::matrix_market_array_lines(std::span<const double>(bad)); }),
              HasSubstr("entry 1 is nan"));
  const CsrMatrix<double> matrix{1, 1, {0, 1}, {0}, {HUGE_VAL}};
  EXPECT_THAT(message_of<NumericalError>([&] { io::matrix_market_lines(matrix, 3); }), HasSubstr("inf"));
  const CsrMatrix<double> outside{1, 1, {0, 1}, {1}, {1}};
  EXPECT_THAT(message_of<StructureError>([&] { io::matrix_market_lines(outside, 0); }), HasSubstr("1 x 1"));
}

}  // namespace
}  // namespace ashlar::testing
