#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/boundary.hpp>
#include <ashlar/multigrid/box_layout.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/crew.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <type_traits>

namespace ashlar::multigrid::impl {

/// make(i) for each i < count, dealt to the members of a crew. Each keeps its first, so that it makes nothing again
/// where there are as many members as things.
template <class Members, class Make>
class Dealt {
 public:
  using Thing = std::invoke_result_t<Make, int>;

  KOKKOS_FUNCTION Dealt(const Members& crew, int count, const Make& make)
      : crew_(crew), count_(count), make_(make), first_(make(crew.rank < count ? crew.rank : count - 1)) {}

  template <class Work>
  KOKKOS_FUNCTION void for_each(const Work& work) const {
    if (crew_.rank >= count_) return;
    work(first_);
    for (int i = crew_.rank + crew_.size; i < count_; i += crew_.size) work(make_(i));
  }

 private:
  const Members& crew_;
  int count_;
  const Make& make_;
  Thing first_;
};

/// All half sweeps of a smoothing with Gauss-Seidel on a level of one small box, by one team: x and its ghost cells are
/// in scratch memory meanwhile, and what a thread reads of the matrix stays with it. Half sweeps are so short there that
/// steps of a visit of their own would take several times as long.
struct RelaxInScratch {
  static constexpr bool is_for_crews = true;
  static constexpr int ghosts = 2;
  static constexpr int least_dim = 4, most_dim = 8;

  RelaxBody<Fv4Stencil> body;  // of x, and of the first colour; `out` is x
  BoxLayout layout;
  BoundaryWeights weights;
  int num_half_sweeps;

  /// Even, so that cells are in pairs of both colours; and with as many cells as the boundary's polynomial needs.
  static bool serves(const BoxLayout& layout, int num_boxes) {  // own ones
    return num_boxes == 1 && layout.ghosts == ghosts && layout.dim % 2 == 0 && layout.dim >= least_dim &&
           layout.dim <= most_dim;
  }

  struct Cell {
    int at, colour;
    FaceOfFv4 low[3], high[3];
    RelaxBody<Fv4Stencil>::Read read;
  };

  /// Ghost cells beyond a face, two of them, or beyond an edge, two by two, that follow from the same cells.
  struct Column {
    int first;       // the cell nearest to them
    int inwards[2];  // from it to the next, by direction that leads out; of a face the second is 0
  };

  template <class Members>
  KOKKOS_FUNCTION void operator()(const Members& crew) const {
    const int n = layout.dim, num_cells = n * n * n;
    double* now = crew.scratch;
    double* next = now + layout.volume();
    const auto make_cell = MakeCell{*this};
    const auto make_column = MakeColumn{layout};
    const Dealt<Members, MakeCell> cells(crew, num_cells, make_cell);
    const Dealt<Members, MakeColumn> columns(crew, make_column.count(), make_column);
    const double* const x = body.stencil.data.x;
    cells.for_each([&](const Cell& cell) { now[cell.at] = x[cell.at]; });
    for (int sweep = 0; sweep < num_half_sweeps; ++sweep) {
      crew.meet();
      columns.for_each([&](const Column& column) { extend(now, column); });
      crew.meet();
      const int colour = (body.colour + sweep) & 1;
      cells.for_each([&](const Cell& cell) {
        const double here = now[cell.at];
        next[cell.at] = cell.colour == colour ? relaxed(now + cell.at, here, cell) : here;
      });
      double* const made = next;
      next = now;
      now = made;
    }
    // (Each writes what it made itself.)
    cells.for_each([&](const Cell& cell) { body.out[cell.at] = now[cell.at]; });
  }

 private:
  struct MakeCell {
    const RelaxInScratch& level;

