// Products with several vectors: each column is the product with that column, whatever layout x and y have.
#include <gmock/gmock.h>

#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>
#include <support/some_types.hpp>
#include <utility>

namespace ashlar::testing {
namespace {

template <class T>
class SpmvMultiVectors : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Matrix = BcsrMatrix<Scalar, typename T::second_type>;
  using Space = typename Matrix::memory_space;
  using Case = ProductCase<Matrix>;

  static Case irregular(const BlockShape& shape, int num_block_rows = 70) {
    return Case(reference::random_bcsr<Matrix>(num_block_rows, 83, shape,
                                               {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23},
                                               3 + shape.rows));
  }

  template <class Layout>
  using View = Kokkos::View<Scalar**, Layout, Space>;

  /// Random columns, each of its own.
  template <class Layout>
  static View<Layout> random(std::int64_t rows, int columns, unsigned seed) {
    const View<Layout> view("test::vectors", rows, columns);
    const auto host = Kokkos::create_mirror_view(view);
    for (int v = 0; v < columns; ++v) {
      const auto column = random_vector<Scalar>(rows, seed + v);
      for (std::int64_t i = 0; i < rows; ++i) host(i, v) = column[i];
    }
    Kokkos::deep_copy(view, host);
    return view;
  }

  template <class V>
  static std::vector<Scalar> column(const V& view, int v) {
    // A strided view comes to the host by way of one that is contiguous.
    const View<Kokkos::LayoutLeft> whole("test::whole", view.extent(0), view.extent(1));
    Kokkos::deep_copy(whole, view);
    const auto host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), whole);
    std::vector<Scalar> result(host.extent(0));
    for (std::size_t i = 0; i < result.size(); ++i) result[i] = host(i, v);
    return result;
  }

  using Columns = std::vector<std::vector<Scalar>>;

  /// What the columns of y are to be.
  template <class X, class Y>
  static Columns oracle(const Case& c, Mode mode, const X& x, const Y& y, Scalar alpha, Scalar beta) {
    Columns expected;
    for (std::size_t v = 0; v < y.extent(1); ++v) {
      expected.push_back(c.oracle(mode, alpha, column(x, int(v)), beta, column(y, int(v))));
    }
    return expected;
  }

  template <class X, class Y>
  static void expect_columns(const Columns& expected, const Case& c, const SpmvPlan<Matrix>& plan, const X& x,
                             const Y& y, Scalar alpha, Scalar beta) {
    if (beta == Scalar(0)) Kokkos::deep_copy(y, Scalar(std::numeric_limits<real_t<Scalar>>::quiet_NaN()));
    spmv(c.exec, plan, alpha, c.device, x, beta, y);
    c.exec.fence();
    for (std::size_t v = 0; v < y.extent(1); ++v) {
      EXPECT_LE(max_difference(column(y, int(v)), expected[v]), c.tolerance(c.longest_row(plan.mode()), alpha, beta))
          << plan.explain() << ", column " << v << " of " << y.extent(1);
    }
  }

  template <class X, class Y>
  static void expect_right(const Case& c, const SpmvPlan<Matrix>& plan, const X& x, const Y& y, Scalar alpha,
                           Scalar beta) {
    expect_columns(oracle(c, plan.mode(), x, y, alpha, beta), c, plan, x, y, alpha, beta);
  }
};

using TypesAndLayouts =
    SomeTypes<std::pair<float, BlockColumnMajor>, std::pair<float, BlockRowMajor>, std::pair<double, BlockColumnMajor>,
              std::pair<double, BlockRowMajor>, std::pair<Kokkos::complex<float>, BlockColumnMajor>,
              std::pair<Kokkos::complex<double>, BlockRowMajor>, std::pair<Kokkos::complex<double>, BlockColumnMajor>>;
TYPED_TEST_SUITE(SpmvMultiVectors, TypesAndLayouts);

TYPED_TEST(SpmvMultiVectors, AreProductsOfEachColumn) {
  using Scalar = typename TestFixture::Scalar;
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  for (const BlockShape shape : {BlockShape(1), {2}, {3}, {4}, {5}, {6}, {7}, {8}, {35}, {3, 5}, {4, 2}, {11, 5}}) {
    const auto c = this->irregular(shape);
    for (const Mode mode : all_modes) {
      if (is_conjugated(mode) && !is_complex_v<Scalar>) continue;
      const std::int64_t rows = is_transposed(mode) ? c.host.num_cols() : c.host.num_rows();
      const std::int64_t cols = is_transposed(mode) ? c.host.num_rows() : c.host.num_cols();
      for (const int k : {1, 4, 11}) {
        if (shape.rows > 11 && (k != 4 || is_conjugated(mode))) continue;  // the oracle takes its time
        const auto x_left = this->template random<Kokkos::LayoutLeft>(cols, k, 5);
        const auto x_right = this->template random<Kokkos::LayoutRight>(cols, k, 7);
        const auto y_left = this->template random<Kokkos::LayoutLeft>(rows, k, 50);
        const auto y_right = [&] { return this->template random<Kokkos::LayoutRight>(rows, k, 60); };
        const auto left = this->oracle(c, mode, x_left, y_left, Scalar(1), Scalar(0));
        const auto right = this->oracle(c, mode, x_right, y_right(), Scalar(-0.75), Scalar(1.5));
        for (const Kernel kernel : all_kernels) {
          if (!is_served_with_several(kernel, c.host, mode)) continue;
          const Plan plan(c.exec, c.device, {.kernel = kernel, .mode = mode});
          this->expect_columns(left, c, plan, x_left, y_left, Scalar(1), Scalar(0));
          this->expect_columns(right, c, plan, x_right, y_right(), Scalar(-0.75), Scalar(1.5));
        }
      }
    }
  }
}

