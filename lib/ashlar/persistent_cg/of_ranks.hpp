#pragma once

#include <ashlar/persistent_cg/one_device.hpp>
#include <ashlar/persistent_cg/ranks.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace ashlar {

namespace impl {

/// As PersistentCg, with the local columns of a rank.
template <class Exec, class Value, class Layout, class Ordinal, class Offset>
struct PersistentCgOfRanks {
  static constexpr bool is_compiled = false;
};

#ifdef KOKKOS_ENABLE_CUDA
template <class Value, class Layout>
requires std::is_floating_point_v<Value>
struct PersistentCgOfRanks<Kokkos::Cuda, Value, Layout, std::int32_t, std::int32_t> {
  using Arguments = SpmvArguments<Value, Value, std::int32_t, std::int32_t>;
  static constexpr bool is_compiled = true;

  /// Collective: connects the rendezvous once, whatever this rank has to offer.
  static CgKernelOffer<Kokkos::Cuda> make(const Kokkos::Cuda& exec, const Arguments& arguments,
                                          const DiagonalInverse<Value>& inverse, const CgPlace<Value>& place,
                                          const std::shared_ptr<CgRendezvous<Value>>& rendezvous);
};
#endif

}  // namespace impl

/// Collective. The kernel that makes many iterations of CG with the matrix of several ranks, each on its own device, or
/// why there is none. The kernels of all ranks run simultaneously and iterate as one. `a` has this rank's rows in local
/// columns; the rendezvous has the blocks in remote columns.
///
/// An iteration is that of persistent_cg(), with three additions. At the first barrier the thread blocks send the
/// boundary entries of p, as packets. Products of remote blocks are added to those of local ones as soon as their
/// packets arrive: by warps to which such rows are assigned or, if the matrix stays in scratch memory, by the thread
/// that has the row. Sums run over all thread blocks of all ranks in one order and give the same bits everywhere. The
/// host waits for nothing. All ranks have a kernel, or none has.
///
/// Memory   as persistent_cg(); the kernel keeps the rendezvous, which owns what the ranks share.
/// Async    as persistent_cg(); all ranks enqueue alike. A kernel that waits for another rank longer than
///          HaloOptions::time_out_seconds gives up, and check() throws.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG; Hestenes & Stiefel 1952.
template <class Exec, bcsr_matrix Matrix, class M, class Scalar>
CgKernelOffer<Exec> persistent_cg_of_ranks(const Exec& exec, const SpmvPlan<Matrix>& plan, const Matrix& a, const M& m,
                                           const CgPlace<Scalar>& place,
                                           const std::shared_ptr<CgRendezvous<Scalar>>& rendezvous) {
  using Value = typename Matrix::scalar_type;
  using Persistent = impl::PersistentCgOfRanks<Exec, Value, typename Matrix::layout_type, typename Matrix::ordinal_type,
                                               typename Matrix::offset_type>;
  if constexpr (!Persistent::is_compiled || !std::is_same_v<Value, Scalar>) {
    return {nullptr, "there is one for CUDA alone, with matrices and vectors of float or of double and 32-bit indices",
            false};
  } else {
    // What one rank cannot do, none does: each connects.
    DiagonalInverse<Scalar> inverse;
    std::string why = why_no_team_product(plan, a);
    if (why.empty()) why = impl::why_no_inverse(m, a.block_size(), inverse);
    if (!why.empty()) {
      rendezvous->connect(0, "");
      return {nullptr, why, false};
    }
    return Persistent::make(exec, impl::spmv_arguments(plan, a, Value(1), Value(0)), inverse, place, rendezvous);
  }
}

}  // namespace ashlar
