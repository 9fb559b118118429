#pragma once

#include <cstddef>
#include <type_traits>

// What a Step may be. Declarations alone: where kernels are launched they are named, and not needed.
namespace ashlar::multigrid {
struct Fv2Stencil;
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
template <class Blocks>
struct RestrictCells;
template <class Blocks, int reach>
struct Interpolate;
struct CopyGhosts;
struct ExtendToGhosts;
struct SetZero;
struct RelaxInScratch;
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

/// All that a visit of a level launches.
using StepKernels =
    KernelList<AtColour<false, WithFluxes<RelaxBody<Fv4Stencil>>, Items<int>>,
               AtColour<false, RelaxInPlaceBody<Fv2Stencil>, Items<int>>, AtRegions<Items<GhostCopy>, CopyGhosts>,
               AtRegions<Items<BoundaryRegion>, ExtendToGhosts>, FluxStep<Fv2Stencil, ResidualBody>,
               FluxStep<Fv4Stencil, ResidualBody>, FluxStep<Fv2Stencil, PolynomialBody>,
               FluxStep<Fv4Stencil, PolynomialBody>, CellStep<RestrictCells<Items<TransferBlock>>>,
               CellStep<Interpolate<Items<TransferBlock>, 1>>, CellStep<Interpolate<Items<TransferBlock>, 2>>, SetZero,
               RelaxInScratch, BottomSolve<Fv2Stencil>, BottomSolve<Fv4Stencil>>;

}  // namespace ashlar::multigrid::impl
