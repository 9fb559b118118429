// Products in some block rows of y: those of a list are right by the oracle, and no bit of the others changes.
#include <algorithm>
#include <ashlar/reference/random_matrix.hpp>
#include <cstring>
#include <random>
#include <spmv/product_case.hpp>
#include <support/some_types.hpp>
#include <utility>

namespace ashlar::testing {
namespace {

template <class T>
class SpmvRows : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Matrix = BcsrMatrix<Scalar, typename T::second_type>;
  using Ordinal = typename Matrix::ordinal_type;
  using Space = typename Matrix::memory_space;
  using Case = ProductCase<Matrix>;
  using Columns = std::vector<std::vector<Scalar>>;

  static Case irregular(const BlockShape& shape) {
    return Case(reference::random_bcsr<Matrix>(
        70, 83, shape, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23}, 11 + shape.rows));
  }

  /// A block row so long that it is cut into segments, among others that are short or empty.
  static Case with_long_rows(int b) {
    return Case(reference::random_bcsr<Matrix>(300, 5000, b, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  }

  static std::int64_t block_rows(const Case& c, Mode mode) {
    return is_transposed(mode) ? c.host.num_block_cols() : c.host.num_block_rows();
  }
  static int rows_of_block(const Case& c, Mode mode) {
    return is_transposed(mode) ? c.host.block_shape().cols : c.host.block_shape().rows;
  }
  static std::int64_t length_of_x(const Case& c, Mode mode) {
    return is_transposed(mode) ? c.host.num_rows() : c.host.num_cols();
  }

  /// The first `count` of twice as many block rows and three, in no order.
  static std::vector<Ordinal> list_of(std::int64_t count) {
    std::vector<Ordinal> all;
    for (Ordinal i = 0; i < 2 * count + 3; ++i) all.push_back(i);
    std::shuffle(all.begin(), all.end(), std::mt19937(5));
    all.resize(count);
    return all;
  }
  static Kokkos::View<Ordinal*, Space> on_device(const std::vector<Ordinal>& list) {
    const Kokkos::View<Ordinal*, Space> view("test::rows", list.size());
    const auto host = Kokkos::create_mirror_view(view);
    std::copy(list.begin(), list.end(), host.data());
    Kokkos::deep_copy(view, host);
    return view;
  }

  static Scalar nan() { return Scalar(std::numeric_limits<real_t<Scalar>>::quiet_NaN()); }

  /// y before the product: of listed rows what the seed has, or NaN where beta is 0, and of the others NaN.
  static std::vector<Scalar> before(std::int64_t length, int height, const std::vector<Ordinal>& list, Scalar beta,
                                    unsigned seed) {
    std::vector<Scalar> y(length, nan());
    const auto numbers = random_vector<Scalar>(list.size() * height, seed);
    for (std::size_t i = 0; i < numbers.size() && beta != Scalar(0); ++i) {
      y[list[i / height] * height + i % height] = numbers[i];
    }
    return y;
  }

  /// Compares a column of y, which was `y_before`.
  static void check(const Case& c, const SpmvPlan<Matrix>& plan, const std::vector<Ordinal>& list, Scalar alpha,
                    const std::vector<Scalar>& x, Scalar beta, const std::vector<Scalar>& y_before,
                    const std::vector<Scalar>& y) {
    const int height = rows_of_block(c, plan.mode());
    std::vector<Scalar> listed_before, listed, others_before = y_before, others = y;
    for (const Ordinal row : list) {
      for (int r = 0; r < height; ++r) {
        const std::int64_t i = std::int64_t(row) * height + r;
        listed_before.push_back(y_before[i]);
        listed.push_back(y[i]);
        others_before[i] = others[i] = Scalar(0);
      }
    }
    EXPECT_LE(max_difference(listed, c.oracle(plan.mode(), alpha, x, beta, listed_before)),
              c.tolerance(c.longest_row(plan.mode()), alpha, beta))
        << plan.explain() << ", alpha " << alpha << ", beta " << beta;
    EXPECT_EQ(std::memcmp(others.data(), others_before.data(), others.size() * sizeof(Scalar)), 0)
        << "rows that are not listed changed: " << plan.explain();
  }

  static void expect_right(const Case& c, const SpmvPlan<Matrix>& plan, Scalar alpha, Scalar beta) {
    const auto list = list_of(block_rows(c, plan.mode()));
    const int height = rows_of_block(c, plan.mode());
    const auto x = random_vector<Scalar>(length_of_x(c, plan.mode()), 7);
    const auto y_before = before((2 * std::int64_t(list.size()) + 3) * height, height, list, beta, 8);
    const auto y = to_device<Space>(y_before);
    spmv(c.exec, plan, alpha, c.device, to_device<Space>(x), beta, y, on_device(list));
    c.exec.fence();
    check(c, plan, list, alpha, x, beta, y_before, to_host(y));
  }

  /// The same with `k` vectors, in views of these layouts.
  template <class LayoutOfX, class LayoutOfY>
  static void expect_right(const Case& c, const SpmvPlan<Matrix>& plan, int k, Scalar alpha, Scalar beta) {
    const auto list = list_of(block_rows(c, plan.mode()));
    const int height = rows_of_block(c, plan.mode());
    const std::int64_t length = (2 * std::int64_t(list.size()) + 3) * height;
    Columns x, y_before;
    for (int v = 0; v < k; ++v) {
      x.push_back(random_vector<Scalar>(length_of_x(c, plan.mode()), 7 + v));
      y_before.push_back(before(length, height, list, beta, 100 + v));
    }
    const auto x_device = side_by_side<LayoutOfX>(x);
    const auto y_device = side_by_side<LayoutOfY>(y_before);
    spmv(c.exec, plan, alpha, c.device, x_device, beta, y_device, on_device(list));
    c.exec.fence();
    const auto y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y_device);
    for (int v = 0; v < k; ++v) {
      SCOPED_TRACE(v);
      std::vector<Scalar> column;
      for (std::int64_t i = 0; i < length; ++i) column.push_back(y(i, v));
      check(c, plan, list, alpha, x[v], beta, y_before[v], column);
    }
  }

  template <class Layout>
  static Kokkos::View<Scalar**, Layout, Space> side_by_side(const Columns& columns) {
    const Kokkos::View<Scalar**, Layout, Space> view("test::vectors", columns[0].size(), columns.size());
    const auto host = Kokkos::create_mirror_view(view);
    for (std::size_t v = 0; v < columns.size(); ++v) {
      for (std::size_t i = 0; i < columns[v].size(); ++i) host(i, v) = columns[v][i];
    }
    Kokkos::deep_copy(view, host);
    return view;
  }
};

using TypesAndLayouts =
    SomeTypes<std::pair<float, BlockColumnMajor>, std::pair<float, BlockRowMajor>, std::pair<double, BlockColumnMajor>,
              std::pair<double, BlockRowMajor>, std::pair<Kokkos::complex<double>, BlockColumnMajor>,
              std::pair<Kokkos::complex<float>, BlockRowMajor>>;
TYPED_TEST_SUITE(SpmvRows, TypesAndLayouts);

TYPED_TEST(SpmvRows, AreThoseOfEachKernelAndMode) {
  using Scalar = typename TestFixture::Scalar;
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  for (const BlockShape shape : {BlockShape(1), {2}, {3}, {5}, {6}, {8}, {9}, {12}, {16}, {33}, {3, 5}, {4, 2}}) {
    const auto c = this->irregular(shape);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : all_modes) {
        if (!is_served(kernel, c.host, mode) || (is_conjugated(mode) && !is_complex_v<Scalar>)) continue;
        const Plan plan(c.exec, c.device, {.kernel = kernel, .mode = mode});
        this->expect_right(c, plan, Scalar(1), Scalar(0));
        this->expect_right(c, plan, Scalar(1), Scalar(1));
        this->expect_right(c, plan, Scalar(-0.75), Scalar(1.5));
      }
    }
  }
}

