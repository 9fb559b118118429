// Streamed products against the product with the whole matrix, bit for bit: numbers of subdivisions and buffers, shapes
// that trip a ring up, memory limits.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/streaming/diagonal.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <limits>
#include <numeric>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <support/some_types.hpp>
#include <support/spin.hpp>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;

template <class T>
class StreamedProducts : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Matrix = BcsrMatrix<Scalar, typename T::second_type>;
  using Host = typename Matrix::template in_space<Kokkos::HostSpace>;
  using Streamed = StreamedMatrix<Matrix>;
  using Space = typename Matrix::memory_space;
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Space>;

  /// Rows of 1 to 9 blocks, some empty, one full.
  static Host irregular(int b) {
    return reference::random_bcsr<Matrix>(
        70, 83, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23}, 100 + b);
  }

  static Vectors random_vectors(std::int64_t n, int columns, unsigned seed) {
    return random_block<Vectors>(n, columns, seed);
  }

  /// The bits of all entries.
  static std::vector<Scalar> entries(const Vectors& y) {
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
    std::vector<Scalar> result;
    for (std::size_t c = 0; c < y.extent(1); ++c) {
      for (std::size_t i = 0; i < y.extent(0); ++i) result.push_back(host(i, c));
    }
    return result;
  }

  /// Products with one vector and with several, twice each, equal products of the whole matrix.
  static void expect_same(const Host& host, StreamingOptions options, int columns = 3) {
    const Exec exec, other_exec = Kokkos::Experimental::partition_space(exec, 1)[0];
    const Matrix device = copy_to<Space>(exec, host);
    options.product.num_vectors = columns;
    const SpmvPlan<Matrix> plan(exec, device, options.product);
    const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host), options);
    const auto x = random_vectors(host.num_cols(), columns, 7);
    const Scalar alpha(-0.75), beta(1.5);
    for (int round = 0; round < 2; ++round) {
      const auto start = random_vectors(host.num_rows(), columns, 8 + round);
      const Vectors expected("test::expected", host.num_rows(), columns), y("test::y", host.num_rows(), columns);
      Kokkos::deep_copy(expected, start);
      Kokkos::deep_copy(y, start);
      spmv(exec, plan, alpha, device, x, beta, expected);
      streamed.apply(exec, alpha, x, beta, y);
      exec.fence();
      EXPECT_EQ(entries(y), entries(expected)) << "vectors, " << streamed.explain();
      for (int c = 0; c < columns; ++c) {
        spmv(exec, plan, 1, device, Kokkos::subview(x, Kokkos::ALL, c), 0, Kokkos::subview(expected, Kokkos::ALL, c));
        streamed.apply(exec, Kokkos::subview(x, Kokkos::ALL, c), Kokkos::subview(y, Kokkos::ALL, c));
      }
      exec.fence();
      EXPECT_EQ(entries(y), entries(expected)) << "one vector, " << streamed.explain();
      Kokkos::deep_copy(y, start);
      streamed.apply_repeated(exec, x, y, columns);
      exec.fence();
      EXPECT_EQ(entries(y), entries(expected)) << "repeated, " << streamed.explain();
      Kokkos::deep_copy(y, start);
      streamed.apply_repeated(exec, other_exec, x, y, columns);
      exec.fence();
      EXPECT_EQ(entries(y), entries(expected)) << "by turns on two instances, " << streamed.explain();
    }
  }
};

using TypesAndLayouts =
    SomeTypes<std::pair<double, BlockColumnMajor>, std::pair<double, BlockRowMajor>, std::pair<float, BlockColumnMajor>,
              std::pair<Kokkos::complex<double>, BlockColumnMajor>>;
TYPED_TEST_SUITE(StreamedProducts, TypesAndLayouts);

