// Values of lower precision than the vectors, and values that start where no chunk can.
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/tune.hpp>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

template <class Layout>
class SpmvValues : public ::testing::Test {};
using Layouts = ::testing::Types<BlockColumnMajor, BlockRowMajor>;
TYPED_TEST_SUITE(SpmvValues, Layouts);

template <class Value, class Layout>
struct Narrow {
  using Matrix = BcsrMatrix<Value, Layout>;
  using Double = BcsrMatrix<double, Layout>;
};

template <class Case>
class SpmvNarrowValues : public ::testing::Test {};
using NarrowValues = ::testing::Types<Narrow<float, BlockColumnMajor>, Narrow<float, BlockRowMajor>,
                                      Narrow<bfloat16, BlockColumnMajor>, Narrow<bfloat16, BlockRowMajor>>;
TYPED_TEST_SUITE(SpmvNarrowValues, NarrowValues);

/// A matrix, and the same in doubles for the oracle.
template <class Case>
struct NarrowCase {
  using Matrix = typename Case::Matrix;
  using Double = typename Case::Double;
  using Host = typename Matrix::template in_space<Kokkos::HostSpace>;

  static Host random(int b) {
    const auto doubles =
        reference::random_bcsr<Double>(70, 83, b, {.min_blocks = 1, .max_blocks = 9, .full_row = 23}, 40 + b);
    return convert_values<typename Matrix::scalar_type>(Kokkos::DefaultHostExecutionSpace(), doubles);
  }

  explicit NarrowCase(int b)
      : host(random(b)),
        device(copy_to<typename Matrix::memory_space>(exec, host)),
        doubles(convert_values<double>(Kokkos::DefaultHostExecutionSpace(), host)) {}

  Kokkos::DefaultExecutionSpace exec;
  Host host;
  Matrix device;
  ProductCase<Double> doubles;
};

TYPED_TEST(SpmvNarrowValues, MultiplyVectorsOfDoublesInDouble) {
  using Matrix = typename TypeParam::Matrix;
  using Space = typename Matrix::memory_space;
  for (const int b : {1, 2, 3, 4, 7, 8, 9, 11, 14, 16, 24, 29, 33}) {
    const NarrowCase<TypeParam> c(b);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        const bool transpose = is_transposed(mode);
        const auto x = random_vector<double>(transpose ? c.host.num_rows() : c.host.num_cols(), 3);
        const auto y = random_vector<double>(transpose ? c.host.num_cols() : c.host.num_rows(), 4);
        const auto y_device = to_device<Space>(y);
        const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = kernel, .mode = mode});
        spmv(c.exec, plan, -0.75, c.device, to_device<Space>(x), 1.5, y_device);
        c.exec.fence();
        // With the tolerance of doubles: sums of floats would miss it by far.
        EXPECT_LE(max_difference(to_host(y_device), c.doubles.oracle(mode, -0.75, x, 1.5, y)),
                  c.doubles.tolerance(c.doubles.longest_row(mode), -0.75, 1.5))
            << plan.explain();
      }
    }
  }
}

TYPED_TEST(SpmvNarrowValues, AreTakenInLinesByEveryWidth) {
  using Matrix = typename TypeParam::Matrix;
  using Space = typename Matrix::memory_space;
  for (const int b : {2, 3, 5, 7, 8, 9, 11, 16}) {
    const NarrowCase<TypeParam> c(b);
    const auto x = random_vector<double>(c.host.num_cols(), 3);
    const std::vector<double> none(c.host.num_rows());
    const auto expected = c.doubles.oracle(Mode::no_transpose, 1, x, 0, none);
    for (const int width : {4, 8, 16, 32, 64, 128}) {
      if (!is_served(Kernel::by_line, c.host, Mode::no_transpose, width)) continue;
      const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = Kernel::by_line, .width = width});
      const auto y = to_device<Space>(none);
      spmv(c.exec, plan, 1, c.device, to_device<Space>(x), 0, y);
      c.exec.fence();
      EXPECT_LE(max_difference(to_host(y), expected),
                c.doubles.tolerance(c.doubles.longest_row(Mode::no_transpose), 1, 0))
          << plan.explain();
    }
  }
}

TYPED_TEST(SpmvNarrowValues, MayStartAnywhere) {
  using Matrix = typename TypeParam::Matrix;
  using Space = typename Matrix::memory_space;
  for (const int b : {1, 2, 3, 4, 5, 9, 11}) {
    const NarrowCase<TypeParam> c(b);
    // One entry past the start of an allocation: pairs begin elsewhere than the entries' numbers say.
    const typename Matrix::values_view longer("longer", c.device.values().extent(0) + 1);
    const auto values = Kokkos::subview(longer, std::make_pair(std::size_t(1), longer.extent(0)));
    Kokkos::deep_copy(values, c.device.values());
    const Matrix shifted(b, c.device.graph(), typename Matrix::values_view(values));
    const auto x = random_vector<double>(c.host.num_cols(), 3);
    const std::vector<double> none(c.host.num_rows());
    const auto expected = c.doubles.oracle(Mode::no_transpose, 1, x, 0, none);
    for (const Kernel kernel : all_kernels) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      const auto y = to_device<Space>(none);
      spmv(c.exec, SpmvPlan<Matrix>(c.exec, shifted, {.kernel = kernel}), 1, shifted, to_device<Space>(x), 0, y);
      c.exec.fence();
      EXPECT_LE(max_difference(to_host(y), expected),
                c.doubles.tolerance(c.doubles.longest_row(Mode::no_transpose), 1, 0))
          << to_string(kernel) << ", b = " << b;
    }
  }
}

