#pragma once

#include <ashlar/operators/cg_ranks.hpp>
#include <ashlar/operators/persistent_cg.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace ashlar {

namespace impl {

/// As PersistentCg, of a rank's own columns.
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

  /// Collective: connects the meeting once, whatever this rank has to offer.
  static CgKernelOffer<Kokkos::Cuda> make(const Kokkos::Cuda& exec, const Arguments& arguments,
                                          const DiagonalInverse<Value>& inverse, const CgPlace<Value>& place,
                                          const std::shared_ptr<CgMeeting<Value>>& meeting);
};
#endif

}  // namespace impl

/// Collective. The kernel that makes many iterations of CG with the matrix of several ranks, each on a device of its
/// own, or why there is none: the kernels of all ranks run at once and iterate as one. `a` has this rank's rows in its
/// own columns; the meeting has the others'.
///
/// An iteration is that of persistent_cg(), and: at the first barrier the thread blocks send what others need of p, as
/// packets; what rows have in others' columns is added to their products with own ones, by whoever waits for just the
/// packets that these need: warps to which such rows are dealt or, where the matrix stays in scratch memory, the thread
/// that has the row; sums are those of all thread blocks of all ranks, in one order, the same bits everywhere. The host
/// waits for nothing. All ranks have a kernel, or none has.
///
/// Memory   as persistent_cg(); what the ranks share is the meeting's, which the kernel keeps.
/// Async    as persistent_cg(); enqueued by all ranks alike. A kernel that waits for another rank for
///          longer than HaloOptions::time_out_seconds gives up, and check() says so.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG; Hestenes & Stiefel 1952.
template <class Exec, bcsr_matrix Matrix, class M, class Scalar>
CgKernelOffer<Exec> persistent_cg_of_ranks(const Exec& exec, const SpmvPlan<Matrix>& plan, const Matrix& a, const M& m,
                                           const CgPlace<Scalar>& place,
                                           const std::shared_ptr<CgMeeting<Scalar>>& meeting) {
  using Value = typename Matrix::scalar_type;
  using Persistent = impl::PersistentCgOfRanks<Exec, Value, typename Matrix::layout_type, typename Matrix::ordinal_type,
                                               typename Matrix::offset_type>;
  if constexpr (!Persistent::is_compiled || !std::is_same_v<Value, Scalar>) {
    return {nullptr, "there is one for CUDA alone, with matrices and vectors of float or of double and 32-bit indices",
            false};
  } else {
    // What one rank cannot do, none does: each comes to the meeting.
    DiagonalInverse<Scalar> inverse;
    std::string why = why_no_team_product(plan, a);
    if (why.empty()) why = impl::why_no_inverse(m, a.block_size(), inverse);
    if (!why.empty()) {
      meeting->connect(0, "");
      return {nullptr, why, false};
    }
    return Persistent::make(exec, impl::spmv_arguments(plan, a, Value(1), Value(0)), inverse, place, meeting);
  }
}

}  // namespace ashlar
