#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cg/system.hpp>
#include <cstdint>
#include <cstdio>
#include <support/plain_product.hpp>

namespace ashlar::perf {

namespace {

/// a := (L + I/100) (x) W, its structure as it is: L is the Laplacian of the graph, -1 for each neighbour and in the
/// middle their number, and W the b x b matrix I/2 + ones/(2b), whose eigenvalues are 1/2 and 1.
///
/// SPD, as both factors are. The eigenvalues of L, from 0 on, grow with the square of the mesh width: so CG takes about
/// as many iterations as points lie along a few sides.
Matrix filled_with_laplacian(const Exec& exec, const Matrix& a) {
  const int b = a.block_size();
  const auto row_ptr = a.graph().row_ptr();
  const auto col_idx = a.graph().col_idx();
  const auto values = a.values();
  Kokkos::parallel_for(
      "perf::laplacian", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t begin = row_ptr(i), end = row_ptr(i + 1);
        for (std::int64_t k = begin; k < end; ++k) {
          const double entry = col_idx(k) == i ? double(end - begin - 1) + 0.01 : -1;
          for (int c = 0; c < b; ++c) {
            for (int r = 0; r < b; ++r) {
              values(k * b * b + Matrix::layout_type::at(r, c, b)) = entry * ((r == c ? 0.5 : 0) + 0.5 / b);
            }
          }
        }
      });
  return a;
}

Matrix grid27(const Exec& exec, int n, int b) {
  return filled_with_laplacian(exec, problems::grid27<Matrix>(exec, n, n, n, b));
}

Matrix stencil11(const Exec& exec, int n) {
  return filled_with_laplacian(exec, problems::stencil11<Matrix>(exec, n, n, n));
}

Matrix cantilever(const Exec& exec, int n) {
  return problems::cantilever_matrix<Matrix>(exec, {.nodes = {n, n, n}, .dof = 3});
}

}  // namespace

CgSystem make_system(const Exec& exec, const std::string& name) {
  int n = 0, b = 1, read = 0;
  const auto is = [&](const char* format, auto*... numbers) {
    return std::sscanf(name.c_str(), format, numbers..., &read) == int(sizeof...(numbers)) &&
           read == int(name.size()) && n >= 2 && b >= 1;
  };
  CgSystem system{name, {}, {}, {"none"}};
  if (is("grid27:%d%n", &n) || is("grid27x%d:%d%n", &b, &n)) {
    system.matrix = grid27(exec, n, b);
  } else if (is("stencil11:%d%n", &n)) {
    system.matrix = stencil11(exec, n);
  } else if (is("cantilever:%d%n", &n)) {
    system.matrix = cantilever(exec, n);
    system.preconditioners.push_back("block_jacobi");
  } else {
    throw ArgumentError(text("--cases ", name),
                        "a case is grid27:N, grid27xB:N, stencil11:N or cantilever:N, N 2 or more",
                        "write for example grid27:80");
  }
  system.b = test_vector<double>(exec, system.matrix.num_rows());
  exec.fence("perf: system");
  return system;
}

}  // namespace ashlar::perf
