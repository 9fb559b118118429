// Products on CPUs with each of the instruction sets that the processor has.
#include <gmock/gmock.h>

#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>
#include <support/instruction_set.hpp>

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;

/// A matrix with short and long rows, some of which are empty.
template <class Matrix>
ProductCase<Matrix> irregular(const BlockShape& shape) {
  return ProductCase<Matrix>(reference::random_bcsr<Matrix>(
      50, 83, shape, {.min_blocks = 1, .max_blocks = 12, .empty_every = 7, .full_row = 23}, 40 + shape.rows));
}

template <class T>
class SpmvInstructionSets : public ::testing::Test {
 protected:
  void SetUp() override {
    if (is_gpu_v<Kokkos::DefaultExecutionSpace>) GTEST_SKIP() << "CPUs only";
  }
};

using Matrices = ::testing::Types<BcsrMatrix<double>, BcsrMatrix<double, BlockRowMajor>, BcsrMatrix<float>,
                                  BcsrMatrix<float, BlockRowMajor>, BcsrMatrix<Kokkos::complex<float>>,
                                  BcsrMatrix<Kokkos::complex<double>, BlockRowMajor>>;
TYPED_TEST_SUITE(SpmvInstructionSets, Matrices);

TYPED_TEST(SpmvInstructionSets, GiveRightProducts) {
  using Scalar = typename TypeParam::scalar_type;
  // Columns and rows of less than a register of each set, of one, of some, and of some and a rest; a run-time size
  // last.
  for (const int b : {1, 2, 3, 5, 8, 9, 17, 33}) {
    const auto c = irregular<TypeParam>(b);
    for (const InstructionSet set : instruction_sets_here()) {
      const InstructionSetVariable variable(set);
      for (const Mode mode : {Mode::no_transpose, Mode::conjugate_transpose}) {
        c.expect_right({.mode = mode}, Scalar(2), Scalar(0));
        c.expect_right({.mode = mode}, Scalar(1), Scalar(-1));
      }
      c.expect_right({.prefetch_bytes = 512}, Scalar(1), Scalar(0));
      c.expect_right({.prefetch_bytes = 8192}, Scalar(1), Scalar(0));
    }
  }
}

TYPED_TEST(SpmvInstructionSets, GiveRightProductsOfSeveralVectors) {
  using Scalar = typename TypeParam::scalar_type;
  using Space = typename TypeParam::memory_space;
  const auto expect_right = []<class Layout>(const ProductCase<TypeParam>& c, Layout, int num_vectors) {
    const auto x = random_block<Kokkos::View<Scalar**, Layout, Space>>(c.host.num_cols(), num_vectors, 5);
    const Kokkos::View<Scalar**, Layout, Space> y("test::y", c.host.num_rows(), num_vectors);
    const SpmvPlan<TypeParam> plan(c.exec, c.device, {.num_vectors = num_vectors});
    spmv(c.exec, plan, Scalar(1), c.device, x, Scalar(0), y);
    c.exec.fence();
    for (int v = 0; v < num_vectors; ++v) {
      std::vector<Scalar> one(c.host.num_cols()), result(c.host.num_rows());
      for (std::size_t i = 0; i < one.size(); ++i) one[i] = x(i, v);
      for (std::size_t i = 0; i < result.size(); ++i) result[i] = y(i, v);
      const auto expected = c.oracle(Mode::no_transpose, Scalar(1), one, Scalar(0), result);
      EXPECT_LE(max_difference(result, expected), c.tolerance(c.longest_row(Mode::no_transpose), Scalar(1), Scalar(0)))
          << plan.explain() << ", vector " << v << " of " << num_vectors;
    }
  };
  for (const int b : {1, 3, 8, 17}) {
    const auto c = irregular<TypeParam>(b);
    for (const InstructionSet set : instruction_sets_here()) {
      const InstructionSetVariable variable(set);
      for (const int num_vectors : {3, 4, 13}) {
        expect_right(c, Kokkos::LayoutRight(), num_vectors);
        expect_right(c, Kokkos::LayoutLeft(), num_vectors);
      }
    }
  }
}

class SpmvInstructionSet : public SpmvInstructionSets<void> {
 protected:
  using Case = ProductCase<BcsrMatrix<double>>;

  static std::vector<double> product(const Case& c, const SpmvPlan<BcsrMatrix<double>>& plan) {
    const auto x = to_device<Case::Space>(random_vector<double>(c.host.num_cols(), 5));
    const auto y = to_device<Case::Space>(std::vector<double>(c.host.num_rows()));
    spmv(c.exec, plan, 1.0, c.device, x, 0.0, y);
    c.exec.fence();
    return to_host(y);
  }
};

TEST_F(SpmvInstructionSet, IsExplained) {
  const auto c = irregular<BcsrMatrix<double>>(3);
  for (const InstructionSet set : instruction_sets_here()) {
    const InstructionSetVariable variable(set);
    EXPECT_THAT(SpmvPlan(c.exec, c.device).explain(), HasSubstr(", " + std::string(to_string(set)) + " instructions"));
  }
  const InstructionSetVariable variable("fastest");
  EXPECT_THROW(SpmvPlan(c.exec, c.device), ArgumentError);
}

TEST_F(SpmvInstructionSet, IsThePlans) {
  const auto c = irregular<BcsrMatrix<double>>(1);
  const InstructionSetVariable lowest(InstructionSet::baseline);
  const SpmvPlan plan(c.exec, c.device);
  const auto by_plan = product(c, plan);
  const InstructionSetVariable widest(widest_instruction_set());
  EXPECT_EQ(product(c, plan), by_plan);
  // Wider registers sum a row in another order, and fuse products and sums.
  if (widest_instruction_set() != InstructionSet::baseline) {
    EXPECT_NE(product(c, SpmvPlan(c.exec, c.device)), by_plan);
  }
}

/// What one set has measured says nothing of another, and a table never makes a plan use instructions that the
/// processor lacks.
TEST_F(SpmvInstructionSet, IsPartOfTheKeyOfATuningTable) {
  const auto c = irregular<BcsrMatrix<double>>(3);
  const auto key_with = [&](InstructionSet set) {
    const InstructionSetVariable variable(set);
    TuningTable none;
    const SpmvPlan plan(c.exec, c.device, {.tuning = &none});
    return impl::tuning_key<BcsrMatrix<double>>(c.exec, plan.shape(), Mode::no_transpose, false);
  };
  TuningTable table;
  const auto key = key_with(InstructionSet::baseline);
  table.set(key, {.kernel = Kernel::block_row_per_thread});
  // Of a machine with wider registers.
  TuningKey wide = key;
  wide.device.replace(wide.device.rfind("baseline"), std::string::npos, "x86-64-v4");
  if (widest_instruction_set() != InstructionSet::x86_64_v4) {
    table.set(wide, {.kernel = Kernel::block_row_per_thread});
  }
  for (const InstructionSet set : instruction_sets_here()) {
    SCOPED_TRACE(std::string(to_string(set)));
    const InstructionSetVariable variable(set);
    const SpmvPlan plan(c.exec, c.device, {.tuning = &table});
    EXPECT_EQ(plan.chosen_by(), set == InstructionSet::baseline ? ChosenBy::measurement : ChosenBy::cost_model);
    EXPECT_EQ(plan.launch().instruction_set, set);
    c.expect_right(plan, 1, 0);
  }
}

}  // namespace
}  // namespace ashlar::testing
