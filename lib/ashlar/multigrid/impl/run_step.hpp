#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/impl/bottom_solve.hpp>
#include <ashlar/multigrid/impl/cell_bodies.hpp>
#include <ashlar/multigrid/impl/for_each_cell.hpp>
#include <ashlar/multigrid/impl/ghost_kernels.hpp>
#include <ashlar/multigrid/impl/prolong_in_scratch.hpp>
#include <ashlar/multigrid/impl/relax_in_scratch.hpp>
#include <ashlar/multigrid/impl/step.hpp>
#include <ashlar/multigrid/impl/transfer_bodies.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

template <int number, class Members, class... Kernels>
KOKKOS_FUNCTION void run_step_of(const Step&, const Members&, KernelList<>) {}

template <int number, class Members, class Kernel, class... Rest>
KOKKOS_FUNCTION void run_step_of(const Step& step, const Members& crew, KernelList<Kernel, Rest...>) {
  if (step.kind == number) {
    const Kernel& kernel = *reinterpret_cast<const Kernel*>(step.kernel);
    // Who takes part by teams or with scratch memory is called with the crew; others once a place.
    if constexpr (requires { Kernel::is_for_crews; }) {
      kernel(crew);
    } else {
      // A copy, which no store can change: what it holds stays in registers.
      const Kernel mine = kernel;
      crew.share(step.count, mine);
    }
  } else {
    run_step_of<number + 1>(step, crew, KernelList<Rest...>());
  }
}

/// The part of one thread of the crew in a step of vectors of Real.
template <class Real, class Members>
KOKKOS_FUNCTION void run_step(const Step& step, const Members& crew) {
  run_step_of<0>(step, crew, StepKernels<Real>());
}

}  // namespace ashlar::multigrid::impl