TYPED_TEST(SpmvNarrowValues, MultiplyMultiVectorsOfDoubles) {
  using Matrix = typename TypeParam::Matrix;
  using View = Kokkos::View<double**, Kokkos::LayoutRight, typename Matrix::memory_space>;
  for (const int b : {1, 3, 4, 7, 8, 16}) {
    const NarrowCase<TypeParam> c(b);
    const View x("x", c.host.num_cols(), 8), y("y", c.host.num_rows(), 8);
    const auto x_host = Kokkos::create_mirror_view(x);
    const auto entries = random_vector<double>(x_host.size(), 5);
    std::copy(entries.begin(), entries.end(), x_host.data());
    Kokkos::deep_copy(x, x_host);
    for (const Kernel kernel : all_kernels) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      // Whether the plan knows of the doubles or not.
      for (const bool told : {false, true}) {
        const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = kernel, .double_vectors = told});
        spmv(c.exec, plan, 1, c.device, x, 0, y);
        c.exec.fence();
        const auto y_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
        for (const int v : {0, 7}) {
          std::vector<double> x_of_column(x_host.extent(0)), y_of_column(y_host.extent(0));
          for (std::size_t i = 0; i < x_of_column.size(); ++i) x_of_column[i] = x_host(i, v);
          for (std::size_t i = 0; i < y_of_column.size(); ++i) y_of_column[i] = y_host(i, v);
          const auto expected =
              c.doubles.oracle(Mode::no_transpose, 1, x_of_column, 0, std::vector<double>(y_of_column.size()));
          EXPECT_LE(max_difference(y_of_column, expected),
                    c.doubles.tolerance(c.doubles.longest_row(Mode::no_transpose), 1, 0))
              << plan.explain();
        }
      }
    }
  }
}

TEST(SpmvNarrowValues, AreTunedForDoubles) {
  using Matrix = BcsrMatrix<bfloat16>;
  const NarrowCase<Narrow<bfloat16, BlockColumnMajor>> c(3);
  const Tuned<Matrix> tuned = tune(c.exec, c.device);
  EXPECT_EQ(tuned.key.values, "bfloat16");
  EXPECT_EQ(tuned.key.vectors, "double");
}

TYPED_TEST(SpmvValues, MayStartAnywhere) {
  using Matrix = BcsrMatrix<double, TypeParam>;
  using Space = typename Matrix::memory_space;
  for (const int b : {1, 3, 4}) {
    const ProductCase<Matrix> c(
        reference::random_bcsr<Matrix>(70, 83, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7}, 12));
    // One entry past the start of an allocation: aligned for a scalar and for nothing wider.
    const Kokkos::View<double*, Space> longer("longer", c.device.values().extent(0) + 1);
    const auto values = Kokkos::subview(longer, std::make_pair(std::size_t(1), longer.extent(0)));
    Kokkos::deep_copy(values, c.device.values());
    const Matrix shifted(b, c.device.graph(), typename Matrix::values_view(values));
    const auto x = random_vector<double>(c.host.num_cols(), 3);
    const std::vector<double> none(c.host.num_rows());
    for (const Kernel kernel : all_kernels) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      const auto y = to_device<Space>(none);
      spmv(c.exec, SpmvPlan<Matrix>(c.exec, shifted, {.kernel = kernel}), 1, shifted, to_device<Space>(x), 0, y);
      c.exec.fence();
      EXPECT_LE(max_difference(to_host(y), c.oracle(Mode::no_transpose, 1, x, 0, none)),
                c.tolerance(c.longest_row(Mode::no_transpose), 1, 0))
          << to_string(kernel) << ", b = " << b;
    }
  }
}

TEST(SpmvLoads, AreAsWideAsTheKernelHasThem) {
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_column, 3, 8), 16);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_line, 3, 8), 8);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_line, 4, 8), 16);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_line, 6, 4), 8);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_line, 5, 4), 4) << "pairs begin where the address says";
  EXPECT_EQ(impl::bytes_of_load(Kernel::staged, 4, 8), 16);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_block_rows, 12, 8), 16);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_block_rows, 17, 8), 8);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_tile, 1, 8), 8);
  EXPECT_EQ(impl::bytes_of_load(Kernel::by_tile, 2, 8), 16);
  EXPECT_EQ(impl::bytes_of_load(Kernel::row_per_thread, 4, 8), 8);
}

}  // namespace
}  // namespace ashlar::testing
