#include <Kokkos_Core.hpp>
#include <ashlar/base/version.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <cstdio>

// Builds  [ 2I  J ]
//         [  0 2I ]  with 2x2 blocks, J full of ones, and adds up its entries: 8 + 4.
int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  using Matrix = ashlar::BcsrMatrix<double>;
  using Row = ashlar::BlockRowFill<double, Matrix::layout_type, Matrix::ordinal_type>;
  const Kokkos::DefaultExecutionSpace exec;
  const Matrix A = ashlar::build_by_rows<Matrix>(
      exec, 2, 2, 2, KOKKOS_LAMBDA(int i) { return 2 - i; },
      KOKKOS_LAMBDA(int i, const Row& row) {
        for (int k = 0; k < row.num_blocks(); ++k) {
          row.column(k) = i + k;
          for (int r = 0; r < 2; ++r)
            for (int c = 0; c < 2; ++c) row.value(k, r, c) = k == 1 ? 1.0 : (r == c ? 2.0 : 0.0);
        }
      });
  const auto host = ashlar::copy_to<Kokkos::HostSpace>(exec, A);
  exec.fence("consumer: matrix on the host");
  double sum = 0;
  for (std::size_t i = 0; i < host.values().extent(0); ++i) sum += host.values()(i);
  std::printf("Ashlar %s: %lld rows, %d blocks, sum %g\n", ashlar::linked_version(), static_cast<long long>(A.num_rows()),
              static_cast<int>(A.num_blocks()), sum);
  return A.num_rows() == 4 && A.num_blocks() == 3 && sum == 12.0 ? 0 : 1;
}