TYPED_TEST(SpmvRows, AreThoseOfSeveralVectors) {
  using Scalar = typename TestFixture::Scalar;
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  for (const BlockShape shape : {BlockShape(1), {2}, {3}, {5}, {8}, {12}, {35}, {3, 5}}) {
    const auto c = this->irregular(shape);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : all_modes) {
        if (!is_served_with_several(kernel, c.host, mode) || (is_conjugated(mode) && !is_complex_v<Scalar>)) continue;
        const Plan plan(c.exec, c.device, {.kernel = kernel, .mode = mode, .num_vectors = 4});
        this->template expect_right<LayoutLeft, LayoutLeft>(c, plan, 4, Scalar(1), Scalar(0));
        this->template expect_right<LayoutRight, LayoutLeft>(c, plan, 4, Scalar(1), Scalar(1));
        if (shape.rows > 12) continue;  // the oracle takes its time
        this->template expect_right<LayoutRight, LayoutRight>(c, plan, 11, Scalar(-0.75), Scalar(1.5));
        if (shape.rows <= 3) this->template expect_right<LayoutRight, LayoutRight>(c, plan, 32, Scalar(1), Scalar(2));
      }
    }
  }
}

TYPED_TEST(SpmvRows, MayBelongToLongRows) {
  using Scalar = typename TestFixture::Scalar;
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  for (const int b : {1, 3}) {
    const auto c = this->with_long_rows(b);
    for (const Kernel kernel : ashlar::all_kernels()) {
      if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
      const Plan plan(c.exec, c.device, {.kernel = kernel, .num_vectors = 3});
      // Where one thread takes block rows as long as they are there are no segments; of tiles neither.
      if (kernel != Kernel::block_row_per_thread && kernel != Kernel::by_tile) {
        ASSERT_TRUE(plan.has_segments()) << plan.explain();
      }
      for (const double beta : {0.0, 1.0, 1.5}) {
        this->expect_right(c, plan, Scalar(-0.75), Scalar(beta));
        this->template expect_right<LayoutRight, LayoutLeft>(c, plan, 8, Scalar(-0.75), Scalar(beta));
      }
    }
  }
}

