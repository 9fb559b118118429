// Every kernel against the oracle: each block size of the list and some off it, types, layouts, modes, alpha and beta,
// shapes that trip kernels up.
#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>
#include <support/some_types.hpp>
#include <utility>

namespace ashlar::testing {
namespace {

template <class T>
class SpmvKernels : public ::testing::Test {
 public:
  using Scalar = typename T::first_type;
  using Matrix = BcsrMatrix<Scalar, typename T::second_type>;
  using Case = ProductCase<Matrix>;

  /// More block rows than a warp has lanes; rows of 1 to 9 blocks, some empty, one full.
  static Case irregular(const BlockShape& shape) {
    return Case(reference::random_bcsr<Matrix>(70, 83, shape,
                                               {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23},
                                               100 + shape.rows + 64 * (shape.cols - shape.rows)));
  }
};

using TypesAndLayouts =
    SomeTypes<std::pair<float, BlockColumnMajor>, std::pair<float, BlockRowMajor>, std::pair<double, BlockColumnMajor>,
              std::pair<double, BlockRowMajor>, std::pair<Kokkos::complex<float>, BlockColumnMajor>,
              std::pair<Kokkos::complex<float>, BlockRowMajor>, std::pair<Kokkos::complex<double>, BlockColumnMajor>,
              std::pair<Kokkos::complex<double>, BlockRowMajor>>;
TYPED_TEST_SUITE(SpmvKernels, TypesAndLayouts);

/// The compiled sizes, the largest of them plus one, others off the list, and the largest there is.
template <int... Sizes>
std::vector<int> tested_block_sizes(std::integer_sequence<int, Sizes...>) {
  return {Sizes..., 33, 45, max_block_size};
}

TYPED_TEST(SpmvKernels, MatchTheOracleAtEveryBlockSize) {
  using Scalar = typename TestFixture::Scalar;
  for (const int b : tested_block_sizes(CompiledBlockSizes{})) {
    const auto c = this->irregular(b);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        c.expect_right({.kernel = kernel, .mode = mode}, Scalar(1), Scalar(0));
        c.expect_right({.kernel = kernel, .mode = mode}, Scalar(-0.75), Scalar(1.5));
      }
    }
  }
}

TYPED_TEST(SpmvKernels, TakeRectangularBlocks) {
  using Scalar = typename TestFixture::Scalar;
  for (int rows = 1; rows <= 8; ++rows) {
    for (int cols = 1; cols <= 8; ++cols) {
      if (rows == cols) continue;
      const auto c = this->irregular({rows, cols});
      for (const Kernel kernel : all_kernels) {
        for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
          if (!is_served(kernel, c.host, mode)) continue;
          c.expect_right({.kernel = kernel, .mode = mode}, Scalar(-0.75), Scalar(1.5));
        }
      }
    }
  }
}

TYPED_TEST(SpmvKernels, TakeLargeRectangularBlocks) {
  using Scalar = typename TestFixture::Scalar;
  for (const BlockShape shape : {BlockShape(1, 64), {64, 1}, {17, 40}, {40, 17}}) {
    const auto c = this->irregular(shape);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        c.expect_right({.kernel = kernel, .mode = mode}, Scalar(1), Scalar(0));
      }
    }
  }
}

TYPED_TEST(SpmvKernels, ConjugateWhereTheModeSaysSo) {
  using Scalar = typename TestFixture::Scalar;
  for (const BlockShape shape : {BlockShape(1), {2}, {3}, {4}, {33}, {3, 5}}) {
    const auto c = this->irregular(shape);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::conjugate, Mode::conjugate_transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        c.expect_right({.kernel = kernel, .mode = mode}, Scalar(-0.75), Scalar(1.5));
      }
    }
  }
}

TYPED_TEST(SpmvKernels, MeanAlphaAndBetaAsBlasDoes) {
  using Scalar = typename TestFixture::Scalar;
  for (const int b : {3, 9}) {
    const auto c = this->irregular(b);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        for (const double alpha : {0.0, 1.0, -1.0, 0.625}) {
          for (const double beta : {0.0, 1.0, -1.0, -2.5}) {
            c.expect_right({.kernel = kernel, .mode = mode}, Scalar(alpha), Scalar(beta));
          }
        }
      }
    }
  }
}

TYPED_TEST(SpmvKernels, TakeEveryWidthThatFits) {
  using Scalar = typename TestFixture::Scalar;
  for (const int b : {1, 2, 3, 5, 8, 11, 16}) {
    const auto c = this->irregular(b);
    for (const Kernel kernel : ashlar::all_kernels()) {
      for (const int width : {1, 2, 4, 8, 16, 32, 64, 128, 192, 256, 1024}) {
        for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
          if (!is_served(kernel, c.host, mode, width)) continue;
          c.expect_right({.kernel = kernel, .mode = mode, .width = width}, Scalar(1), Scalar(0));
        }
      }
    }
  }
}