TYPED_TEST(StreamedProducts, AreThoseOfTheWholeMatrixForEveryCut) {
  for (const int b : {1, 2, 3, 8}) {
    const auto host = this->irregular(b);
    for (const int num_subdivisions : {0, 1, 2, 3, 7, 70, 75}) {
      for (const int num_buffers : {1, 2, 3}) {
        for (const int num_resident : {0, 2}) {
          this->expect_same(
              host, {.num_subdivisions = num_subdivisions,
                     .taper = num_buffers == 1   ? Taper::none
                              : num_buffers == 2 ? Taper::both
                                                 : Taper::front,
                     .num_buffers = num_buffers,
                     .structure = num_buffers == 2 ? StructurePlacement::streamed : StructurePlacement::resident,
                     .num_resident = num_resident,
                     .copy_always = true});
        }
      }
    }
  }
}

TYPED_TEST(StreamedProducts, AreTheSameHiddenOrNotAndInPlace) {
  const auto host = this->irregular(3);
  for (const bool hide : {true, false}) {
    for (const bool send_ahead : {true, false}) {
      for (const bool copy_always : {true, false}) {
        this->expect_same(host, {.num_subdivisions = 5,
                                 .num_resident = hide ? 0 : 1,
                                 .hide = hide,
                                 .send_ahead = send_ahead,
                                 .copy_always = copy_always,
                                 .product = {.mode = Mode::conjugate}});
      }
    }
  }
}

TYPED_TEST(StreamedProducts, TakeExtremeShapes) {
  using Matrix = typename TestFixture::Matrix;
  const auto random = [](std::int64_t rows, std::int64_t cols, int b, reference::RandomRows lengths) {
    return reference::random_bcsr<Matrix>(rows, cols, b, lengths, 5);
  };
  for (const bool copy_always : {true, false}) {
    for (const int num_subdivisions : {1, 4}) {
      const StreamingOptions options{
          .num_subdivisions = num_subdivisions, .num_resident = num_subdivisions / 4, .copy_always = copy_always};
      this->expect_same(random(0, 5, 3, {}), options);
      this->expect_same(random(1, 1, 3, {.min_blocks = 1, .max_blocks = 1}), options);
      this->expect_same(random(9, 9, 3, {.min_blocks = 0, .max_blocks = 0}), options);
      // One block row long enough to be cut into segments, among short ones.
      this->expect_same(random(40, 3000, 8, {.min_blocks = 1, .max_blocks = 2, .full_row = 17}), options);
    }
  }
}

using Doubles = StreamedProducts<std::pair<double, BlockColumnMajor>>;
using DoubleMatrix = BcsrMatrix<double>;
using Streamed = StreamedMatrix<DoubleMatrix>;

auto pinned_matrix(int b = 3) { return copy_to<PinnedSpace>(Exec(), Doubles::irregular(b)); }

TEST(StreamedMatrix, AddsUpProductsWhoseVectorsComeAgain) {
  const Exec exec;
  const auto host = pinned_matrix();
  const Streamed streamed(exec, host, {.num_subdivisions = 4, .num_resident = 0, .copy_always = true});
  const auto x = Doubles::random_vectors(host.num_cols(), 3, 1);
  const Doubles::Vectors y("test::y", host.num_rows(), 2), expected("test::expected", host.num_rows(), 2);
  Kokkos::deep_copy(y, 1e9);  // what was there does not count
  for (int j = 0; j < 7; ++j) {
    const auto x_j = Kokkos::subview(x, Kokkos::ALL, j % 3);
    const auto y_j = Kokkos::subview(expected, Kokkos::ALL, j % 2);
    streamed.apply(exec, 1, x_j, j < 2 ? 0 : 1, y_j);
  }
  streamed.apply_repeated(exec, x, y, 7);
  exec.fence();
  EXPECT_EQ(Doubles::entries(y), Doubles::entries(expected));
  Kokkos::deep_copy(y, 1e9);
  streamed.apply_repeated(exec, Kokkos::Experimental::partition_space(exec, 1)[0], x, y, 7);
  exec.fence();
  EXPECT_EQ(Doubles::entries(y), Doubles::entries(expected)) << "by turns on two instances";
}

