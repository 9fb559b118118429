// The ways in which CG's iterations reach the device: one answer, whichever is taken.
#include <gmock/gmock.h>

#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <thread>
#include <tuple>
#include <vector>

#include "distributed/tangle.hpp"
#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

constexpr auto any = std::numeric_limits<std::uint64_t>::max();  // bytes of a copy

template <class S>
struct Solved {
  SolveReport report;
  std::vector<S> x;
};

/// Nothing where the device has no such launch for this system.
template <class Op, class M, class S>
std::optional<Solved<S>> solve(const Exec& exec, const Op& a, const M& m, const std::vector<S>& b,
                               const CgOptions& options) {
  const Kokkos::View<S*, Space> x("x", b.size());
  try {
    const auto report = cg(exec, a, m, to_device<Space>(b), x, options);
    return Solved<S>{report, to_host(x)};
  } catch (const ArgumentError&) {
    return std::nullopt;
  }
}

/// Solves with each launch: residuals agree to rounding, the count within one, twice the same bits.
template <class Op, class M, class S>
int expect_same_answers(const Op& a, const M& m, const std::vector<S>& b, double rtol) {
  const Exec exec;
  const auto plain = solve(exec, a, m, b, {.rtol = rtol, .launch = CgLaunch::one_by_one});
  EXPECT_EQ(plain->report.status, SolveStatus::converged);
  EXPECT_FALSE(plain->report.iterates_in_kernel);
  const double eps = std::numeric_limits<real_t<S>>::epsilon();
  int served = 0;
  struct Form {
    CgLaunch launch;
    std::uint64_t copy_bytes;
  };
  for (const auto& [launch, copy_bytes] : {Form{CgLaunch::automatic, any},
                                           {CgLaunch::graph, any},
                                           {CgLaunch::persistent, any},
                                           {CgLaunch::persistent, 0}}) {
    for (const int interval : {0, 7}) {
      const CgOptions options{.rtol = rtol, .check_interval = interval, .launch = launch, .copy_bytes = copy_bytes};
      const auto solved = solve(exec, a, m, b, options);
      if (!solved) continue;
      ++served;
      const std::string& how = solved->report.launch;
      EXPECT_EQ(solved->report.status, SolveStatus::converged) << how;
      if (launch != CgLaunch::automatic) {
        EXPECT_EQ(solved->report.iterates_in_kernel, launch == CgLaunch::persistent) << how;
      }
      EXPECT_LE(solved->report.relative_residual, rtol) << how;
      EXPECT_NEAR(solved->report.iterations, plain->report.iterations, 1) << how;
      const std::size_t common =
          std::min(solved->report.residual_history.size(), plain->report.residual_history.size());
      for (std::size_t k = 0; k < std::min<std::size_t>(common, 12); ++k) {
        EXPECT_NEAR(solved->report.residual_history[k], plain->report.residual_history[k],
                    1e4 * eps * plain->report.residual_history[k])
            << how << ", iteration " << k;
      }
      EXPECT_EQ(solve(exec, a, m, b, options)->x, solved->x) << "twice the same bits: " << how;
    }
  }
  return served;
}

/// A matrix of blocks of any size: the graph of the stencil, with blocks that make it symmetric positive definite.
template <class Matrix>
Matrix stencil(int b, int nx = 14, int ny = 9, int nz = 7) {
  return problems::stencil11<Matrix>(Exec(), nx, ny, nz, b);
}

template <class Types>
class CgLaunches : public ::testing::Test {};
using Types = ::testing::Types<std::tuple<double, BlockColumnMajor>, std::tuple<double, BlockRowMajor>,
                               std::tuple<float, BlockColumnMajor>, std::tuple<float, BlockRowMajor>>;
TYPED_TEST_SUITE(CgLaunches, Types);