TYPED_TEST(SpmvKernels, TakeExtremeShapes) {
  using Scalar = typename TestFixture::Scalar;
  using Matrix = typename TestFixture::Matrix;
  using Case = typename TestFixture::Case;
  const auto random = [](std::int64_t rows, std::int64_t cols, int b, reference::RandomRows lengths) {
    return Case(reference::random_bcsr<Matrix>(rows, cols, b, lengths, 5));
  };
  for (const int b : {1, 4, 9}) {
    const Case cases[] = {
        random(0, 5, b, {}),                                     // no rows
        random(6, 0, b, {.min_blocks = 0, .max_blocks = 0}),     // no columns
        random(40, 3, b, {.min_blocks = 0, .max_blocks = 0}),    // nothing stored
        random(1, 1, b, {}),                                     // one block
        random(3, 2000, b, {.full_row = 1}),                     // one huge row
        random(2000, 3, b, {.min_blocks = 1, .max_blocks = 3}),  // one huge column, for A^T
    };
    for (const Case& c : cases) {
      for (const Kernel kernel : all_kernels) {
        for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
          if (!is_served(kernel, c.host, mode)) continue;
          c.expect_right({.kernel = kernel, .mode = mode}, Scalar(1), Scalar(0));
          c.expect_right({.kernel = kernel, .mode = mode}, Scalar(2), Scalar(-1));
        }
      }
    }
  }
}

TYPED_TEST(SpmvKernels, TakeVectorsThatStartAnywhere) {
  using Scalar = typename TestFixture::Scalar;
  const auto c = this->irregular(4);
  const auto x = random_vector<Scalar>(c.host.num_cols(), 3);
  const auto expected = c.oracle(Mode::no_transpose, Scalar(1), x, Scalar(0), std::vector<Scalar>(c.host.num_rows()));
  // One entry past the start of an allocation: aligned for the scalar and for nothing wider.
  auto longer = x;
  longer.insert(longer.begin(), Scalar(99));
  const auto x_all = to_device<typename TestFixture::Matrix::memory_space>(longer);
  const Kokkos::View<Scalar*, typename TestFixture::Matrix::memory_space> y_all("y", c.host.num_rows() + 1);
  const auto from_one = [](const auto& v) { return Kokkos::subview(v, std::make_pair(std::size_t(1), v.extent(0))); };
  for (const Kernel kernel : all_kernels) {
    if (!is_served(kernel, c.host, Mode::no_transpose)) continue;
    const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device, {.kernel = kernel});
    spmv(c.exec, plan, Scalar(1), c.device, from_one(x_all), Scalar(0), from_one(y_all));
    const auto y = to_host(y_all);
    EXPECT_EQ(y[0], Scalar(0)) << "the entry before y was written";
    EXPECT_LE(max_difference({y.begin() + 1, y.end()}, expected),
              c.tolerance(c.longest_row(Mode::no_transpose), Scalar(1), Scalar(0)));
  }
}

TYPED_TEST(SpmvKernels, GiveTheSameBitsTwice) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Matrix::memory_space;
  for (const int b : {1, 3, 9}) {
    const auto c = this->irregular(b);
    for (const Kernel kernel : all_kernels) {
      for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
        if (!is_served(kernel, c.host, mode)) continue;
        const bool transpose = is_transposed(mode);
        const auto x = to_device<Space>(random_vector<Scalar>(transpose ? c.host.num_rows() : c.host.num_cols(), 1));
        const auto product = [&] {
          const SpmvPlan<typename TestFixture::Matrix> plan(c.exec, c.device, {.kernel = kernel, .mode = mode});
          const Kokkos::View<Scalar*, Space> y("y", transpose ? c.host.num_cols() : c.host.num_rows());
          spmv(c.exec, plan, Scalar(1), c.device, x, Scalar(0), y);
          c.exec.fence();
          return to_host(y);
        };
        EXPECT_EQ(product(), product()) << to_string(kernel) << ", b = " << b;
      }
    }
  }
}

TYPED_TEST(SpmvKernels, SpreadNoNaNFromAWhenAlphaIsZero) {
  using Scalar = typename TestFixture::Scalar;
  using Space = typename TestFixture::Matrix::memory_space;
  const auto c = this->irregular(2);
  const Scalar nan(std::numeric_limits<real_t<Scalar>>::quiet_NaN());
  const auto x = to_device<Space>(std::vector<Scalar>(c.host.num_cols(), nan));
  const auto y = to_device<Space>(std::vector<Scalar>(c.host.num_rows(), Scalar(3)));
  spmv(c.exec, Scalar(0), c.device, x, Scalar(2), y);
  c.exec.fence();
  EXPECT_EQ(to_host(y), std::vector<Scalar>(c.host.num_rows(), Scalar(6)));
}

}  // namespace
}  // namespace ashlar::testing
