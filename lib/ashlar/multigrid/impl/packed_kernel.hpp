#pragma once

#include <ashlar/multigrid/impl/bottom_solve.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/prolong_in_scratch.hpp>
#include <ashlar/multigrid/impl/region_kernels.hpp>
#include <ashlar/multigrid/impl/relax_in_scratch.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <ashlar/multigrid/plans.hpp>
#include <ashlar/multigrid/smoother.hpp>
#include <ashlar/multigrid/stencil.hpp>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <tuple>
#include <type_traits>
#include <vector>

/// Kernels as data, so that one kernel can run a list of them.
namespace ashlar::multigrid::impl {

/// A level of so many cells or fewer is for one team: it waits for itself in less time than all teams for each other.
inline constexpr std::int64_t cells_of_one_team = 512;

template <class... Kernels>
struct KernelTypes {
  static constexpr int count = sizeof...(Kernels);

  /// The position of Kernel in the list; -1 where it is not there.
  template <class Kernel>
  static constexpr int position_of() {
    constexpr bool is_it[] = {std::is_same_v<Kernel, Kernels>..., false};
    for (int n = 0; n < count; ++n) {
      if (is_it[n]) return n;
    }
    return -1;
  }
};

/// Kernels as a thread a cell calls them, on CPUs as well.
template <class Body>
using CellKernel = AtCells<false, Body>;
template <class Body>
using FluxKernel = CellKernel<ByPlace<WithFluxes<Body>>>;
template <class Body>
using ColourKernel = AtColour<false, Body, Items<int>>;

/// The kernel that runs the sweep of a body.
template <class Body>
constexpr auto sweep_kernel_of() {
  if constexpr (requires { Body::is_in_place; }) {
    return std::type_identity<ColourKernel<Body>>();
  } else if constexpr (has_colour<Body>) {
    return std::type_identity<ColourKernel<WithFluxes<Body>>>();
  } else {
    return std::type_identity<FluxKernel<Body>>();
  }
}
template <class Body>
using SweepKernel = typename decltype(sweep_kernel_of<Body>())::type;

/// Appends the kernels for the bodies of smoothers, each once.
template <class... Kernels, class Kernel>
constexpr auto operator+(KernelTypes<Kernels...>, std::type_identity<Kernel>) {
  using Types = KernelTypes<Kernels...>;
  return std::conditional_t<Types::template position_of<Kernel>() < 0, KernelTypes<Kernels..., Kernel>, Types>();
}
template <class... Kernels, class... Bodies>
constexpr auto operator+(KernelTypes<Kernels...> types, std::type_identity<std::tuple<Bodies...>>) {
  return (types + ... + std::type_identity<SweepKernel<Bodies>>());
}
template <class Real, class... Kinds>
constexpr auto kernels_of_smoothers(std::type_identity<std::tuple<Kinds...>>) {
  return (KernelTypes<>() + ... + std::type_identity<typename Kinds::template Bodies<Real>>());
}

template <class Real, class... Smoothing>
KernelTypes<Smoothing..., AtRegions<Items<GhostCopy>, FillGhosts<Real>>,
            AtRegions<Items<BoundaryRegion>, FillGhosts<Real>>, FluxKernel<ResidualBody<Fv2Stencil<Real>>>,
            FluxKernel<ResidualBody<Fv4Stencil<Real>>>, CellKernel<RestrictCells<Items<TransferBlock>, Real>>,
            CellKernel<Interpolate<Items<TransferBlock>, Real, 1>>,
            CellKernel<Interpolate<Items<TransferBlock>, Real, 2>>, SetZero<Real>, RelaxInScratch<Real, OneScratchTile>,
            RelaxInScratch<Real, ScratchTiles>, ProlongInScratch<Real, 1>, ProlongInScratch<Real, 2>,
            BottomSolve<Fv2Stencil<Real>>, BottomSolve<Fv4Stencil<Real>>>
    with_all_others(KernelTypes<Smoothing...>);

/// All kernels of cycles on levels whose vectors are of this type.
template <class Real>
using CycleKernels = decltype(with_all_others<Real>(kernels_of_smoothers<Real>(std::type_identity<Smoothers>())));

/// A kernel of CycleKernels as data, with the number of places for which it is called. (No member has an initialiser,
/// so that it may lie in scratch memory.)
struct PackedKernel {
  static constexpr int most_bytes = 384;