TEST(StreamedMatrix, SendsValuesAgainThatHaveChanged) {
  const Exec exec;
  const auto host = pinned_matrix();
  for (const int num_resident : {0, 1, 5}) {
    Streamed streamed(exec, host, {.num_subdivisions = 5, .num_resident = num_resident, .copy_always = true});
    const auto x = Doubles::random_vectors(host.num_cols(), 1, 1);
    const Doubles::Vectors y("test::y", host.num_rows(), 1), twice("test::twice", host.num_rows(), 1);
    streamed.apply(exec, x, y);
    exec.fence();
    for (std::int64_t i = 0; i < host.num_values(); ++i) host.values()(i) *= 2;
    streamed.values_changed(exec);
    streamed.apply(exec, x, twice);
    exec.fence();
    auto expected = Doubles::entries(y);
    for (double& entry : expected) entry *= 2;
    EXPECT_EQ(Doubles::entries(twice), expected) << streamed.explain();
  }
}

/// One instance lags far behind the other. Without waiting, it would read too early, or overwrite data in use.
TEST(StreamedMatrix, KeepsCopiesAndProductsApartWhicheverIsLate) {
  const Exec exec;
  const auto copy_exec = Kokkos::Experimental::partition_space(exec, 1)[0];
  const auto host = pinned_matrix();
  const DoubleMatrix device = copy_to<Doubles::Space>(exec, host);
  const Kokkos::View<double, Doubles::Space> spun("test::spun");
  const auto x = Doubles::random_vectors(host.num_cols(), 1, 1);
  const Doubles::Vectors expected("test::expected", host.num_rows(), 1), y("test::y", host.num_rows(), 1);
  spmv(exec, 1, device, x, 0, expected);
  exec.fence();
  for (const bool copies_are_late : {true, false}) {
    for (const int num_resident : {0, 1}) {
      const Streamed streamed(exec, copy_exec, host,
                              {.num_subdivisions = 7, .num_resident = num_resident, .copy_always = true});
      for (int round = 0; round < 3; ++round) {
        Kokkos::deep_copy(exec, y, 0);
        spin(copies_are_late ? copy_exec : exec, spun);
        streamed.apply(exec, x, y);
        exec.fence();
        EXPECT_EQ(Doubles::entries(y), Doubles::entries(expected)) << copies_are_late << ", " << streamed.explain();
      }
    }
  }
}

TEST(StreamedMatrix, SendsHalfTheBytesOfValuesInSinglePrecision) {
  using Floats = BcsrMatrix<float>;
  const Exec exec;
  const auto doubles = pinned_matrix();
  const auto floats = copy_to<PinnedSpace>(exec, convert_values<float>(exec, doubles));
  const Floats device = copy_to<Doubles::Space>(exec, floats);
  const auto x = Doubles::random_vectors(doubles.num_cols(), 3, 1);
  const Doubles::Vectors y("test::y", doubles.num_rows(), 3), expected("test::expected", doubles.num_rows(), 3);
  const SpmvOptions product{.num_vectors = 3, .double_vectors = true};
  const StreamingOptions options{.num_subdivisions = 5, .num_resident = 0, .copy_always = true, .product = product};
  const StreamedMatrix<Floats> streamed(exec, floats, options);
  streamed.apply(exec, x, y);
  spmv(exec, SpmvPlan<Floats>(exec, device, product), 1, device, x, 0, expected);
  exec.fence();
  EXPECT_EQ(Doubles::entries(y), Doubles::entries(expected));
  const StreamingEstimate whole = Streamed::estimate(doubles, options);
  EXPECT_EQ(2 * streamed.estimate().sent_bytes, whole.sent_bytes);
  EXPECT_EQ(streamed.estimate().vector_bytes, whole.vector_bytes);
}

