#include <gtest/gtest.h>

#include <KokkosSparse_spmv.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/interop/kokkos_kernels.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "support/compare.hpp"

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
template <class Offset, class Layout = BlockRowMajor>
using Matrix = BcsrMatrix<double, Layout, int, Offset>;
template <class SizeType>
using Bsr = KokkosSparse::Experimental::BsrMatrix<double, int, Exec::device_type, void, SizeType>;

template <class M>
M random_matrix(int block_size) {
  return copy_to<Space>(
      Exec(), reference::random_bcsr<M>(40, 33, block_size, reference::RandomRows{.max_blocks = 9, .empty_every = 7}));
}

/// The same in their type, with memory that we do not own.
template <class SizeType>
Bsr<SizeType> theirs(const Matrix<SizeType>& ours) {
  Kokkos::View<int*, Exec::device_type> entries("entries", ours.graph().col_idx().extent(0));
  Kokkos::deep_copy(entries, ours.graph().col_idx());
  return Bsr<SizeType>("theirs", ours.num_block_cols(), ours.values(),
                       typename Bsr<SizeType>::staticcrsgraph_type(entries, ours.graph().row_ptr()), ours.block_size());
}

void expect_close(const std::vector<double>& a, const std::vector<double>& b) {
  ASSERT_EQ(a.size(), b.size());
  for (std::size_t i = 0; i < a.size(); ++i) ASSERT_NEAR(a[i], b[i], 1e-13 * 100) << "entry " << i;
}

template <class SizeType>
void expect_wrapped(int b) {
  const Bsr<SizeType> a = theirs(random_matrix<Matrix<SizeType>>(b));
  const auto ours = from_kokkos_kernels(a);
  static_assert(std::is_same_v<typename decltype(ours)::offset_type, SizeType>);
  EXPECT_EQ(ours.values().data(), a.values.data());
  EXPECT_EQ(ours.graph().row_ptr().data(), a.graph.row_map.data());
  EXPECT_EQ(ours.graph().col_idx().data(), a.graph.entries.data());
  EXPECT_GE(ours.values().use_count(), 2) << "it would not outlive theirs";
  EXPECT_EQ(ours.block_size(), b);
  EXPECT_EQ(ours.num_cols(), 33 * b);
  EXPECT_NO_THROW(validate(Exec(), ours));

  const auto x = to_device<Space>(random_vector<double>(std::size_t(33) * b, 1));
  const auto y = to_device<Space>(random_vector<double>(std::size_t(40) * b, 2));
  const auto expected = to_device<Space>(to_host(y));
  KokkosSparse::spmv("N", 0.5, a, x, 2.0, expected);
  spmv(Exec(), 0.5, ours, x, 2.0, y);
  Exec().fence();
  expect_close(to_host(y), to_host(expected));
}

TEST(KokkosKernels, BsrMatricesAreWrappedWhereTheyLie) {
  for (const int b : {1, 2, 3, 5}) {
    expect_wrapped<int>(b);
    expect_wrapped<std::size_t>(b);
  }
}

TEST(KokkosKernels, CrsMatricesAreBlocksOfSizeOne) {
  const auto start = random_matrix<Matrix<std::size_t>>(1);
  Kokkos::View<int*, Exec::device_type> entries("entries", start.graph().col_idx().extent(0));
  Kokkos::deep_copy(entries, start.graph().col_idx());
  using Crs = KokkosSparse::CrsMatrix<double, int, Exec::device_type, void, std::size_t>;
  const Crs a("theirs", 33, start.values(), Crs::staticcrsgraph_type(entries, start.graph().row_ptr()));
  const auto ours = from_kokkos_kernels(a);
  EXPECT_EQ(ours.values().data(), a.values.data());
  EXPECT_EQ(ours.block_size(), 1);

  const auto x = to_device<Space>(random_vector<double>(33, 1));
  const Kokkos::View<double*, Space> y("y", 40), expected("expected", 40);
  KokkosSparse::spmv("N", 1.0, a, x, 0.0, expected);
  spmv(Exec(), 1, ours, x, 0, y);
  Exec().fence();
  expect_close(to_host(y), to_host(expected));
}

TEST(KokkosKernels, OurMatricesAreTheirsInPlace) {
  for (const int b : {1, 2, 3}) {
    const auto ours = random_matrix<Matrix<int>>(b);
    const auto a = to_kokkos_kernels(ours);
    EXPECT_EQ(a.values.data(), ours.values().data());
    EXPECT_EQ(a.graph.row_map.data(), ours.graph().row_ptr().data());
    EXPECT_EQ(a.graph.entries.data(), ours.graph().col_idx().data());
    EXPECT_EQ(a.blockDim(), b);
    EXPECT_GE(a.values.use_count(), 2) << "it would not outlive ours";

    const auto x = to_device<Space>(random_vector<double>(std::size_t(33) * b, 1));
    const Kokkos::View<double*, Space> y("y", 40 * b), expected("expected", 40 * b);
    spmv(Exec(), 1, ours, x, 0, expected);
    KokkosSparse::spmv("N", 1.0, a, x, 0.0, y);
    Exec().fence();
    expect_close(to_host(y), to_host(expected));
  }
}

TEST(KokkosKernels, SingleEntriesAreTheirsOfEitherLayout) {
  const auto ours = random_matrix<Matrix<int, BlockColumnMajor>>(1);
  const auto a = to_kokkos_kernels_crs(ours);
  EXPECT_EQ(a.values.data(), ours.values().data());
  EXPECT_EQ(a.numCols(), 33);
  EXPECT_THROW(to_kokkos_kernels_crs(random_matrix<Matrix<int>>(2)), BlockSizeError);
}

/// The product with 64-bit offsets has the bits of that with 32-bit ones.
void expect_same_bits(int b, Mode mode, int num_vectors) {
  const auto narrow = random_matrix<Matrix<int>>(b);
  const auto wide = random_matrix<Matrix<std::size_t>>(b);
  const bool transposed = is_transposed(mode);
  const int rows = b * (transposed ? 33 : 40), cols = b * (transposed ? 40 : 33);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> x("x", cols, num_vectors), y("y", rows, num_vectors),
      expected("expected", rows, num_vectors);
  const auto entries = random_vector<double>(x.size(), 3);
  Kokkos::deep_copy(Kokkos::View<double*, Space>(x.data(), x.size()), to_device<Space>(entries));
  const SpmvOptions options{.mode = mode, .num_vectors = num_vectors};
  spmv(Exec(), SpmvPlan<Matrix<int>>(Exec(), narrow, options), 1, narrow, x, 0, expected);
  spmv(Exec(), SpmvPlan<Matrix<std::size_t>>(Exec(), wide, options), 1, wide, x, 0, y);
  Exec().fence();
  EXPECT_EQ(to_host(Kokkos::View<double*, Space>(y.data(), y.size())),
            to_host(Kokkos::View<double*, Space>(expected.data(), expected.size())));
}

TEST(KokkosKernels, RowOffsetsOf64BitsGiveTheSameBits) {
  for (const int b : {1, 3, 4}) {
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      for (const int num_vectors : {1, 3, 8}) expect_same_bits(b, mode, num_vectors);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