TYPED_TEST(CgLaunches, GiveTheSameAnswer) {
  using S = std::tuple_element_t<0, TypeParam>;
  using Matrix = BcsrMatrix<S, std::tuple_element_t<1, TypeParam>>;
  const Exec exec;
  const double rtol = std::is_same_v<S, float> ? 1e-4 : 1e-9;
  for (int b = 1; b <= 8; ++b) {
    const auto matrix = stencil<Matrix>(b);
    const BcsrOperator<Matrix> a(exec, matrix);
    const auto rhs = random_vector<S>(matrix.num_rows(), 1);
    expect_same_answers(a, IdentityPreconditioner(), rhs, rtol);
    expect_same_answers(a, JacobiPreconditioner<Matrix>(exec, matrix), rhs, rtol);
    expect_same_answers(a, BlockJacobiPreconditioner<Matrix>(exec, matrix), rhs, rtol);
  }
}

TEST(CgLaunchesTest, ServeMatricesThatStayOnNoMultiprocessor) {
  // There are more rows than threads on a device: the kernel takes them in slices.
  using Matrix = BcsrMatrix<double>;
  if (!is_gpu_v<Exec>) GTEST_SKIP() << "of GPUs";
  const Exec exec;
  for (const int b : {1, 2, 3, 7}) {
    const int side = b == 1 ? 61 : b == 2 ? 50 : 43;
    const auto matrix = stencil<Matrix>(b, side, side - 3, side - 1);
    const BcsrOperator<Matrix> a(exec, matrix);
    const auto rhs = random_vector<double>(matrix.num_rows(), 1);
    expect_same_answers(a, IdentityPreconditioner(), rhs, 1e-5);
    expect_same_answers(a, BlockJacobiPreconditioner<Matrix>(exec, matrix), rhs, 1e-5);
  }
  // Long rows have more loads in flight. With uneven rows, some lanes finish before others.
  for (const auto& matrix :
       {problems::grid27<Matrix>(exec, 41, 37, 39, 3), tangle_matrix<Matrix>(exec, {60'001, 0}, 3, {0, 60'001})}) {
    const auto rhs = random_vector<double>(matrix.num_rows(), 1);
    expect_same_answers(BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(), rhs, 1e-5);
  }
}

TEST(CgLaunchesTest, ServeValuesThatBeginAnywhere) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  for (const int b : {1, 3}) {
    const int side = is_gpu_v<Exec> ? 60 : 10;
    const auto matrix = stencil<Matrix>(b, side, side, side);
    const std::size_t count = matrix.values().extent(0);
    const Kokkos::View<double*, Space> room("room", count + 1);
    const Matrix::values_view shifted = Kokkos::subview(room, std::make_pair(std::size_t(1), count + 1));
    Kokkos::deep_copy(shifted, matrix.values());
    const Matrix moved(b, matrix.graph(), shifted);
    const BcsrOperator<Matrix> a(exec, moved);
    const auto rhs = random_vector<double>(matrix.num_rows(), 1);
    expect_same_answers(a, IdentityPreconditioner(), rhs, 1e-5);
    expect_same_answers(a, JacobiPreconditioner<Matrix>(exec, moved), rhs, 1e-5);
    expect_same_answers(a, BlockJacobiPreconditioner<Matrix>(exec, moved), rhs, 1e-5);
  }
}

/// Rows of very different lengths, some empty but for the diagonal: slices of different sizes.
struct Uneven {
  std::int64_t n;
  KOKKOS_FUNCTION int reach(std::int64_t i) const {
    return i % 97 == 0 ? 150 : i % 5 == 0 ? 0 : static_cast<int>(i % 7);
  }
  KOKKOS_FUNCTION bool has(std::int64_t i, std::int64_t j) const {
    const std::int64_t apart = i < j ? j - i : i - j;
    return apart <= reach(i) || apart <= reach(j);
  }
  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    int count = 0;
    for (std::int64_t j = i < 150 ? 0 : i - 150; j < n && j <= i + 150; ++j) count += has(i, j);
    return count;
  }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    for (std::int64_t j = i < 150 ? 0 : i - 150; j < n && j <= i + 150; ++j) {
      if (!has(i, j)) continue;
      row.column(k) = static_cast<std::int32_t>(j);
      row.value(k++, 0, 0) = i == j ? 400 : -1;
    }
  }
};

