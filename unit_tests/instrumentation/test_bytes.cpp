// What something is said to take is what it allocates.
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/operators/jacobi_preconditioner.hpp>
#include <ashlar/operators/preconditioner_bytes.hpp>
#include <ashlar/spmv/plan.hpp>
#include <cstdint>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

/// What the library allocates in a call is so many bytes, but for arrays with this in their labels.
template <class Call>
void expect_allocated(const Exec& exec, std::uint64_t said, const Call& call, const std::string& but = "::seen") {
  exec.fence();
  const Watcher watcher;
  [[maybe_unused]] const auto result = call();
  std::uint64_t bytes = 0, arrays = 0;
  for (const Happening& happening : watcher.seen()) {
    if (happening.kind != Happening::Kind::allocation || !impl::is_ours(happening.label)) continue;
    if (happening.label.find(but) != std::string::npos) continue;
    bytes += happening.bytes;
    ++arrays;
  }
  // Kokkos rounds each array up to 8 bytes.
  EXPECT_GE(bytes, said);
  EXPECT_LT(bytes, said + 8 * arrays);
}

class Bytes : public ::testing::TestWithParam<int> {
 protected:
  const Exec exec = other_instance();
  const int b = GetParam();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 6, 5, 4, b);
  const std::uint64_t rows = std::uint64_t(matrix.num_block_rows()), blocks = std::uint64_t(matrix.num_blocks());
};

TEST_P(Bytes, Matrix) {
  const HeldBytes held = held_bytes(matrix);
  EXPECT_EQ(bcsr_bytes<Matrix>(rows, blocks, std::uint64_t(b)), held.device + held.host);
}

TEST_P(Bytes, TransposeIndex) {
  expect_allocated(exec, transpose_index_bytes<Matrix>(rows, blocks),
                   [&] { return transpose_index(exec, matrix.graph()); });
}

TEST_P(Bytes, Preconditioners) {
  expect_allocated(exec, jacobi_bytes<Matrix>(rows, std::uint64_t(b)),
                   [&] { return JacobiPreconditioner<Matrix>(exec, matrix); });
  // The plan of its products has a few numbers more: where each thread's rows begin.
  expect_allocated(
      exec, block_jacobi_bytes<Matrix>(rows, std::uint64_t(b)),
      [&] { return BlockJacobiPreconditioner<Matrix>(exec, matrix); }, "ashlar::row_ranges");
}

TEST_P(Bytes, FormsOfCg) {
  const BcsrOperator<Matrix> a(exec, matrix);
  const std::int64_t n = matrix.num_rows();
  const Vector right_hand_side = test_vector("b", n), x = test_vector("x", n, 0);
  const CgOptions options{.max_iterations = 2, .launch = CgLaunch::one_by_one};
  const IdentityPreconditioner none;
  const JacobiPreconditioner<Matrix> jacobi(exec, matrix);
  const auto expect = [&](std::uint64_t said, const auto& method, const auto& m) {
    method(m);  // scratch memory of the instance
    expect_allocated(exec, said, [&] { return method(m); });
  };
  const auto standard = [&](const auto& m) { return cg(exec, a, m, right_hand_side, x, options); };
  const auto single = [&](const auto& m) { return single_reduction_cg(exec, a, m, right_hand_side, x, options); };
  const auto pipelined = [&](const auto& m) { return pipelined_cg(exec, a, m, right_hand_side, x, options); };
  expect(cg_bytes(n, sizeof(double), false), standard, none);
  expect(cg_bytes(n, sizeof(double), true), standard, jacobi);
  expect(single_reduction_cg_bytes(n, sizeof(double), false), single, none);
  expect(single_reduction_cg_bytes(n, sizeof(double), true), single, jacobi);
  expect(pipelined_cg_bytes(n, sizeof(double), false), pipelined, none);
  expect(pipelined_cg_bytes(n, sizeof(double), true), pipelined, jacobi);
}

TEST_P(Bytes, SolversOfUnsymmetricMatrices) {
  const BcsrOperator<Matrix> a(exec, matrix);
  const std::int64_t n = matrix.num_rows();
  const Vector right_hand_side = test_vector("b", n), x = test_vector("x", n, 0);
  const IdentityPreconditioner none;
  const JacobiPreconditioner<Matrix> jacobi(exec, matrix);
  const auto expect = [&](std::uint64_t said, const auto& method, const auto& m) {
    method(m);  // scratch memory of the instance
    expect_allocated(exec, said, [&] { return method(m); });
  };
  const SolverOptions options{.max_iterations = 2, .launch = Launch::one_by_one};
  const auto by_gmres = [&](const auto& m) {
    return gmres(exec, a, m, right_hand_side, x, {.max_iterations = 2, .launch = Launch::one_by_one, .restart = 7});
  };
  const auto by_bicgstab = [&](const auto& m) { return bicgstab(exec, a, m, right_hand_side, x, options); };
  const auto by_minres = [&](const auto& m) { return minres(exec, a, m, right_hand_side, x, options); };
  expect(gmres_bytes(n, sizeof(double), false, 7), by_gmres, none);
  expect(gmres_bytes(n, sizeof(double), true, 7), by_gmres, jacobi);
  expect(bicgstab_bytes(n, sizeof(double), false), by_bicgstab, none);
  expect(bicgstab_bytes(n, sizeof(double), true), by_bicgstab, jacobi);
  expect(minres_bytes(n, sizeof(double), false), by_minres, none);
  expect(minres_bytes(n, sizeof(double), true), by_minres, jacobi);
}

INSTANTIATE_TEST_SUITE_P(BlockSizes, Bytes, ::testing::Values(1, 3));

}  // namespace
}  // namespace ashlar::testing