  int kind;               ///< its position in CycleKernels
  int is_for_one_team;    ///< so little that one team does it
  int barrier_after_it;   ///< of all teams; else of that one
  int needs_none_before;  ///< it neither reads nor overwrites what the kernel before it does
  std::int64_t count;     ///< of places
  alignas(16) unsigned char kernel[most_bytes];
};

/// The kernels of a program.
struct KernelRange {
  int count = 0;
  bool is_for_one_team = false;  ///< all of them
};

template <class Real, class Kernel>
PackedKernel pack(const Kernel& kernel, std::int64_t count, bool is_for_one_team) {
  static_assert(std::is_trivially_copyable_v<Kernel> && sizeof(Kernel) <= PackedKernel::most_bytes &&
                alignof(Kernel) <= 16);
  static_assert(CycleKernels<Real>::template position_of<Kernel>() >= 0, "the kernel is missing in CycleKernels");
  PackedKernel packed{};
  packed.kind = CycleKernels<Real>::template position_of<Kernel>();
  packed.is_for_one_team = is_for_one_team ? 1 : 0;
  if constexpr (requires { Kernel::needs_none_before; }) packed.needs_none_before = 1;
  packed.count = count;
  std::memcpy(packed.kernel, &kernel, sizeof(Kernel));
  return packed;
}

/// Sets after which kernels of a list there is a barrier of all teams.
inline void place_barriers(std::vector<PackedKernel>& kernels) {
  int since_barrier = 0;    // kernels since then
  bool is_for_all = false;  // one of them
  for (std::size_t s = 0; s < kernels.size(); ++s) {
    ++since_barrier;
    is_for_all = is_for_all || kernels[s].is_for_one_team == 0;
    const PackedKernel* const next = s + 1 < kernels.size() ? &kernels[s + 1] : nullptr;
    const bool next_is_for_all = next != nullptr && next->is_for_one_team == 0;
    // A kernel that needs nothing of the one before it may need something of the ones before that.
    const bool may_go_on = next != nullptr && next->needs_none_before != 0 && since_barrier == 1;
    kernels[s].barrier_after_it = (is_for_all || next_is_for_all) && !may_go_on ? 1 : 0;
    if (kernels[s].barrier_after_it != 0) {
      since_barrier = 0;
      is_for_all = false;
    }
  }
}

template <int position, class Members>
KOKKOS_FUNCTION void run_kernel_of(const PackedKernel&, const Members&, KernelTypes<>) {}

template <int position, class Members, class Kernel, class... Rest>
KOKKOS_FUNCTION void run_kernel_of(const PackedKernel& packed, const Members& group, KernelTypes<Kernel, Rest...>) {
  if (packed.kind == position) {
    const Kernel& kernel = *reinterpret_cast<const Kernel*>(packed.kernel);
    // Kernels that use teams or scratch memory are called with the thread group; others once for each place.
    if constexpr (requires { Kernel::is_for_groups; }) {
      kernel(group);
    } else {
      // A copy, which no store can change: its members stay in registers.
      const Kernel mine = kernel;
      group.share(packed.count, mine);
    }
  } else {
    run_kernel_of<position + 1>(packed, group, KernelTypes<Rest...>());
  }
}

/// The part of one thread of the group in a kernel, for vectors of Real.
template <class Real, class Members>
KOKKOS_FUNCTION void run_kernel(const PackedKernel& packed, const Members& group) {
  run_kernel_of<0>(packed, group, CycleKernels<Real>());
}

}  // namespace ashlar::multigrid::impl
