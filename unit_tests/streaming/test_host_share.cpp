// Products of which the host makes a share: against the whole product on the device.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cmath>
#include <limits>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <utility>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Space = Matrix::memory_space;
using Streamed = StreamedMatrix<Matrix>;

auto irregular(int b) {
  return reference::random_bcsr<Matrix>(90, 77, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 71},
                                        100 + b);
}

template <class View>
std::vector<double> entries(const View& y) {
  const Kokkos::View<double**, Kokkos::LayoutRight, Space> together("test::together", y.extent(0), y.extent(1));
  Kokkos::deep_copy(together, y);
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), together);
  return {host.data(), host.data() + host.size()};
}

/// The host's share has the host's bits, which on a GPU are others than the device's.
void expect_same(const std::vector<double>& found, const std::vector<double>& expected, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size());
  if (Streamed::has_one_memory) {
    EXPECT_EQ(found, expected) << what;
  } else {
    for (std::size_t i = 0; i < found.size(); ++i) EXPECT_NEAR(found[i], expected[i], 1e-12) << what;
  }
}

template <class Layout>
void expect_right(int b, StreamingOptions options) {
  using Vectors = Kokkos::View<double**, Layout, Space>;
  constexpr int columns = 3;
  const Exec exec;
  const auto host = irregular(b);
  const Matrix device = copy_to<Space>(exec, host);
  options.copy_always = true;
  options.product.num_vectors = columns;
  const SpmvPlan<Matrix> plan(exec, device, options.product);
  const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host), options), again(exec, streamed.matrix(), options);
  const auto x = random_block<Vectors>(host.num_cols(), columns, 7);
  for (const double beta : {0.0, 1.5}) {
    const auto expected = random_block<Vectors>(host.num_rows(), columns, 8);
    const auto y = random_block<Vectors>(host.num_rows(), columns, 8);
    const auto same = random_block<Vectors>(host.num_rows(), columns, 8);
    if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
    spmv(exec, plan, -0.75, device, x, beta, expected);
    streamed.apply(exec, -0.75, x, beta, y);
    again.apply(exec, -0.75, x, beta, same);
    exec.fence();
    expect_same(entries(y), entries(expected), streamed.explain());
    EXPECT_EQ(entries(y), entries(same)) << "two runs, two results";
    // Some of the columns.
    const auto two = std::make_pair(0, 2);
    const auto x2 = Kokkos::subview(x, Kokkos::ALL, two);
    spmv(exec, plan, 2, device, x2, beta, Kokkos::subview(expected, Kokkos::ALL, two));
    streamed.apply(exec, 2, x2, beta, Kokkos::subview(y, Kokkos::ALL, two));
    exec.fence();
    expect_same(entries(y), entries(expected), streamed.explain());
  }
}

TEST(HostShare, OfProductsIsThatOfTheWholeMatrix) {
  for (const int b : {1, 2, 3, 8}) {
    for (const double host_share : {0.01, 0.4, 1.0}) {
      for (const bool hide : {true, false}) {
        StreamingOptions options{
            .num_subdivisions = 4, .num_resident = hide ? 1 : 0, .host_share = host_share, .hide = hide};
        expect_right<Kokkos::LayoutLeft>(b, options);
        expect_right<Kokkos::LayoutRight>(b, options);
        if (hide && b != 3) continue;
        // The host multiplies in pieces.
        options.num_subdivisions = impl::HostPieces::first + 2;
        expect_right<Kokkos::LayoutLeft>(b, options);
        expect_right<Kokkos::LayoutRight>(b, options);
      }
    }
  }
}

/// Two blocks a row, from column_of(row) on, and other values in each.
template <class ColumnOf>
auto two_a_row(std::int64_t num_rows, std::int64_t num_cols, const ColumnOf& column_of) {
  using Host = Matrix::in_space<Kokkos::HostSpace>;
  const Kokkos::View<std::int32_t*, Kokkos::HostSpace> row_ptr("test::row_ptr", num_rows + 1),
      col_idx("test::col_idx", 2 * num_rows);
  const Kokkos::View<double*, Kokkos::HostSpace> values("test::values", 2 * num_rows);
  for (std::int64_t row = 0; row < num_rows; ++row) {
    row_ptr(row + 1) = static_cast<std::int32_t>(2 * row + 2);
    for (int k = 0; k < 2; ++k) {
      col_idx(2 * row + k) = static_cast<std::int32_t>(column_of(row) + k);
      values(2 * row + k) = std::sin(double(2 * row + k));
    }
  }
  return Host({1, 1}, Host::graph_type(static_cast<std::int32_t>(num_cols), row_ptr, col_idx), values);
}