TEST(CgLaunchesTest, ServeRowsOfVeryDifferentLengths) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  for (const int n : {977, is_gpu_v<Exec> ? 200'003 : 2003}) {
    const auto matrix = build_by_rows<Matrix>(exec, 1, n, n, Uneven{n}, Uneven{n});
    const auto rhs = random_vector<double>(n, 1);
    expect_same_answers(BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(), rhs, 1e-9);
    expect_same_answers(BcsrOperator<Matrix>(exec, matrix), JacobiPreconditioner<Matrix>(exec, matrix), rhs, 1e-9);
  }
}

/// Most of the entries of a band: slices have diagonals with holes.
struct BandWithHoles {
  static constexpr int reach = 9;
  std::int64_t n;
  KOKKOS_FUNCTION bool has(std::int64_t i, std::int64_t j) const { return i == j || (i * j + i + j) % 11 != 0; }
  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    int count = 0;
    for (std::int64_t j = i < reach ? 0 : i - reach; j < n && j <= i + reach; ++j) count += has(i, j);
    return count;
  }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    for (std::int64_t j = i < reach ? 0 : i - reach; j < n && j <= i + reach; ++j) {
      if (!has(i, j)) continue;
      row.column(k) = static_cast<std::int32_t>(j);
      row.value(k++, 0, 0) = i == j ? 40 : -1 - double((i + j) % 5) / 8;
    }
  }
};

/// True if the persistent kernel multiplies slices on this device, and block size 1 is compiled.
bool has_slices() {
#ifdef KOKKOS_ENABLE_CUDA
  return std::is_same_v<Exec, Kokkos::Cuda> && Kokkos::Cuda().cuda_device_prop().major >= 9 &&
         is_compiled_block_size(1);
#else
  return false;
#endif
}

/// The persistent kernel's description of its product; empty if the device has no such kernel.
template <class Matrix>
std::string product_of(const Matrix& matrix, const CgOptions& options) {
  using S = typename Matrix::scalar_type;
  const Exec exec;
  const auto solved = solve(exec, BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(),
                            random_vector<S>(matrix.num_rows(), 1), options);
  return solved ? solved->report.launch : "";
}

template <class S>
class CgWithCopies : public ::testing::Test {};
using ValueTypes = ::testing::Types<double, float>;
TYPED_TEST_SUITE(CgWithCopies, ValueTypes);

TYPED_TEST(CgWithCopies, GiveTheSameAnswer) {
  using Matrix = BcsrMatrix<TypeParam>;
  const Exec exec;
  const double rtol = std::is_same_v<TypeParam, float> ? 1e-4 : 1e-9;
  for (const int n : {is_gpu_v<Exec> ? 300'007 : 1007, is_gpu_v<Exec> ? 200'000 : 1024}) {
    const auto matrix = build_by_rows<Matrix>(exec, 1, n, n, BandWithHoles{n}, BandWithHoles{n});
    const auto rhs = random_vector<TypeParam>(n, 1);
    expect_same_answers(BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(), rhs, rtol);
    expect_same_answers(BcsrOperator<Matrix>(exec, matrix), JacobiPreconditioner<Matrix>(exec, matrix), rhs, rtol);
    const std::string product = product_of(matrix, {.rtol = rtol, .launch = CgLaunch::persistent});
    if (has_slices()) {
      EXPECT_THAT(product, HasSubstr("by diagonals of slices"));
    }
  }
}

// Vectors are larger than the device's second cache: slices of all thread blocks are interleaved.
TEST(CgLaunchesTest, ServeVectorsThatNoCacheHolds) {
  using Matrix = BcsrMatrix<double>;
  if (!has_slices()) GTEST_SKIP() << "of devices that copy slices";
  const Exec exec;
  const auto matrix = stencil<Matrix>(1, 190, 180, 170);
  EXPECT_THAT(product_of(matrix, {.rtol = 1e-3, .launch = CgLaunch::persistent}), HasSubstr("interleaved"));
  expect_same_answers(BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(),
                      random_vector<double>(matrix.num_rows(), 1), 1e-3);
}

template <class View>
void scale(const Exec& exec, const View& values, double by) {
  Kokkos::parallel_for(
      Kokkos::RangePolicy<Exec>(exec, 0, values.extent(0)), KOKKOS_LAMBDA(std::size_t k) { values(k) *= by; });
  exec.fence();
}

