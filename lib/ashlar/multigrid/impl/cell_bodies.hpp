#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstdint>

/// What kernels do at a cell. Places of cells are as in BoxLayout.
namespace ashlar::multigrid::impl {

/// A body that wants the place of the cell only.
template <class Body>
struct ByPlace {
  Body body;
  BoxLayout layout;

  template <class... Rest>
  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k, Rest&... rest) const {
    body(layout.at(box, i, j, k), rest...);
  }
};

/// out := A x. This and what follows say what becomes of a cell whose x is `here`, from the sum of the fluxes into it
/// and what read() takes of memory besides, which may come early. They write nothing themselves.
template <class Stencil>
struct ApplyBody {
  using Real = typename Stencil::Real;
  Stencil stencil;
  Real* out;
  struct Read {};
  KOKKOS_FUNCTION Read read(std::int64_t) const { return {}; }
  KOKKOS_FUNCTION Real operator()(std::int64_t c, Real here, Real fluxes, const Read&) const {
    return applied(stencil, c, here, fluxes);
  }
};

/// out := f - A x
template <class Stencil>
struct ResidualBody {
  using Real = typename Stencil::Real;
  Stencil stencil;
  const Real* f;
  Real* out;
  struct Read {
    Real f;
  };
  KOKKOS_FUNCTION Read read(std::int64_t c) const { return {f[c]}; }
  KOKKOS_FUNCTION Real operator()(std::int64_t c, Real here, Real fluxes, const Read& read) const {
    return read.f - applied(stencil, c, here, fluxes);
  }
};

/// The body is for the cells of one colour.
template <class Body>
inline constexpr bool has_colour = requires(const Body& body) {
  body.colour;
};

/// One of these where each cell works out its fluxes itself.
template <class Body>
struct WithFluxes {
  Body body;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const {
    body.out[c] = body(c, body.stencil.data.x[c], fluxes_at(body.stencil, c), body.read(c));
  }
  KOKKOS_FUNCTION void update(std::int64_t c) const { (*this)(c); }
  KOKKOS_FUNCTION void keep(std::int64_t c) const { body.out[c] = body.stencil.data.x[c]; }
};

/// x := 0, all of a vector.
template <class Real>
struct SetZero {
  /// Cycles set a vector to zero that the kernel before neither reads nor writes.
  static constexpr bool needs_none_before = true;

  Real* x;
  KOKKOS_FUNCTION void operator()(std::int64_t at) const { x[at] = 0; }
};

/// out := x
template <class Real>
struct CopyBody {
  const Real* x;
  Real* out;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const { out[c] = x[c]; }
};

/// out := a x + b y
template <class Real>
struct CombineBody {
  Real a, b;
  const Real *x, *y;
  Real* out;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const { out[c] = a * x[c] + b * y[c]; }
};

/// out := x y, cell by cell
template <class Real>
struct MultiplyBody {
  const Real *x, *y;
  Real* out;
  KOKKOS_FUNCTION void operator()(std::int64_t c) const { out[c] = x[c] * y[c]; }
};

template <class Real>
struct DotBody {
  const Real *x, *y;
  KOKKOS_FUNCTION void operator()(std::int64_t c, double& sum) const { sum += double(x[c]) * double(y[c]); }
};

/// The norm of a vector with NaN is infinite: a comparison would pass over it.
template <class Real>
struct NormBody {
  const Real* x;
  KOKKOS_FUNCTION void operator()(std::int64_t c, double& largest) const {
    const double size = Kokkos::abs(x[c]);
    if (size > largest) largest = size;
    if (!is_finite(size)) largest = Kokkos::Experimental::infinity_v<double>;
  }
};

/// 1 at the cells of one of colours^3 colours, 0 at the others.
template <class Origins, class Real>
struct ColourBody {
  Origins origins;
  BoxLayout layout;
  int colours;
  Index3 colour;
  Real* out;

  KOKKOS_FUNCTION bool is_of_colour(int box, int i, int j, int k) const {
    const Index3& origin = origins(box);
    return (origin[0] + i) % colours == colour[0] && (origin[1] + j) % colours == colour[1] &&
           (origin[2] + k) % colours == colour[2];
  }
  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    out[layout.at(box, i, j, k)] = is_of_colour(box, i, j, k) ? 1 : 0;
  }
};

/// From the operator times a colour: the diagonal at its cells, at others a term of the sum of off-diagonal entries.
template <class Origins, class Real>
struct ProbeBody {
  ColourBody<Origins, Real> colour;
  const Real* product;
  Real *diagonal, *off_diagonal;
  KOKKOS_FUNCTION void operator()(int box, int i, int j, int k) const {
    const auto c = colour.layout.at(box, i, j, k);
    if (colour.is_of_colour(box, i, j, k)) {
      diagonal[c] = product[c];
    } else {
      off_diagonal[c] += Kokkos::abs(product[c]);
    }
  }
};

/// diagonal := 1 / diagonal; the largest sum over a row of the matrix that is scaled by it, infinite where a diagonal
/// entry is not positive, or the sum is not finite.
template <class Real>
struct InvertBody {
  Real* diagonal;
  const Real* off_diagonal;
  KOKKOS_FUNCTION void operator()(std::int64_t c, double& largest) const {
    const double bound = (diagonal[c] + off_diagonal[c]) / diagonal[c];
    if (bound > largest) largest = bound;
    if (!is_finite(bound) || diagonal[c] <= 0 || bound < 1) largest = Kokkos::Experimental::infinity_v<double>;
    diagonal[c] = 1 / diagonal[c];
  }
};

}  // namespace ashlar::multigrid::impl