/// Each piece has what of x it needs, whichever way columns go from one to the next.
TEST(HostShare, HasOfXWhatEachPieceNeeds) {
  const Exec exec;
  constexpr std::int64_t rows = 6000, cols = 9000;
  const auto rising = [](std::int64_t row) { return row; };
  const auto falling = [](std::int64_t row) { return 8000 - row; };
  const auto both_ways = [](std::int64_t row) { return row % 2 == 0 ? 4000 + row / 2 : 4000 - row / 2; };
  const auto with_gaps = [](std::int64_t row) { return row / 1000 * 1500 + row % 100; };
  const auto expect_right = [&](const auto& host) {
    const Matrix device = copy_to<Space>(exec, host);
    const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host),
                            {.num_subdivisions = impl::HostPieces::first + 2 * impl::HostPieces::next + 1,
                             .num_resident = 0,
                             .host_share = 0.9,
                             .copy_always = true});
    const Kokkos::View<double*, Space> x("test::x", cols), y("test::y", rows), expected("test::expected", rows);
    const auto of_host = Kokkos::create_mirror_view(x);
    for (int round = 1; round <= 2; ++round) {
      for (std::int64_t i = 0; i < cols; ++i) of_host(i) = round * std::cos(double(i));
      Kokkos::deep_copy(x, of_host);
      Kokkos::deep_copy(exec, y, 1.0);
      Kokkos::deep_copy(exec, expected, 1.0);
      spmv(exec, 2, device, x, 0.5, expected);
      streamed.apply(exec, 2, x, 0.5, y);
      exec.fence();
      expect_same(to_host(y), to_host(expected), streamed.explain());
    }
  };
  expect_right(two_a_row(rows, cols, rising));
  expect_right(two_a_row(rows, cols, falling));
  expect_right(two_a_row(rows, cols, both_ways));
  expect_right(two_a_row(rows, cols, with_gaps));
}

/// A kernel that is asked for is the device's: the host's rows have the bits of the host's own choice.
TEST(HostShare, KeepsItsOwnKernel) {
  const Exec exec;
  const Kokkos::DefaultHostExecutionSpace host_exec;
  const auto host = copy_to<PinnedSpace>(exec, irregular(3));
  const Streamed streamed(exec, host,
                          {.host_share = 1, .copy_always = true, .product = {.kernel = Kernel::by_line, .width = 16}});
  EXPECT_EQ(streamed.kernel(), Kernel::by_line);
  using Vector = Kokkos::View<double*, Space>;
  using HostVector = Kokkos::View<double*, PinnedSpace>;
  const HostVector x("test::x", host.num_cols()), own("test::own", host.num_rows()), other("test::o", host.num_rows());
  for (std::size_t i = 0; i < x.extent(0); ++i) x(i) = std::sin(double(i));
  const SpmvPlan<typename Streamed::host_type> plan(host_exec, host),
      forced(host_exec, host, {.kernel = Kernel::by_line, .width = 16});
  spmv(host_exec, plan, 1, host, x, 0, own);
  spmv(host_exec, forced, 1, host, x, 0, other);
  host_exec.fence();
  const Vector device_x("test::x", host.num_cols()), y("test::y", host.num_rows());
  Kokkos::deep_copy(device_x, x);
  streamed.apply(exec, device_x, y);
  exec.fence();
  const auto found = to_host(y), expected = to_host(own);
  EXPECT_EQ(found, expected);
  EXPECT_NE(expected, to_host(other)) << "the two kernels cannot be told apart";
}

