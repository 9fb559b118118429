// Smoothed aggregation as a preconditioner: the coarse matrices, symmetry, iteration counts, new values, errors.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/null_space.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/reference/spmv.hpp>
#include <cmath>

#include "amg/systems.hpp"
#include "krylov/systems.hpp"
#include "support/message.hpp"

namespace ashlar::testing {
namespace {

using ::testing::HasSubstr;
using Amg = amg::Preconditioner<Matrix>;
using AmgInFloat = amg::Preconditioner<Matrix, float>;

template <class M>
SolveReport solve(const Matrix& a, const Kokkos::View<double*, Space>& b, const M& m, double rtol = 1e-8) {
  const Exec exec;
  const Kokkos::View<double*, Space> x("x", a.num_rows());
  CgOptions options;
  options.rtol = rtol;
  return cg(exec, BcsrOperator<Matrix>(exec, a), m, b, x, options);
}

TEST(Amg, CoarseMatricesAreTripleProducts) {
  const Exec exec;
  const Beam beam({9, 8, 7});
  const Amg m(exec, beam.a, beam.modes, {.coarsest_rows = 30});
  const auto& levels = m.hierarchy().levels();
  ASSERT_GE(levels.size(), 2u);
  const auto dense = [&](const Matrix& matrix) {
    const auto host = copy_to<Kokkos::HostSpace>(exec, matrix);
    exec.fence();
    return reference::dense(host);
  };
  const auto a = dense(levels[0].matrix()), p = dense(levels[0].transfer()->prolongator()),
             coarse = dense(levels[1].matrix());
  const std::int64_t n = levels[0].matrix().num_rows(), nc = levels[1].matrix().num_rows();
  std::vector<double> ap(n * nc, 0), ptap(nc * nc, 0);
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; a[i * n + k] != 0 && j < nc; ++j) ap[i * nc + j] += a[i * n + k] * p[k * nc + j];
    }
  }
  for (std::int64_t k = 0; k < n; ++k) {
    for (std::int64_t i = 0; i < nc; ++i) {
      for (std::int64_t j = 0; p[k * nc + i] != 0 && j < nc; ++j) ptap[i * nc + j] += p[k * nc + i] * ap[k * nc + j];
    }
  }
  double largest = 0;
  for (std::int64_t i = 0; i < nc; ++i) largest = std::max(largest, ptap[i * nc + i]);
  for (std::int64_t i = 0; i < nc; ++i) {
    if (ptap[i * nc + i] == 0) ptap[i * nc + i] = coarse[i * nc + i];  // a mode that depends on others
    EXPECT_LE(coarse[i * nc + i], largest * (1 + 1e-12));
  }
  EXPECT_LE(max_difference(coarse, ptap), 1e-13);
}

/// r^T M s = s^T M r, and r^T M r > 0.
template <class M>
void expect_symmetric(const M& m, std::int64_t n, double tolerance) {
  const Exec exec;
  const Kokkos::View<double*, Space> mr("mr", n), ms("ms", n);
  for (unsigned seed = 1; seed < 4; ++seed) {
    const auto r = random_vector<double>(n, seed), s = random_vector<double>(n, seed + 10);
    m.apply(exec, to_device<Space>(r), mr);
    m.apply(exec, to_device<Space>(s), ms);
    exec.fence();
    const auto of_r = to_host(mr), of_s = to_host(ms);
    double rms = 0, smr = 0, rmr = 0, sms = 0;
    for (std::int64_t i = 0; i < n; ++i) {
      rms += r[i] * of_s[i], smr += s[i] * of_r[i], rmr += r[i] * of_r[i], sms += s[i] * of_s[i];
    }
    EXPECT_GT(rmr, 0);
    EXPECT_GT(sms, 0);
    EXPECT_NEAR(rms, smr, tolerance * std::sqrt(rmr * sms));
  }
}

TEST(Amg, IsSymmetricAndPositiveDefinite) {
  const Exec exec;
  const Beam beam({17, 9, 9});
  for (const auto cycle : {cycles::CycleKind::v, cycles::CycleKind::w}) {
    for (const int degree : {1, 2, 3}) {
      const amg::Options options{.cycle = cycle, .smoother_degree = degree, .coarsest_rows = 30};
      expect_symmetric(Amg(exec, beam.a, beam.modes, options), beam.a.num_rows(), 1e-12);
      expect_symmetric(AmgInFloat(exec, beam.a, beam.modes, options), beam.a.num_rows(), 1e-4);
    }
  }
}