    /// First all cells of the colour 0, then all of the other.
    KOKKOS_FUNCTION Cell operator()(int number) const {
      const BoxLayout& layout = level.layout;
      const int n = layout.dim, half = n * n * n / 2, pairs = n / 2;
      const int colour = number >= half ? 1 : 0, pair = number - colour * half;
      const int row = pair / pairs, j = row % n, k = row / n;
      const int i = 2 * (pair % pairs) + ((j + k + colour) & 1);
      const int c = int(layout.at(0, i, j, k));
      const Fv4Stencil& faces = level.body.stencil;
      return {c,
              colour,
              {faces.face<0>(c), faces.face<1>(c), faces.face<2>(c)},
              {faces.face<0>(c + 1), faces.face<1>(c + layout.row()), faces.face<2>(c + layout.plane())},
              level.body.read(c)};
    }
  };

  struct MakeColumn {
    const BoxLayout& layout;

    KOKKOS_FUNCTION int num_of_faces() const { return 6 * layout.dim * layout.dim; }
    KOKKOS_FUNCTION int count() const { return num_of_faces() + 12 * layout.dim; }

    KOKKOS_FUNCTION Column operator()(int number) const {
      const int n = layout.dim;
      const auto first_of = [&](int side) { return side == 0 ? 0 : n - 1; };
      const auto inwards = [&](int d, int side) { return int(side == 0 ? layout.stride(d) : -layout.stride(d)); };
      int cell[3] = {};
      const auto set = [&](int d, int to) { (d == 0 ? cell[0] : d == 1 ? cell[1] : cell[2]) = to; };
      Column column{0, {0, 0}};
      if (number < num_of_faces()) {
        const int face = number / (n * n), d = face / 2, side = face % 2;
        set(d, first_of(side));
        set((d + 1) % 3, number % n);
        set((d + 2) % 3, number / n % n);
        column.inwards[0] = inwards(d, side);
      } else {
        const int at = number - num_of_faces(), edge = at / n, along = edge / 4;
        const int d = along == 0 ? 1 : 0, e = along == 2 ? 1 : 2;  // the directions that lead out, in order
        set(along, at % n);
        set(d, first_of(edge % 2));
        set(e, first_of(edge / 2 % 2));
        column.inwards[0] = inwards(d, edge % 2);
        column.inwards[1] = inwards(e, edge / 2 % 2);
      }
      column.first = int(layout.at(0, cell[0], cell[1], cell[2]));
      return column;
    }
  };

  KOKKOS_FUNCTION double relaxed(const double* x, double here, const Cell& cell) const {
    const int row = layout.row(), plane = layout.plane();
    return body(cell.at, here, fv4_fluxes(cell.low, cell.high, [&](int i, int j, int k) {
                  return x[i + j * row + k * plane];
                }), cell.read);
  }

  /// In the order of additions of ExtendedCell.
  KOKKOS_FUNCTION double extended(const double (&from)[4], int depth) const {
    double result = 0;
    for (int p = 0; p < 4; ++p) result += weights.of[depth][p] * from[p];
    return result;
  }

  KOKKOS_FUNCTION void extend(double* x, const Column& column) const {
    double* const first = x + column.first;
    const int d = column.inwards[0], e = column.inwards[1];
    double from[4];
    if (e == 0) {
      for (int p = 0; p < 4; ++p) from[p] = first[p * d];
      for (int depth = 0; depth < 2; ++depth) first[-(depth + 1) * d] = extended(from, depth);
      return;
    }
    double within[2][4];  // by depth in the second direction, at the places in the first
    for (int p = 0; p < 4; ++p) {
      for (int q = 0; q < 4; ++q) from[q] = first[p * d + q * e];
      for (int depth = 0; depth < 2; ++depth) within[depth][p] = extended(from, depth);
    }
    for (int depth_e = 0; depth_e < 2; ++depth_e) {
      for (int depth_d = 0; depth_d < 2; ++depth_d) {
        first[-(depth_d + 1) * d - (depth_e + 1) * e] = extended(within[depth_e], depth_d);
      }
    }
  }
};

static_assert(2 * (RelaxInScratch::most_dim + 4) * (RelaxInScratch::most_dim + 4) * (RelaxInScratch::most_dim + 4) <=
              crew_scratch_size);

}  // namespace ashlar::multigrid::impl
