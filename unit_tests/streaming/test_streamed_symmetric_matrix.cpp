// Products with a symmetric matrix of which half is sent, against the product with all of it.
#include <gmock/gmock.h>

#include <algorithm>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/reference/spmv.hpp>
#include <ashlar/streaming/planner.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <cmath>
#include <limits>
#include <string>
#include <support/compare.hpp>
#include <support/message.hpp>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double>;
using Space = Matrix::memory_space;
using Streamed = StreamedSymmetricMatrix<Matrix>;
using Vectors = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

/// Half of a matrix in the host's memory. Waits for it.
template <class Host>
Host half_of(const Host& host) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const Host half = symmetric_half(exec, host);
  exec.fence();
  return half;
}

auto cantilever(int dof) {
  return copy_to<PinnedSpace>(Exec(), problems::cantilever_matrix<Matrix>(Exec(), {.nodes = {5, 4, 3}, .dof = dof}));
}

std::vector<double> entries(const Vectors& y) {
  const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  return {host.data(), host.data() + host.size()};
}

void expect_near(const std::vector<double>& found, const std::vector<double>& expected) {
  ASSERT_EQ(found.size(), expected.size());
  double largest = 1;
  for (const double entry : expected) largest = std::max(largest, std::abs(entry));
  for (std::size_t i = 0; i < found.size(); ++i) ASSERT_NEAR(found[i], expected[i], 1e-13 * largest);
}

TEST(SymmetricHalf, IsTheUpperTriangleWithHalfTheDiagonal) {
  // [4 1; 1 6] in the diagonal blocks, [2 3; 5 7] above, its transpose below.
  const auto host = reference::random_bcsr<Matrix>(2, 2, 2, {.min_blocks = 2, .max_blocks = 2}, 1);
  const double values[] = {4, 1, 1, 6, /* by columns */ 2, 5, 3, 7, 2, 3, 5, 7, 4, 1, 1, 6};
  for (int i = 0; i < 16; ++i) host.values()(i) = values[i];
  const auto half = half_of(host);
  ASSERT_EQ(half.num_blocks(), 3);
  const double expected[] = {2, 0.5, 0.5, 3, 2, 5, 3, 7, 2, 0.5, 0.5, 3};
  for (int i = 0; i < 12; ++i) EXPECT_EQ(half.values()(i), expected[i]) << i;
  EXPECT_EQ(half.graph().col_idx()(0), 0);
  EXPECT_EQ(half.graph().col_idx()(1), 1);
  EXPECT_EQ(half.graph().col_idx()(2), 1);
}

TEST(SymmetricHalf, TakesRowsWithoutADiagonalBlock) {
  const auto host = reference::random_bcsr<Matrix>(
      40, 40, 3, {.min_blocks = 0, .max_blocks = 5, .empty_every = 3, .full_row = 11}, 2);
  const auto half = half_of(host);
  std::int64_t upper = 0;
  for (int i = 0; i < 40; ++i) {
    for (int k = host.graph().row_ptr()(i); k < host.graph().row_ptr()(i + 1); ++k)
      upper += host.graph().col_idx()(k) >= i;
    for (int k = half.graph().row_ptr()(i); k < half.graph().row_ptr()(i + 1); ++k) {
      EXPECT_GE(half.graph().col_idx()(k), i);
    }
  }
  EXPECT_EQ(half.num_blocks(), upper);
}

TEST(SymmetricHalf, IsTheSameMadeOnTheDevice) {
  const Exec exec;
  const auto host = cantilever(3);
  const auto expected = half_of(host);
  const auto half = copy_to<PinnedSpace>(exec, symmetric_half(exec, copy_to<Space>(exec, host)));
  exec.fence();
  ASSERT_EQ(half.num_blocks(), expected.num_blocks());
  for (std::int64_t i = 0; i < half.num_values(); ++i) ASSERT_EQ(half.values()(i), expected.values()(i));
}

TEST(SymmetricHalf, RefusesWhatIsNotSquare) {
  const auto host = reference::random_bcsr<Matrix>(4, 5, 2, {.min_blocks = 1, .max_blocks = 2}, 1);
  EXPECT_THROW(half_of(host), ShapeError);
}

