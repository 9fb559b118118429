#include <ashlar/spmv/tune.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

TEST(TuneConduct, MeasuresOnItsInstanceAndWaitsForItAlone) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 3);
  for (const Mode mode : {Mode::no_transpose, Mode::transpose}) {
    tune(exec, matrix, {.mode = mode});  // team kernels give the instance its scratch memory
    expect_kept(exec, Promise::waits, [&] { return tune(exec, matrix, {.mode = mode}); });
  }
}

TEST(TuneConduct, ItsPlanEnqueuesAndAllocatesNothing) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 3);
  const Vector x = test_vector("x", matrix.num_cols()), y = test_vector("y", matrix.num_rows());
  const auto plan = tune(exec, matrix).plan;
  expect_enqueued(exec, [&] { spmv(exec, plan, 2, matrix, x, 3, y); });
}

TEST(TuneConduct, APlanFromATableRunsNoProduct) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 3);
  TuningTable table;
  tuned_plan(exec, matrix, table);
  exec.fence();
  const Watcher watcher;
  const auto plan = tuned_plan(exec, matrix, table);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
  EXPECT_THAT(kernels(watcher), ::testing::Each(::testing::StartsWith("ashlar::spmv_plan[")));
  EXPECT_EQ(plan.chosen_by(), ChosenBy::measurement);
}

}  // namespace
}  // namespace ashlar::testing
