// Offsets into the values beyond 2^31, with little memory: a small matrix whose first block is not block 0 but a far
// later one. The arrays are views that begin as far before the memory that there is, and nobody looks there.
#include <algorithm>
#include <ashlar/reference/random_matrix.hpp>
#include <spmv/far_blocks.hpp>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;

TEST(SpmvOffsets, MayBeBeyond32Bits) {
  constexpr std::int64_t far = std::int64_t(1) << 30;  // blocks, so that values are from 2^32 on at b = 2
  for (const BlockShape shape : {BlockShape(2), {3}, {5}, {8}, {9}, {33}, {3, 5}}) {
    const ProductCase<Matrix> c(
        reference::random_bcsr<Matrix>(70, 83, shape, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7}, 8));
    const FarBlocks<Matrix> moved(c.device, far);
    const auto x = random_vector<double>(c.host.num_cols(), 3);
    const auto expected = c.oracle(Mode::no_transpose, 1, x, 0, std::vector<double>(c.host.num_rows()));
    for (const Kernel kernel : all_kernels) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      const SpmvPlan<Matrix> plan(c.exec, moved.matrix, {.kernel = kernel});
      const Kokkos::View<double*, Matrix::memory_space> y("y", c.host.num_rows());
      spmv(c.exec, plan, 1, moved.matrix, to_device<Matrix::memory_space>(x), 0, y);
      c.exec.fence();
      EXPECT_LE(max_difference(to_host(y), expected), c.tolerance(c.longest_row(Mode::no_transpose), 1, 0))
          << plan.explain();
    }
  }
}

TEST(SpmvOffsets, MayBeBeyond32BitsWithSeveralVectors) {
  constexpr std::int64_t far = std::int64_t(1) << 30;
  for (const BlockShape shape : {BlockShape(2), {5}, {8}, {33}}) {
    const ProductCase<Matrix> c(
        reference::random_bcsr<Matrix>(70, 83, shape, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7}, 8));
    const FarBlocks<Matrix> moved(c.device, far);
    using View = Kokkos::View<double**, Kokkos::LayoutLeft, Matrix::memory_space>;
    const View x("x", c.host.num_cols(), 8), y("y", c.host.num_rows(), 8), expected("expected", c.host.num_rows(), 8);
    const auto x_host = Kokkos::create_mirror_view(x);
    const auto entries = random_vector<double>(x_host.size(), 5);
    std::copy(entries.begin(), entries.end(), x_host.data());
    Kokkos::deep_copy(x, x_host);
    for (const Kernel kernel : {Kernel::automatic, Kernel::by_block, Kernel::by_column, Kernel::row_per_thread}) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      spmv(c.exec, SpmvPlan<Matrix>(c.exec, c.device, {.kernel = kernel}), 1, c.device, x, 0, expected);
      spmv(c.exec, SpmvPlan<Matrix>(c.exec, moved.matrix, {.kernel = kernel}), 1, moved.matrix, x, 0, y);
      c.exec.fence();
      const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
      const auto expected_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), expected);
      double worst = 0;
      for (std::size_t i = 0; i < y_host.extent(0); ++i) {
        worst = std::max(worst, std::abs(y_host(i, 7) - expected_host(i, 7)));
      }
      EXPECT_LE(worst, c.tolerance(c.longest_row(Mode::no_transpose), 1, 0)) << to_string(kernel);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
