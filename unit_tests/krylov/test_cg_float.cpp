// CG in single precision on ill-conditioned systems: where rounding sets the limit, a tighter tolerance never returns a
// worse x.
#include <gtest/gtest.h>

#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cmath>

#include "krylov/systems.hpp"

namespace ashlar::testing {
namespace {

using Floats = BcsrMatrix<float>;
using Doubles = BcsrMatrix<double>;

double norm_of(const std::vector<double>& v) {
  double squared = 0;
  for (const double entry : v) squared += entry * entry;
  return std::sqrt(squared);
}

/// A slender cantilever, whose condition number grows with the fourth power of its length.
struct FloatCantilever {
  explicit FloatCantilever(int length)
      : matrix(
            convert_values<float>(Exec(), problems::cantilever_matrix<Doubles>(
                                              Exec(), {.nodes = {length, 3, 3}, .lengths = {{length - 1.0, 2, 2}}}))),
        exact(copy_to<Kokkos::HostSpace>(Exec(), convert_values<double>(Exec(), matrix))),
        b(std::size_t(matrix.num_rows()), 1.0f) {
    Exec().fence();
  }

  /// ||b - A x|| / ||b|| for the x of CG with this tolerance, in double precision.
  double residual(double rtol, SolveStatus& status) const {
    const Exec exec;
    const Kokkos::View<float*, Space> x("test::x", b.size());
    const BlockJacobiPreconditioner<Floats> m(exec, matrix);
    status =
        cg(exec, BcsrOperator<Floats>(exec, matrix), m, to_device<Space>(b), x, {.rtol = rtol, .max_iterations = 20000})
            .status;
    const std::vector<float> found = to_host(x);
    std::vector<double> r(b.begin(), b.end());
    const double norm_b = norm_of(r);
    reference::spmv(-1.0, exact, std::vector<double>(found.begin(), found.end()), 1.0, r);
    return norm_of(r) / norm_b;
  }

  Floats matrix;
  Doubles::in_space<Kokkos::HostSpace> exact;
  std::vector<float> b;
};

TEST(CgInFloat, ATighterToleranceReturnsNoWorseX) {
  for (const int length : {17, 33}) {
    SCOPED_TRACE(text(length, " x 3 x 3 nodes"));
    const FloatCantilever system(length);
    SolveStatus loose, tight;
    const double of_loose = system.residual(1e-4, loose), of_tight = system.residual(1e-6, tight);
    // (Of two x that both are at the limit of rounding, either may be a little better.)
    EXPECT_LE(of_tight, 2 * of_loose) << to_string(loose) << ", then " << to_string(tight);
  }
}

}  // namespace
}  // namespace ashlar::testing