// A copy of the matrix is as good as the matrix, from solve to solve.
TEST(CgLaunchesTest, FollowValuesThatChangeBetweenSolves) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const int n = is_gpu_v<Exec> ? 200'000 : 1024;
  const auto matrix = build_by_rows<Matrix>(exec, 1, n, n, BandWithHoles{n}, BandWithHoles{n});
  const BcsrOperator<Matrix> a(exec, matrix);
  const auto rhs = random_vector<double>(n, 1);
  const auto before = solve(exec, a, IdentityPreconditioner(), rhs, {.rtol = 1e-9});
  scale(exec, matrix.values(), 4);
  const auto after = solve(exec, a, IdentityPreconditioner(), rhs, {.rtol = 1e-9});
  ASSERT_EQ(after->report.iterations, before->report.iterations);
  for (const int i : {0, n / 2, n - 1}) EXPECT_EQ(4 * after->x[i], before->x[i]) << "4 is a power of 2";
}

TEST(CgLaunchesTest, CopyTheMatrixWhereItIsSmallerByDiagonals) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const auto grid = stencil<Matrix>(1, 61, 58, 60);
  CgOptions options{.rtol = 1e-5, .launch = CgLaunch::persistent};
  if (!has_slices()) GTEST_SKIP() << "of devices that copy slices";
  EXPECT_THAT(product_of(grid, options), HasSubstr("by diagonals of slices"));
  // Its diagonals take 8 bytes for each of 11 entries of a row.
  options.copy_bytes = 8 * 11 * grid.num_rows();
  EXPECT_THAT(product_of(grid, options), HasSubstr("products by slices")) << "what is besides the values counts, too";
  options.copy_bytes += options.copy_bytes / 8;
  EXPECT_THAT(product_of(grid, options), HasSubstr("by diagonals of slices"));
  options.copy_bytes = 0;
  EXPECT_THAT(product_of(grid, options), HasSubstr("products by slices"));
  options = {.rtol = 1e-5, .max_iterations = 5, .launch = CgLaunch::persistent};
  EXPECT_THAT(product_of(grid, options), HasSubstr("products by slices")) << "a copy takes longer than these few";
  options.max_iterations = 10000;
  const auto uneven = build_by_rows<Matrix>(exec, 1, 200'003, 200'003, Uneven{200'003}, Uneven{200'003});
  EXPECT_THAT(product_of(uneven, options), HasSubstr("products by slices")) << "most places would be empty";
}

TEST(CgLaunchesTest, ServeTheCantileverWithEachPreconditioner) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const auto matrix = problems::cantilever_matrix<Matrix>(exec, {.nodes = {13, 6, 5}, .dof = 3});
  const BcsrOperator<Matrix> a(exec, matrix);
  const auto rhs = random_vector<double>(matrix.num_rows(), 1);
  expect_same_answers(a, IdentityPreconditioner(), rhs, 1e-9);
  expect_same_answers(a, JacobiPreconditioner<Matrix>(exec, matrix), rhs, 1e-9);
  expect_same_answers(a, BlockJacobiPreconditioner<Matrix>(exec, matrix), rhs, 1e-9);
}

/// Refinement in mixed precision iterates with such matrices.
TEST(CgLaunchesTest, ServeFloatsWithVectorsOfDouble) {
  using Floats = BcsrMatrix<float>;
  const Exec exec;
  for (const int b : {1, 2, 3, 7}) {
    const int side = !is_gpu_v<Exec> ? 12 : b == 1 ? 61 : b == 2 ? 50 : 43;
    const auto matrix = stencil<Floats>(b, side, side - 3, side - 1);
    const BcsrOperator<Floats> a(exec, matrix, {.double_vectors = true});
    const BlockJacobiPreconditioner<BcsrMatrix<double>> block_jacobi(exec, convert_values<double>(exec, matrix));
    const auto rhs = random_vector<double>(matrix.num_rows(), 1);
    const int served = expect_same_answers(a, IdentityPreconditioner(), rhs, 1e-5);
    EXPECT_EQ(expect_same_answers(a, block_jacobi, rhs, 1e-5), served);
    if (has_slices() && is_compiled_block_size(b)) {
      EXPECT_EQ(served, 8) << "each launch, b=" << b;
    }
  }
}

