// How candidates are measured and judged, and that tuned plans give right products.
#include <gmock/gmock.h>

#include <ashlar/reference/random_matrix.hpp>
#include <ashlar/spmv/tune.hpp>
#include <set>
#include <spmv/product_case.hpp>
#include <string>
#include <vector>

namespace ashlar::testing {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;
using Matrix = BcsrMatrix<double>;
using Case = ProductCase<Matrix>;

/// Candidates that take so many seconds, give or take some noise (a part of that, the same in every run).
class Clock {
 public:
  Clock(std::vector<double> seconds, double noise) : seconds_(std::move(seconds)), noise_(noise) {}
  double operator()(int candidate) {
    ++samples_;
    const double part = std::uniform_real_distribution<double>(-noise_, noise_)(generator_);
    return seconds_[candidate] * (1 + part) * (samples_ % 17 == 0 ? 3 : 1);  // now and then something comes between
  }
  int samples() const { return samples_; }

 private:
  std::vector<double> seconds_;
  double noise_;
  std::mt19937 generator_{5};
  int samples_ = 0;
};

TEST(Tournament, IsWonByTheFastest) {
  Clock clock({1.0, 0.95, 0.8, 5.0, 1.3, 0.9}, 0.01);
  const auto result = impl::tournament(6, std::ref(clock));
  EXPECT_EQ(result.winner, 2);
  EXPECT_NEAR(result.seconds[2], 0.8, 0.02);
  EXPECT_NEAR(result.seconds[0], 1.0, 0.02);
  EXPECT_GT(result.seconds[3], 4.0) << "what is hopeless is measured, too, if only once";
  EXPECT_GE(result.noise, 0.01);
}

TEST(Tournament, LeavesTheDefaultWhereNobodyIsFasterBeyondNoise) {
  for (const double noise : {0.0, 0.02, 0.1}) {
    Clock clock(std::vector<double>(30, 1.0), noise);
    EXPECT_EQ(impl::tournament(30, std::ref(clock)).winner, 0) << "noise " << noise;
    Clock slightly({1.0, 0.995, 0.995}, noise);
    EXPECT_EQ(impl::tournament(3, std::ref(slightly)).winner, 0) << "noise " << noise;
  }
}

TEST(Tournament, OfOneIsWonByIt) {
  Clock clock({1.0}, 0);
  EXPECT_EQ(impl::tournament(1, std::ref(clock)).winner, 0);
}

TEST(Tournament, DoesNotWasteTimeOnTheSlow) {
  std::vector<double> seconds(30, 100.0);
  seconds[0] = 1;
  Clock clock(seconds, 0.01);
  impl::tournament(30, std::ref(clock));
  EXPECT_LE(clock.samples(), 30 + 2);
}

template <class T>
class Tune : public ::testing::Test {};
using TypesAndLayouts =
    ::testing::Types<std::pair<float, BlockColumnMajor>, std::pair<double, BlockColumnMajor>,
                     std::pair<double, BlockRowMajor>, std::pair<Kokkos::complex<double>, BlockColumnMajor>>;
TYPED_TEST_SUITE(Tune, TypesAndLayouts);

TYPED_TEST(Tune, GivesAPlanWithRightProductsForEveryChoice) {
  using Scalar = typename TypeParam::first_type;
  using Matrix = BcsrMatrix<Scalar, typename TypeParam::second_type>;
  for (const int b : {1, 3, 33}) {
    const ProductCase<Matrix> c(reference::random_bcsr<Matrix>(
        70, 83, b, {.min_blocks = 1, .max_blocks = 9, .empty_every = 7, .full_row = 23}, 100 + b));
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      const Tuned<Matrix> tuned = tune(c.exec, c.device, {.mode = mode});
      EXPECT_EQ(tuned.plan.chosen_by(), ChosenBy::measurement);
      EXPECT_THAT(tuned.plan.explain(), HasSubstr("tuned"));
      EXPECT_EQ(tuned.plan.mode(), mode);
      EXPECT_EQ(tuned.key.block_shape, BlockShape(b));
      EXPECT_GT(tuned.measured.size(), 1);
      c.expect_right(tuned.plan, Scalar(1), Scalar(0));
      c.expect_right(tuned.plan, Scalar(-0.75), Scalar(1.5));
      // Whatever a table may hold for this matrix.
      for (const Kernel kernel : all_kernels) {
        if (!is_served(kernel, c.host, mode)) continue;
        TuningTable table;
        table.set(tuned.key, {.kernel = kernel});
        const SpmvPlan<Matrix> plan(c.exec, c.device, {.mode = mode, .tuning = &table});
        EXPECT_EQ(plan.chosen_by(), ChosenBy::measurement);
        EXPECT_EQ(plan.kernel(), kernel == Kernel::automatic ? tuned.measured.front().kernel : kernel);
        c.expect_right(plan, Scalar(1), Scalar(0));
      }
    }
  }
}

