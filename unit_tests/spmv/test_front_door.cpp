// What the front door checks, what the plan says, and that a plan serves new values.
#include <gmock/gmock.h>

#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Space = Matrix::memory_space;
using Case = ProductCase<Matrix>;
using Vector = Kokkos::View<double*, Space>;
using ::testing::AllOf;
using ::testing::HasSubstr;

Case rectangular(int b = 3) { return Case(reference::random_bcsr<Matrix>(4, 6, b, {}, 2)); }

template <class Exception, class Function>
std::string message_of(const Function& function) {
  try {
    function();
  } catch (const Exception& error) {
    return error.what();
  }
  ADD_FAILURE() << "no error, or one of another type";
  return "";
}

TEST(SpmvFrontDoor, NamesAllExtentsWhenTheyDoNotFit) {
  const Case c = rectangular();
  const std::string message =
      message_of<ShapeError>([&] { spmv(c.exec, 1, c.device, Vector("x", 17), 0, Vector("y", 12)); });
  EXPECT_THAT(message, AllOf(HasSubstr("17"), HasSubstr("12 x 18"), HasSubstr("4 x 6 blocks of size 3")));
  EXPECT_THROW(spmv(c.exec, 1, c.device, Vector("x", 18), 0, Vector("y", 13)), ShapeError);
  // A^T has it the other way round.
  const SpmvPlan<Matrix> transposed(c.exec, c.device, {.mode = Mode::transpose});
  EXPECT_THROW(spmv(c.exec, transposed, 1, c.device, Vector("x", 18), 0, Vector("y", 12)), ShapeError);
  EXPECT_NO_THROW(spmv(c.exec, transposed, 1, c.device, Vector("x", 12), 0, Vector("y", 18)));
  c.exec.fence();
}

TEST(SpmvFrontDoor, RefusesVectorsThatOverlap) {
  const Case c(reference::random_bcsr<Matrix>(4, 4, 2, {}, 2));
  const Vector both("both", 12);
  const auto x = Kokkos::subview(both, std::make_pair(0, 8)), y = Kokkos::subview(both, std::make_pair(4, 12));
  EXPECT_THAT(message_of<ShapeError>([&] { spmv(c.exec, 1, c.device, x, 0, y); }), HasSubstr("overlap"));
}

TEST(SpmvFrontDoor, RefusesAPlanOfAnotherStructure) {
  const Case c = rectangular(3), other = rectangular(2);
  const SpmvPlan<Matrix> plan(other.exec, other.device);
  EXPECT_THAT(message_of<ShapeError>([&] { spmv(c.exec, plan, 1, c.device, Vector("x", 18), 0, Vector("y", 12)); }),
              HasSubstr("plan"));
}

TEST(SpmvFrontDoor, ServesNewValuesOnTheSameStructure) {
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    Case c = rectangular();
    const SpmvPlan<Matrix> plan(c.exec, c.device, {.mode = mode});
    Kokkos::deep_copy(c.device.values(), -2.5);
    Kokkos::deep_copy(c.host.values(), -2.5);
    c.expect_right(plan, 1, 0);
  }
}

TEST(SpmvFrontDoor, TakesLongOffsets) {
  using Long = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int64_t>;
  const ProductCase<Long> c(reference::random_bcsr<Long>(40, 40, 5, {}, 3));
  for (const Kernel kernel : all_kernels) {
    for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
      c.expect_right({.kernel = kernel, .mode = mode}, 1, 0);
    }
  }
}

TEST(SpmvPlan, RefusesWhatAKernelCannotServeAndSaysWhatCan) {
  const Case nine = rectangular(9);
  const std::string by_block =
      message_of<BlockSizeError>([&] { SpmvPlan<Matrix>(nine.exec, nine.device, {.kernel = Kernel::by_block}); });
  EXPECT_THAT(by_block, AllOf(HasSubstr("by_block"), HasSubstr("block size 9"), HasSubstr("row_per_thread")));

  const Case large = rectangular(65);
  EXPECT_THAT(message_of<BlockSizeError>([&] { SpmvPlan<Matrix>(large.exec, large.device); }),
              AllOf(HasSubstr("65"), HasSubstr("up to 64")));
  EXPECT_THAT(message_of<ArgumentError>([&] { SpmvPlan<Matrix>(nine.exec, nine.device, {.width = 12}); }),
              HasSubstr("power of two"));
}