/// A large share has a few pieces, so that vectors come and go while the host multiplies.
TEST(HostShare, IsInPiecesThatAreFewAndLarge) {
  constexpr std::uint64_t piece = impl::HostPieces::least_bytes;
  constexpr int first = impl::HostPieces::first, next = impl::HostPieces::next;
  const auto count = [](int num_subdivisions, std::uint64_t bytes) {
    return impl::HostPieces{num_subdivisions, bytes}.count();
  };
  EXPECT_EQ(count(4, 0), 1);
  EXPECT_EQ(count(4, 2 * piece - 1), 1);
  EXPECT_EQ(count(4, 2 * piece), 2);
  EXPECT_EQ(count(first, 3 * piece), 3);
  EXPECT_EQ(count(first, std::uint64_t(1) << 40), 4);
  // As many in each turn of enqueuing.
  EXPECT_EQ(count(first + 1, 3 * piece), 2);
  EXPECT_EQ(count(first + 1, 100 * piece), 4);
  EXPECT_EQ(count(first + next + 1, 100 * piece), 3);
  EXPECT_EQ(count(first + 9 * next, 100 * piece), 10);
  const impl::HostPieces pieces{first + next, 100 * piece};
  EXPECT_EQ(pieces.before(first - 1), 0);
  EXPECT_EQ(pieces.before(first), 2);
  EXPECT_EQ(pieces.before(first + next - 1), 2);
}

/// What a piece needs arrives with it or before it, nothing twice, and no earlier than it must.
TEST(HostShare, SendsEachPieceWhatItNeeds) {
  using Ranges = std::vector<impl::VectorRange>;
  const auto arrivals = [](const Ranges& needed) { return impl::arrivals_of(needed); };
  EXPECT_THAT(arrivals({{10, 20}, {15, 30}, {25, 40}}),
              ElementsAre(Ranges{{10, 20}}, Ranges{{20, 30}}, Ranges{{30, 40}}));
  EXPECT_THAT(arrivals({{25, 40}, {15, 30}, {10, 20}}),
              ElementsAre(Ranges{{25, 40}}, Ranges{{15, 25}}, Ranges{{10, 15}}));
  EXPECT_THAT(arrivals({{20, 30}, {10, 40}, {12, 38}}),
              ElementsAre(Ranges{{20, 30}}, Ranges{{10, 20}, {30, 40}}, Ranges{}));
  // Gaps come along; pieces may need nothing.
  EXPECT_THAT(arrivals({{5, 5}, {10, 20}, {0, 0}, {30, 40}}),
              ElementsAre(Ranges{}, Ranges{{10, 20}}, Ranges{}, Ranges{{20, 40}}));
}

/// Several pieces by their size alone, in one turn: what of them is sent, multiplied and given back by itself.
TEST(HostShare, MultipliesPieceByPiece) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, irregular(3));
  const auto row_ptr = host.graph().row_ptr();
  constexpr int first_row = 20, num_pieces = 3, columns = 2;
  const Subdivision rows{first_row, host.num_block_rows() - first_row, row_ptr(first_row),
                         host.num_blocks() - row_ptr(first_row)};
  impl::HostPart<Streamed::host_type, Exec> part(exec, host, rows, {.num_vectors = columns}, sizeof(double),
                                                 num_pieces);
  using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const auto x = random_block<Vectors>(host.num_cols(), columns, 7),
             y = random_block<Vectors>(host.num_rows(), columns, 8),
             expected = random_block<Vectors>(host.num_rows(), columns, 8);
  spmv(exec, 2, copy_to<Space>(exec, host), x, 0.5, expected);
  part.send(exec, x, 0.5, part.rows_of(y));
  for (int piece = 0; piece < num_pieces; ++piece) {
    part.multiply(piece, 2.0, x, 0.5, part.rows_of(y));
    part.give_back(piece, part.rows_of(y));
  }
  part.finish(exec);
  exec.fence();
  const auto bottom = [&](const Vectors& of) { return entries(part.rows_of(of)); };
  expect_same(bottom(y), bottom(expected), "three pieces");
}

