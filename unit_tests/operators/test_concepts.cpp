// The concepts of the solvers, and the types that satisfy them.
#include <gtest/gtest.h>

#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using Matrix = BcsrMatrix<double>;
using Vector = Kokkos::View<double*, Space>;
using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
using Any = AnyOperator<double, Exec>;
using AnyM = AnyPreconditioner<double, Exec>;

template <class Op>
constexpr bool is_operator = linear_operator<Op, Exec, Vector>&& linear_operator<Op, Exec, Block>;
template <class M>
constexpr bool is_preconditioner = preconditioner<M, Exec, Vector>&& preconditioner<M, Exec, Block>;

static_assert(is_operator<BcsrOperator<Matrix>> && is_operator<StreamedMatrix<Matrix>> &&
              is_operator<StreamedSymmetricMatrix<Matrix>> && is_operator<Any>);
static_assert(dot_operator<BcsrOperator<Matrix>, Exec, Vector> && dot_operator<Any, Exec, Vector>);
static_assert(!dot_operator<StreamedMatrix<Matrix>, Exec, Vector>);
static_assert(is_preconditioner<IdentityPreconditioner> && is_preconditioner<JacobiPreconditioner<Matrix>> &&
              is_preconditioner<BlockJacobiPreconditioner<Matrix>> && is_preconditioner<AnyM>);
static_assert(inner_product_space<LocalSpace, Exec, Vector> && inner_product_space<AnySpace<Exec>, Exec, Vector>);

TEST(AnyOperator, IsTheOperatorThatItHolds) {
  const Exec exec;
  const auto matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const BcsrOperator<Matrix> op(exec, matrix);
  const Any any(op);
  EXPECT_EQ(any.space().num_local(), matrix.num_rows());
  EXPECT_EQ(any.space().num_global(), matrix.num_rows());
  EXPECT_EQ(any.space().agree_max(7), 7);
  EXPECT_EQ(any.traffic_bytes(), op.traffic_bytes());
  EXPECT_EQ(any.bytes().device, op.bytes().device);
  EXPECT_EQ(any.explain(), op.explain());
  EXPECT_EQ(any.is_capturable(), op.is_capturable());
  EXPECT_EQ(any.is_stream_ordered(), is_gpu_v<Exec>);

  const auto x = random_vector<double>(matrix.num_rows(), 1);
  const Vector y("y", x.size()), expected("expected", x.size()), dot("dot", 1);
  const TeamSums<Space> sums(exec);
  op.apply(exec, to_device<Space>(x), expected);
  any.apply_dot(exec, to_device<Space>(x), y, sums.access(), dot.data());
  exec.fence();
  double product = 0;
  for (std::size_t i = 0; i < x.size(); ++i) product += x[i] * to_host(expected)[i];
  EXPECT_LE(max_difference(to_host(y), to_host(expected)), 1e-13);
  EXPECT_NEAR(to_host(dot)[0], product, 1e-12 * matrix.num_rows());

  // Columns of any layout.
  const Block xs("xs", x.size(), 5), ys("ys", x.size(), 5);
  const auto third = Kokkos::subview(xs, Kokkos::ALL, std::make_pair(1, 4));
  Kokkos::deep_copy(Kokkos::subview(xs, Kokkos::ALL, 2), to_device<Space>(x));
  any.apply(exec, third, Kokkos::subview(ys, Kokkos::ALL, std::make_pair(1, 4)));
  exec.fence();
  const Vector column("column", x.size());
  Kokkos::deep_copy(column, Kokkos::subview(ys, Kokkos::ALL, 2));
  EXPECT_LE(max_difference(to_host(column), to_host(expected)), 1e-13);
}

TEST(Operators, SayWhatMemoryTheyHold) {
  const Exec exec;
  const auto matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, 3);
  const std::uint64_t bytes = matrix.num_blocks() * (72 + 4) + (matrix.num_block_rows() + 1) * 4;
  EXPECT_EQ(BcsrOperator<Matrix>(exec, matrix).bytes().device, bytes);
  EXPECT_GT(BcsrOperator<Matrix>(exec, matrix, {.mode = Mode::transpose}).bytes().device, bytes) << "with its index";
}

}  // namespace
}  // namespace ashlar::testing