TYPED_TEST(SpmvRows, AreAllThatIsScaledWhenAlphaIsZero) {
  using Scalar = typename TestFixture::Scalar;
  using Plan = SpmvPlan<typename TestFixture::Matrix>;
  using Kokkos::LayoutLeft, Kokkos::LayoutRight;
  const auto c = this->irregular({3, 2});
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    const Plan plan(c.exec, c.device, {.mode = mode});
    for (const double beta : {0.0, 1.0, 1.5}) {
      this->expect_right(c, plan, Scalar(0), Scalar(beta));
      this->template expect_right<LayoutRight, LayoutLeft>(c, plan, 3, Scalar(0), Scalar(beta));
    }
  }
}

TYPED_TEST(SpmvRows, MayBeNone) {
  using Scalar = typename TestFixture::Scalar;
  using Matrix = typename TestFixture::Matrix;
  using Space = typename TestFixture::Space;
  const typename TestFixture::Case c(reference::random_bcsr<Matrix>(0, 5, 3, {}, 1));
  const auto x = to_device<Space>(random_vector<Scalar>(15, 1));
  const auto y = to_device<Space>(random_vector<Scalar>(9, 2));
  for (const double alpha : {0.0, 1.0}) {
    spmv(c.exec, SpmvPlan<Matrix>(c.exec, c.device), Scalar(alpha), c.device, x, Scalar(0), y, this->on_device({}));
  }
  c.exec.fence();
  EXPECT_EQ(to_host(y), random_vector<Scalar>(9, 2));
}