TEST(StreamedSymmetricMatrix, MultipliesByAllOfTheMatrix) {
  const Exec exec;
  for (const int dof : {1, 3, 6}) {
    const auto host = cantilever(dof);
    const auto half = half_of(host);
    EXPECT_LT(half.num_blocks(), 0.6 * host.num_blocks());
    const Matrix device = copy_to<Space>(exec, host);
    for (const int num_subdivisions : {1, 2, 5, 60, 70}) {
      for (const bool copy_always : {true, false}) {
        const StreamingOptions options{.num_subdivisions = num_subdivisions,
                                       .num_resident = num_subdivisions == 5 ? 1 : 0,
                                       .copy_always = copy_always,
                                       .product = {.num_vectors = 3}};
        const Streamed streamed(exec, half, options), again(exec, half, options);
        const auto x = random_block<Vectors>(host.num_cols(), 3, 1);
        for (const double beta : {0.0, 1.0, -0.5}) {
          const auto expected = random_block<Vectors>(host.num_rows(), 3, 2);
          const auto y = random_block<Vectors>(host.num_rows(), 3, 2),
                     same = random_block<Vectors>(host.num_rows(), 3, 2);
          if (beta == 0) Kokkos::deep_copy(y, std::numeric_limits<double>::quiet_NaN());
          spmv(exec, 1.5, device, x, beta, expected);
          streamed.apply(exec, 1.5, x, beta, y);
          again.apply(exec, 1.5, x, beta, same);
          exec.fence();
          expect_near(entries(y), entries(expected));
          EXPECT_EQ(entries(y), entries(same)) << "two runs, two results";
        }
        const auto x0 = Kokkos::subview(x, Kokkos::ALL, 0);
        const Kokkos::View<double*, Space> y0("test::y0", host.num_rows()), right0("test::right0", host.num_rows());
        streamed.apply(exec, x0, y0);
        spmv(exec, 1, device, x0, 0, right0);
        exec.fence();
        expect_near(to_host(y0), to_host(right0));
      }
    }
  }
}

TEST(StreamedSymmetricMatrix, SendsHalfTheBytesWithinTheLimit) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, problems::stencil11<Matrix>(exec, 30, 30, 30, 4));
  const auto half = half_of(host);
  const StreamingOptions options{.num_resident = 0, .copy_always = true};
  const auto of_half = Streamed::estimate(half, options);
  const auto of_all = StreamedMatrix<Matrix>::estimate(host, options);
  EXPECT_LT(double(of_half.sent_bytes), 0.56 * double(of_all.sent_bytes));
  const std::uint64_t bytes = half.num_values() * 8;
  for (const std::uint64_t limit : {bytes * 8 / 10, bytes, 2 * bytes}) {
    const auto estimate = Streamed::estimate(half, {.device_memory_limit = limit, .copy_always = true});
    EXPECT_LE(estimate.device_bytes(), limit);
    EXPECT_NO_THROW(Streamed(exec, half, {.device_memory_limit = limit, .copy_always = true}));
  }
  // The limit that the message names is enough.
  try {
    Streamed(exec, half, {.device_memory_limit = 10000, .copy_always = true});
    ADD_FAILURE() << "10000 bytes";
  } catch (const MemoryError& error) {
    EXPECT_EQ(error.available(), 10000u);
    EXPECT_THAT(error.why(), HasSubstr("the limit is "));
    const StreamingOptions told{.device_memory_limit = error.needed(), .copy_always = true};
    const Streamed streamed(exec, half, told);
    EXPECT_LE(streamed.estimate().device_bytes(), error.needed());
    EXPECT_EQ(streamed.estimate().device_bytes(), Streamed::estimate(half, told).device_bytes());
    EXPECT_THAT(streamed.explain(), HasSubstr("indices of columns take"));
  }
}

/// Most subdivisions of a banded matrix have blocks in a few columns.
TEST(StreamedSymmetricMatrix, KnowsOfEachSubdivisionTheColumnsThatItHas) {
  const auto half = half_of(copy_to<PinnedSpace>(Exec(), problems::stencil11<Matrix>(Exec(), 30, 30, 30, 4)));
  const auto structure_bytes = [&](int num_subdivisions) {
    const StreamingOptions options{.num_subdivisions = num_subdivisions, .num_resident = 0, .copy_always = true};
    return Streamed::estimate(half, options).structure_bytes;
  };
  // Offsets of all columns in each would be 5.4 MB; the band of a subdivision is 4 planes of points wide at most.
  constexpr std::uint64_t of_offsets = 4 * 900 * 4;
  EXPECT_LT(structure_bytes(51) - structure_bytes(1), 50 * (of_offsets + 2048 + 1024));
  // The allocations agree with the estimate.
  namespace tools = Kokkos::Tools::Experimental;
  static std::uint64_t bytes_of_indices;
  bytes_of_indices = 0;
  const auto before = tools::get_callbacks();
  tools::set_allocate_data_callback([](auto, const char* label, const void*, std::uint64_t bytes) {
    if (std::string(label).starts_with("ashlar::transpose_index")) bytes_of_indices += bytes;
  });
  const Streamed streamed(Exec(), half, {.num_subdivisions = 51, .num_resident = 0, .copy_always = true});
  tools::set_callbacks(before);
  EXPECT_GT(bytes_of_indices, half.num_blocks() * 8);
  EXPECT_LT(bytes_of_indices, half.num_blocks() * 8 + 51 * (2 * of_offsets + 16 * 8));
}