constexpr amg::SmootherKind smoothers[] = {amg::SmootherKind::chebyshev, amg::SmootherKind::l1_jacobi,
                                           amg::SmootherKind::gauss_seidel};

/// With coarse levels, and without: then smoothing alone is the preconditioner.
TEST(Amg, SmoothersAreSymmetricAndPositiveDefinite) {
  const Exec exec;
  const Beam beam({13, 7, 7});
  for (const auto smoother : smoothers) {
    for (const int sweeps : {1, 2, 3}) {
      for (const int levels : {1, 20}) {
        SCOPED_TRACE(::testing::Message() << amg::to_string(smoother) << ' ' << sweeps << ' ' << levels);
        const amg::Options options{
            .smoother = smoother, .smoother_degree = sweeps, .coarsest_rows = 30, .max_levels = levels};
        expect_symmetric(Amg(exec, beam.a, beam.modes, options), beam.a.num_rows(), 1e-12);
        expect_symmetric(AmgInFloat(exec, beam.a, beam.modes, options), beam.a.num_rows(), 1e-4);
      }
    }
  }
  const amg::Options in_w{
      .cycle = cycles::CycleKind::w, .smoother = amg::SmootherKind::gauss_seidel, .coarsest_rows = 30};
  expect_symmetric(Amg(exec, beam.a, beam.modes, in_w), beam.a.num_rows(), 1e-12);
}

TEST(Amg, AllSmoothersNeedFewIterations) {
  const Exec exec;
  for (const auto nodes : {std::array{17, 17, 17}, {49, 9, 9}}) {
    const Beam beam(nodes);
    for (const auto smoother : smoothers) {
      const SolveReport report = solve(beam.a, beam.load, Amg(exec, beam.a, beam.modes, {.smoother = smoother}));
      EXPECT_EQ(report.status, SolveStatus::converged) << amg::to_string(smoother);
      EXPECT_LE(report.iterations, 40) << amg::to_string(smoother);
    }
  }
}

/// One level of -1, 2, -1, so that a sweep before and one after are all there is.
TEST(Amg, SweepsAreThoseOfTheBook) {
  const Exec exec;
  const int n = 50;
  const auto b = random_vector<double>(n, 5);
  const auto applied = [&](amg::SmootherKind smoother) {
    const amg::Options options{.smoother = smoother, .smoother_degree = 1, .coarsest_rows = 1, .max_levels = 1};
    const Amg m(exec, laplacian_1d(n), amg::constant_modes<Space>(exec, n, 1), options);
    const Kokkos::View<double*, Space> z("z", n);
    m.apply(exec, to_device<Space>(b), z);
    exec.fence();
    return to_host(z);
  };
  const auto l1 = applied(amg::SmootherKind::l1_jacobi);
  for (int i = 0; i < n; ++i) EXPECT_NEAR(l1[i], b[i] / (i == 0 || i == n - 1 ? 3 : 4), 1e-15);
  // Even nodes first, then odd ones; and odd ones, which stay, then even ones.
  std::vector<double> expected(n);
  const auto relax = [&](int first) {
    for (int i = first; i < n; i += 2) {
      expected[i] = (b[i] + (i > 0 ? expected[i - 1] : 0) + (i + 1 < n ? expected[i + 1] : 0)) / 2;
    }
  };
  relax(0), relax(1), relax(1), relax(0);
  EXPECT_LE(max_difference(applied(amg::SmootherKind::gauss_seidel), expected), 1e-15);
}

/// Nodes of a colour are not coupled; a grid of hexahedra takes 8 colours.
TEST(Amg, ColoursSeparateNeighbours) {
  const Exec exec;
  const Beam beam({9, 8, 7});
  const auto colours = amg::colours_of_nodes(exec, beam.a.graph());
  const auto of_node = to_host(colours.of_node), nodes = to_host(colours.nodes);
  const auto row_ptr = to_host(beam.a.graph().row_ptr()), col_idx = to_host(beam.a.graph().col_idx());
  EXPECT_EQ(colours.count(), 8);
  EXPECT_EQ(colours.begin.back(), beam.a.num_block_rows());
  for (int i = 0; i < int(of_node.size()); ++i) {
    for (int k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      EXPECT_TRUE(col_idx[k] == i || of_node[i] != of_node[col_idx[k]]) << i << ' ' << col_idx[k];
    }
  }
  for (int colour = 0; colour < colours.count(); ++colour) {
    for (auto k = colours.begin[colour]; k < colours.begin[colour + 1]; ++k) EXPECT_EQ(of_node[nodes[k]], colour);
  }
}

