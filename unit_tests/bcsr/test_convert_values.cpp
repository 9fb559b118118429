#include <ashlar/bcsr/copy.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <support/compare.hpp>

namespace ashlar::testing {
namespace {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;

TEST(ConvertValues, RoundsEachAndSharesTheGraph) {
  const Exec exec;
  const auto host = reference::random_bcsr<BcsrMatrix<double>>(9, 7, {2, 3}, {.min_blocks = 0, .max_blocks = 4});
  const auto a = copy_to<Space>(exec, host);
  const BcsrMatrix<bfloat16> rounded = convert_values<bfloat16>(exec, a);
  const BcsrMatrix<float> floats = convert_values<float>(exec, rounded);
  exec.fence();
  EXPECT_EQ(rounded.graph().col_idx().data(), a.graph().col_idx().data());
  EXPECT_EQ(rounded.block_shape(), a.block_shape());
  const auto values = to_host(rounded.values());
  const auto widened = to_host(floats.values());
  ASSERT_EQ(values.size(), host.values().extent(0));
  for (std::size_t i = 0; i < values.size(); ++i) {
    EXPECT_EQ(values[i].bits(), bfloat16(host.values()(i)).bits());
    EXPECT_EQ(widened[i], static_cast<float>(values[i]));
  }
}

TEST(ConvertValues, OfComplexNumbersConvertsBothParts) {
  using Complex = Kokkos::complex<double>;
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto host = reference::random_bcsr<BcsrMatrix<Complex>>(5, 5, 2, {});
  const auto single = convert_values<Kokkos::complex<float>>(exec, host);
  exec.fence();
  for (std::size_t i = 0; i < host.values().extent(0); ++i) {
    EXPECT_EQ(single.values()(i), Kokkos::complex<float>(host.values()(i)));
  }
}

TEST(ConvertValues, OfNoBlocks) {
  const Kokkos::DefaultHostExecutionSpace exec;
  const auto host = reference::random_bcsr<BcsrMatrix<double>>(0, 0, 3, {});
  EXPECT_EQ(convert_values<bfloat16>(exec, host).num_values(), 0);
}

}  // namespace
}  // namespace ashlar::testing
