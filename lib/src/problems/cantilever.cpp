#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cmath>

namespace ashlar::problems {

namespace {

void require(bool holds, const std::string& problem, const char* why, const char* suggestion) {
  if (!holds) throw ArgumentError("cantilever: " + problem, why, suggestion);
}

double length(const std::array<double, 3>& v) { return std::sqrt(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]); }

/// The coupling of the solids of dof 6, unknown r to unknown c.
double solids(int r, int c) { return r / 3 == c / 3 ? 1 : 0.5; }
/// M of dof 6.
double tie(int r, int c) { return (r == c ? 0.5 : 0) + 1.0 / 12; }

}  // namespace

void check(const Cantilever& problem) {
  require(problem.dof == 1 || problem.dof == 3 || problem.dof == 6, text("dof ", problem.dof),
          "a node has 1, 3 or 6 unknowns", "choose one of these");
  require(problem.youngs_modulus > 0 && is_finite(problem.youngs_modulus),
          text("Young's modulus ", problem.youngs_modulus), "a solid resists being stretched",
          "pass a positive number");
  require(problem.poissons_ratio > -1 && problem.poissons_ratio < 0.5, text("Poisson's ratio ", problem.poissons_ratio),
          "the matrix is positive definite between -1 and 0.5 only",
          "pass 0.3 for steel, at most about 0.49 for rubber");
  require(is_finite(problem.weight), text("weight ", problem.weight), "a load is finite", "pass density times gravity");
  require(is_finite(length(problem.traction)),
          text("traction ", problem.traction[0], " ", problem.traction[1], " ", problem.traction[2]),
          "a load is finite", "pass force by area in x, y and z");
  require(problem.coupling >= 0 && is_finite(problem.coupling), text("coupling ", problem.coupling),
          "a negative one could make the matrix indefinite", "pass 1, or 0 to leave the coupling out");
  cantilever_grid(problem);
}

HexGrid cantilever_grid(const Cantilever& problem) { return HexGrid(problem.nodes, problem.lengths); }

std::vector<double> cantilever_element_matrix(const Cantilever& problem) {
  check(problem);
  const HexGrid grid = cantilever_grid(problem);
  const std::array<double, 3> edges = grid.spacing();
  const auto laplacian = hex8_laplacian(edges);
  const auto mass = hex8_mass(edges);
  const auto stiffness = hex8_stiffness(edges, problem.youngs_modulus, problem.poissons_ratio);
  const double coupling = problem.coupling * problem.youngs_modulus / (grid.lengths()[0] * grid.lengths()[0]);

  const int dof = problem.dof;
  std::vector<double> matrix;
  matrix.reserve(64 * static_cast<std::size_t>(dof) * static_cast<std::size_t>(dof));
  for (int a = 0; a < 8; ++a) {
    for (int b = 0; b < 8; ++b) {
      for (int r = 0; r < dof; ++r) {
        for (int c = 0; c < dof; ++c) {
          const double elastic = stiffness[24 * (3 * a + r % 3) + 3 * b + c % 3];
          matrix.push_back(dof == 1   ? laplacian[8 * a + b]
                           : dof == 3 ? elastic
                                      : solids(r, c) * elastic + coupling * mass[8 * a + b] * tie(r, c));
        }
      }
    }
  }
  return matrix;
}

namespace impl {

HexLoad<6> cantilever_hex_load(const Cantilever& problem, bool clamp) {
  check(problem);
  const HexGrid grid = cantilever_grid(problem);
  const std::array<double, 3> h = grid.spacing();
  const double by_volume = h[0] * h[1] * h[2] / 8, by_face = h[1] * h[2] / 4;
  HexLoad<6> load{grid.lattice(), clamp, {}, {}};
  for (int unknown = 0; unknown < problem.dof; ++unknown) {
    const double source = problem.dof == 1 ? problem.weight : unknown % 3 == 2 ? -problem.weight : 0;
    const double pull = problem.dof == 1 ? length(problem.traction) : problem.traction[unknown % 3];
    load.volume[unknown] = by_volume * source;
    load.face[unknown] = by_face * pull;
  }
  return load;
}

}  // namespace impl

}  // namespace ashlar::problems