TEST(HostShare, IsMultipliedInPiecesBetweenSubdivisions) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, irregular(3));
  const Kokkos::View<double*, Space> x("test::x", host.num_cols()), y("test::y", host.num_rows());
  constexpr int first = impl::HostPieces::first, next = impl::HostPieces::next;
  for (const auto& [number, pieces] :
       {std::pair(4, 1), std::pair(first, 1), std::pair(first + 1, 2), std::pair(first + next, 2),
        std::pair(first + next + 1, 3), std::pair(first + 2 * next + 1, 4)}) {
    Streamed streamed(exec, host,
                      {.num_subdivisions = number, .num_resident = 0, .host_share = 0.5, .copy_always = true});
    StreamTimeline<Exec> timeline(exec, 4 * number);
    const auto recording = streamed.record(timeline);
    streamed.apply(exec, x, y);
    exec.fence();
    std::vector<StreamSpan> of_host, products;
    for (const StreamSpan& span : timeline.spans()) {
      if (span.track == "host") of_host.push_back(span);
      if (span.track == "products") products.push_back(span);
    }
    ASSERT_EQ(of_host.size(), std::size_t(pieces)) << number;
    ASSERT_EQ(products.size(), std::size_t(number));
    constexpr double clocks_differ = is_gpu_v<Exec> ? 1e-4 : 0;
    for (int piece = 0; piece < pieces; ++piece) {
      const int behind = first + next * piece;
      if (behind < number) {
        EXPECT_GE(products[behind].begin_seconds, of_host[piece].end_seconds - clocks_differ) << number;
      }
      // A device may not have come so far.
      if (!is_gpu_v<Exec>) {
        EXPECT_LE(products[std::min(behind, number) - 1].end_seconds, of_host[piece].begin_seconds) << number;
      }
    }
  }
}

TEST(HostShare, OfOneVectorTakesWorkOnItsInstanceIntoAccount) {
  const Exec exec;
  const auto host = irregular(3);
  const Matrix device = copy_to<Space>(exec, host);
  const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host), {.host_share = 0.5, .copy_always = true});
  using Vector = Kokkos::View<double*, Space>;
  const Vector x("test::x", host.num_cols()), y("test::y", host.num_rows()), expected("test::e", host.num_rows());
  const SpmvPlan<Matrix> plan(exec, device);
  for (int round = 1; round <= 3; ++round) {
    // x is written, and y read, by work that is only enqueued.
    Kokkos::deep_copy(exec, x, round);
    streamed.apply(exec, x, y);
    Kokkos::deep_copy(exec, expected, y);
    Kokkos::deep_copy(exec, x, -1);
    const Vector whole("test::whole", host.num_rows());
    Kokkos::deep_copy(exec, x, round);
    spmv(exec, plan, 1, device, x, 0, whole);
    exec.fence();
    const auto found = to_host(expected), right = to_host(whole);
    expect_same(found, right, streamed.explain());
  }
}

TEST(HostShare, IsOfTheBlocks) {
  const auto host = copy_to<PinnedSpace>(
      Exec(), reference::random_bcsr<Matrix>(3000, 3000, 2, {.min_blocks = 2, .max_blocks = 30}, 3));
  const StreamingOptions options{.num_resident = 0, .copy_always = true};
  const StreamingEstimate all = Streamed::estimate(host, options);
  EXPECT_EQ(all.host_bytes, 0u);
  for (const double share : {0.0, 0.25, 0.9, 1.0}) {
    StreamingOptions with_share = options;
    with_share.host_share = share;
    const StreamingEstimate estimate = Streamed::estimate(host, with_share);
    EXPECT_NEAR(double(estimate.sent_bytes), (1 - share) * double(all.sent_bytes), 0.05 * double(all.sent_bytes));
    EXPECT_NEAR(double(estimate.host_bytes), share * double(all.sent_bytes), 0.18 * double(all.sent_bytes));
    EXPECT_EQ(estimate.vector_bytes, all.vector_bytes);
    EXPECT_LE(estimate.device_bytes(), all.device_bytes());
    const Streamed streamed(Exec(), host, with_share);
    EXPECT_EQ(streamed.explain().find("the host multiplies") != std::string::npos, share > 0) << streamed.explain();
  }
  // Where host and device are one memory, nothing is to be shared out.
  if (Streamed::has_one_memory) {
    EXPECT_EQ(Streamed(Exec(), host, {.host_share = 0.5}).explain().find("the host multiplies"), std::string::npos);
  }
}