TEST(CgLaunchesTest, ServeOperatorsOfAnyType) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const auto matrix = stencil<Matrix>(3);
  const AnyOperator<double, Exec> a{BcsrOperator<Matrix>(exec, matrix)};
  const auto rhs = random_vector<double>(matrix.num_rows(), 1);
  const auto direct = expect_same_answers(BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(), rhs, 1e-9);
  const AnyPreconditioner<double, Exec> none{IdentityPreconditioner()};
  EXPECT_EQ(expect_same_answers(a, none, rhs, 1e-9), direct) << "no launch is lost behind the type";
  const AnyPreconditioner<double, Exec> block_jacobi{BlockJacobiPreconditioner<Matrix>(exec, matrix)};
  EXPECT_EQ(expect_same_answers(a, block_jacobi, rhs, 1e-9), direct);
}

/// `product` for blocks of b x b if the persistent kernel has slices of them on this device; else empty.
std::string if_sliced(const std::string& product, int b) {
  return has_slices() && is_compiled_block_size(b) ? product : "";
}

/// Each launch stops after just so many iterations; the persistent kernel multiplies by `product`, if that is given.
template <class Matrix>
void expect_stops(const Matrix& matrix, const std::vector<int>& limits, std::uint64_t copy_bytes,
                  const std::string& product) {
  const Exec exec;
  const BcsrOperator<Matrix> a(exec, matrix);
  const auto rhs = random_vector<double>(matrix.num_rows(), 1);
  for (const CgLaunch launch : {CgLaunch::one_by_one, CgLaunch::graph, CgLaunch::persistent}) {
    for (const int limit : limits) {
      const CgOptions options{
          .rtol = 0, .max_iterations = limit, .check_interval = 4, .launch = launch, .copy_bytes = copy_bytes};
      const auto solved = solve(exec, a, IdentityPreconditioner(), rhs, options);
      EXPECT_TRUE(solved || launch != CgLaunch::persistent || product.empty());
      if (!solved) continue;
      EXPECT_EQ(solved->report.status, SolveStatus::iteration_limit) << solved->report.launch;
      EXPECT_EQ(solved->report.iterations, limit) << solved->report.launch;
      EXPECT_EQ(int(solved->report.residual_history.size()), limit + 1);
      if (launch == CgLaunch::persistent) {
        EXPECT_THAT(solved->report.launch, HasSubstr(product));
      }
    }
  }
}

TEST(CgLaunchesTest, StopAtTheLimitWhereverItLies) {
  using Matrix = BcsrMatrix<double>;
  expect_stops(stencil<Matrix>(1), {0, 1, 5, 9}, any, "");
  // More rows than the kernel keeps in scratch memory, by either product. (Less than 20 iterations are worth no copy.)
  const int side = is_gpu_v<Exec> ? 61 : 16;
  const auto large = stencil<Matrix>(1, side, side - 3, side - 1);
  expect_stops(large, {0, 1, 5, 9}, any, if_sliced("by slices", 1));
  expect_stops(large, {21, 26}, any, if_sliced("by diagonals of slices", 1));
  expect_stops(stencil<Matrix>(3, side, side - 3, side - 1), {0, 1, 5, 9}, any, if_sliced("by slices", 3));
}

