// What the front door checks, what the plan says, and that a plan serves new values.
#include <gmock/gmock.h>

#include <ashlar/bcsr/copy.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/reference/random_matrix.hpp>
#include <spmv/product_case.hpp>
#include <support/message.hpp>

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Space = Matrix::memory_space;
using Case = ProductCase<Matrix>;
using Vector = Kokkos::View<double*, Space>;
using ::testing::AllOf;
using ::testing::HasSubstr;

Case rectangular(int b = 3) { return Case(reference::random_bcsr<Matrix>(4, 6, b, {}, 2)); }

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
      if (!is_served(kernel, c.host, mode)) continue;
      c.expect_right({.kernel = kernel, .mode = mode}, 1, 0);
    }
  }
}

TEST(SpmvPlan, RefusesWhatAKernelCannotServeAndSaysWhatCan) {
  const Case nine = rectangular(9);
  const auto refusal = [&](SpmvOptions options) {
    return message_of<BlockSizeError>([&] { SpmvPlan<Matrix>(nine.exec, nine.device, options); });
  };
  // 81 entries: at most two to a load.
  EXPECT_THAT(refusal({.kernel = Kernel::by_block, .width = 32}),
              AllOf(HasSubstr("by_block"), HasSubstr("block size 9"), HasSubstr("row_per_thread")));
  EXPECT_THAT(refusal({.kernel = Kernel::by_tile}), AllOf(HasSubstr("by_tile"), HasSubstr("1 or 2")));
  EXPECT_THAT(refusal({.kernel = Kernel::by_column, .mode = Mode::transpose}), HasSubstr("by rows"));
  EXPECT_THAT(refusal({.kernel = Kernel::by_line, .width = 512}), HasSubstr("less by rows"));

  const Case large = rectangular(65);
  EXPECT_THAT(message_of<BlockSizeError>([&] { SpmvPlan<Matrix>(large.exec, large.device); }),
              AllOf(HasSubstr("65"), HasSubstr("up to 64")));
  EXPECT_THAT(message_of<ArgumentError>([&] { SpmvPlan<Matrix>(nine.exec, nine.device, {.width = 12}); }),
              HasSubstr("power of two"));
}

constexpr impl::SpmvDevice cpu{false, 32, 16}, gpu{true, 32, 132 * 2048}, wide_gpu{true, 64, 304 * 2048};