/// No more than the share: exactly so many block rows, in those that go together.
TEST(HostShare, IsTheLastBlockRowsThatAreNoMoreThanIt) {
  const Kokkos::View<int*, Kokkos::HostSpace> row_ptr("test::row_ptr", 11);
  for (int i = 0; i <= 10; ++i) row_ptr(i) = 10 * i;
  const auto rows = [&](double share, std::int64_t rows_together = 1) {
    const Subdivision part = last_block_rows(row_ptr, share, rows_together);
    EXPECT_EQ(part.first_row + part.num_rows, 10);
    EXPECT_EQ(part.first_block, 10 * part.first_row);
    EXPECT_EQ(part.num_blocks, 10 * part.num_rows);
    return part.num_rows;
  };
  // At its limits: nothing, and all of it.
  for (const std::int64_t together : {1, 4, 16}) {
    EXPECT_EQ(rows(0, together), 0);
    EXPECT_EQ(rows(1, together), 10);
  }
  // Less than the last row is nothing, and less than all is not the first row.
  EXPECT_EQ(rows(0.05), 0);
  EXPECT_EQ(rows(0.125), 1);
  EXPECT_EQ(rows(0.25), 2);
  EXPECT_EQ(rows(0.5), 5);
  EXPECT_EQ(rows(0.95), 9);
  // From a multiple of 4 on: 0, 4, 8.
  EXPECT_EQ(rows(0.125, 4), 0);
  EXPECT_EQ(rows(0.25, 4), 2);
  EXPECT_EQ(rows(0.5, 4), 2);
  EXPECT_EQ(rows(0.625, 4), 6);
  EXPECT_EQ(rows(0.95, 4), 6);
  // Of a matrix without block rows, or without blocks.
  EXPECT_EQ(last_block_rows(Kokkos::View<int*, Kokkos::HostSpace>(), 1).num_rows, 0);
  EXPECT_EQ(last_block_rows(Kokkos::View<int*, Kokkos::HostSpace>("test::row_ptr", 6), 1).num_rows, 5);
}

/// With nothing for the device, and with next to nothing.
TEST(HostShare, MayBeAllOfTheMatrix) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, irregular(3));
  const Kokkos::View<double*, Space> x("test::x", host.num_cols()), y("test::y", host.num_rows());
  const auto products = [&](double share) {
    Streamed streamed(exec, host, {.num_subdivisions = 3, .num_resident = 0, .host_share = share, .copy_always = true});
    StreamTimeline<Exec> timeline(exec, 64);
    const auto recording = streamed.record(timeline);
    streamed.apply(exec, x, y);
    exec.fence();
    std::uint64_t sent = 0;
    for (const StreamSpan& span : timeline.spans()) sent += span.track == "copies" ? span.bytes : 0;
    return std::pair(sent, streamed.estimate().host_bytes);
  };
  const std::uint64_t block_bytes = 9 * sizeof(double) + sizeof(std::int32_t);
  EXPECT_EQ(products(1), std::pair(std::uint64_t(0), std::uint64_t(host.num_blocks()) * block_bytes));
  EXPECT_EQ(products(0).second, 0u);
  EXPECT_GT(products(0.9).first, 0u);
}

TEST(HostShare, RefusesWhatItHasNoRoomFor) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, irregular(3));
  for (const double share : {-0.1, 1.1, std::nan("")}) {
    EXPECT_THAT(message_of<ArgumentError>([&] { Streamed(exec, host, {.host_share = share}); }),
                HasSubstr("a share of"));
  }
  const Streamed streamed(exec, host, {.host_share = 0.5, .copy_always = true, .product = {.num_vectors = 2}});
  using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const Vectors x("test::x", host.num_cols(), 3), y("test::y", host.num_rows(), 3);
  EXPECT_THAT(message_of<ArgumentError>([&] { streamed.apply(exec, x, y); }), HasSubstr("has room for 2"));
  EXPECT_THAT(message_of<ArgumentError>([&] { streamed.apply_repeated(exec, x, y); }), HasSubstr("host_share at 0"));
  EXPECT_THAT(message_of<ArgumentError>([&] { streamed.measure(exec, x, y); }), HasSubstr("has room for 2"));
}

}  // namespace
}  // namespace ashlar::testing