TEST(SpmvPlan, LeavesMoreThan32BitsOfBlockRowsToTheKernelThatCountsInMore) {
  const impl::SpmvShape tall{3'000'000'000, 100, 1, 4};
  for (const Kernel kernel : {Kernel::by_block, Kernel::by_column, Kernel::row_per_thread}) {
    EXPECT_FALSE(impl::serves(kernel, tall, 32));
    EXPECT_THROW(impl::choose_launch(tall, {true, 32}, kernel, 0), ShapeError);
  }
  EXPECT_EQ(impl::choose_launch(tall, {true, 32}, Kernel::automatic, 0).kernel, Kernel::block_row_per_thread);
}

TEST(SpmvPlan, KeepsByColumnFromColumnsBeyond32Bits) {
  EXPECT_TRUE(impl::serves(Kernel::by_column, {1, 1'000'000'000, 1, 4}, 32));
  EXPECT_FALSE(impl::serves(Kernel::by_column, {1, 3'000'000'000, 1, 4}, 32));
  const impl::SpmvDevice gpu{true, 32};
  EXPECT_EQ(impl::choose_launch({1, 3'000'000'000, 1, 4}, gpu, Kernel::automatic, 0).kernel, Kernel::row_per_thread);
}

TEST(SpmvPlan, ChoosesByDeviceAndBlockSize) {
  const impl::SpmvDevice cpu{false, 1}, gpu{true, 32}, wide{true, 64};
  const auto shape = [](int b) { return impl::SpmvShape{1000, 1000 * b, 27000, b}; };
  EXPECT_EQ(impl::choose_launch(shape(4), cpu, Kernel::automatic, 0).kernel, Kernel::block_row_per_thread);
  EXPECT_NE(impl::choose_launch(shape(4), gpu, Kernel::automatic, 0).kernel, Kernel::block_row_per_thread);
  for (const auto& device : {gpu, wide}) {
    for (int b = 1; b <= max_block_size; ++b) {
      const auto launch = impl::choose_launch(shape(b), device, Kernel::automatic, 0);
      EXPECT_TRUE(impl::serves(launch.kernel, shape(b), launch.width)) << "b = " << b;
      EXPECT_LE(launch.width, device.max_width);
      EXPECT_LE(launch.width * launch.team_size, 1024);
    }
  }
}

TEST(SpmvPlan, ExplainsItself) {
  const Case c = rectangular(9);
  const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = Kernel::by_column, .mode = Mode::transpose, .width = 16});
  EXPECT_THAT(plan.explain(), AllOf(HasSubstr("A^T"), HasSubstr("by_column"), HasSubstr("9"), HasSubstr("run time"),
                                    HasSubstr("16 lanes")));
}

TEST(SpmvKernelNames, ReadBackAsTheyAreWritten) {
  for (const Kernel kernel : all_kernels) EXPECT_EQ(kernel_from_string(to_string(kernel)), kernel);
  EXPECT_EQ(kernel_from_string("by_magic"), std::nullopt);
}

TEST(SpmvTraffic, CountsEveryArrayOnce) {
  // 2 x 3 blocks of size 2, 4 stored: 16 values, 4 columns, 3 row pointers, 6 entries of x, 4 of y.
  const Case c(reference::random_bcsr<Matrix>(
      2, 3, 2, [](std::int64_t) { return 2; }, 1));
  EXPECT_EQ(spmv_traffic_bytes(c.host), 16 * 8 + 4 * 4 + 3 * 4 + 6 * 8 + 4 * 8);
  EXPECT_EQ(spmv_traffic_bytes(c.host, false), 16 * 8 + 4 * 4 + 3 * 4 + 6 * 8 + 2 * 4 * 8);
  // A^T has 3 block rows, an offset for each block, and x and y change places.
  EXPECT_EQ(spmv_traffic_bytes(c.host, true, Mode::transpose), 16 * 8 + 4 * (4 + 4) + 4 * 4 + 4 * 8 + 6 * 8);
  EXPECT_EQ(spmv_traffic_bytes(c.host, false, Mode::transpose), 16 * 8 + 4 * (4 + 4) + 4 * 4 + 4 * 8 + 2 * 6 * 8);
}

}  // namespace
}  // namespace ashlar::testing