/// They equal the diagonal blocks of the matrix itself. A row without one gets zeros.
TEST(StreamedMatrix, GivesItsDiagonalBlocks) {
  const Exec exec;
  const auto host = reference::random_bcsr<DoubleMatrix>(90, 90, 3, {.min_blocks = 20, .max_blocks = 60}, 3);
  const auto expected = diagonal_blocks(Kokkos::DefaultHostExecutionSpace(), host);
  for (const int num_resident : {0, 3}) {
    const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host),
                            {.num_subdivisions = 7, .num_resident = num_resident, .copy_always = true});
    const auto diagonal = copy_to<Kokkos::HostSpace>(exec, diagonal_blocks(exec, streamed));
    exec.fence();
    ASSERT_EQ(diagonal.num_blocks(), 90);
    std::int64_t num_missing = 0;
    for (std::int64_t i = 0; i < 90; ++i) {
      EXPECT_EQ(diagonal.graph().row_ptr()(i + 1), i + 1);
      EXPECT_EQ(diagonal.graph().col_idx()(i), i);
      const std::int64_t k = expected.graph().row_ptr()(i);
      const bool is_missing = expected.graph().row_ptr()(i + 1) == k;
      num_missing += is_missing;
      for (int v = 0; v < 9; ++v) {
        EXPECT_EQ(diagonal.values()(9 * i + v), is_missing ? 0 : expected.values()(9 * k + v)) << "row " << i;
      }
    }
    EXPECT_GT(num_missing, 0);
    EXPECT_LT(num_missing, 90);
  }
  EXPECT_THAT(message_of<ArgumentError>([&] {
                diagonal_blocks(
                    exec, Streamed(exec, copy_to<PinnedSpace>(exec, host), {.host_share = 0.5, .copy_always = true}));
              }),
              HasSubstr("share"));
  EXPECT_THAT(message_of<ShapeError>([&] { diagonal_blocks(exec, Streamed(exec, pinned_matrix())); }),
              HasSubstr("210 x 249"));
}

TEST(StreamedMatrix, CutsWholeBlockRowsIntoEqualParts) {
  const auto host = reference::random_bcsr<DoubleMatrix>(1000, 1000, 2, {.min_blocks = 5, .max_blocks = 9}, 3);
  const auto parts = subdivide(host.graph().row_ptr(), host.block_shape(), 8);
  ASSERT_EQ(parts.size(), 8u);
  std::int64_t row = 0, block = 0;
  for (const Subdivision& part : parts) {
    EXPECT_EQ(part.first_row, row);
    EXPECT_EQ(part.first_block, block);
    EXPECT_NEAR(double(part.num_blocks), host.num_blocks() / 8.0, 2 * 9);
    EXPECT_EQ(part.first_sent() % Subdivision::alignment, 0);
    EXPECT_LE(part.first_sent(), part.first_block);
    row += part.num_rows;
    block += part.num_blocks;
  }
  EXPECT_EQ(row, 1000);
  EXPECT_EQ(block, host.num_blocks());
}

TEST(StreamedMatrix, CutsBetweenRowsThatKernelsTakeTogether) {
  const auto host = reference::random_bcsr<DoubleMatrix>(1000, 1000, 1, {.min_blocks = 5, .max_blocks = 9}, 3);
  std::int64_t row = 0;
  for (const Subdivision& part : subdivide(host.graph().row_ptr(), host.block_shape(), 20, Taper::both, 128)) {
    EXPECT_EQ(part.first_row, row);
    EXPECT_TRUE(row % 128 == 0 || row == 1000);
    row += part.num_rows;
  }
  EXPECT_EQ(row, 1000);
}

/// Block rows of `length` blocks each.
Kokkos::View<int*, Kokkos::HostSpace> row_ptr_of_equal_rows(int num_rows, int length) {
  const Kokkos::View<int*, Kokkos::HostSpace> row_ptr("test::row_ptr", num_rows + 1);
  for (int i = 0; i <= num_rows; ++i) row_ptr(i) = i * length;
  return row_ptr;
}