TEST(SpmvPlan, LeavesMoreThan32BitsOfBlockRowsToTheKernelThatCountsInMore) {
  const impl::SpmvShape tall{.num_block_rows = 3'000'000'000, .num_blocks = 1, .block_shape = 2};
  for (const Kernel kernel :
       {Kernel::by_block, Kernel::by_column, Kernel::by_line, Kernel::by_tile, Kernel::row_per_thread}) {
    EXPECT_FALSE(impl::serves(kernel, tall, 0));
    EXPECT_THROW(impl::choose_launch(tall, gpu, {kernel}), ShapeError);
  }
  EXPECT_EQ(impl::choose_launch(tall, gpu, {}).kernel, Kernel::block_row_per_thread);
}

TEST(SpmvPlan, LeavesMoreThan32BitsOfColumnsToTheKernelThatCountsInMore) {
  const impl::SpmvShape wide{
      .num_block_rows = 1000, .num_blocks = 1000, .num_cols = 5'000'000'000, .block_shape = 2, .longest_row = 1};
  for (const Kernel kernel : {Kernel::by_block, Kernel::by_column, Kernel::by_line, Kernel::by_tile}) {
    EXPECT_FALSE(impl::serves(kernel, wide, 0));
    EXPECT_THROW(impl::choose_launch(wide, gpu, {kernel}), ShapeError);
  }
  EXPECT_EQ(impl::choose_launch(wide, gpu, {}).kernel, Kernel::row_per_thread);
}

TEST(SpmvPlan, KeepsInTheDevicesCacheWhatItHasRoomFor) {
  impl::SpmvDevice with_cache = gpu;
  with_cache.cache_bytes = 60'000'000;
  /// Of 16 lines those kept, of so many megabytes of values, of x and y together, and of indices.
  const auto kept = [](const impl::SpmvDevice& device, int values, int vectors, int indices) {
    impl::SpmvShape shape{.num_blocks = values * 31'250, .block_shape = 2};
    shape.num_block_rows = vectors * 31'250;
    shape.num_cols = 2 * shape.num_block_rows;
    shape.traffic_bytes = (values + vectors + indices) * std::int64_t(1'000'000);
    return impl::choose_cache_hint(shape, device).kept();
  };
  // All where values, indices and as many vectors again take six tenths of the cache.
  EXPECT_EQ(kept(with_cache, 29, 2, 2), 16);
  EXPECT_EQ(kept(with_cache, 2, 13, 6), 16);
  // Else four tenths of it, less nine tenths of the others.
  EXPECT_EQ(kept(with_cache, 95, 0, 0), 4);
  EXPECT_EQ(kept(with_cache, 96, 2, 6), 2);
  EXPECT_EQ(kept(with_cache, 24, 6, 2), 7);
  EXPECT_EQ(kept(with_cache, 400, 0, 0), 0);
  EXPECT_EQ(kept(with_cache, 40, 14, 0), 0);
  EXPECT_EQ(kept(gpu, 1, 0, 0), 0);
  EXPECT_EQ(kept(cpu, 1, 0, 0), 0);
}

TEST(SpmvPlan, CountsWhatProductsReadAsTheByteModelDoes) {
  using Floats = BcsrMatrix<float>;
  const ProductCase<Floats> c(reference::random_bcsr<Floats>(4, 6, 3, {}, 2));
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    const SpmvPlan<Floats> plan(c.exec, c.device, {.mode = mode, .num_vectors = 4});
    EXPECT_EQ(plan.shape().traffic_bytes, spmv_traffic_bytes(c.device, true, mode, 4, 4));
    EXPECT_EQ(plan.cache_hint().kept(), device_cache_bytes(c.exec) > 0 ? CacheHint::parts : 0);
    const SpmvPlan<Floats> mixed = plan.with(c.exec, {.mode = mode, .double_vectors = true});
    EXPECT_EQ(mixed.shape().traffic_bytes, spmv_traffic_bytes(c.device, true, mode, 8, 1));
  }
}

TEST(SpmvPlan, KeepsToTheScratchMemoryOfAMultiprocessor) {
  // Sums of doubles, though the values are floats: four to a chunk, and one more for each lane.
  const impl::SpmvShape one_row{.num_block_rows = 1,
                                .num_blocks = 1000,
                                .block_shape = BlockShape(4, 6),
                                .longest_row = 1000,
                                .value_bytes = 4,
                                .by_columns = false};
  for (const bool double_vectors : {false, true}) {
    impl::SpmvShape shape = one_row;
    shape.double_vectors = double_vectors;
    EXPECT_FALSE(impl::serves(Kernel::by_block, shape, 1024));
    EXPECT_TRUE(impl::serves(Kernel::by_block, shape, 960));
    EXPECT_THAT(message_of<BlockSizeError>([&] {
                  impl::choose_launch(shape, gpu, {Kernel::by_block, 1024});
                }),
                AllOf(HasSubstr("scratch memory"), HasSubstr("960"), HasSubstr("1024")));
    EXPECT_LE(impl::choose_launch(shape, gpu, {Kernel::by_block}).grouping.width, 960);
  }
  impl::SpmvShape of_doubles = one_row;
  of_doubles.value_bytes = 8;
  EXPECT_TRUE(impl::serves(Kernel::by_block, of_doubles, 1024));
}

TEST(SpmvPlan, WidensLinesOfFewBlockRowsWhereLanesHaveSeveralRounds) {
  if (!is_compiled(3) || !is_compiled(8)) GTEST_SKIP() << "3 and 8 are not compiled";
  const auto width = [](int b, std::int64_t num_block_rows, std::int64_t blocks_of_row, std::int64_t longest_row) {
    const impl::SpmvShape shape{.num_block_rows = num_block_rows,
                                .num_blocks = blocks_of_row * num_block_rows,
                                .block_shape = b,
                                .longest_row = longest_row};
    return impl::choose_launch(shape, gpu, {Kernel::by_line}).grouping.width;
  };
  EXPECT_EQ(width(3, 100, 27, 27), width(3, 100'000, 27, 27));  // adds up in registers, within a warp
  EXPECT_GT(width(3, 100, 270, 270), width(3, 100'000, 270, 270));
  EXPECT_EQ(width(8, 100, 27, 27), 128);
  EXPECT_EQ(width(8, 100'000, 27, 27), 32);
  EXPECT_LT(width(8, 100'000, 27, 10'000), width(8, 100'000, 27, 27));  // of uneven rows most are short
}

TEST(SpmvPlan, KeepsTheEntriesOfABlockRowWithin32Bits) {
  // A full block row of 100 million blocks of 64 x 64.
  const impl::SpmvShape full{
      .num_block_rows = 1, .num_blocks = 100'000'000, .block_shape = 64, .longest_row = 100'000'000};
  for (const Kernel kernel : {Kernel::by_column, Kernel::row_per_thread}) {
    const auto launch = impl::choose_launch(full, gpu, {kernel});
    EXPECT_LT(launch.longest_row * 64 * 64, std::int64_t(1) << 31) << to_string(kernel);
    EXPECT_EQ(impl::choose_segment_launch(full, 1000, gpu, launch).kernel, kernel);
  }
}

TEST(SpmvPlan, MakesNoTilesOfRowsThatItCannotCount) {
  const impl::SpmvShape long_row{
      .num_block_rows = 1000, .num_blocks = 30'000'000, .block_shape = 1, .longest_row = 20'000'000};
  EXPECT_FALSE(impl::serves(Kernel::by_tile, long_row, 0));
  EXPECT_EQ(impl::choose_launch(long_row, gpu, {}).kernel, Kernel::by_column);
}

TEST(SpmvPlan, ChoosesByDeviceAndBlockSize) {
  const auto shape = [](int b, bool by_columns = true) {
    return impl::SpmvShape{.num_block_rows = 100'000,
                           .num_blocks = 2'700'000,
                           .block_shape = b,
                           .longest_row = 27,
                           .by_columns = by_columns};
  };
  EXPECT_EQ(impl::choose_launch(shape(4), cpu, {}).kernel, Kernel::block_row_per_thread);
  for (const auto& device : {gpu, wide_gpu}) {
    for (int b = 1; b <= max_block_size; ++b) {
      for (const bool by_columns : {true, false}) {
        const auto launch = impl::choose_launch(shape(b, by_columns), device, {});
        EXPECT_TRUE(impl::serves(launch.kernel, shape(b, by_columns), launch.grouping.width)) << "b = " << b;
        EXPECT_LE(launch.grouping.width * launch.grouping.groups, 1024);
        EXPECT_EQ(launch.grouping.in_warp, launch.kernel != Kernel::by_tile && launch.grouping.width <= device.warp);
        EXPECT_GE(launch.longest_row, 27) << "rows that are all as long were cut";
        EXPECT_NE(launch.kernel, Kernel::block_row_per_thread);
        // Lines where blocks are small and where chunks straddle columns, as far as those are compiled.
        const bool by_line = is_compiled_block_size(b) && (b <= 7 || b == 9 || (by_columns && b % 2 == 1));
        const bool block_rows = is_compiled_block_size(b) && b >= 10;
        if (b > 2 && b <= 32) {
          EXPECT_EQ(launch.kernel, by_line      ? Kernel::by_line
                                   : by_columns ? Kernel::by_column
                                   : block_rows ? Kernel::by_block_rows
                                                : Kernel::by_block)
              << "b = " << b;
        }
      }
    }
  }
}

/// What a kernel cannot load, row_per_thread takes: with groups of its own, and not those of the other.
TEST(SpmvPlan, HasAFallbackThatIsAsWideAsItsBlocks) {
  for (const bool is_gpu : {true, false}) {
    for (const auto& [b, width] : {std::pair(1, 1), {2, 2}, {3, 4}, {8, 8}, {33, 32}}) {
      impl::SpmvLaunch launch;
      launch.kernel = Kernel::by_tile;
      launch.grouping = {128, 1, false};
      launch.longest_row = 77;
      launch.label = "ashlar::spmv[by_tile,b=2,double,transpose][long rows]";
      const impl::SpmvLaunch fallback = impl::fallback_launch(launch, b, is_gpu, 32);
      EXPECT_EQ(fallback.kernel, Kernel::row_per_thread);
      EXPECT_EQ(fallback.grouping.width, width);
      EXPECT_TRUE(fallback.grouping.in_warp);
      EXPECT_EQ(fallback.grouping.groups, is_gpu ? 128 / width : 1);
      EXPECT_EQ(fallback.longest_row, 77) << "the same block rows are left to others";
      EXPECT_EQ(fallback.label, "ashlar::spmv[row_per_thread,b=2,double,transpose][long rows]");
    }
  }
}

TEST(SpmvPlan, GivesARowMoreLanesWhereThereAreFewRows) {
  const impl::SpmvShape many{.num_block_rows = 100'000, .num_blocks = 2'700'000, .block_shape = 16, .longest_row = 27};
  const impl::SpmvShape few{.num_block_rows = 100, .num_blocks = 2'700, .block_shape = 16, .longest_row = 27};
  EXPECT_GT(impl::choose_launch(few, gpu, {}).grouping.width, impl::choose_launch(many, gpu, {}).grouping.width);
  // And tiles fewer rows.
  impl::SpmvShape many_small = many, few_small = few;
  many_small.block_shape = few_small.block_shape = 1;
  EXPECT_LT(impl::choose_launch(few_small, gpu, {}).tile.rows, impl::choose_launch(many_small, gpu, {}).tile.rows);
}

TEST(SpmvPlan, CutsLongRowsIntoSegments) {
  // 300 rows of up to 3 blocks, and one of 5000.
  const Case c(reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  for (const Kernel kernel : {Kernel::by_block, Kernel::by_column, Kernel::row_per_thread}) {
    const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = kernel});
    EXPECT_TRUE(plan.has_segments()) << plan.explain();
    EXPECT_THAT(plan.explain(), HasSubstr("1 block rows of more than"));
    c.expect_right(plan, 1, 0);
    c.expect_right(plan, -0.5, 2);
  }
  // It holds where the long rows lie: another structure of the same sizes must not pass for this one.
  const Case other(
      reference::random_bcsr<Matrix>(300, 5000, 3, {.min_blocks = 0, .max_blocks = 3, .full_row = 123}, 4));
  EXPECT_FALSE(SpmvPlan<Matrix>(c.exec, c.device, {.kernel = Kernel::by_column}).fits(other.device));
  const SpmvPlan<Matrix> transposed(c.exec, c.device, {.kernel = Kernel::row_per_thread, .mode = Mode::transpose});
  EXPECT_FALSE(transposed.has_segments());
}

/// The index says which columns those are; the graph counts them from another.
TEST(SpmvPlan, OfSomeColumnsByTheirIndex) {
  constexpr int b = 3, first = 17, count = 23;
  const Case c(reference::random_bcsr<Matrix>(40, 60, b, {.min_blocks = 0, .max_blocks = 9, .empty_every = 6}, 5));
  const Vector x("test::x", 40 * b), y("test::y", 60 * b), some("test::some", count * b);
  const auto host_x = Kokkos::create_mirror_view(x);
  for (std::size_t i = 0; i < host_x.extent(0); ++i) host_x(i) = 1 + double(i % 7);
  Kokkos::deep_copy(x, host_x);
  const SpmvPlan<Matrix> of_all(c.exec, c.device, {.mode = Mode::transpose});
  spmv(c.exec, of_all, 2, c.device, x, 0, y);
  const auto& graph = c.device.graph();
  const Matrix narrow(c.device.block_shape(), {count, graph.row_ptr(), graph.col_idx()}, c.device.values());
  const SpmvPlan<Matrix> of_some(c.exec, narrow, {.mode = Mode::transpose},
                                 transpose_index(c.exec, graph, first, count));
  spmv(c.exec, of_some, 2, narrow, x, 0, some);
  c.exec.fence();
  const auto all_of_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  const auto some_of_y = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), some);
  for (int i = 0; i < count * b; ++i) EXPECT_NEAR(some_of_y(i), all_of_y(first * b + i), 1e-12) << i;
  EXPECT_THAT(message_of<ShapeError>([&] {
                SpmvPlan<Matrix>(c.exec, c.device, {.mode = Mode::transpose},
                                 transpose_index(c.exec, graph, first, count));
              }),
              AllOf(HasSubstr("24 offsets"), HasSubstr("60 block columns")));
}

TEST(SpmvPlan, ExplainsItself) {
  const Case c = rectangular(9);
  const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = Kernel::by_block, .mode = Mode::transpose, .width = 128});
  EXPECT_THAT(plan.explain(),
              AllOf(HasSubstr("A^T"), HasSubstr("by_block"), HasSubstr("9"),
                    HasSubstr(is_compiled_block_size(9) ? "compiled" : "run time"), HasSubstr("128 lanes")));
}

TEST(SpmvKernelNames, ReadBackAsTheyAreWritten) {
  std::vector<std::string_view> names;
  for (const Kernel kernel : all_kernels) {
    EXPECT_EQ(kernel_from_string(to_string(kernel)), kernel);
    names.push_back(to_string(kernel));
  }
  EXPECT_THAT(names, ::testing::IsSupersetOf({"auto", "by_block", "by_column", "by_line", "by_tile", "tensor_core",
                                              "row_per_thread", "block_row_per_thread"}))
      << "tables and commands have them";
  EXPECT_EQ(to_string(Kernel::by_block_rows), "by_block_rows");
  EXPECT_EQ(kernel_from_string("by_magic"), std::nullopt);
}

/// by_block was the name of both.
TEST(SpmvPlan, TakesBlocksRowByRowWhereByBlockIsAskedForAndTheyLieSo) {
  if (!is_compiled(12)) GTEST_SKIP() << "12 is not compiled";
  impl::SpmvShape shape{
      .num_block_rows = 100'000, .num_blocks = 2'700'000, .block_shape = 12, .longest_row = 27, .by_columns = false};
  const auto by_block = impl::choose_launch(shape, gpu, {Kernel::by_block});
  EXPECT_EQ(by_block.kernel, Kernel::by_block_rows);
  const auto by_block_rows = impl::choose_launch(shape, gpu, {Kernel::by_block_rows});
  EXPECT_EQ(by_block_rows.grouping.width, by_block.grouping.width);
  EXPECT_TRUE(impl::serves(Kernel::by_block, shape, 256));
  EXPECT_FALSE(impl::serves(Kernel::by_block, shape, 512)) << "there are registers for 256 lanes";
  EXPECT_EQ(impl::choose_multi_launch(shape, gpu, Kernel::by_block, 0).kernel, Kernel::by_block);
  // By columns, of other sizes and of larger values there are none of those.
  impl::SpmvShape others[4] = {shape, shape, shape, shape};
  others[0].by_columns = true;
  others[1].block_shape = 9;
  others[2].block_shape = BlockShape(12, 13);
  others[3].value_bytes = 16;
  for (const impl::SpmvShape& other : others) {
    EXPECT_FALSE(impl::serves(Kernel::by_block_rows, other, 0));
    EXPECT_THROW(impl::choose_launch(other, gpu, {Kernel::by_block_rows}), BlockSizeError);
    EXPECT_EQ(impl::choose_launch(other, gpu, {Kernel::by_block}).kernel, Kernel::by_block);
  }
}

TEST(SpmvModeNames, ReadBackAsTheyAreWrittenAndAsBlasHasThem) {
  const std::string_view letters[] = {"N", "T", "C", "H"};
  for (int i = 0; i < 4; ++i) {
    EXPECT_EQ(mode_from_string(to_string(all_modes[i])), all_modes[i]);
    EXPECT_EQ(mode_from_string(letters[i]), all_modes[i]);
  }
  EXPECT_EQ(mode_from_string("sideways"), std::nullopt);
}

TEST(SpmvPlan, GivesOneVectorNoKernelOfMany) {
  const Case c = rectangular();
  const SpmvPlan<Matrix> plan(c.exec, c.device, {.kernel = Kernel::tensor_core});
  EXPECT_NE(plan.kernel(), Kernel::tensor_core);
  c.expect_right(plan, 1, 0);
}

TEST(SpmvPlan, GivesManyVectorsTheMatrixUnitWhereThereIsOne) {
  const impl::SpmvShape shape{
      .num_block_rows = 100'000, .num_blocks = 2'700'000, .num_cols = 800'000, .block_shape = 8, .longest_row = 27};
  const impl::SpmvDevice with_unit{true, 32, 132 * 2048, true};
  EXPECT_EQ(impl::choose_multi_launch(shape, with_unit, Kernel::automatic, 0).kernel, Kernel::tensor_core);
  EXPECT_EQ(impl::choose_multi_launch(shape, gpu, Kernel::automatic, 0).kernel, Kernel::by_column);
  EXPECT_EQ(impl::choose_multi_launch(shape, gpu, Kernel::tensor_core, 0).kernel, Kernel::by_column);
  EXPECT_EQ(impl::choose_multi_launch(shape, cpu, Kernel::automatic, 0).kernel, Kernel::block_row_per_thread);
  impl::SpmvShape of_floats = shape;
  of_floats.double_vectors = false;
  EXPECT_EQ(impl::choose_multi_launch(of_floats, with_unit, Kernel::automatic, 0).kernel, Kernel::by_column);
}

TEST(SpmvPlan, GivesManyVectorsLinesOfSmallBlocks) {
  if (!is_compiled(3) || !is_compiled(5)) GTEST_SKIP() << "3 and 5 are not compiled";
  const impl::SpmvDevice with_unit{true, 32, 132 * 2048, true};
  impl::SpmvShape shape{
      .num_block_rows = 100'000, .num_blocks = 2'700'000, .num_cols = 300'000, .block_shape = 3, .longest_row = 27};
  const auto chosen = [&](const impl::SpmvDevice& device) {
    return impl::choose_multi_launch(shape, device, Kernel::automatic, 0);
  };
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::staged);
  EXPECT_EQ(chosen(with_unit).grouping.width, 8);
  EXPECT_EQ(chosen(gpu).kernel, Kernel::staged);
  shape.num_vectors = 64;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::staged);
  shape.block_shape = 5;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::staged) << "two panels of 32";
  shape.vectors_by_rows = false;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::tensor_core) << "panels of eight only";
  shape.vectors_by_rows = true;
  shape.num_vectors = 60;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::tensor_core) << "reads the blocks less often";
  EXPECT_EQ(chosen(gpu).kernel, Kernel::staged);
  shape.num_vectors = 8;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::staged);
  shape.num_block_rows = 100;
  EXPECT_EQ(chosen(with_unit).grouping.width, 32) << "most of the device would be idle";
  shape.by_columns = false;
  EXPECT_EQ(chosen(with_unit).kernel, Kernel::staged) << "blocks by rows are read from scratch memory as well";
}

TEST(SpmvPlan, GivesManyVectorsLinesOfLargerBlocksWherePanelsAreFull) {
  if (!is_compiled(8)) GTEST_SKIP() << "8 is not compiled";
  const impl::SpmvDevice with_unit{true, 32, 132 * 2048, true};
  impl::SpmvShape shape{
      .num_block_rows = 100'000, .num_blocks = 2'700'000, .num_cols = 800'000, .block_shape = 8, .longest_row = 27};
  const auto chosen = [&](int num_vectors) {
    shape.num_vectors = num_vectors;
    return impl::choose_multi_launch(shape, with_unit, Kernel::automatic, 0).kernel;
  };
  for (const int full : {8, 16, 32, 64}) EXPECT_EQ(chosen(full), Kernel::staged) << full;
  for (const int not_full : {1, 4, 7, 12, 24, 63}) EXPECT_EQ(chosen(not_full), Kernel::tensor_core) << not_full;
  EXPECT_EQ(impl::choose_multi_launch(shape, gpu, Kernel::automatic, 0).kernel, Kernel::by_column)
      << "measured beside a matrix unit alone";
  shape.vectors_by_rows = false;
  EXPECT_EQ(chosen(16), Kernel::tensor_core) << "loads of x would be of one entry";
  shape.vectors_by_rows = true;
  shape.double_vectors = false;
  EXPECT_EQ(chosen(16), Kernel::by_column) << "there is no such kernel";
}

/// Not the one that another kernel stands in for, where that one serves but does not pay.
TEST(SpmvPlan, GivesManyVectorsNoKernelOfOne) {
  const impl::SpmvDevice with_unit{true, 32, 132 * 2048, true};
  for (const auto& device : {gpu, with_unit, wide_gpu, cpu}) {
    for (int b = 1; b <= max_block_size; ++b) {
      for (const int num_vectors : {1, 7, 8, 12, 64}) {
        for (const bool by_columns : {true, false}) {
          const impl::SpmvShape shape{.num_block_rows = 100'000,
                                      .num_blocks = 2'700'000,
                                      .num_cols = 100'000 * b,
                                      .block_shape = b,
                                      .longest_row = 27,
                                      .by_columns = by_columns,
                                      .num_vectors = num_vectors};
          for (const Kernel asked : all_kernels) {
            const Kernel kernel = impl::choose_multi_launch(shape, device, asked, 0).kernel;
            EXPECT_TRUE(impl::has_multi(kernel)) << to_string(kernel) << " for " << to_string(asked) << ", b = " << b
                                                 << ", " << num_vectors << " vectors";
          }
        }
      }
    }
  }
}

TEST(SpmvPlan, HoldsAsManyBlocksForManyVectorsAsThereIsScratchMemoryFor) {
  for (const std::int64_t scratch : {96 * 1024, 164 * 1024, 228 * 1024}) {
    impl::SpmvDevice device = gpu;
    device.scratch_bytes = scratch;
    for (int b = 1; b <= impl::largest_staged_block(true); ++b) {
      if (!is_compiled(b)) continue;
      for (const int value_bytes : {2, 4, 8, 16}) {
        for (const int longest : {0, 1, 27, 5000}) {
          const int index_bytes = longest == 5000 ? 8 : 4;
          const impl::SpmvShape shape{.num_block_rows = 100'000,
                                      .num_blocks = 80'000 * std::min(longest, 40),
                                      .num_cols = 100'000 * b,
                                      .block_shape = b,
                                      .longest_row = longest,
                                      .value_bytes = value_bytes,
                                      .index_bytes = index_bytes};
          const auto launch = impl::choose_multi_launch(shape, device, Kernel::staged, 0);
          ASSERT_EQ(launch.kernel, Kernel::staged);
          for (const int groups : {4, 8, 16, 32}) {
            const int blocks = launch.staging.blocks(groups), block_bytes = b * b * value_bytes + index_bytes;
            EXPECT_GE(blocks, 1);
            EXPECT_LE(blocks, std::max(longest, 1));
            const std::int64_t bytes = groups * (blocks * block_bytes + impl::scratch_of_group);
            // Beside those that Kokkos and the device take of a team's.
            if (blocks > 1) {
              EXPECT_LE(impl::staged_teams(b) * (bytes + 2064), scratch) << b << " " << value_bytes;
            }
          }
        }
      }
    }
  }
  if (!is_compiled(3) || !is_compiled(6)) GTEST_SKIP() << "3 and 6 are not compiled";
  impl::SpmvShape shape{
      .num_block_rows = 100'000, .num_blocks = 2'600'000, .num_cols = 300'000, .block_shape = 3, .longest_row = 27};
  impl::SpmvDevice device = gpu;
  device.scratch_bytes = 228 * 1024;
  const auto blocks = [&](int groups) {
    return impl::choose_multi_launch(shape, device, Kernel::staged, 0).staging.blocks(groups);
  };
  EXPECT_EQ(blocks(8), 27) << "a whole block row";
  EXPECT_EQ(blocks(16), 14) << "half of one";
  shape.block_shape = 6;
  EXPECT_EQ(blocks(8), 14) << "half of one";
}

TEST(SpmvTraffic, CountsEveryArrayOnce) {
  // 2 x 3 blocks of size 2, 4 stored: 16 values, 4 columns, 3 row pointers, 6 entries of x, 4 of y.
  const Case c(reference::random_bcsr<Matrix>(
      2, 3, 2, [](std::int64_t) { return 2; }, 1));
  EXPECT_EQ(spmv_traffic_bytes(c.host), 16 * 8 + 4 * 4 + 3 * 4 + 6 * 8 + 4 * 8);
  EXPECT_EQ(spmv_traffic_bytes(c.host, false), 16 * 8 + 4 * 4 + 3 * 4 + 6 * 8 + 2 * 4 * 8);
  // Vectors are of doubles whatever the values are, where those are of bfloat16.
  const auto narrow = convert_values<bfloat16>(Kokkos::DefaultHostExecutionSpace(), c.host);
  EXPECT_EQ(spmv_traffic_bytes(narrow), 16 * 2 + 4 * 4 + 3 * 4 + 6 * 8 + 4 * 8);
  // Five vectors: x and y five times, A once.
  EXPECT_EQ(spmv_traffic_bytes(c.host, true, Mode::no_transpose, 8, 5), 16 * 8 + 4 * 4 + 3 * 4 + 5 * (6 * 8 + 4 * 8));
  // A^T has 3 block rows, an offset for each block, and x and y change places.
  EXPECT_EQ(spmv_traffic_bytes(c.host, true, Mode::transpose), 16 * 8 + 4 * (4 + 4) + 4 * 4 + 4 * 8 + 6 * 8);
  EXPECT_EQ(spmv_traffic_bytes(c.host, false, Mode::transpose), 16 * 8 + 4 * (4 + 4) + 4 * 4 + 4 * 8 + 2 * 6 * 8);
}

}  // namespace
}  // namespace ashlar::testing