TEST(Amg, NeedsFewIterationsAtAnySize) {
  const Exec exec;
  for (const auto nodes : {std::array{9, 9, 9}, {17, 17, 17}, {25, 25, 25}, {49, 9, 9}}) {
    const Beam beam(nodes);
    const SolveReport report = solve(beam.a, beam.load, Amg(exec, beam.a, beam.modes));
    EXPECT_EQ(report.status, SolveStatus::converged);
    EXPECT_LE(report.iterations, 20) << nodes[0];
    EXPECT_LE(report.relative_residual, 1.01e-8);
  }
}

TEST(Amg, SolvesHarderProblems) {
  const Exec exec;
  const Beam stiff({17, 17, 17}, 0.45), scalar({25, 25, 25}, 0.3, 1), six({9, 9, 9}, 0.3, 6);
  EXPECT_LE(solve(stiff.a, stiff.load, Amg(exec, stiff.a, stiff.modes)).iterations, 30);
  EXPECT_LE(solve(scalar.a, scalar.load, Amg(exec, scalar.a, scalar.modes)).iterations, 15);
  EXPECT_LE(solve(six.a, six.load, Amg(exec, six.a, six.modes)).iterations, 25);
}

/// The same true residual with a hierarchy of floats, in about as many iterations.
TEST(Amg, FloatHierarchyReachesTheSameResidual) {
  const Exec exec;
  const Beam beam({17, 17, 17});
  const SolveReport in_double = solve(beam.a, beam.load, Amg(exec, beam.a, beam.modes), 1e-11),
                    in_float = solve(beam.a, beam.load, AmgInFloat(exec, beam.a, beam.modes), 1e-11);
  EXPECT_EQ(in_float.status, SolveStatus::converged);
  EXPECT_LE(in_float.relative_residual, 1.01e-11);
  EXPECT_LE(in_float.iterations, in_double.iterations + 2);
}

/// The energy of a slender body's bending is below a float's rounding of its matrix: set-up is in double.
TEST(Amg, FloatHierarchyOfASlenderBeam) {
  const Exec exec;
  const Beam beam({161, 5, 5});
  const SolveReport in_double = solve(beam.a, beam.load, Amg(exec, beam.a, beam.modes)),
                    in_float = solve(beam.a, beam.load, AmgInFloat(exec, beam.a, beam.modes));
  EXPECT_EQ(in_float.status, SolveStatus::converged);
  EXPECT_LE(in_float.iterations, in_double.iterations + 2);
}

/// Without coordinates, constants are the modes. They still beat block-Jacobi.
TEST(Amg, ConstantModes) {
  const Exec exec;
  const Beam beam({17, 17, 17});
  const auto modes = amg::constant_modes<Space>(exec, beam.a.num_block_rows(), 3);
  const int iterations = solve(beam.a, beam.load, Amg(exec, beam.a, modes)).iterations;
  EXPECT_LT(3 * iterations, solve(beam.a, beam.load, BlockJacobiPreconditioner<Matrix>(exec, beam.a)).iterations);
}

TEST(Amg, UpdateOfValuesIsANewHierarchy) {
  const Exec exec;
  const Beam first({13, 9, 9}, 0.3), second({13, 9, 9}, 0.4);
  const Amg updated(exec, first.a, first.modes, {.coarsest_rows = 30}),
      made(exec, second.a, second.modes, {.coarsest_rows = 30});
  updated.update_values(exec, second.a);
  const std::int64_t n = second.a.num_rows();
  const auto r = to_device<Space>(random_vector<double>(n, 5));
  const Kokkos::View<double*, Space> z("z", n), expected("expected", n);
  updated.apply(exec, r, z);
  made.apply(exec, r, expected);
  exec.fence();
  EXPECT_EQ(max_difference(to_host(z), to_host(expected)), 0);
  const AmgInFloat in_float(exec, first.a, first.modes, {.coarsest_rows = 30}),
      made_in_float(exec, second.a, second.modes, {.coarsest_rows = 30});
  in_float.update_values(exec, second.a);
  in_float.apply(exec, r, z);
  made_in_float.apply(exec, r, expected);
  exec.fence();
  EXPECT_EQ(max_difference(to_host(z), to_host(expected)), 0);
}