/// Down or up, whichever is nearer.
TEST(StreamedMatrix, CutsAtTheNearestOfRowsThatGoTogether) {
  const auto row_ptr = row_ptr_of_equal_rows(1000, 7);
  const auto begins = [&](int count, std::int64_t rows_together) {
    std::vector<std::int64_t> result;
    for (const Subdivision& part : subdivide(row_ptr, 2, count, Taper::none, rows_together)) {
      EXPECT_EQ(part.first_block, 7 * part.first_row);
      EXPECT_EQ(part.num_blocks, 7 * part.num_rows);
      result.push_back(part.first_row);
    }
    return result;
  };
  EXPECT_THAT(begins(3, 1), ::testing::ElementsAre(0, 333, 667));
  EXPECT_THAT(begins(3, 128), ::testing::ElementsAre(0, 384, 640));  // 333 is nearer to 384 than to 256; 667 to 640
  EXPECT_THAT(begins(4, 100), ::testing::ElementsAre(0, 300, 500, 800));  // in the middle: up
  EXPECT_THAT(begins(3, 3), ::testing::ElementsAre(0, 333, 666));
  // So near the end that the nearest would be beyond it, or so few rows that some get none.
  EXPECT_THAT(begins(2, 999), ::testing::ElementsAre(0, 999));
  EXPECT_THAT(begins(2, 1500), ::testing::ElementsAre(0, 0));
  EXPECT_THAT(begins(8, 512), ::testing::ElementsAre(0, 0, 0, 512, 512, 512, 512, 1000));
}

TEST(StreamedMatrix, TapersTheFirstAndTheLastSubdivisions) {
  for (const int count : {1, 2, 3, 10, 61}) {
    EXPECT_EQ(subdivision_units(count, Taper::none), std::vector<int>(count, 1));
    const std::vector<int> units = subdivision_units(count, Taper::both);
    ASSERT_EQ(int(units.size()), count);
    for (int k = 0; k < count; ++k) {
      EXPECT_EQ(units[k], units[count - 1 - k]);
      EXPECT_LE(units[k], 8 * units[0]);
      if (k > 0 && 2 * k < count) {
        EXPECT_LE(units[k], 1.25 * units[k - 1]);
        EXPECT_GE(units[k], units[k - 1]);
      }
    }
    // At one end only they grow as they do up to the middle.
    const std::vector<int> front = subdivision_units(count, Taper::front), back = subdivision_units(count, Taper::back);
    EXPECT_TRUE(std::equal(units.begin(), units.begin() + (count + 1) / 2, front.begin()));
    EXPECT_TRUE(std::is_sorted(front.begin(), front.end()));
    EXPECT_EQ(std::vector<int>(front.rbegin(), front.rend()), back);
    EXPECT_EQ(*std::max_element(units.begin(), units.end()) == 8 * units[0], count == 61);
  }
  const auto host = reference::random_bcsr<DoubleMatrix>(5000, 1000, 2, {.min_blocks = 5, .max_blocks = 9}, 3);
  const auto parts = subdivide(host.graph().row_ptr(), host.block_shape(), 7, Taper::both);
  const std::vector<int> units = subdivision_units(7, Taper::both);
  for (int k = 0; k < 7; ++k) {
    EXPECT_NEAR(double(parts[k].num_blocks) / host.num_blocks(),
                double(units[k]) / std::accumulate(units.begin(), units.end(), 0), 0.001);
  }
}