TYPED_TEST(SpmvMultiVectors, MayBeUpTo64AndMore) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(3);
  const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device);
  for (const int k : {2, 5, 7, 12, 16, 24, 32, 63, 64, 100}) {
    this->expect_right(c, plan, this->template random<Kokkos::LayoutRight>(c.host.num_cols(), k, 7),
                       this->template random<Kokkos::LayoutLeft>(c.host.num_rows(), k, 8), Scalar(2), Scalar(-1));
  }
}

TYPED_TEST(SpmvMultiVectors, MayBeApartInSeveralPanels) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(7);
  const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device, {.num_vectors = 64});
  for (const int k : {33, 64, 100}) {
    this->expect_right(c, plan, this->template random<Kokkos::LayoutLeft>(c.host.num_cols(), k, 7),
                       this->template random<Kokkos::LayoutRight>(c.host.num_rows(), k, 8), Scalar(2), Scalar(-1));
  }
}

TYPED_TEST(SpmvMultiVectors, TakeEveryWidthThatFits) {
  using Scalar = typename TestFixture::Scalar;
  for (const int b : {1, 2, 3, 4, 5, 6, 7, 8}) {
    const auto c = this->irregular(b);
    const auto x = this->template random<Kokkos::LayoutRight>(c.host.num_cols(), 20, 7);
    const auto y = this->template random<Kokkos::LayoutRight>(c.host.num_rows(), 20, 8);
    const auto expected = this->oracle(c, Mode::no_transpose, x, y, Scalar(1), Scalar(0));
    for (const Kernel kernel : ashlar::all_kernels()) {
      for (const int width : {1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 1024}) {
        if (!is_served_with_several(kernel, c.host, Mode::no_transpose, width)) continue;
        const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device, {.kernel = kernel, .width = width});
        this->expect_columns(expected, c, plan, x, y, Scalar(1), Scalar(0));
      }
    }
  }
}

/// staged takes 16 and 32 at a time on GPUs, with other lanes than eight. The vectors are some columns of more, so
/// that more lies between two rows than is multiplied.
TYPED_TEST(SpmvMultiVectors, MayFillWidePanels) {
  using Scalar = typename TestFixture::Scalar;
  const auto some = [](const auto& all) { return Kokkos::subview(all, Kokkos::ALL, std::make_pair(0, 48)); };
  for (const int b : {2, 3, 4, 5, 6, 7, 8}) {
    const auto c = this->irregular(b);
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      const std::int64_t rows = is_transposed(mode) ? c.host.num_cols() : c.host.num_rows();
      const std::int64_t cols = is_transposed(mode) ? c.host.num_rows() : c.host.num_cols();
      const auto x = some(this->template random<Kokkos::LayoutRight>(cols, 56, 7));
      const auto y = [&] { return some(this->template random<Kokkos::LayoutRight>(rows, 56, 8)); };
      const auto expected = this->oracle(c, mode, x, y(), Scalar(1), Scalar(-2));
      for (const int width : {4, 8, 16, 32}) {
        const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device,
                                                          {.kernel = Kernel::staged, .mode = mode, .width = width});
        this->expect_columns(expected, c, plan, x, y(), Scalar(1), Scalar(-2));
      }
    }
  }
}

/// With few lanes where there are many block rows.
TYPED_TEST(SpmvMultiVectors, MayFillWidePanelsOfSingleEntries) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(1, 9000);
  for (const Kernel kernel : {Kernel::automatic, Kernel::staged}) {
    const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device, {.kernel = kernel});
    this->expect_right(c, plan, this->template random<Kokkos::LayoutRight>(c.host.num_cols(), 32, 7),
                       this->template random<Kokkos::LayoutRight>(c.host.num_rows(), 32, 8), Scalar(1), Scalar(0));
  }
}

/// staged takes blocks of 7 and 8 for doubles alone, and a plan may have been told of doubles that do not come.
TYPED_TEST(SpmvMultiVectors, MayBeOthersThanThePlanWasToldOf) {
  using Scalar = typename TestFixture::Scalar;
  for (const int b : {3, 7, 8}) {
    const auto c = this->irregular(b);
    const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device,
                                                      {.kernel = Kernel::staged, .double_vectors = true});
    this->expect_right(c, plan, this->template random<Kokkos::LayoutRight>(c.host.num_cols(), 8, 7),
                       this->template random<Kokkos::LayoutRight>(c.host.num_rows(), 8, 8), Scalar(1), Scalar(0));
  }
}

