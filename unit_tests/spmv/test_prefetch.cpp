// Values prefetched on CPUs: who decides, and that it changes no bits.
#include <gmock/gmock.h>

#include <ashlar/host/processors.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/tune.hpp>
#include <optional>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using ::testing::Not;

constexpr impl::SpmvDevice gpu{true, 32, 132 * 2048}, cpu{false, 32, 16};
constexpr impl::SpmvDevice intel{.is_gpu = false, .warp = 32, .threads = 16, .gains_by_prefetch = true};

impl::SpmvShape grid(int b) {
  return {.num_block_rows = 100'000, .num_blocks = 2'700'000, .block_shape = b, .longest_row = 27};
}

template <class T>
class SpmvPrefetch : public ::testing::Test {};

using TypesAndLayouts = ::testing::Types<BcsrMatrix<double>, BcsrMatrix<double, BlockRowMajor>, BcsrMatrix<float>,
                                         BcsrMatrix<Kokkos::complex<double>>>;
TYPED_TEST_SUITE(SpmvPrefetch, TypesAndLayouts);

TYPED_TEST(SpmvPrefetch, ChangesNoBits) {
  using Scalar = typename TypeParam::scalar_type;
  for (const int b : {1, 2, 3, 4, 5, 8, 17, 33}) {
    // Rows of less than a group of values that are prefetched together, of some, and of several and a rest.
    const ProductCase<TypeParam> c(reference::random_bcsr<TypeParam>(
        50, 317, b, {.min_blocks = 1, .max_blocks = 60, .empty_every = 7, .full_row = 23}, 40 + b));
    const auto x = to_device<typename TypeParam::memory_space>(random_vector<Scalar>(c.host.num_cols(), 5));
    const auto product = [&](int prefetch_bytes) {
      const auto y = to_device<typename TypeParam::memory_space>(std::vector<Scalar>(c.host.num_rows()));
      const SpmvOptions options{.kernel = Kernel::block_row_per_thread, .prefetch_bytes = prefetch_bytes};
      c.expect_right(options, Scalar(1), Scalar(0));
      spmv(c.exec, SpmvPlan<TypeParam>(c.exec, c.device, options), Scalar(1), c.device, x, Scalar(0), y);
      c.exec.fence();
      return to_host(y);
    };
    const auto without = product(0);
    for (const int ahead : {1, 64, 512, 3072, 4096, impl::most_prefetch_bytes}) EXPECT_EQ(product(ahead), without);
  }
}

TYPED_TEST(SpmvPrefetch, ChangesNoBitsOfSeveralVectors) {
  using Scalar = typename TypeParam::scalar_type;
  using Space = typename TypeParam::memory_space;
  if (is_gpu_v<typename Space::execution_space>) GTEST_SKIP() << "CPUs only";
  const auto product = []<class Layout>(const ProductCase<TypeParam>& c, Layout, int num_vectors, int prefetch_bytes) {
    const Kokkos::View<Scalar**, Layout, Space> x("test::x", c.host.num_cols(), num_vectors),
        y("test::y", c.host.num_rows(), num_vectors);
    const auto values = random_vector<Scalar>(c.host.num_cols() * num_vectors, 5);
    for (std::int64_t i = 0; i < c.host.num_cols(); ++i) {
      for (int v = 0; v < num_vectors; ++v) x(i, v) = values[i * num_vectors + v];
    }
    const SpmvPlan<TypeParam> plan(c.exec, c.device, {.num_vectors = num_vectors, .prefetch_bytes = prefetch_bytes});
    spmv(c.exec, plan, Scalar(1), c.device, x, Scalar(0), y);
    c.exec.fence();
    std::vector<Scalar> result;
    for (std::int64_t i = 0; i < c.host.num_rows(); ++i) {
      for (int v = 0; v < num_vectors; ++v) result.push_back(y(i, v));
    }
    return result;
  };
  for (const int b : {1, 3}) {
    // Rows of less than what is prefetched at once, and of several times that.
    const ProductCase<TypeParam> c(reference::random_bcsr<TypeParam>(
        50, 317, b, {.min_blocks = 1, .max_blocks = 150, .empty_every = 7, .full_row = 23}, 50 + b));
    for (const int k : {2, 3, 4, 5, 9}) {
      const auto without = product(c, Kokkos::LayoutLeft(), k, 0);
      for (const int ahead : {1, 512, 4096}) {
        EXPECT_EQ(product(c, Kokkos::LayoutLeft(), k, ahead), without) << "b = " << b << ", " << k << " vectors";
      }
    }
  }
}

TEST(SpmvPrefetchChoice, DependsOnBlockSizeAndProcessor) {
  const auto ahead = [](int b, const impl::SpmvDevice& device, int value_bytes = 8) {
    impl::SpmvShape shape = grid(b);
    shape.value_bytes = value_bytes;
    return impl::choose_launch(shape, device, {Kernel::block_row_per_thread}).prefetch_bytes;
  };
  EXPECT_EQ(ahead(3, cpu), impl::first_cache_prefetch_bytes);
  EXPECT_EQ(ahead(3, intel), impl::second_cache_prefetch_bytes);
  EXPECT_EQ(ahead(8, cpu), 0);
  EXPECT_EQ(ahead(1, cpu), impl::single_entry_prefetch_bytes);
  EXPECT_EQ(ahead(1, cpu, 4), impl::single_entry_prefetch_bytes);
  EXPECT_EQ(ahead(1, cpu, 16), 0);
  EXPECT_EQ(ahead(1, intel), impl::second_cache_prefetch_bytes);
  EXPECT_EQ(ahead(1, intel, 4), impl::second_cache_prefetch_bytes);
  for (const int b : {8, 32}) EXPECT_EQ(ahead(b, intel), is_compiled(b) ? impl::second_cache_prefetch_bytes : 0);
  for (const auto& device : {cpu, intel}) {
    EXPECT_EQ(ahead(33, device), 0) << "not compiled";
  }
  EXPECT_EQ(ahead(2, gpu), 0);
}

TEST(SpmvPrefetchChoice, IsNoneFromAQuarterOfTheCache) {
  for (impl::SpmvDevice device : {cpu, intel}) {
    device.processor_cache_bytes = 32 << 20;
    for (const int b : {1, 3, 8}) {
      impl::SpmvShape shape = grid(b);
      const auto ahead = [&](std::int64_t traffic_bytes, std::optional<int> asked = {}) {
        shape.traffic_bytes = traffic_bytes;
        return impl::choose_launch(shape, device, {Kernel::block_row_per_thread, 0, 0, asked}).prefetch_bytes;
      };
      EXPECT_EQ(ahead((8 << 20) - 1), 0);
      const int from_memory = ahead(8 << 20);
      shape.traffic_bytes = std::int64_t(1) << 40;
      EXPECT_EQ(from_memory, impl::choose_launch(shape, device, {}).prefetch_bytes);
      if (b < 8) {
        EXPECT_GT(from_memory, 0);
      }
      EXPECT_EQ(ahead(1000, 512), 512) << "asked for";
    }
  }
}

TEST(SpmvPrefetchChoice, IsTheCallersWhereBlocksCanBeAskedFor) {
  const auto ahead = [](impl::SpmvShape shape, int bytes) {
    return impl::choose_launch(shape, intel, {Kernel::block_row_per_thread, 0, 0, bytes}).prefetch_bytes;
  };
  EXPECT_EQ(ahead(grid(8), 0), 0);
  EXPECT_EQ(ahead(grid(8), 100), 100);
  EXPECT_EQ(ahead(grid(33), 100), 0);
  impl::SpmvShape transposed = grid(8);
  transposed.in_order = false;
  EXPECT_EQ(ahead(transposed, 100), 0);
  const auto on_gpu = impl::decide(grid(8), gpu, {.prefetch_bytes = 100}, TuningChoice{.kernel = Kernel::by_block});
  EXPECT_EQ(on_gpu.chosen_by, ChosenBy::measurement) << "means nothing there";
  for (const int bytes : {-1, impl::most_prefetch_bytes + 1}) EXPECT_THROW(ahead(grid(8), bytes), ArgumentError);
}

TEST(SpmvPrefetchChoice, IsMeasuredAndKept) {
  const auto measured = [](int b) {
    std::vector<int> distances;
    for (const auto& each : impl::launch_candidates(grid(b), cpu)) {
      const auto launch = impl::choose_launch(grid(b), cpu, each);
      if (launch.kernel == Kernel::block_row_per_thread) distances.push_back(launch.prefetch_bytes);
    }
    return distances;
  };
  // The plan's own first.
  EXPECT_THAT(measured(8),
              ::testing::ElementsAre(0, impl::first_cache_prefetch_bytes, impl::second_cache_prefetch_bytes));
  EXPECT_THAT(measured(1), ::testing::ElementsAre(impl::single_entry_prefetch_bytes, 0,
                                                  impl::first_cache_prefetch_bytes, impl::second_cache_prefetch_bytes));

  const auto decision =
      impl::decide(grid(8), cpu, {}, TuningChoice{.kernel = Kernel::block_row_per_thread, .prefetch_bytes = 6144});
  EXPECT_EQ(decision.launch.prefetch_bytes, 6144);
  EXPECT_EQ(decision.chosen_by, ChosenBy::measurement);
}

TEST(SpmvPrefetchChoice, IsExplained) {
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "CPUs only";
  const ProductCase<BcsrMatrix<double>> c(reference::random_bcsr<BcsrMatrix<double>>(40, 40, 3, {}, 3));
  const auto explained = [&](int bytes) { return SpmvPlan(c.exec, c.device, {.prefetch_bytes = bytes}).explain(); };
  EXPECT_THAT(explained(128), HasSubstr("values prefetched 128 bytes ahead"));
  EXPECT_THAT(explained(128), HasSubstr("asked for by the caller"));
  EXPECT_THAT(explained(0), Not(HasSubstr("bytes ahead")));
  // So small a matrix stays in a cache.
  if (last_cache_bytes(1) > 0) {
    EXPECT_EQ(SpmvPlan(c.exec, c.device).launch().prefetch_bytes, 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