/// Smaller buffers leave room for more of the matrix, which is worth more starts where the link is slow.
TEST(StreamedSymmetricMatrix, IsPlannedWithinTheLimit) {
  const Exec exec;
  const auto host = copy_to<PinnedSpace>(exec, problems::stencil11<Matrix>(exec, 24, 24, 24, 4));
  const auto half = half_of(host);
  const std::uint64_t limit = half.num_values() * 8 * 9 / 10 + (is_gpu_v<Exec> ? 2 << 20 : 0);
  const StreamingOptions options{.device_memory_limit = limit, .copy_always = true};
  const auto x = random_block<Vectors>(host.num_cols(), 1, 1), y = random_block<Vectors>(host.num_rows(), 1, 2),
             expected = random_block<Vectors>(host.num_rows(), 1, 3);
  StreamingFigures figures;
  {
    const Streamed trial(exec, half, options);
    figures = trial.measure(exec, x, y);
  }
  EXPECT_GT(figures.link_bytes_per_second, 0);
  EXPECT_GT(figures.block_seconds, 0);
  EXPECT_EQ(figures.host_block_seconds, 0);
  figures.link_bytes_per_second = 1e6;
  figures.copy_start_seconds = figures.product_start_seconds = figures.enqueue_seconds = 0;
  const StreamingPlan plan = plan_streaming<Streamed>(half, figures, options);
  EXPECT_LE(plan.estimate.device_bytes(), limit);
  EXPECT_EQ(plan.options.host_share, 0);
  EXPECT_LT(plan.estimate.sent_bytes, Streamed::estimate(half, options).sent_bytes);
  const Streamed planned(exec, half, plan.options);
  EXPECT_EQ(planned.estimate().device_bytes(), plan.estimate.device_bytes());
  planned.apply(exec, x, y);
  spmv(exec, 1, copy_to<Space>(exec, host), x, 0, expected);
  exec.fence();
  expect_near(entries(y), entries(expected));
}

/// T need not be a triangle: any matrix plus its transpose is symmetric.
TEST(StreamedSymmetricMatrix, AddsTheTransposeOfAnyMatrix) {
  const Exec exec;
  const auto host = reference::random_bcsr<Matrix>(
      50, 50, 3, {.min_blocks = 0, .max_blocks = 4, .empty_every = 5, .full_row = 31}, 9);
  const auto x = random_block<Vectors>(host.num_cols(), 2, 3), y = random_block<Vectors>(host.num_rows(), 2, 4),
             expected = random_block<Vectors>(host.num_rows(), 2, 4);
  const Matrix device = copy_to<Space>(exec, host);
  spmv(exec, 2, device, x, 0.5, expected);
  const SpmvPlan<Matrix> transposed(exec, device, {.mode = Mode::transpose});
  spmv(exec, transposed, 2, device, x, 1, expected);
  for (const int num_subdivisions : {1, 4, 50}) {
    const Streamed streamed(exec, copy_to<PinnedSpace>(exec, host),
                            {.num_subdivisions = num_subdivisions, .num_resident = 0, .copy_always = true});
    const auto found = random_block<Vectors>(host.num_rows(), 2, 4);
    streamed.apply(exec, 2, x, 0.5, found);
    exec.fence();
    expect_near(entries(found), entries(expected));
  }
}

TEST(StreamedSymmetricMatrix, RefusesWhatItHasNot) {
  const Exec exec;
  const auto half = half_of(cantilever(3));
  EXPECT_THROW(Streamed(exec, half, {.host_share = 0.1}), ArgumentError);
  EXPECT_THROW(Streamed(exec, half, {.structure = StructurePlacement::streamed}), ArgumentError);
  EXPECT_THROW(Streamed(exec, half, {.product = {.mode = Mode::transpose}}), ArgumentError);
  const Streamed streamed(exec, half, {.num_subdivisions = 2});
  EXPECT_THAT(streamed.explain(), HasSubstr("A = T + T^T"));
  const Kokkos::View<double*, Space> x("test::x", half.num_cols()), y("test::y", half.num_rows() + 1);
  EXPECT_THROW(streamed.apply(exec, x, y), ShapeError);
}

}  // namespace
}  // namespace ashlar::testing
