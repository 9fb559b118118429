#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/ghost_fill.hpp>
#include <ashlar/multigrid/ghost_plan.hpp>
#include <ashlar/multigrid/methods.hpp>
#include <ashlar/multigrid/phase_times.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::multigrid {

/// One level of a multigrid: its boxes, its vectors, and how their ghost cells are filled. All vectors are arrays of
/// boxes (layout()), with ghost cells.
template <execution_space Exec>
struct Level {
  using Space = typename Exec::memory_space;
  using Vector = Kokkos::View<double**, Kokkos::LayoutRight, Space>;

  /// Allocates. `number` counts levels from the finest, 0.
  Level(const BoxGrid& boxes, Discretisation kind, Equation pde, std::size_t level_number)
      : grid(boxes),
        discretisation(kind),
        equation(pde),
        number(level_number),
        layout{boxes.box_dim(), reach_of(kind)},
        u(vector("u")),
        f(vector("f")),
        r(vector("r")),
        temp(vector("temp")),
        inverse_diagonal(vector("inverse_diagonal")),
        beta{vector("beta_i"), vector("beta_j"), vector("beta_k")},
        parities("ashlar::multigrid::parities", std::size_t(num_boxes())),
        origins("ashlar::multigrid::origins", std::size_t(num_boxes())) {
    if (pde == Equation::helmholtz) alpha = vector("alpha");
    const auto shape = kind == Discretisation::fv2 ? GhostShape::star : GhostShape::no_corners;
    fill_for_operator = GhostFill<Exec>(layout, make_ghost_plan(grid, layout.ghosts, shape));
    fill_for_interpolation = GhostFill<Exec>(layout, make_ghost_plan(grid, layout.ghosts, GhostShape::box));
    const auto host_parities = Kokkos::create_mirror_view(parities);
    const auto host_origins = Kokkos::create_mirror_view(origins);
    for (int box = 0; box < num_boxes(); ++box) {
      const Index3& place = grid.place(grid.first_own() + box);
      for (int d = 0; d < 3; ++d) host_origins(box)[d] = place[d] * layout.dim;
      host_parities(box) = (place[0] + place[1] + place[2]) * layout.dim % 2;
    }
    Kokkos::deep_copy(parities, host_parities);
    Kokkos::deep_copy(origins, host_origins);
  }

  Vector vector(const std::string& name) const {
    return Vector("ashlar::multigrid::" + name, std::size_t(num_boxes()), std::size_t(layout.volume()));
  }

  /// What the operator at a cell reads of `x`, whose ghost cells have been filled.
  StencilData stencil_data(const Vector& x) const {
    const double h = grid.cell_width();
    StencilData data;
    data.x = x.data();
    data.alpha = alpha.data();
    data.a = 1;
    data.b_over_h2 = 1 / (h * h);
    for (int d = 0; d < 3; ++d) {
      data.beta[d] = beta[d].data();
      data.stride[d] = layout.stride(d);
    }
    return data;
  }

  int num_boxes() const { return grid.num_own(); }
  Index3 box_size() const { return {layout.dim, layout.dim, layout.dim}; }
  std::int64_t num_cells() const {
    return std::int64_t(grid.num_boxes()) * layout.dim * std::int64_t(layout.dim) * layout.dim;
  }

  /// Calls work(), and counts its time where somebody wants to know.
  template <class Work>
  void timed(const Exec& exec, Phase phase, const Work& work) const {
    times != nullptr ? times->run(exec, number, phase, work) : work();
  }

  BoxGrid grid;
  Discretisation discretisation;
  Equation equation;
  std::size_t number;
  BoxLayout layout;

  Vector u, f;     ///< the solution, or what is to be added to the finer one; the right-hand side
  Vector r, temp;  ///< the right-hand side of a cycle that goes on here; scratch memory
  Vector inverse_diagonal;
  Vector alpha;                   ///< empty for Poisson's equation
  Vector beta[3];                 ///< averages over each cell's low faces normal to i, j and k
  double largest_eigenvalue = 0;  ///< of the matrix times its inverse diagonal: a bound

  Kokkos::View<int*, Space> parities;    ///< of i + j + k of each box's first cell
  Kokkos::View<Index3*, Space> origins;  ///< i, j and k of each box's first cell
  GhostFill<Exec> fill_for_operator, fill_for_interpolation;
  PhaseTimes* times = nullptr;
};

/// Bytes that the vectors of a level take.
inline std::uint64_t level_bytes(const BoxGrid& grid, Discretisation discretisation, Equation equation) {
  const BoxLayout layout{grid.box_dim(), reach_of(discretisation)};
  const int vectors = equation == Equation::helmholtz ? 9 : 8;
  return std::uint64_t(grid.num_own()) * std::uint64_t(layout.volume()) * std::uint64_t(vectors) * sizeof(double);
}

}  // namespace ashlar::multigrid