/// What is chosen for one vector and for several is asked for by one name, and each launch is labelled as what it is.
TYPED_TEST(SpmvMultiVectors, AreMultipliedByTheirOwnKernelOfAName) {
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  const auto c = this->irregular(3);
  if (!is_served(Kernel::by_line, c.host, Mode::no_transpose)) GTEST_SKIP() << "3 is not compiled";
  const Plan lines(c.exec, c.device, {.kernel = Kernel::by_line});
  EXPECT_EQ(lines.launch().kernel, Kernel::by_line);
  const Plan staged(c.exec, c.device, {.kernel = Kernel::staged});
  EXPECT_NE(staged.launch().kernel, Kernel::staged) << "it takes several vectors only";
  for (const Plan& plan : {lines, staged}) {
    for (const bool by_rows : {false, true}) {
      EXPECT_EQ(plan.multi_launch(by_rows).kernel, Kernel::staged);
      EXPECT_THAT(plan.multi_launch(by_rows).label, ::testing::HasSubstr("[staged,"));
    }
  }
}

TYPED_TEST(SpmvMultiVectors, MayBePartsOfOthers) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(4);
  const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device);
  const auto x = this->template random<Kokkos::LayoutRight>(c.host.num_cols() + 1, 13, 7);
  const auto y = this->template random<Kokkos::LayoutRight>(c.host.num_rows() + 1, 13, 8);
  // Columns 3 to 10 of 13, or fewer, from row 1 on: a stride between the rows, and nothing starts where a chunk could.
  for (const int end : {11, 8, 6}) {
    const auto part = [&](const auto& view) {
      return Kokkos::subview(view, std::make_pair(std::size_t(1), view.extent(0)), std::make_pair(3, end));
    };
    const auto left = this->column(y, 2), right = this->column(y, end);
    this->expect_right(c, plan, part(x), part(y), Scalar(1), Scalar(0));
    EXPECT_EQ(this->column(y, 2), left);
    EXPECT_EQ(this->column(y, end), right);
  }
}

TYPED_TEST(SpmvMultiVectors, PassThroughLongRowsInAsManyStepsAsThereIsRoomFor) {
  using Scalar = typename TestFixture::Scalar;
  using Matrix = typename TestFixture::Matrix;
  const typename TestFixture::Case c(
      reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  for (const int room : {1, 3, 8, 20}) {
    for (const Kernel kernel : ashlar::all_kernels()) {
      // Where one thread takes block rows as long as they are there are no segments; of tiles neither.
      if (kernel == Kernel::block_row_per_thread || !is_served(kernel, c.host, Mode::no_transpose)) continue;
      const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = kernel, .num_vectors = room});
      ASSERT_TRUE(plan.has_segments());
      this->expect_right(c, plan, this->template random<Kokkos::LayoutRight>(c.host.num_cols(), 8, 7),
                         this->template random<Kokkos::LayoutLeft>(c.host.num_rows(), 8, 8), Scalar(-0.5), Scalar(2));
    }
  }
}

TYPED_TEST(SpmvMultiVectors, SpreadNoNaNFromAWhenAlphaIsZero) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(2);
  const auto x = this->template random<Kokkos::LayoutLeft>(c.host.num_cols(), 3, 1);
  const auto y = this->template random<Kokkos::LayoutLeft>(c.host.num_rows(), 3, 2);
  Kokkos::deep_copy(x, Scalar(std::numeric_limits<real_t<Scalar>>::quiet_NaN()));
  Kokkos::deep_copy(y, Scalar(3));
  spmv(c.exec, Scalar(0), c.device, x, Scalar(2), y);
  c.exec.fence();
  for (int v = 0; v < 3; ++v) EXPECT_EQ(this->column(y, v), std::vector<Scalar>(c.host.num_rows(), Scalar(6)));
}

TYPED_TEST(SpmvMultiVectors, MustBeAsManyInXAndY) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(2);
  const auto product = [&](int columns_of_x, int columns_of_y) {
    spmv(c.exec, Scalar(1), c.device, this->template random<Kokkos::LayoutLeft>(c.host.num_cols(), columns_of_x, 1),
         Scalar(0), this->template random<Kokkos::LayoutLeft>(c.host.num_rows(), columns_of_y, 1));
    c.exec.fence();
  };
  EXPECT_THROW(product(3, 4), ShapeError);
  EXPECT_NO_THROW(product(0, 0));
  EXPECT_THROW((SpmvPlan<typename TestFixture::Matrix>(c.exec, c.device, {.num_vectors = 0})), ArgumentError);
}

}  // namespace
}  // namespace ashlar::testing