/// Diagonal matrices of n blocks of b x b, one of whose entries is -2, or no number. `product` as above.
void expect_ends(int n, int b, std::uint64_t copy_bytes, const std::string& product) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const int rows = n * b, bad_row = rows / 4;
  const auto with_entry = [&](double bad) {
    return block_diagonal<double>(n, b, [&](int i, int r, int c) {
      return r != c ? 0.0 : i * b + r == bad_row ? bad : 1.0 + (i * b + r) % 4;
    });
  };
  const auto indefinite = with_entry(-2), no_number = with_entry(std::numeric_limits<double>::quiet_NaN());
  std::vector<double> unit(rows, 0.0);
  unit[bad_row] = 1;
  for (const CgLaunch launch : {CgLaunch::one_by_one, CgLaunch::graph, CgLaunch::persistent}) {
    const CgOptions options{.launch = launch, .copy_bytes = copy_bytes};
    const auto solved = solve(exec, BcsrOperator<Matrix>(exec, indefinite), IdentityPreconditioner(), unit, options);
    if (solved) {
      EXPECT_EQ(solved->report.status, SolveStatus::indefinite_matrix) << solved->report.launch;
    }
    const auto bad = solve(exec, BcsrOperator<Matrix>(exec, no_number), IdentityPreconditioner(),
                           std::vector<double>(rows, 1.0), options);
    if (bad) {
      EXPECT_EQ(bad->report.status, SolveStatus::non_finite) << bad->report.launch;
      EXPECT_EQ(bad->x, std::vector<double>(rows, 0.0)) << "x must stay the last good one";
    }
    if (launch == CgLaunch::persistent && !product.empty()) {
      ASSERT_TRUE(solved && bad);
      EXPECT_THAT(solved->report.launch, HasSubstr(product));
    }
  }
}

TEST(CgLaunchesTest, EndWhereTheMatrixIsIndefinite) {
  expect_ends(4, 1, any, "");
  // More rows than the kernel keeps in scratch memory, by either product.
  const int rows = is_gpu_v<Exec> ? 210'000 : 2100;
  expect_ends(rows, 1, any, if_sliced("by diagonals of slices", 1));
  expect_ends(rows, 1, 0, if_sliced("by slices", 1));
  expect_ends(rows / 3, 3, any, if_sliced("by slices", 3));
}

TEST(CgLaunchesTest, SayWhyTheyAreWhatTheyAre) {
  using Matrix = BcsrMatrix<double>;
  const Exec exec;
  const auto matrix = stencil<Matrix>(8);
  const auto rhs = random_vector<double>(matrix.num_rows(), 1);
  const auto solved = solve(exec, BcsrOperator<Matrix>(exec, matrix), IdentityPreconditioner(), rhs, {.rtol = 1e-6});
  EXPECT_THAT(solved->report.launch, HasSubstr("persistent kernel: ")) << "why there is none for blocks of 8";
}

TEST(CgLaunchesTest, ServeManyShortSolvesAndTwoInstancesAtOnce) {
  using Matrix = BcsrMatrix<double>;
  const auto matrix = stencil<Matrix>(1, 6, 5, 4);
  const auto rhs = random_vector<double>(matrix.num_rows(), 1);
  const auto b = to_device<Space>(rhs);
  const int solves = is_gpu_v<Exec> ? 10000 : 100;
  const auto instances = Kokkos::Experimental::partition_space(Exec(), 1, 1);
  const BcsrOperator<Matrix> a(instances[0], matrix);
  instances[0].fence();
  const Kokkos::View<double*, Space> x("x", rhs.size());
  int iterations = 0;
  for (int k = 0; k < solves; ++k) {
    Kokkos::deep_copy(instances[0], x, 0.0);
    const auto report = cg(instances[0], a, IdentityPreconditioner(), b, x, {.rtol = 1e-8});
    ASSERT_EQ(report.status, SolveStatus::converged);
    if (k > 0) {
      ASSERT_EQ(report.iterations, iterations);
    }
    iterations = report.iterations;
  }
  // Two threads of the host, an instance each, one operator.
  if constexpr (is_gpu_v<Exec>) {
    const auto work = [&](const Exec& exec, int& converged) {
      const Kokkos::View<double*, Space> own("x", rhs.size());
      for (int k = 0; k < 200; ++k) {
        Kokkos::deep_copy(exec, own, 0.0);
        const auto report = cg(exec, a, IdentityPreconditioner(), b, own, {.rtol = 1e-8});
        converged += report.status == SolveStatus::converged && report.iterations == iterations;
      }
    };
    int first = 0, second = 0;
    std::thread other([&] { work(instances[1], second); });
    work(instances[0], first);
    other.join();
    EXPECT_EQ(first, 200);
    EXPECT_EQ(second, 200);
  }
}

}  // namespace
}  // namespace ashlar::testing