/// The same bits twice, and from an instance with one thread.
TEST(Amg, SameBitsForAnyNumberOfThreads) {
  const Beam beam({17, 9, 9});
  const std::int64_t n = beam.a.num_rows();
  const auto r = to_device<Space>(random_vector<double>(n, 5));
  const auto apply = [&](const Exec& instance) {
    const Kokkos::View<double*, Space> z("z", n);
    const Amg m(instance, beam.a, beam.modes, {.coarsest_rows = 30});
    m.apply(instance, r, z);
    instance.fence();
    return to_host(z);
  };
  const auto expected = apply(Exec());
  EXPECT_EQ(max_difference(apply(Exec()), expected), 0);
#if defined(KOKKOS_ENABLE_OPENMP) && !defined(KOKKOS_ENABLE_CUDA) && !defined(KOKKOS_ENABLE_HIP)
  EXPECT_EQ(max_difference(apply(Exec(1)), expected), 0);
#endif
}

/// The same iterations in other units: A times a power of two.
TEST(Amg, UnitsDoNotMatter) {
  const Exec exec;
  const Beam beam({17, 9, 9});
  const amg::Options options{.coarsest_rows = 30};
  const int iterations = solve(beam.a, beam.load, Amg(exec, beam.a, beam.modes, options)).iterations;
  for (const double scale : {std::ldexp(1.0, -60), std::ldexp(1.0, 80)}) {
    const Matrix scaled(beam.a.block_shape(), beam.a.graph(), Matrix::values_view("values", beam.a.values().extent(0)));
    axpby(exec, scale, beam.a.values(), 0.0, scaled.values());
    for (const double strength : {0.0, 0.01}) {
      const SolveReport report =
          solve(scaled, beam.load, Amg(exec, scaled, beam.modes, {.strength = strength, .coarsest_rows = 30}));
      EXPECT_EQ(report.status, SolveStatus::converged) << scale;
      if (strength == 0) {
        EXPECT_EQ(report.iterations, iterations) << scale;
      }
    }
  }
}

/// Matrices that need no coarse level, or can have none.
TEST(Amg, SmallAndUncoupledMatrices) {
  const Exec exec;
  const auto uncoupled = block_diagonal<double>(500, 3, [](int i, int r, int c) { return r == c ? 2.0 + i : 1.0; });
  const auto modes = amg::constant_modes<Space>(exec, 500, 3);
  const auto b = to_device<Space>(random_vector<double>(1500, 5));
  EXPECT_LE(solve(uncoupled, b, Amg(exec, uncoupled, modes)).iterations, 4);
  const auto one = block_diagonal<double>(1, 3, [](int, int r, int c) { return r == c ? 2.0 : 1.0; });
  const auto b_of_one = to_device<Space>(random_vector<double>(3, 5));
  EXPECT_EQ(solve(one, b_of_one, Amg(exec, one, amg::constant_modes<Space>(exec, 1, 3))).iterations, 1);
  const auto chain = laplacian_1d(3000);
  const auto b_of_chain = to_device<Space>(random_vector<double>(3000, 5));
  EXPECT_LE(solve(chain, b_of_chain, Amg(exec, chain, amg::constant_modes<Space>(exec, 3000, 1))).iterations, 25);
}

/// -1, 2, -1 with 1 at both ends: constants are its null space.
struct FreeChain {
  Laplacian1d fixed;
  KOKKOS_FUNCTION int operator()(std::int32_t i) const { return fixed(i); }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    fixed(i, row);
    if (i == 0) row.value(0, 0, 0) = 1;
    if (i == fixed.n - 1) row.value(1, 0, 0) = 1;
  }
};

