#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

struct Identity : IdentityPreconditioner {
  Identity(const Exec&, const Matrix&) {}
};

/// Algebraic multigrid of several levels.
struct SmoothedAggregation : amg::Preconditioner<Matrix> {
  SmoothedAggregation(const Exec& exec, const Matrix& a)
      : amg::Preconditioner<Matrix>(exec, a,
                                    amg::constant_modes<Matrix::memory_space>(exec, a.num_block_rows(), a.block_size()),
                                    {.coarsest_rows = 20}) {
    EXPECT_GE(hierarchy().levels().size(), 2u);
  }
};

template <class Preconditioner>
class KrylovConduct : public ::testing::Test {
 protected:
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const BcsrOperator<Matrix> a{exec, matrix};
  const Vector b = test_vector("b", matrix.num_rows()), x = test_vector("x", matrix.num_rows(), 0);

  /// What a solve of exactly this many iterations does.
  std::vector<Happening> seen_in(int iterations) {
    const Preconditioner m(exec, matrix);
    Kokkos::deep_copy(x, 0.0);
    CgOptions options;
    options.rtol = 0;
    options.max_iterations = iterations;
    options.check_interval = 2;
    options.launch = CgLaunch::one_by_one;
    const Watcher watcher;
    const SolveReport report = cg(exec, a, m, b, x, options);
    EXPECT_EQ(report.iterations, iterations);
    return watcher.seen();
  }
};

using Preconditioners =
    ::testing::Types<Identity, JacobiPreconditioner<Matrix>, BlockJacobiPreconditioner<Matrix>, SmoothedAggregation>;
TYPED_TEST_SUITE(KrylovConduct, Preconditioners);

TYPED_TEST(KrylovConduct, Construction) {
  const Watcher watcher;
  const TypeParam m(this->exec, this->matrix);
  EXPECT_THAT(faults(watcher.seen(), this->exec, Promise::waits), ::testing::IsEmpty());
}

TYPED_TEST(KrylovConduct, Apply) {
  const TypeParam m(this->exec, this->matrix);
  expect_enqueued(this->exec, [&] { m.apply(this->exec, this->b, this->x); });
}

template <class Preconditioner>
void expect_updated_without_allocation(const Exec& exec, const Matrix& matrix) {
  const Preconditioner m(exec, matrix);
  expect_enqueued(
      exec, [&] { m.update_values(exec, matrix); }, Promise::waits);
}

TEST(PreconditionerConduct, NewValues) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  expect_updated_without_allocation<JacobiPreconditioner<Matrix>>(exec, matrix);
  expect_updated_without_allocation<BlockJacobiPreconditioner<Matrix>>(exec, matrix);
}

TYPED_TEST(KrylovConduct, Cg) {
  const TypeParam m(this->exec, this->matrix);
  expect_kept(this->exec, Promise::waits,
              [&] { EXPECT_EQ(cg(this->exec, this->a, m, this->b, this->x).status, SolveStatus::converged); });
}

TYPED_TEST(KrylovConduct, CgOfZero) {
  const TypeParam m(this->exec, this->matrix);
  const Vector zero = test_vector("zero", this->matrix.num_rows(), 0);
  expect_kept(this->exec, Promise::waits, [&] { cg(this->exec, this->a, m, zero, this->x); });
}

TYPED_TEST(KrylovConduct, IterationsAllocateNothingAndWaitOnlyToLook) {
  this->seen_in(2);  // scratch memory of the instance
  const auto few = this->seen_in(2), many = this->seen_in(10);
  using Kind = Happening::Kind;
  EXPECT_EQ(labels(few, Kind::allocation), labels(many, Kind::allocation));
  EXPECT_EQ(labels(few, Kind::region), labels(many, Kind::region));
  // 8 iterations more, looked at every second one.
  EXPECT_EQ(labels(many, Kind::fence).size(), labels(few, Kind::fence).size() + 4);
  // At least [x and p] [q and p^H q] [r and r^H r] and the scalars.
  EXPECT_GE(labels(many, Kind::kernel).size(), labels(few, Kind::kernel).size() + 8 * 4);
}

TYPED_TEST(KrylovConduct, RefinedCg) {
  const TypeParam m(this->exec, this->matrix);
  expect_kept(this->exec, Promise::waits, [&] {
    const auto report = refined_cg(this->exec, this->a, this->a, m, this->b, this->x);
    EXPECT_EQ(report.status, SolveStatus::converged);
  });
}

TYPED_TEST(KrylovConduct, RefinementStepsAllocateNothing) {
  const TypeParam m(this->exec, this->matrix);
  const auto allocated_in = [&](double inner_rtol, int least_steps) {
    Kokkos::deep_copy(this->x, 0.0);
    const Watcher watcher;
    const auto report = refined_cg(this->exec, this->a, this->a, m, this->b, this->x, {.inner_rtol = inner_rtol});
    EXPECT_GE(report.steps, least_steps);
    return allocations(watcher);
  };
  allocated_in(0.1, 1);  // scratch memory of the instance
  EXPECT_EQ(allocated_in(1e-14, 1), allocated_in(0.1, 5));
}

TYPED_TEST(KrylovConduct, ASecondSolveAllocatesNothing) {
  const TypeParam m(this->exec, this->matrix);
  CgSolver solver(this->exec, this->a, m, {.launch = CgLaunch::one_by_one});
  EXPECT_EQ(solver.solve(this->b, this->x).status, SolveStatus::converged);
  const Vector other = test_vector("other", this->matrix.num_rows(), 3), y = test_vector("y", other.extent(0), 0);
  this->exec.fence();
  const Watcher watcher;
  EXPECT_EQ(solver.solve(other, y).status, SolveStatus::converged);
  EXPECT_THAT(faults(watcher.seen(), this->exec, Promise::waits), ::testing::IsEmpty());
  EXPECT_THAT(allocations(watcher), ::testing::IsEmpty());
}

TEST(CgConduct, MakesNoRoomForWhatNoPreconditionerNeeds) {
  // Behind a type that hides it, too.
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const AnyOperator<double, Exec> a{BcsrOperator<Matrix>(exec, matrix)};
  const AnyPreconditioner<double, Exec> none{IdentityPreconditioner()},
      jacobi{JacobiPreconditioner<Matrix>(exec, matrix)};
  const Vector b = test_vector("b", matrix.num_rows()), x = test_vector("x", matrix.num_rows(), 0);
  const auto allocated_by = [&](const AnyPreconditioner<double, Exec>& m) {
    exec.fence();
    const Watcher watcher;
    cg(exec, a, m, b, x);
    return allocations(watcher);
  };
  EXPECT_THAT(allocated_by(jacobi), ::testing::Contains("ashlar::cg::z"));
  EXPECT_THAT(allocated_by(none), ::testing::Not(::testing::Contains("ashlar::cg::z")));
}

TEST(OperatorConduct, Apply) {
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const Vector x = test_vector("x", matrix.num_rows()), y = test_vector("y", matrix.num_rows());
  const BcsrOperator<Matrix> a(exec, matrix);
  expect_enqueued(exec, [&] { a.apply(exec, x, y); });
}

}  // namespace
}  // namespace ashlar::testing
