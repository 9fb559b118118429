#pragma once

#include <gtest/gtest.h>

#include <cstddef>
#include <vector>

#include "levels.hpp"

// The tables of the benchmark's reference implementation.

namespace ashlar::testing {

/// What the reference prints, for 8 boxes.
struct ReferenceRow {
  const char* name;
  MultigridOptions options;
  Cycle cycle;
  int box_dim;
  std::vector<double> norms;
  double rel, norm_2h, norm_4h, error, order;  // the three after the norms: 0 where not known
};

inline const std::vector<ReferenceRow>& reference_rows() {
  static const std::vector<ReferenceRow> rows{
      {"Fv2Gsrb32",
       {.discretisation = fv2},
       Cycle::f,
       16,
       {3.774957328742112e-03},
       4.314753810384798e-03,
       1.058515809569394e-03,
       6.052876448892075e-04,
       1.171592818772242e-04,
       -0.266},
      {"Fv2Gsrb64",
       {.discretisation = fv2},
       Cycle::f,
       32,
       {2.500181687588254e-03},
       2.585761839481744e-03,
       3.776949960826448e-03,
       1.058151849225419e-03,
       3.829371121658954e-05,
       1.614},
      {"Fv2Chebyshev32",
       {.discretisation = fv2, .smoother = Smoother::chebyshev},
       Cycle::f,
       16,
       {1.434897980803096e-03},
       1.640079871378744e-03,
       3.437897009960222e-04,
       9.758928085516628e-05,
       1.154534149186044e-04,
       -0.233},
      {"Fv4Gsrb32",
       {.discretisation = fv4},
       Cycle::f,
       16,
       {8.412949740641551e-04},
       9.615951595962732e-04,
       2.463322558838356e-03,
       7.615331127701457e-04,
       2.741524561805046e-05,
       1.966},
      {"Fv4Gsrb64",
       {.discretisation = fv4},
       Cycle::f,
       32,
       {6.934041112727218e-05},
       7.171390380025997e-05,
       8.424292969434477e-04,
       2.464277273032022e-03,
       2.889820931067759e-06,
       3.247},
      {"Fv4Chebyshev32",
       {.discretisation = fv4, .smoother = Smoother::chebyshev},
       Cycle::f,
       16,
       {2.755795533693206e-04},
       3.149857930607744e-04,
       3.599825812020595e-04,
       3.416886726139524e-04,
       2.640413904732557e-05,
       2.044},
      {"Fv4Helmholtz32",
       {.discretisation = fv4, .equation = Equation::helmholtz},
       Cycle::f,
       16,
       {8.387992608750450e-04},
       9.587425742411087e-04,
       2.433776811511382e-03,
       7.506113504418821e-04,
       2.718563277689934e-05,
       1.969},
      {"Fv2GsrbThenV32",
       {.discretisation = fv2},
       Cycle::fv,
       16,
       {3.774957328742112e-03, 1.143376431843590e-04, 4.211757500982571e-06, 1.646541549771285e-07,
        6.734669821817363e-09, 2.851616720533912e-10, 1.245248348880068e-11},
       0,
       0,
       0,
       1.150012295006177e-04,
       -0.266},
      {"Fv4GsrbThenV32",
       {.discretisation = fv4},
       Cycle::fv,
       16,
       {8.412949740641551e-04, 4.359041421663629e-06, 4.231981404201335e-08, 5.054858753794633e-10,
        8.371858761790918e-12},
       0,
       0,
       0,
       2.379941046595823e-05,
       2.220},
      {"Fv4GsrbThenV64",
       {.discretisation = fv4},
       Cycle::fv,
       32,
       {6.934041112727218e-05, 9.920533452500990e-07, 1.449018749433151e-08, 2.212448002580913e-10,
        3.516409385895258e-12},
       0,
       0,
       0,
       3.469551289830061e-06,
       2.779},
  };
  return rows;
}

/// Solves, and compares to as many digits as the tables have.
inline void expect_row(const ReferenceRow& row, const Exec& exec, const Multigrid<Exec>& multigrid) {
  const auto found = richardson(exec, multigrid, row.cycle);
  ASSERT_TRUE(found);
  const double cells = multigrid.level(0).grid.cells_per_dim();
  const double tolerance = 5e-14 * (cells / 64) * (cells / 64);
  ASSERT_EQ(found->h.norms.size(), row.norms.size());
  for (std::size_t c = 0; c < row.norms.size(); ++c) EXPECT_NEAR(found->h.norms[c], row.norms[c], tolerance) << c;
  if (row.norm_2h > 0) {
    EXPECT_NEAR(found->h.rel, row.rel, 2 * tolerance);
    EXPECT_NEAR(found->h2.norms.back(), row.norm_2h, tolerance);
    EXPECT_NEAR(found->h4.norms.back(), row.norm_4h, tolerance);
  }
  EXPECT_NEAR(found->error, row.error, 1e-11 * row.error);
  EXPECT_NEAR(found->order, row.order, 0.0006);
  EXPECT_TRUE(found->h.converged);
}

}  // namespace ashlar::testing
