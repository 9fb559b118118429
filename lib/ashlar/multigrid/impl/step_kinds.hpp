#pragma once

#include <cstddef>
#include <type_traits>

// What a Step may be. Declarations alone: where kernels are launched they are named, and not needed.
namespace ashlar::multigrid {
template <class Type>
struct Fv2Stencil;
template <class Type>
struct Fv4Stencil;
struct GhostCopy;
struct BoundaryRegion;
struct TransferBlock;
}  // namespace ashlar::multigrid

namespace ashlar::multigrid::impl {

template <class Item>
struct Items;
template <bool by_rows, class Body>
struct AtCells;
template <bool by_rows, class Body, class Parities>
struct AtColour;
template <class Regions, class Body>
struct AtRegions;
template <class Body>
struct ByPlace;
template <class Body>
struct WithFluxes;
template <class Stencil>
struct ResidualBody;
template <class Stencil>
struct RelaxBody;
template <class Stencil>
struct RelaxInPlaceBody;
template <class Stencil>
struct PolynomialBody;
template <class Blocks, class Real>
struct RestrictCells;
template <class Blocks, class Real, int reach>
struct Interpolate;
template <class Real>
struct FillGhosts;
template <class Real>
struct SetZero;
struct OneScratchTile;
struct ScratchTiles;
template <class Real, class Tiles>
struct RelaxInScratch;
template <class Real, int reach>
struct ProlongInScratch;
template <class Stencil>
struct BottomSolve;

template <class... Kernels>
struct KernelList {
  static constexpr int count = sizeof...(Kernels);

  /// The place of Kernel in the list; -1 where it is not there.
  template <class Kernel>
  static constexpr int number_of() {
    constexpr bool is_it[] = {std::is_same_v<Kernel, Kernels>...};
    for (int n = 0; n < count; ++n) {
      if (is_it[n]) return n;
    }
    return -1;
  }
};

template <class Body>
using CellStep = AtCells<false, Body>;
template <class Stencil, template <class> class Body>
using FluxStep = CellStep<ByPlace<WithFluxes<Body<Stencil>>>>;

/// All that a visit of a level launches whose vectors are of this type.
template <class Real>
using StepKernels = KernelList<
    AtColour<false, WithFluxes<RelaxBody<Fv4Stencil<Real>>>, Items<int>>,
    AtColour<false, RelaxInPlaceBody<Fv2Stencil<Real>>, Items<int>>, AtRegions<Items<GhostCopy>, FillGhosts<Real>>,
    AtRegions<Items<BoundaryRegion>, FillGhosts<Real>>, FluxStep<Fv2Stencil<Real>, ResidualBody>,
    FluxStep<Fv4Stencil<Real>, ResidualBody>, FluxStep<Fv2Stencil<Real>, PolynomialBody>,
    FluxStep<Fv4Stencil<Real>, PolynomialBody>, CellStep<RestrictCells<Items<TransferBlock>, Real>>,
    CellStep<Interpolate<Items<TransferBlock>, Real, 1>>, CellStep<Interpolate<Items<TransferBlock>, Real, 2>>,
    SetZero<Real>, RelaxInScratch<Real, OneScratchTile>, RelaxInScratch<Real, ScratchTiles>, ProlongInScratch<Real, 1>,
    ProlongInScratch<Real, 2>, BottomSolve<Fv2Stencil<Real>>, BottomSolve<Fv4Stencil<Real>>>;

/// The place of Kernel in the list of its type; -1 where it is in none.
template <class Kernel>
constexpr int step_kind() {
  const int kind = StepKernels<double>::template number_of<Kernel>();
  return kind >= 0 ? kind : StepKernels<float>::template number_of<Kernel>();
}

}  // namespace ashlar::multigrid::impl