/// The coarsest matrix is singular, too: its pseudo-inverse brings nothing of the null space, which would grow.
TEST(Amg, SingularMatrices) {
  const Exec exec;
  const int n = 2000;
  const FreeChain rows{{n}};
  const auto a = build_by_rows<Matrix>(exec, 1, n, n, rows, rows);
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> ones("ones", n, 1);
  Kokkos::deep_copy(ones, 1.0);
  const BcsrOperator<Matrix> op(exec, a);
  const NullSpace<double, Exec, LocalSpace> null_space(exec, op.space(), ones);
  const auto b = to_device<Space>(random_vector<double>(n, 5));
  null_space.remove(exec, b);
  const Kokkos::View<double*, Space> x("x", n);
  CgOptions options;
  options.rtol = 1e-10;
  const SolveReport report =
      cg(exec, ProjectedOperator(op, null_space), Amg(exec, a, amg::constant_modes<Space>(exec, n, 1)), b, x, options);
  EXPECT_EQ(report.status, SolveStatus::converged);
  EXPECT_LE(report.iterations, 30);
}

/// Diffusion with a wind along the diagonal of a grid of n x n points, by upwind differences.
struct Convection {
  int n;
  double wind;
  KOKKOS_FUNCTION int operator()(std::int32_t i) const {
    return 1 + (i % n > 0) + (i % n < n - 1) + (i / n > 0) + (i / n < n - 1);
  }
  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int32_t i, const Row& row) const {
    int k = 0;
    const auto put = [&](bool is_there, std::int32_t j, double value) {
      if (!is_there) return;
      row.column(k) = j;
      row.value(k++, 0, 0) = value;
    };
    put(i / n > 0, i - n, -1 - wind);
    put(i % n > 0, i - 1, -1 - wind);
    put(true, i, 4 + 2 * wind);
    put(i % n < n - 1, i + 1, -1);
    put(i / n < n - 1, i + n, -1);
  }
};

/// With GMRES and BiCGStab, also where the wind is as strong as diffusion: a wind of 0.5 has a cell Peclet number of
/// 0.5. The coarsest matrix is not symmetric, either.
TEST(Amg, ServesUnsymmetricMatrices) {
  const Exec exec;
  const int n = 48;
  for (const double wind : {0.02, 0.5}) {
    const auto a = build_by_rows<Matrix>(exec, 1, n * n, n * n, Convection{n, wind}, Convection{n, wind});
    const BcsrOperator<Matrix> op(exec, a);
    const Amg m(exec, a, amg::constant_modes<Space>(exec, n * n, 1));
    const BlockJacobiPreconditioner<Matrix> jacobi(exec, a);
    EXPECT_GE(m.hierarchy().levels().size(), 3u);
    const auto b = to_device<Space>(random_vector<double>(n * n, 5));
    const auto iterations = [&](const auto& preconditioner, bool is_gmres) {
      const Kokkos::View<double*, Space> x("x", n * n);
      const SolveReport report = is_gmres ? gmres(exec, op, preconditioner, b, x, {.rtol = 1e-8})
                                          : bicgstab(exec, op, preconditioner, b, x, {.rtol = 1e-8});
      EXPECT_EQ(report.status, SolveStatus::converged) << wind;
      EXPECT_LE(report.relative_residual, 1.01e-8);
      return report.iterations;
    };
    for (const bool is_gmres : {true, false}) {
      EXPECT_LE(2 * iterations(m, is_gmres), iterations(jacobi, is_gmres)) << wind << ' ' << is_gmres;
    }
  }
}

TEST(Amg, ServesSeveralVectorsAndAnyPreconditioner) {
  const Exec exec;
  const Beam beam({9, 9, 9});
  const std::int64_t n = beam.a.num_rows();
  using Block = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;
  const auto r = random_block<Block>(n, 2, 3);
  const Block z("z", n, 2), z_of_any("z", n, 2);
  const Amg m(exec, beam.a, beam.modes);
  m.apply(exec, r, z);
  AnyPreconditioner<double, Exec>(m).apply(exec, r, z_of_any);
  const Kokkos::View<double*, Space> one("one", n);
  m.apply(exec, Kokkos::subview(r, Kokkos::ALL, 1), one);
  exec.fence();
  EXPECT_EQ(max_difference(to_host(Kokkos::subview(z, Kokkos::ALL, 1)), to_host(one)), 0);
  EXPECT_EQ(max_difference(to_host(Kokkos::subview(z_of_any, Kokkos::ALL, 1)), to_host(one)), 0);
}