TEST(StreamedMatrix, KeepsToTheMemoryLimit) {
  const auto host = reference::random_bcsr<DoubleMatrix>(20000, 20000, 3, {.min_blocks = 20, .max_blocks = 30}, 3);
  const auto pinned = copy_to<PinnedSpace>(Exec(), host);
  const std::uint64_t matrix_bytes = host.num_values() * 8, vector_bytes = 2 * 20000 * 3 * 8;
  std::uint64_t sent_before = 2 * matrix_bytes;
  for (const std::uint64_t limit : {matrix_bytes / 5, matrix_bytes / 2, matrix_bytes, 2 * matrix_bytes}) {
    for (const int num_resident : {0, -1}) {
      const auto estimate =
          Streamed::estimate(pinned, {.num_resident = num_resident, .device_memory_limit = limit, .copy_always = true});
      EXPECT_LE(estimate.device_bytes(), limit);
      EXPECT_EQ(estimate.vector_bytes, vector_bytes);
      if (num_resident == 0) {
        EXPECT_EQ(estimate.resident_bytes, 0);
        EXPECT_GE(estimate.sent_bytes, matrix_bytes);
        continue;
      }
      // Subdivisions stay on the device as far as there is room, and are not sent.
      EXPECT_LT(estimate.sent_bytes, sent_before);
      EXPECT_GE(estimate.sent_bytes + estimate.resident_bytes, matrix_bytes);
      sent_before = estimate.sent_bytes;
      if (estimate.sent_bytes > 0) {
        EXPECT_GE(double(estimate.device_bytes()), 0.8 * double(limit));
      }
    }
  }
  EXPECT_EQ(sent_before, 0);
  // Eight vectors a product need more: then block columns no longer have room.
  const StreamingOptions cramped{
      .device_memory_limit = matrix_bytes / 3, .copy_always = true, .product = {.num_vectors = 8}};
  EXPECT_FALSE(Streamed::estimate(pinned, cramped).structure_is_resident);
  EXPECT_LE(Streamed::estimate(pinned, cramped).device_bytes(), matrix_bytes / 3);
}

TEST(StreamedMatrix, SparesASixteenthOfWhatIsFreeWhateverTheLimit) {
  const auto host = pinned_matrix();
  impl::StreamedShape shape;
  shape.block_shape = host.block_shape();
  shape.num_block_rows = host.num_block_rows();
  shape.num_blocks = host.num_blocks();
  const auto cut = [&](int count) { return subdivide(host.graph().row_ptr(), host.block_shape(), count); };
  for (const std::uint64_t limit : {std::uint64_t(0), std::uint64_t(1) << 40}) {
    try {
      impl::estimate_streaming(shape, {.device_memory_limit = limit}, 1600, cut);
      ADD_FAILURE() << "nothing thrown";
    } catch (const MemoryError& error) {
      EXPECT_EQ(error.available(), 1500);
      EXPECT_EQ(error.why(), "the device has 1500 bytes = 1.5 KiB free for it") << "no limit of the caller is named";
      EXPECT_EQ(error.suggestion(), "multiply fewer vectors at a time, or take a device with more memory");
    }
  }
  const MemoryError error = impl::streaming_limit({.device_memory_limit = 1500}, 1600).error(1600, "test", "wait");
  EXPECT_STREQ(error.what(), "test (the limit is 1500 bytes = 1.5 KiB); raise the limit to that, or wait");
}

TEST(StreamedMatrix, NamesALimitThatWorks) {
  const auto host = pinned_matrix();
  const auto with = [&](std::uint64_t limit) {
    return Streamed(Exec(), host, {.device_memory_limit = limit, .copy_always = true});
  };
  const std::string message = message_of<MemoryError>([&] { with(5000); });
  ASSERT_THAT(message, AllOf(HasSubstr("limit is 5000 bytes"), HasSubstr("vectors")));
  const auto from = message.find(" need ") + 6;
  const std::uint64_t least = std::stoull(message.substr(from));
  EXPECT_NO_THROW(with(least));
  EXPECT_THROW(with(least - 1), MemoryError);
}

