#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <ashlar/bcsr/symmetric_half.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <ashlar/bcsr/to_csr.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/bcsr/validate.hpp>

#include "instrumentation/expect.hpp"

namespace ashlar::testing {
namespace {

class BcsrConduct : public ::testing::Test {
 protected:
  const Exec exec = other_instance();
  const Matrix matrix = problems::stencil11<Matrix>(exec, 5, 4, 3, 2);
};

/// A matrix in which A differs from A^T, so that there is something to describe.
Matrix unsymmetric(const Exec& exec, const Matrix& matrix) {
  const Vector values("test::values", matrix.values().extent(0));
  Kokkos::deep_copy(exec, values, matrix.values());
  Kokkos::deep_copy(exec, Kokkos::subview(values, 1), 100.0);
  return {matrix.block_size(), matrix.graph(), values};
}

TEST_F(BcsrConduct, FromBlockCoo) {
  const BlockCoo<double> coo{2, 2, 1, {1, 0, 1}, {1, 0, 1}, {1, 2, 3}};
  expect_kept(exec, Promise::on_host, [&] { return bcsr_from_block_coo<Matrix>(exec, coo); });
}

TEST_F(BcsrConduct, FromCsr) {
  const auto csr = to_csr(exec, matrix);
  expect_kept(exec, Promise::on_host, [&] { return bcsr_from_csr<Matrix>(exec, csr, 2); });
}

TEST_F(BcsrConduct, ToCsr) {
  expect_kept(exec, Promise::on_host, [&] { return to_csr(exec, matrix); });
}

TEST_F(BcsrConduct, Validate) {
  expect_kept(exec, Promise::waits, [&] { validate(exec, matrix, {.finite_values = true}); });
}

TEST_F(BcsrConduct, ValidateOfWhatIsWrong) {
  const Kokkos::View<int*, Space> col_idx("test::col_idx", matrix.num_blocks());  // all of them 0
  const Matrix wrong(2, {matrix.num_block_cols(), matrix.graph().row_ptr(), col_idx}, matrix.values());
  // What is wrong is looked for on the host.
  expect_kept(exec, Promise::on_host, [&] { EXPECT_THROW(validate(exec, wrong), StructureError); });
}

TEST_F(BcsrConduct, HermitianDefect) {
  expect_kept(exec, Promise::waits, [&] { return hermitian_defect(exec, matrix); });
  const Matrix other = unsymmetric(exec, matrix);
  expect_kept(exec, Promise::waits, [&] { EXPECT_GT(hermitian_defect(exec, other).relative, 0); });
}

TEST_F(BcsrConduct, TransposeIndex) {
  expect_kept(exec, Promise::allocates, [&] { return transpose_index(exec, matrix.graph()); });
}

TEST_F(BcsrConduct, DiagonalBlockIndex) {
  expect_kept(exec, Promise::allocates, [&] { return diagonal_block_index(exec, matrix); });
}

TEST_F(BcsrConduct, DiagonalBlocks) {
  expect_kept(exec, Promise::waits, [&] { return diagonal_blocks(exec, matrix); });
}

TEST_F(BcsrConduct, SymmetricHalf) {
  expect_kept(exec, Promise::waits, [&] { return symmetric_half(exec, matrix); });
}

TEST_F(BcsrConduct, CopyTo) {
  // To where the matrix is already: nothing happens. To another space: copies on the instance, into memory that the
  // host's threads have written first.
  const Watcher watcher;
  copy_to<Space>(exec, matrix);
  EXPECT_THAT(watcher.seen(), ::testing::IsEmpty());
  copy_to<Kokkos::HostSpace>(exec, matrix);
  EXPECT_THAT(faults(watcher.seen(), exec, Promise::on_host), ::testing::IsEmpty());
}

}  // namespace
}  // namespace ashlar::testing
