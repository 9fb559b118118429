#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/distributed/impl/operator_cg_kernel.hpp>
#include <ashlar/distributed/impl/operator_parts.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/options.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar {

/// A square matrix over ranks as the linear operator y := A x of the solvers.
///
/// A product begins the exchange of the halo, multiplies the local columns, ends the exchange, and adds the product
/// with the remote columns. In two dimensions remote columns are cut by the rank that their entries come from; each
/// part is multiplied when its entries have come, and the products are added in rank order. So a rank gets the same
/// bits each time, in one dimension and in two, and whether it streams its local columns or not.
///
/// Ranks may compute in different execution spaces, some on GPUs and others on the host, with Matrix and Exec of their
/// own. Halo and sums are then messages (ExchangeMode::blocking).
///
/// Shapes   each rank's x and y are its part: partition.size(rank) * block size entries; rank 1, or rank 2 with as many
///          columns on all ranks.
/// Memory   the rank's rows once (twice in the constructor, if they are handed in), and the buffers of the halo for
///          options.spmv's num_vectors and double_vectors. The first product with other vectors makes room for them.
///          Rows in the host's memory are copied to the device, or streamed from there (options.streaming).
/// Async    constructor, and the first product with so many columns: collective. A product waits on the host where
///          HaloExchange does. Copies share all of this: solves that run together take operators of their own.
/// Throws   constructor: on all ranks together, ArgumentError if they do not agree about sizes or options, the
/// partition
///          has other ranks, or rows to be streamed are on the device; ShapeError if rows and partition do not fit;
///          BlockSizeError; MemoryError if the limit is too small for streaming, too. A product: ShapeError on the rank
///          whose vectors do not fit, before anything is sent.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space>
class DistributedOperator {
 public:
  /// Local columns that go through the device; host_type is of rows in the host's memory.
  using streamed_type = StreamedMatrix<Matrix, Exec>;
  using host_type = typename streamed_type::host_type;

  /// `rows` has the block rows of this rank, with the block columns of the whole matrix. The operator makes a duplicate
  /// of `comm`, for its own messages.
  template <class Rows>
  requires(std::is_same_v<Rows, Matrix> || std::is_same_v<Rows, host_type>)
      DistributedOperator(const Exec& exec, const Communicator& comm, const RowPartition& partition, Rows rows,
                          const DistributedOptions& options = {})
      : parts_(std::make_shared<Parts>(exec, comm, partition, std::move(rows), options)) {}

  /// `a` has one partition for rows and columns. The operator shares its data and its HaloPlan.
  DistributedOperator(const Exec& exec, const DistributedMatrix<Matrix>& a, const DistributedOptions& options = {})
      : parts_(std::make_shared<Parts>(exec, a, options)) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    Parts& p = *parts_;
    p.own->check(x, y);
    if (p.is_alone()) return p.own->apply(exec, x, y);
    auto& halo = p.remote->begin(exec, x);
    p.own->apply(exec, x, y);
    p.remote->add(exec, halo, y);
  }

  /// y := A x and *slot := the local part of x^H y, its real part.
  template <vector_view X, vector_view Y>
  void apply_dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) const {
    const Parts& p = *parts_;
    p.own->check(x, y);
    if (p.is_alone()) return p.own->apply_dot(exec, x, y, sums, slot);
    apply(exec, x, y);
    dot(exec, x, y, sums, slot);
  }

  /// apply() without messages, with the halo of the last product: to measure the rest. Not collective.
  template <class X, class Y>
  void apply_without_exchange(const Exec& exec, const X& x, const Y& y) const {
    Parts& p = *parts_;
    p.own->check(x, y);
    p.own->apply(exec, x, y);
    if (!p.is_alone()) p.remote->add_again(exec, x, y);
  }

  /// Collective. The kernels of all ranks that iterate CG as one (persistent_cg_of_ranks), or why there are none.
  template <class M, class Scalar>
  CgKernelOffer<Exec> cg_kernel(const Exec& exec, const M& m, CgPlace<Scalar> place) const {
    return impl::distributed_cg_kernel(exec, *parts_, m, std::move(place));
  }
  DistributedSpace<Exec> space() const { return *parts_->space; }
  /// How long the host has waited for other ranks so far, in products and in sums.
  double waited_seconds() const { return halo_figures().waited_seconds + parts_->space->waited_seconds(); }
  /// How long this rank has had nothing to do meanwhile: on a device by options().idle_clock.
  double idle_seconds() const { return parts_->remote->idle_seconds() + parts_->space->idle_seconds(); }
  /// All exchanges of this rank so far. All zero on a rank that is alone.
  HaloFigures halo_figures() const { return parts_->remote->figures(); }
  /// Of this rank.
  std::int64_t traffic_bytes() const { return parts_->own->traffic_bytes() + parts_->remote->traffic_bytes(); }
  HeldBytes bytes() const { return parts_->own->bytes() + parts_->remote->bytes(); }
  std::int64_t num_blocks() const { return parts_->own->num_blocks() + parts_->remote->num_blocks(); }
  /// True if the host never waits: on a device, if the rank is alone or the device itself waits for the others.
  bool is_stream_ordered() const {
    return parts_->own->is_stream_ordered() && waits_on_device() && space().is_stream_ordered();
  }
  /// True if products may be captured (CapturedWork).
  bool is_capturable() const { return parts_->own->is_capturable() && waits_on_device() && space().is_capturable(); }
  /// Throws CommError if the device has waited for another rank in vain. Solvers call this at the end.
  void check() const {
    parts_->remote->check();
    parts_->space->check();
  }
  /// How the halo is exchanged, never automatic, and why so; of a rank that is alone, blocking.
  ExchangeMode exchange_mode() const { return parts_->remote->mode(); }
  const std::string& why_exchange_mode() const { return parts_->remote->why_mode(); }
  /// The kernels, the planned halo, and its exchanges so far.
  std::string explain() const { return parts_->explain(); }
  /// The square matrix of local rows and columns, which has the whole block diagonal.
  ///
  /// Throws   ArgumentError if it is streamed: call diagonal_blocks() then.
  const Matrix& own_matrix() const {
    parts_->require_resident("own_matrix()", "diagonal_blocks() has the diagonal of either");
    return parts_->own->matrix();
  }
  /// The streamed local part, to record() or to be told of values_changed(); null if it is on the device.
  streamed_type* streamed() const { return parts_->own->streamed(); }
  Kernel kernel() const { return parts_->own->kernel(); }
  int block_size() const { return parts_->block_size; }
  const RowPartition& partition() const { return parts_->structure->row_map; }
  const HaloPlan& halo_plan() const { return parts_->structure->halo; }
  const DistributedOptions& options() const { return parts_->options; }
  const Communicator& communicator() const { return *parts_->comm; }

 private:
  using Parts = impl::OperatorParts<Matrix, Exec>;

  bool waits_on_device() const { return parts_->is_alone() || parts_->remote->waits_on_device(); }

  std::shared_ptr<Parts> parts_;
};

}  // namespace ashlar