Case grid(int b = 3) {
  return Case(reference::random_bcsr<Matrix>(200, 200, b, {.min_blocks = 8, .max_blocks = 9}, 6));
}

TEST(Tune, ServesNewValuesOnTheSameStructure) {
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    Case c = grid();
    const SpmvPlan<Matrix> plan = tune(c.exec, c.device, {.mode = mode}).plan;
    for (const double value : {-2.5, 0.5}) {
      Kokkos::deep_copy(c.device.values(), value);
      Kokkos::deep_copy(c.host.values(), value);
      c.expect_right(plan, 1, 0);
    }
    // And other values elsewhere, on the same graph.
    const Matrix::values_view elsewhere("values", c.device.values().extent(0));
    Kokkos::deep_copy(elsewhere, 3);
    Kokkos::deep_copy(c.host.values(), 3);
    c.device = Matrix(3, c.device.graph(), elsewhere);
    c.expect_right(plan, 1, 0);
  }
}

TEST(Tune, LeavesTheMatrixAsItIs) {
  const Case c = grid();
  const auto before = to_host(c.device.values());
  tune(c.exec, c.device);
  EXPECT_EQ(to_host(c.device.values()), before);
}

TEST(Tune, IsNotAskedTwiceWhereATableKnows) {
  const Case c = grid();
  TuningTable table;
  const auto first = tuned_plan(c.exec, c.device, table);
  EXPECT_EQ(table.size(), 1);
  // Another choice in the table shows that the second plan comes from there.
  const TuningKey key = impl::tuning_key<Matrix>(c.exec, first.shape(), Mode::no_transpose, false);
  ASSERT_TRUE(table.find(key));
  table.set(key, {.kernel = Kernel::row_per_thread, .seconds = 1e-3, .default_seconds = 2e-3});
  const auto second = tuned_plan(c.exec, c.device, table);
  EXPECT_EQ(second.kernel(), Kernel::row_per_thread);
  EXPECT_THAT(second.explain(), AllOf(HasSubstr("1000 us"), HasSubstr("2000 us")));
  EXPECT_EQ(table.size(), 1);
  // Nor is one that the caller asked for.
  EXPECT_EQ(tuned_plan(c.exec, c.device, table, {.kernel = Kernel::by_block}).kernel(), Kernel::by_block);
  // A choice that does not fit is measured anew.
  table.set(key, {.kernel = Kernel::by_tile});
  EXPECT_NE(tuned_plan(c.exec, c.device, table).kernel(), Kernel::by_tile);
  EXPECT_NE(table.find(key)->kernel, Kernel::by_tile);
}

TEST(Tune, TellsModesAndPrecisionsApart) {
  using Float = BcsrMatrix<float>;
  const ProductCase<Float> c(reference::random_bcsr<Float>(50, 50, 3, {.min_blocks = 3, .max_blocks = 5}, 6));
  TuningTable table;
  const auto vectors = [&](const SpmvOptions& options) { return tune(c.exec, c.device, options).key.vectors; };
  EXPECT_EQ(vectors({}), "float");
  EXPECT_EQ(vectors({.double_vectors = true}), "double");
  for (const bool wide : {false, true}) {
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      tuned_plan(c.exec, c.device, table, {.mode = mode, .double_vectors = wide});
    }
  }
  EXPECT_EQ(table.size(), 4);
}

