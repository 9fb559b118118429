// Forms of sweeps against each other: all give the same bits.
#include <gmock/gmock.h>

#include <ashlar/base/error.hpp>
#include <ashlar/multigrid/cell_tiles.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/sweep_form.hpp>  // nothing else shows on hosts which levels of GPUs go by planes
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "levels.hpp"

namespace ashlar::testing {
namespace {

constexpr double nan = std::numeric_limits<double>::quiet_NaN();

/// Random numbers in all vectors that sweeps read, the same by cell of the level however it is cut. What no sweep may
/// read is NaN.
struct RandomProblem {
  Level<Exec> level;

  RandomProblem(int boxes, int dim, Equation equation = Equation::poisson)
      : level(Exec(), BoxGrid(boxes, dim), Discretisation::fv4, equation, 0) {
    std::mt19937 random(1);
    std::uniform_real_distribution<double> number(-1, 1);
    const auto any = [&](double middle, double width) {
      return [&, middle, width](int, int, int) { return middle + width * number(random); };
    };
    HostVector(level, level.u).fill(any(0, 1), nan);
    HostVector(level, level.f).fill(any(0, 1), nan);
    const double n = boxes * dim;
    HostVector(level, level.inverse_diagonal).fill(any(0.2 / (n * n), 0.01 / (n * n)), nan);
    if (equation == Equation::helmholtz) HostVector(level, level.alpha).fill(any(n * n, 1), nan);
    for (auto& beta : level.beta) HostVector(level, beta).fill(any(1, 0.25), 1.125);
    fill_coefficient_ghosts(Exec(), level);
    // The deepest ghost cells of coefficients are nobody's.
    Kokkos::deep_copy(level.temp, nan);
    Kokkos::deep_copy(level.r, nan);
  }

