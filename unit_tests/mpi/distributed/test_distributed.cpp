#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <optional>
#include <vector>

#include "distributed/product_cases.hpp"
#include "distributed/solver_cases.hpp"
#include "support/mpi_world.hpp"
#include "support/watcher.hpp"

namespace ashlar::testing {
namespace {

TEST(DistributedOverMpi, MultipliesAsTheSerialProduct) {
  for (const int b : {1, 3}) {
    for (const ProductCase& test : product_cases(world().size(), b)) {
      for (const DistributedOptions& way : all_ways()) expect_right_product(world(), test, way);
    }
  }
}

TEST(DistributedOverMpi, SolvesAsOnOneRank) {
  for (const Form form : {Form::standard, Form::single_reduction, Form::pipelined}) {
    for (const Kind kind : {Kind::none, Kind::jacobi, Kind::block_jacobi}) {
      const SerialSolve serial = solve_serially(form, Beam(1), kind);
      for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
        expect_solved_as(serial, world(), Beam(world().size()), form, kind, with(decomposition, HaloForm::automatic));
      }
    }
  }
}

TEST(DistributedOverMpi, SumsByKernels) {
  const Exec exec = instance_of_rank();
  const DistributedSpace<Exec> space(exec, world(), 1, SumMode::kernel);
  for (int round = 0; round < 200; ++round) {
    const int count = 1 + round % 70;
    std::vector<double> mine;
    for (int k = 0; k < count; ++k) mine.push_back(1e3 * world().rank() + k + round);
    const auto sums = to_device<Space>(mine);
    space.sum_begin(exec, sums);
    space.sum_end(exec, sums);
    const auto total = to_host(sums);
    for (int k = 0; k < count; ++k) {
      double expected = 0;
      for (int rank = 0; rank < world().size(); ++rank) expected += 1e3 * rank + k + round;
      ASSERT_EQ(total[std::size_t(k)], expected) << "round " << round;
    }
  }
}

TEST(DistributedOverMpi, SolvesByKernelsThatWriteToOtherRanks) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::block_jacobi);
  for (const Decomposition decomposition : {Decomposition::one_d, Decomposition::two_d}) {
    DistributedOptions options = with(decomposition, HaloForm::automatic);
    options.exchange = ExchangeMode::kernel;
    expect_solved_as(serial, world(), Beam(world().size()), Form::standard, Kind::block_jacobi, options);
  }
}

TEST(DistributedOverMpi, SolvesInEveryWayToExchangeAndToUpdateX) {
  const SerialSolve serial = solve_serially(Form::standard, Beam(1), Kind::block_jacobi);
  for (const DistributedOptions& way : all_ways()) {
    for (const CgXUpdate update :
         {CgXUpdate::with_direction, CgXUpdate::under_reduction, CgXUpdate::before_reduction}) {
      expect_solved_as(serial, world(), Beam(world().size()), Form::standard, Kind::block_jacobi, way,
                       {.x_update = update});
    }
  }
}

// On the instance that it is given, without a global fence, with labels; and a second product allocates nothing.
TEST(DistributedOverMpi, KeepsThePromisesOfTheLibrary) {
  using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  const Beam beam(world().size());
  for (const DistributedOptions& way : all_ways()) {
    SCOPED_TRACE(name_of(way));
    const Exec exec = instance_of_rank();
    const auto rows = problems::cantilever_matrix<Matrix>(exec, beam.problem, beam.rows(world().rank()));
    std::optional<DistributedOperator<Matrix>> a;
    {
      exec.fence();
      const Watcher watcher;
      a.emplace(exec, world(), beam.partition, rows, way);
      EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
    }
    const Vector x("test::x", a->space().num_local()), y("test::y", a->space().num_local());
    const Block xs("test::x", a->space().num_local(), 3), ys("test::y", a->space().num_local(), 3);
    const Kokkos::View<double*, Space> sums("test::sums", 3);
    const auto work = [&] {
      a->apply(exec, x, y);
      a->apply(exec, xs, ys);
      a->space().sum_begin(exec, sums);
      a->space().sum_end(exec, sums);
    };
    work();
    exec.fence();
    const Watcher watcher;
    work();
    EXPECT_THAT(faults(watcher.seen(), exec, Promise::waits), ::testing::IsEmpty());
    EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
  }
}

}  // namespace
}  // namespace ashlar::testing