TYPED_TEST(SpmvRows, MustFitMatrixAndVectors) {
  using Scalar = typename TestFixture::Scalar;
  using Matrix = typename TestFixture::Matrix;
  using Space = typename TestFixture::Space;
  const auto c = this->irregular({3, 2});
  const SpmvPlan<Matrix> plan(c.exec, c.device), transposed(c.exec, c.device, {.mode = Mode::transpose});
  const auto product = [&](const SpmvPlan<Matrix>& of, std::int64_t entries_of_x, std::int64_t entries_of_y,
                           std::int64_t listed) {
    const Kokkos::View<Scalar*, Space> x("x", entries_of_x), y("y", entries_of_y);
    spmv(c.exec, of, Scalar(1), c.device, x, Scalar(0), y, this->on_device(this->list_of(listed)));
    c.exec.fence();
  };
  // A is 70 x 83 blocks of 3 x 2; of lists of 70 the last is 142.
  EXPECT_NO_THROW(product(plan, 83 * 2, 143 * 3, 70));
  EXPECT_THROW(product(plan, 83 * 2, 143 * 3, 69), ShapeError) << "a short list";
  EXPECT_THROW(product(plan, 83 * 2, 143 * 3, 71), ShapeError) << "a long list";
  EXPECT_THROW(product(plan, 83 * 2, 143 * 3 - 1, 70), ShapeError) << "part of a block row";
  EXPECT_THROW(product(plan, 83 * 2, 69 * 3, 70), ShapeError) << "a y of fewer block rows than are listed";
  EXPECT_THROW(product(plan, 83 * 2 - 1, 143 * 3, 70), ShapeError) << "a short x";
  EXPECT_NO_THROW(product(transposed, 70 * 3, 169 * 2, 83));
  EXPECT_THROW(product(transposed, 70 * 3, 169 * 2, 70), ShapeError) << "as many as A has, and not A^T";

  const SpmvPlan<Matrix> other(c.exec, this->irregular({2, 2}).device);
  EXPECT_THROW(product(other, 83 * 2, 143 * 3, 70), ShapeError) << "a plan of another matrix";
  const Kokkos::View<Scalar*, Space> both("x and y", 143 * 3);
  EXPECT_THROW(spmv(c.exec, plan, Scalar(1), c.device, Kokkos::subview(both, std::make_pair(0, 83 * 2)), Scalar(0),
                    both, this->on_device(this->list_of(70))),
               ShapeError)
      << "x is part of y";
  const Kokkos::View<Scalar**, Space> three("three", 83 * 2, 3), two("two", 143 * 3, 2);
  EXPECT_THROW(spmv(c.exec, plan, Scalar(1), c.device, three, Scalar(0), two, this->on_device(this->list_of(70))),
               ShapeError)
      << "other columns";
}

// The products by which ranks add what others' columns bring.
TEST(SpmvRowsOfFloats, AreAddedToVectorsOfDoubles) {
  using Matrix = BcsrMatrix<float>;
  const auto host = reference::random_bcsr<Matrix>(20, 30, 3, {.min_blocks = 1, .max_blocks = 9}, 3);
  const Kokkos::DefaultExecutionSpace exec;
  const Matrix device = copy_to<Matrix::memory_space>(exec, host);
  const auto x = random_vector<double>(90, 1), before = random_vector<double>(120, 2);
  std::vector<double> product(60), expected = before;
  reference::spmv<decltype(host), double>(1, host, x, 0, product);
  std::vector<int> list;
  for (int i = 0; i < 20; ++i) {
    list.push_back(2 * (19 - i));
    for (int r = 0; r < 3; ++r) expected[list[i] * 3 + r] += product[i * 3 + r];
  }
  const auto y = to_device<Matrix::memory_space>(before);
  const Kokkos::View<int*, Matrix::memory_space> rows("rows", 20);
  Kokkos::deep_copy(rows, Kokkos::View<const int*, Kokkos::HostSpace>(list.data(), list.size()));
  spmv(exec, SpmvPlan<Matrix>(exec, device, {.double_vectors = true}), 1, device, to_device<Matrix::memory_space>(x), 1,
       y, rows);
  exec.fence();
  EXPECT_LE(max_difference(to_host(y), expected), 1e-13);
}

}  // namespace
}  // namespace ashlar::testing
