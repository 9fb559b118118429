// One small matrix, built in six ways: blocks of 2 x 2 for two nodes that pull each other.
#include <Kokkos_Core.hpp>
#include <ashlar/ashlar.hpp>
#include <cstdio>
#include <vector>

using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = ashlar::BcsrMatrix<double>;

/// Compressed rows of numbers: columns ascend within a row.
Matrix from_csr(const Exec& exec) {
  const ashlar::CsrMatrix<double> csr{.num_rows = 4,
                                      .num_cols = 4,
                                      .row_ptr = {0, 3, 6, 9, 12},
                                      .col_idx = {0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3},
                                      .values = {4, 1, -1, 1, 4, -1, -1, 4, 1, -1, 1, 4}};
  return ashlar::bcsr_from_csr<Matrix>(exec, csr, 2);
}

/// Entries in any order: entries of one place are added.
Matrix from_coo(const Exec& exec) {
  const ashlar::CooMatrix<double> coo{.num_rows = 4,
                                      .num_cols = 4,
                                      .rows = {3, 0, 0, 0, 1, 1, 1, 2, 2, 2, 3, 3, 3},
                                      .cols = {3, 0, 1, 2, 0, 1, 3, 0, 2, 3, 1, 2, 3},
                                      .values = {2, 4, 1, -1, 1, 4, -1, -1, 4, 1, -1, 1, 2}};
  return ashlar::bcsr_from_csr<Matrix>(exec, ashlar::csr_from_coo(coo), 2);
}

/// Blocks in any order, each column after column: blocks of one place are added.
Matrix from_blocks(const Exec& exec) {
  const ashlar::BlockCoo<double> blocks{.num_block_rows = 2,
                                        .num_block_cols = 2,
                                        .block_size = 2,
                                        .rows = {0, 1, 0, 1},
                                        .cols = {0, 1, 1, 0},
                                        .values = {4, 1, 1, 4, 4, 1, 1, 4, -1, 0, 0, -1, -1, 0, 0, -1}};
  return ashlar::bcsr_from_block_coo<Matrix>(exec, blocks);
}

/// Rows from a functor, on the device: the number of blocks of a row, then the blocks.
struct Rows {
  KOKKOS_FUNCTION int operator()(int) const { return 2; }

  template <class Row>
  KOKKOS_FUNCTION void operator()(int i, const Row& row) const {
    for (int k = 0; k < 2; ++k) {
      row.column(k) = k;
      for (int r = 0; r < 2; ++r) {
        for (int c = 0; c < 2; ++c) row.value(k, r, c) = i == k ? (r == c ? 4 : 1) : (r == c ? -1 : 0);
      }
    }
  }
};

Matrix from_functor(const Exec& exec) { return ashlar::build_by_rows<Matrix>(exec, 2, 2, 2, Rows{}, Rows{}); }

/// The arrays of an application, on the host: blocks by rows, as C stores them.
struct Arrays {
  std::vector<int> row_ptr{0, 2, 4}, columns{0, 1, 0, 1};
  std::vector<double> values{4, 1, 1, 4, -1, 0, 0, -1, -1, 0, 0, -1, 4, 1, 1, 4};
};

using WrappedMatrix = ashlar::BcsrMatrix<double, ashlar::BlockRowMajor, int, int, Kokkos::HostSpace>;

/// A matrix on these arrays: nothing is copied, and they outlive the matrix.
WrappedMatrix wrap(Arrays& arrays) {
  const Kokkos::View<const int*, Kokkos::HostSpace> row_ptr(arrays.row_ptr.data(), arrays.row_ptr.size());
  const Kokkos::View<const int*, Kokkos::HostSpace> columns(arrays.columns.data(), arrays.columns.size());
  const Kokkos::View<double*, Kokkos::HostSpace> values(arrays.values.data(), arrays.values.size());
  return WrappedMatrix(2, {2, row_ptr, columns}, values);
}

/// A system with these arrays, on the default device: they are copied.
std::vector<double> solve(const Arrays& arrays) {
  const std::vector<double> b{4, 4, 4, 4};
  std::vector<double> x(4);
  ashlar::solve(ashlar::BcsrView(2, arrays.row_ptr, arrays.columns, arrays.values, ashlar::BlockLayout::row_major), b,
                x);
  return x;
}

/// A matrix on arrays of the device, as cudaMalloc() returns them: blocks by columns.
Matrix wrap(int num_block_rows, int num_blocks, const int* row_ptr, const int* columns, double* values) {
  return Matrix(2,
                {num_block_rows, Kokkos::View<const int*>(row_ptr, num_block_rows + 1),
                 Kokkos::View<const int*>(columns, num_blocks)},
                Kokkos::View<double*>(values, 4 * num_blocks));
}

/// Other values for the same blocks, written where they are.
void scale(const Exec& exec, const Matrix& a, double factor) {
  const auto values = a.values();
  Kokkos::parallel_for(
      "scale", Kokkos::RangePolicy<Exec>(exec, 0, values.extent(0)), KOKKOS_LAMBDA(int i) { values(i) *= factor; });
}

/// Prints A (1, 1, 1, 1).
template <class AnyExec, class AnyMatrix>
void print_product(const char* name, const AnyExec& exec, const AnyMatrix& a) {
  using Space = typename AnyMatrix::memory_space;
  const Kokkos::View<double*, Space> x("x", a.num_cols()), y("y", a.num_rows());
  Kokkos::deep_copy(exec, x, 1.0);
  ashlar::spmv(exec, 1, a, x, 0, y);
  const auto on_host = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), y);
  std::printf("%-12s %g %g %g %g\n", name, on_host(0), on_host(1), on_host(2), on_host(3));
}

int main(int argc, char** argv) {
  const Kokkos::ScopeGuard kokkos(argc, argv);
  const Exec exec;
  print_product("CSR", exec, from_csr(exec));
  print_product("COO", exec, from_coo(exec));
  print_product("blocks", exec, from_blocks(exec));
  print_product("functor", exec, from_functor(exec));

  Arrays arrays;
  const WrappedMatrix wrapped = wrap(arrays);
  print_product("wrapped", Kokkos::DefaultHostExecutionSpace(), wrapped);
  const std::vector<double> x = solve(arrays);
  std::printf("%-12s %.3f %.3f %.3f %.3f\n", "solved", x[0], x[1], x[2], x[3]);
  arrays.values[0] = 5;  // the matrix has it, too
  print_product("changed", Kokkos::DefaultHostExecutionSpace(), wrapped);

  const Matrix a = from_blocks(exec);
  ashlar::validate(exec, a, {.finite_values = true});
  scale(exec, a, 10);
  print_product("scaled", exec, a);
  print_product("on device", exec,
                wrap(2, 4, a.graph().row_ptr().data(), a.graph().col_idx().data(), a.values().data()));
}
