// Offsets into the values beyond 2^31: a matrix of 525,000 blocks of 64 x 64 floats.
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <support/compare.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
using Matrix = BcsrMatrix<float>;

/// One block a row, in one block column; its entries are small numbers that tell the blocks apart.
struct OneColumn {
  KOKKOS_FUNCTION static float value(std::int32_t i) { return static_cast<float>(1 + i % 1021); }
  KOKKOS_FUNCTION int operator()(std::int32_t) const { return 1; }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    row.column(0) = 0;
    for (int c = 0; c < row.block_size(); ++c) {
      for (int r = 0; r < row.block_size(); ++r) row.value(0, r, c) = value(i);
    }
  }
};

TEST(SpmvLarge, ReachesValuesBeyond32Bits) {
#ifdef ASHLAR_TEST_FEWER_TYPES
  GTEST_SKIP() << "takes a minute with sanitizers, and has no other accesses than smaller matrices";
#endif
  const Exec exec;
  const std::int32_t rows = 525'000;
  const int b = 64;
  if (available_bytes<Space>() < 12'000'000'000u) GTEST_SKIP() << "takes 9 GB of memory";
  const auto a = build_by_rows<Matrix>(exec, b, rows, 1, OneColumn{}, OneColumn{});
  ASSERT_GT(a.num_values(), std::int64_t(1) << 31);
  const Kokkos::View<float*, Space> x("x", b), y("y", a.num_rows());
  Kokkos::deep_copy(exec, x, 1.0f);
  for (const Kernel kernel : {Kernel::automatic, Kernel::row_per_thread}) {
    Kokkos::deep_copy(exec, y, -1.0f);
    spmv(exec, SpmvPlan<Matrix>(exec, a, {.kernel = kernel}), 1, a, x, 0, y);
    exec.fence();
    const auto result = to_host(y);
    std::int64_t wrong = 0;
    for (std::int64_t i = 0; i < a.num_rows(); ++i) {
      wrong += result[i] != b * OneColumn::value(static_cast<std::int32_t>(i / b));
    }
    EXPECT_EQ(wrong, 0) << to_string(kernel);
  }
}

}  // namespace
}  // namespace ashlar::testing