/// Of a full matrix all else is the same for A and A^T, and so it is for A and conj(A) of any.
TEST(Tune, GoesByTheModeWhereNothingElseTells) {
  const Case c(reference::random_bcsr<Matrix>(16, 16, 3, {.min_blocks = 16, .max_blocks = 16}, 6));
  std::set<std::string> modes;
  std::vector<TuningKey> keys;
  for (const Mode mode : all_modes) {
    const SpmvPlan<Matrix> plan(c.exec, c.device, {.mode = mode});
    keys.push_back(impl::tuning_key<Matrix>(c.exec, plan.shape(), mode, false));
    modes.insert(keys.back().mode);
  }
  EXPECT_EQ(modes.size(), 4u);
  for (TuningKey& key : keys) key.mode = "any";
  EXPECT_THAT(keys, ::testing::Each(keys[0])) << "the matrix tells its modes apart: it is of no use here";
  // So what was chosen for A is nothing to A^T.
  TuningTable table;
  tuned_plan(c.exec, c.device, table);
  EXPECT_EQ(table.size(), 1);
  const SpmvPlan<Matrix> transposed(c.exec, c.device, {.mode = Mode::transpose, .tuning = &table});
  EXPECT_EQ(transposed.chosen_by(), ChosenBy::cost_model);
  tuned_plan(c.exec, c.device, table, {.mode = Mode::transpose});
  EXPECT_EQ(table.size(), 2);
}

TEST(Tune, MeasuresHowFarAheadACpuIsToAskForValues) {
  const Case c = grid();
  const Tuned<Matrix> tuned = tune(c.exec, c.device);
  std::vector<int> ahead;
  for (const auto& measured : tuned.measured) {
    if (measured.kernel == Kernel::block_row_per_thread) ahead.push_back(measured.prefetch_bytes);
  }
  if (is_gpu_v<Kokkos::DefaultExecutionSpace>) {
    EXPECT_THAT(ahead, ::testing::Each(0));
  } else {
    EXPECT_THAT(ahead, ::testing::IsSupersetOf({0, impl::second_cache_prefetch_bytes}));
    EXPECT_THAT(ahead, ::testing::Contains(
                           ::testing::AllOf(::testing::Gt(0), ::testing::Lt(impl::second_cache_prefetch_bytes))));
  }
  if (tuned.choice.prefetch_bytes) {
    EXPECT_EQ(tuned.plan.launch().prefetch_bytes, *tuned.choice.prefetch_bytes);
  }
}

TEST(Tune, RefusesWhatItWouldChoose) {
  const Case c = grid();
  if (!is_gpu_v<Kokkos::DefaultExecutionSpace>) {
    EXPECT_THROW(tune(c.exec, c.device, {.prefetch_bytes = 64}), ArgumentError);
  }
  EXPECT_THROW(tune(c.exec, c.device, {.kernel = Kernel::by_block}), ArgumentError);
  EXPECT_THROW(tune(c.exec, c.device, {.width = 32}), ArgumentError);
}

TEST(Tune, TakesMatricesWithoutBlocksAndWithLongRows) {
  for (const auto& c :
       {Case(reference::random_bcsr<Matrix>(40, 3, 3, {.min_blocks = 0, .max_blocks = 0}, 1)),
        Case(reference::random_bcsr<Matrix>(0, 5, 3, {}, 1)),
        Case(reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4))}) {
    const auto tuned = tune(c.exec, c.device);
    c.expect_right(tuned.plan, 1, 0);
    EXPECT_EQ(tuned.key.spread, c.host.num_blocks() > 1000 ? "long_rows" : "even");
  }
}

TEST(SpmvPlan, IsMadeAnewWithAnotherKernelOnWhatItHolds) {
  const Case c(reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    const SpmvPlan<Matrix> plan(c.exec, c.device, {.mode = mode});
    for (const Kernel kernel : all_kernels) {
      if (!is_served(kernel, c.host, mode)) continue;
      const SpmvPlan<Matrix> other = plan.with(c.exec, {.kernel = kernel});
      EXPECT_EQ(other.mode(), mode);
      EXPECT_EQ(other.index().row_ptr.data(), plan.index().row_ptr.data());
      EXPECT_EQ(other.has_segments(),
                SpmvPlan<Matrix>(c.exec, c.device, {.kernel = kernel, .mode = mode}).has_segments());
      c.expect_right(other, 1, 0);
    }
  }
}

}  // namespace
}  // namespace ashlar::testing
