#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/grid27.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <cg/system.hpp>
#include <cstdint>
#include <cstdio>
#include <support/laplacian.hpp>
#include <support/plain_product.hpp>

namespace ashlar::perf {

namespace {

Matrix filled_with_laplacian(const Exec& exec, const Matrix& a) {
  fill_with_laplacian(exec, a);
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