TEST(Amg, SaysItsLevels) {
  const Beam beam({17, 17, 17});
  const std::string text = Amg(Exec(), beam.a, beam.modes).explain();
  EXPECT_THAT(text, HasSubstr("level 0: 14739 rows, 117649 blocks of 3 x 3"));
  EXPECT_THAT(text, HasSubstr("blocks of 6 x 6"));
  EXPECT_THAT(text, HasSubstr("coarsest level: dense inverse"));
  EXPECT_THAT(text, HasSubstr("Chebyshev smoother of degree 2"));
  EXPECT_THAT(Amg(Exec(), beam.a, beam.modes, {.smoother = amg::SmootherKind::l1_jacobi}).explain(),
              HasSubstr("smoother of 2 sweeps of l1-jacobi"));
}

TEST(Amg, RefusesBadInput) {
  const Exec exec;
  const Beam beam({9, 9, 9});
  const auto message = [&](const Modes& modes, const amg::Options& options = {}) {
    return message_of<Error>([&] { Amg(exec, beam.a, modes, options); });
  };
  EXPECT_THAT(message(Modes("short", 30, 6)), HasSubstr("the matrix has 2187 rows"));
  EXPECT_THAT(message(Modes("none", 2187, 0)), HasSubstr("1 to 64 modes"));
  EXPECT_THAT(message(Modes("zero", 2187, 2)), HasSubstr("mode 0 is 0"));
  const Modes infinite("infinite", 2187, 1);
  Kokkos::deep_copy(infinite, INFINITY);
  EXPECT_THAT(message(infinite), HasSubstr("mode 0 is not finite"));
  const Modes dependent("dependent", 2187, 3);
  Kokkos::deep_copy(dependent, 1.0);
  Kokkos::deep_copy(Kokkos::subview(dependent, 5, 1), 2.0);
  EXPECT_THAT(message(dependent), HasSubstr("mode 2 (from 0) depends on those before it"));
  EXPECT_THAT(message(beam.modes, {.strength = 1}), HasSubstr("strength 1"));
  EXPECT_THAT(message(beam.modes, {.cycle = cycles::CycleKind::f}), HasSubstr("an F-cycle"));
  EXPECT_THAT(message(beam.modes, {.smoother_degree = 0}), HasSubstr("smoother_degree 0"));
  EXPECT_THAT(message(beam.modes, {.coarsest_rows = 0}), HasSubstr("coarsest_rows 0"));
  const auto singular = block_diagonal<double>(3, 2, [](int i, int, int) { return i == 1 ? 0.0 : 1.0; });
  EXPECT_THAT(message_of<NumericalError>([&] { Amg(exec, singular, amg::constant_modes<Space>(exec, 3, 2)); }),
              HasSubstr("block row 0"));
  const auto negative = block_diagonal<double>(3, 2, [](int, int r, int c) { return r == c ? -2.0 : 1.0; });
  EXPECT_THAT(message_of<NumericalError>([&] { Amg(exec, negative, amg::constant_modes<Space>(exec, 3, 2)); }),
              HasSubstr("diagonal entry of row 0 (from 0) is negative (the matrix is not positive definite)"));
  const auto positive = block_diagonal<double>(3, 2, [](int, int r, int c) { return r == c ? 2.0 : 1.0; });
  const Amg of_positive(exec, positive, amg::constant_modes<Space>(exec, 3, 2));
  EXPECT_THAT(message_of<NumericalError>([&] { of_positive.update_values(exec, negative); }),
              HasSubstr("diagonal entry of row 0 (from 0) is negative"));
  const Amg m(exec, beam.a, beam.modes);
  const Kokkos::View<double*, Space> r("r", 2187), z("z", 2186);
  EXPECT_THAT(message_of<ShapeError>([&] { m.apply(exec, r, z); }), HasSubstr("z has 2186"));
  const Kokkos::View<double**, Kokkos::LayoutLeft, Space> two("two", 2187, 2), three("three", 2187, 3);
  EXPECT_THAT(message_of<ShapeError>([&] { m.apply(exec, three, two); }), HasSubstr("z has 2"));
  EXPECT_THAT(message_of<ShapeError>([&] { m.update_values(exec, Beam({9, 9, 5}).a); }), HasSubstr("was made for"));
  EXPECT_THAT(
      message_of<ArgumentError>([&] { Amg(exec, beam.a, beam.modes, {.strength = 0.01}).update_values(exec, beam.a); }),
      HasSubstr("strength 0.01"));
}

}  // namespace
}  // namespace ashlar::testing
