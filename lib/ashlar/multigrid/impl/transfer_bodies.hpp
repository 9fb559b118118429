#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <cstdint>

/// The bodies of restriction and interpolation at a coarse cell (i, j, k) of a block of a TransferPlan.
namespace ashlar::multigrid::impl {

template <class Blocks>
struct Transfer {
  Blocks blocks;
  BoxLayout fine_layout, coarse_layout;

  KOKKOS_FUNCTION std::int64_t fine_at(int block, int i, int j, int k) const {
    return fine_layout.at(blocks(block).fine_box, 2 * i, 2 * j, 2 * k);
  }
  KOKKOS_FUNCTION std::int64_t coarse_at(int block, int i, int j, int k) const {
    const TransferBlock& b = blocks(block);
    return coarse_layout.at(b.coarse_box, b.begin[0] + i, b.begin[1] + j, b.begin[2] + k);
  }
};

/// A coarse cell is the mean of 8 fine ones, of which this is the first; `row` and `plane` are between neighbours in j
/// and k.
template <class Real>
KOKKOS_FUNCTION Real mean_of_fine(const Real* fine, int row, int plane) {
  const Real* const above = fine + plane;
  return Real(0.125) *
         (fine[0] + fine[1] + fine[row] + fine[row + 1] + above[0] + above[1] + above[row] + above[row + 1]);
}

template <class Blocks, class Real>
struct RestrictCells {
  Transfer<Blocks> transfer;
  const Real* fine;
  Real* coarse;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    coarse[transfer.coarse_at(block, i, j, k)] =
        mean_of_fine(fine + transfer.fine_at(block, i, j, k), transfer.fine_layout.row(), transfer.fine_layout.plane());
  }
};

/// A coarse face normal to `direction` is the mean of 4 fine ones. In that direction the block has one layer more,
/// which counts where it is the coarse box's last.
template <class Blocks, class Real>
struct RestrictFaces {
  Transfer<Blocks> transfer;
  const Real* fine;
  Real* coarse;
  int direction, dim;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const int at = direction == 0 ? i : direction == 1 ? j : k;
    if (at == dim && transfer.blocks(block).begin[direction] + at != transfer.coarse_layout.dim) return;
    const std::int64_t c = transfer.fine_at(block, i, j, k);
    const std::int64_t s = transfer.fine_layout.stride((direction + 1) % 3),
                       t = transfer.fine_layout.stride((direction + 2) % 3);
    coarse[transfer.coarse_at(block, i, j, k)] = Real(0.25) * (fine[c] + fine[c + s] + fine[c + t] + fine[c + s + t]);
  }
};

/// Fine cells from a polynomial of degree 2 reach whose averages over the coarse cells are theirs, in each direction in
/// turn: the two halves of a coarse cell are its average plus and minus what `weights` make of the cells around.
template <class Real, int reach>
struct InterpolationWeights {
  Real weights[reach];
  bool adds;  // to what is there

  KOKKOS_FUNCTION void halves(const Real* x, std::int64_t stride, Real& low, Real& high) const {
    Real difference = 0;
    for (int m = 1; m <= reach; ++m) difference += weights[m - 1] * (x[-m * stride] - x[m * stride]);
    low = x[0] + difference;
    high = x[0] - difference;
  }

  /// The fine cells of a coarse one: `row` and `plane` are between neighbours in j and k.
  KOKKOS_FUNCTION void at_cell(const Real* x, int row, int plane, Real* to, int to_row, int to_plane) const {
    constexpr int n = 2 * reach + 1;
    Real in_k[2][2][n];  // by halves in j and i
    for (int c = 0; c < n; ++c) {
      Real in_j[2][n];  // by halves in i
      for (int b = 0; b < n; ++b) {
        halves(x + (b - reach) * row + (c - reach) * plane, 1, in_j[0][b], in_j[1][b]);
      }
      for (int half = 0; half < 2; ++half) halves(in_j[half] + reach, 1, in_k[0][half][c], in_k[1][half][c]);
    }
    for (int b = 0; b < 2; ++b) {
      for (int a = 0; a < 2; ++a) {
        Real cells[2];
        halves(in_k[b][a] + reach, 1, cells[0], cells[1]);
        for (int c = 0; c < 2; ++c) {
          Real& cell = to[a + b * to_row + c * to_plane];
          cell = adds ? cell + cells[c] : cells[c];
        }
      }
    }
  }
};

template <class Real>
constexpr InterpolationWeights<Real, 1> quadratic_weights(bool adds) {
  return {{1. / 8}, adds};
}
template <class Real>
constexpr InterpolationWeights<Real, 2> quartic_weights(bool adds) {
  return {{22. / 128, -3. / 128}, adds};
}

template <class Blocks, class Real, int reach>
struct Interpolate {
  Transfer<Blocks> transfer;
  const Real* coarse;
  Real* fine;
  InterpolationWeights<Real, reach> weights;

  KOKKOS_FUNCTION void operator()(int block, int i, int j, int k) const {
    const BoxLayout &from = transfer.coarse_layout, &to = transfer.fine_layout;
    weights.at_cell(coarse + transfer.coarse_at(block, i, j, k), from.row(), from.plane(),
                    fine + transfer.fine_at(block, i, j, k), to.row(), to.plane());
  }
};

}  // namespace ashlar::multigrid::impl