  std::vector<double> cells_of(const BoxVector& x) {
    HostVector on_host(level, x);
    const int n = level.grid.cells_per_dim();
    std::vector<double> cells;
    for (int c = 0; c < n * n * n; ++c) cells.push_back(on_host(c % n, c / n % n, c / (n * n)));
    return cells;
  }
};

int num_different(const std::vector<double>& a, const std::vector<double>& b) {
  int different = int(a.size() != b.size());
  for (std::size_t c = 0; c < a.size() && c < b.size(); ++c) different += int(!(a[c] == b[c]));
  return different;
}

// Wider, and narrower, than tiles; odd; several columns of planes in k; few cells.
const std::vector<std::pair<int, int>> cuts{{1, 36}, {1, 35}, {1, 19}, {2, 20}, {3, 9},
                                            {1, 66}, {1, 8},  {2, 4},  {4, 2},  {1, 2}};

TEST(SweepForm, ResidualsOfPlanesHaveTheBitsOfCells) {
  const Exec exec;
  for (const auto& [boxes, dim] : cuts) {
    for (const Equation equation : {Equation::poisson, Equation::helmholtz}) {
      RandomProblem problem(boxes, dim, equation);
      Level<Exec>& level = problem.level;
      residual(exec, level, level.u, level.f, level.temp);
      const auto wanted = problem.cells_of(level.temp);
      level.sweep_by(exec, SweepForm::planes);
      residual(exec, level, level.u, level.f, level.f);
      exec.fence();
      EXPECT_EQ(num_different(problem.cells_of(level.f), wanted), 0) << boxes << "^3 boxes of " << dim << "^3";
    }
  }
}

TEST(SweepForm, PlanesOfVectorsThatBeginAnywhereHaveTheSameBits) {
  // Of boxes of even size pairs of neighbours are copied as such, where they are aligned. (All vectors of a level are:
  // its kernel alone can be given another.)
  const Exec exec;
  RandomProblem problem(1, 36);
  Level<Exec>& level = problem.level;
  residual(exec, level, level.u, level.f, level.temp);
  const auto wanted = problem.cells_of(level.temp);
  const std::size_t count = level.u.size();
  const Kokkos::View<double*, Exec> room("room", count + 1);
  const auto behind = Kokkos::subview(room, std::pair<std::size_t, std::size_t>(1, count + 1));
  Kokkos::deep_copy(exec, behind, Kokkos::View<double*, Exec>(level.u.data(), count));
  auto data = level.stencil_data(level.u);
  data.x = behind.data();
  using Body = multigrid::impl::ResidualBody<Fv4Stencil<double>>;
  multigrid::impl::sweep_planes("test", exec, level.num_boxes(), level.layout, level.parities,
                                Body{{data}, level.f.data(), level.r.data()});
  exec.fence();
  EXPECT_EQ(num_different(problem.cells_of(level.r), wanted), 0);
}

TEST(SweepForm, SmoothersOfAllFormsHaveTheBitsOfCells) {
  const Exec exec;
  for (const auto& [boxes, dim] : cuts) {
    for (const Equation equation : {Equation::poisson, Equation::helmholtz}) {
      for (const Smoother smoother : {Smoother::gsrb, Smoother::chebyshev}) {
        if (dim > 40 && (equation == Equation::helmholtz || smoother == Smoother::chebyshev)) continue;  // takes long
        std::vector<double> wanted, wanted_back;
        for (const SweepForm form : {SweepForm::cells, SweepForm::planes}) {
          RandomProblem problem(boxes, dim, equation);
          Level<Exec>& level = problem.level;
          level.largest_eigenvalue = 2;
          level.sweep_by(exec, form);
          EXPECT_EQ(level.sweeps, form);
          smooth(exec, level, smoother, level.u, level.f);
          exec.fence();
          const auto found = problem.cells_of(level.u);
          smooth(exec, level, smoother, level.u, level.f, SmoothingOrder::back);
          exec.fence();
          const auto found_back = problem.cells_of(level.u);
          if (form == SweepForm::cells) {
            wanted = found;
            wanted_back = found_back;
          }
          const std::string where = std::string(to_string(form)) + " in " + std::to_string(boxes) + "^3 boxes of " +
                                    std::to_string(dim) + "^3, " + std::string(to_string(smoother));
          EXPECT_EQ(num_different(found, wanted), 0) << where;
          EXPECT_EQ(num_different(found_back, wanted_back), 0) << where << ", back";
        }
      }
    }
  }
}

TEST(SweepForm, SolvesOfAllFormsHaveTheSameBits) {
  for (const Discretisation discretisation : {Discretisation::fv2, Discretisation::fv4}) {
    std::vector<double> norms;
    for (const SweepForm form : {SweepForm::automatic, SweepForm::cells, SweepForm::planes}) {
      const auto multigrid = benchmark(16, 8, {.discretisation = discretisation, .sweeps = form});
      const auto found = multigrid->solve(Exec(), Cycle::f).norms;
      if (norms.empty()) norms = found;
      EXPECT_EQ(found, norms) << to_string(discretisation) << " by " << to_string(form);
    }
    EXPECT_EQ(norms.size(), 1U);
  }
}

TEST(SweepForm, IsChosenByWhatTeamsHaveToDo) {
  const Exec exec;
  const auto form = [&](SweepForm asked, int dim, int boxes, Discretisation discretisation = Discretisation::fv4) {
    return sweep_form(exec, asked, discretisation, dim, boxes);
  };
  const SweepForm of_many = is_gpu_v<Exec> ? SweepForm::planes : SweepForm::cells;
  EXPECT_EQ(form(SweepForm::automatic, 64, 1), SweepForm::cells);
  EXPECT_EQ(form(SweepForm::automatic, 128, 1), of_many);
  EXPECT_EQ(form(SweepForm::automatic, 80, 4), of_many);
  EXPECT_EQ(form(SweepForm::automatic, 34, 27), SweepForm::cells) << "most of its tiles are beyond the boxes";
  EXPECT_EQ(form(SweepForm::automatic, 32, 512), of_many);
  EXPECT_EQ(form(SweepForm::automatic, 16, 4096), SweepForm::cells);
  EXPECT_EQ(form(SweepForm::cells, 256, 1), SweepForm::cells);
  EXPECT_EQ(form(SweepForm::planes, 8, 1), SweepForm::planes);
  EXPECT_EQ(form(SweepForm::planes, 256, 1, Discretisation::fv2), SweepForm::cells) << "sweeps in place";
}

TEST(PlaneTiles, TellWhichShareOfTheirTimeTeamsHaveWork) {
  constexpr int teams = 264, width = 32, height = 16;  // of an H200
  const auto share = [&](int boxes, int dim) {
    return multigrid::impl::PlaneTiles::of(boxes, dim, width, height, teams).used_share(boxes, dim, teams);
  };
  // 128 columns of 2 slabs work at a time, each of 128 planes and what 5 take: 256 of 264 teams.
  EXPECT_DOUBLE_EQ(share(1, 256), 256. / 264 * 128 / 133);
  EXPECT_DOUBLE_EQ(share(4, 80), 4. * 80 * 80 * 80 / (25. * 264 * 512));  // 60 columns of 4 slabs of 20 planes
  EXPECT_DOUBLE_EQ(share(1, 16), 16. * 16 * 16 / (6. * 264 * 512));       // 16 slabs of one plane
  EXPECT_DOUBLE_EQ(share(1024, 32), 1024. * 32 * 32 * 32 / (8. * 37 * 264 * 512));  // 2048 columns: 8 rounds
  EXPECT_EQ(share(0, 64), 0);
}

TEST(CellTiles, HaveEachPlaceOnce) {
  using Tiles = CellTiles<>;
  constexpr int boxes = 2;
  for (const Index3& size : {Index3{32, 64, 64}, {4, 8, 8}, {5, 9, 9}, {10, 19, 19}, {33, 33, 33}, {8, 16, 16}}) {
    const Tiles tiles = Tiles::of(size);
    const int places = size[0] * size[1] * size[2];
    std::vector<int> times(std::size_t(boxes * places));
    for (int tile = 0; tile < tiles.count(boxes); ++tile) {
      for (int thread = 0; thread < Tiles::threads; ++thread) {
        tiles.at(tile, thread, [&](int box, int i, int j, int k) {
          ++times[std::size_t(((box * size[2] + k) * size[1] + j) * size[0] + i)];
        });
      }
    }
    EXPECT_THAT(times, ::testing::Each(1)) << size[0] << " x " << size[1] << " x " << size[2];
  }
  // Few threads have nothing to do in boxes that tiles are worth it for.
  for (const int dim : {8, 16, 32, 128}) {
    const Index3 pairs{dim / 2, dim, dim};
    EXPECT_LE(Tiles::of(pairs).count(1) * Tiles::threads, 2 * pairs[0] * pairs[1] * pairs[2]) << dim;
  }
}

}  // namespace
}  // namespace ashlar::testing
