#pragma once

#include <ashlar/device/packets/packet.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

// The data that the kernels of several devices share when they iterate CG together.

namespace ashlar {

/// The data shared by the kernels of all ranks, from the view of one rank: an argument of the kernel. All its pointers
/// point to memory of devices.
template <class Value>
struct CgRanks {
  static constexpr int most_ranks = 8;
  static constexpr int most_sums = 4;  ///< at a time

  /// A block entry of p that a neighbour needs.
  struct Send {
    Packet* to = nullptr;  ///< in the neighbour's halo: a packet for each entry of the block
    std::int32_t entry = 0;
  };

  /// A block row with blocks in others' columns, and which those are.
  struct OtherRow {
    std::int32_t row = 0, begin = 0, end = 0;
  };

  int num_ranks = 1, rank = 0;
  int first_block[most_ranks + 1] = {};  ///< thread blocks of the ranks before, and of all
  Packet* sums[most_ranks] =
      {};  ///< by rank: packets of a sum and of the next: each of most_sums for each thread block
  SharedFlag* gave_up[most_ranks] = {};  ///< by rank: raised if a thread has reached the time limit
  std::uint32_t* count = nullptr;        ///< of sums so far, from one kernel to the next

  const Send* sends = nullptr;  ///< to all neighbours, ascending by block entries
  std::int32_t num_sends = 0;
  const Packet* halo = nullptr;  ///< of this rank: a packet for each entry, by block entries

  // Blocks in others' columns: CSR by blocks of all of this rank's rows, columns as the halo numbers them.
  const std::int32_t* row_begin = nullptr;  ///< null: no row has any
  const std::int32_t* col_idx = nullptr;
  const Value* values = nullptr;
  const OtherRow* other_rows = nullptr;  ///< all that have any, those with most blocks first
  std::int32_t num_other_rows = 0;
};

/// Where the ranks find each other's memory whose kernels iterate as one.
template <class Value>
class CgRendezvous {
 public:
  virtual ~CgRendezvous() = default;

  virtual int num_ranks() const = 0;
  /// A kernel gives up if it waits longer for another rank's: HaloOptions::time_out_seconds.
  virtual double time_out_seconds() const = 0;

  /// Collective. `thread_blocks` is the size of this rank's kernel, 0 if it has none; `device` names the rank's device
  /// on its host. Returns the kernel's argument, valid until generation() changes or the rendezvous ends. Returns null
  /// if a rank has no kernel, if two ranks share a device, or if ranks share no memory: why_not() says which.
  virtual const CgRanks<Value>* connect(int thread_blocks, const std::string& device) = 0;
  virtual std::string why_not() const = 0;

  /// A kernel of this rank gave up: the next connect() makes the shared memory again.
  virtual void invalidate() = 0;

  /// The number of times that connect() has freed the shared memory and made it again, the same on all ranks. A kernel
  /// must not be launched any more once it has changed.
  virtual std::uint64_t generation() const = 0;
};

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
/// An iteration is persistent_cg()'s, with three additions. At the first barrier the thread blocks send the boundary
/// entries of p, as packets. Products of remote blocks are added to the products of local ones as soon as their
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
    // If one rank cannot do it, none does: each connects.
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