TEST(StreamedMatrix, NamesTheLeastLimitOfAllCuts) {
  for (const int num_rows : {5, 70, 300}) {
    const auto host = copy_to<PinnedSpace>(
        Exec(), reference::random_bcsr<DoubleMatrix>(num_rows, num_rows, 3, {.min_blocks = 1, .max_blocks = 9}, 3));
    std::uint64_t least = std::numeric_limits<std::uint64_t>::max();
    for (const auto structure : {StructurePlacement::resident, StructurePlacement::streamed}) {
      for (int count = 1; count <= num_rows; ++count) {
        const StreamingOptions options{
            .num_subdivisions = count, .structure = structure, .num_resident = 0, .copy_always = true};
        least = std::min(least, Streamed::estimate(host, options).device_bytes());
      }
    }
    const auto with = [&](std::uint64_t limit) {
      return Streamed::estimate(host, {.device_memory_limit = limit, .copy_always = true});
    };
    const std::string message = message_of<MemoryError>([&] { with(1); });
    const std::uint64_t named = std::stoull(message.substr(message.find(" need ") + 6));
    // Rows that cannot be cut evenly may hide the very least among many.
    EXPECT_GE(named, least);
    EXPECT_LE(double(named), num_rows < 100 ? double(least) : 1.01 * double(least)) << num_rows;
    EXPECT_NO_THROW(with(named));
    EXPECT_THROW(with(least - 1), MemoryError);
  }
}

TEST(StreamedMatrix, RefusesWhatCannotBe) {
  const Exec exec;
  const auto host = pinned_matrix();
  const auto with = [&](StreamingOptions options) { return Streamed(exec, host, options); };
  EXPECT_THAT(message_of<ArgumentError>([&] { with({.num_subdivisions = -1}); }), HasSubstr("-1 subdivisions"));
  EXPECT_THAT(message_of<ArgumentError>([&] { with({.num_buffers = 0}); }), HasSubstr("0 buffers"));
  EXPECT_THROW(with({.num_subdivisions = 1 << 21}), ArgumentError);
  EXPECT_THROW(with({.num_resident = -2}), ArgumentError);
  EXPECT_THROW(with({.product = {.num_vectors = 0}}), ArgumentError);
  EXPECT_THAT(message_of<ArgumentError>([&] { with({.product = {.mode = Mode::transpose}}); }), HasSubstr("A^T"));
  const Streamed streamed(exec, host, {.num_subdivisions = 2});
  const auto x = Doubles::random_vectors(host.num_cols(), 1, 1);
  const auto y = Doubles::random_vectors(host.num_rows() + 1, 1, 1);
  EXPECT_THAT(message_of<ShapeError>([&] { streamed.apply(exec, x, y); }), HasSubstr("y has 211"));
  EXPECT_THROW(streamed.apply_repeated(exec, x, y, 3), ShapeError);
  // Nothing is written before all is looked at: the second half of y is x.
  const Doubles::Vectors both("test::both", host.num_rows() + host.num_cols(), 1);
  Kokkos::deep_copy(both, 5);
  const auto overlapping = Kokkos::subview(both, std::make_pair(std::int64_t(0), host.num_rows()), 0);
  const auto with_it =
      Kokkos::subview(both, std::make_pair(host.num_rows() - 10, host.num_rows() - 10 + host.num_cols()), 0);
  EXPECT_THAT(message_of<ShapeError>([&] { streamed.apply(exec, with_it, overlapping); }), HasSubstr("overlap"));
  exec.fence();
  EXPECT_THAT(Doubles::entries(both), ::testing::Each(5));
  EXPECT_THROW(streamed.apply_repeated(exec, x, Doubles::random_vectors(host.num_rows(), 1, 1), 0), ArgumentError);
}

TEST(StreamedMatrix, ExplainsItself) {
  const auto host = pinned_matrix();
  const Streamed streamed(Exec(), host, {.num_subdivisions = 4, .num_resident = 0, .copy_always = true});
  EXPECT_THAT(Streamed(Exec(), host, {.num_subdivisions = 4, .num_resident = 1, .copy_always = true}).explain(),
              HasSubstr("the first 1 stay on the device"));
  EXPECT_THAT(streamed.explain(),
              AllOf(HasSubstr("4 subdivisions"), HasSubstr("2 buffers"), HasSubstr("spmv y = A x")));
  if (Streamed::has_one_memory) {
    EXPECT_THAT(Streamed(Exec(), host, {.num_subdivisions = 4}).explain(), HasSubstr("one memory"));
  }
}

}  // namespace
}  // namespace ashlar::testing
