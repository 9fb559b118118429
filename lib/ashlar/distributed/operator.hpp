#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/count_text.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/held_bytes.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/blas1/dot.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/device/idle_timer.hpp>
#include <ashlar/device/team_sums.hpp>
#include <ashlar/distributed/decomposition.hpp>
#include <ashlar/distributed/idle_clock.hpp>
#include <ashlar/distributed/impl/check_rows.hpp>
#include <ashlar/distributed/impl/cut.hpp>
#include <ashlar/distributed/impl/other_part.hpp>
#include <ashlar/distributed/impl/own_part.hpp>
#include <ashlar/distributed/impl/peer_meeting.hpp>
#include <ashlar/distributed/impl/require_same.hpp>
#include <ashlar/distributed/impl/vector_exchange.hpp>
#include <ashlar/distributed/options.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_figures.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/operators/persistent_cg.hpp>
#include <ashlar/operators/persistent_cg_of_ranks.hpp>
#include <ashlar/spmv/matrix_bytes.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

/// A BCSR matrix whose block rows are dealt to ranks, as the linear operator y := A x of the solvers.
///
/// Each rank's rows are cut by their columns into two matrices: own columns, and columns of others. A product is
///
///   begin the exchange of x; y := A_own x; end the exchange; y += A_other halo.
///
/// A_other has only the rows that need something of others. In two dimensions it is cut once more, by the rank that
/// the entries of x come from, and each piece is multiplied when its entries have come; the products are held, and
/// added in rank order. So one rank gets the same bits each time, in one dimension and in two; and whether it streams
/// A_own or not: what is sent to the device then travels beside the halo.
///
/// Ranks may compute in different execution spaces, some on GPUs and others on the host, with Matrix and Exec of their
/// own: they differ in memory alone. Their halo and sums then go by messages (ExchangeMode::blocking).
///
/// Shapes   each rank's x and y are its part: partition.size(rank) * block size entries; of rank 1, or of rank 2 with
///          as many columns on all ranks.
/// Memory   the rank's rows once (and twice in the constructor, where they were handed in), and what comes and goes of
///          x: for options.spmv's num_vectors and double_vectors. Room for other vectors is made at their first
///          product. Rows in the host's memory come to the device once, or are streamed from there
///          (options.streaming): StreamedMatrix.
/// Async    constructor, and the first product with so many columns: collective. A product waits on the host where
///          HaloExchange does: not on a device in the stream and kernel modes, where sums do not wait
///          either. Copies share all of this, so that
///          one solve at a time uses it: solves that are under way together take operators of their own.
/// Throws   constructor: on all ranks together, ArgumentError where they do not agree about sizes or options, or the
///          partition is of other ranks, or rows to be streamed are on the device; ShapeError where the rows are not
///          those of the partition; BlockSizeError; MemoryError where the limit is too small for streaming, too. A
///          product: ShapeError on the rank whose vectors do not fit, before anything is sent.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space>
class DistributedOperator {
 public:
  /// Own columns that go through the device; host_type is of rows in the host's memory.
  using streamed_type = StreamedMatrix<Matrix, Exec>;
  using host_type = typename streamed_type::host_type;

  /// `rows` has the block rows of this rank, with the block columns of the whole matrix. The operator makes a duplicate
  /// of `comm`, for its own messages.
  template <class Rows>
  requires(std::is_same_v<Rows, Matrix> || std::is_same_v<Rows, host_type>)
      DistributedOperator(const Exec& exec, const Communicator& comm, RowPartition partition, Rows rows,
                          const DistributedOptions& options = {})
      : state_(std::make_shared<State>(exec, comm, std::move(partition), std::move(rows), options)) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    const State& s = *state_;
    s.check(x, y);
    if (s.comm->is_alone()) return s.own->apply(exec, x, y);
    auto& buffers = s.template exchange_for<typename X::non_const_value_type>(
        exec, X::rank() == 1 ? 1 : static_cast<int>(x.extent(1)));
    auto& exchange = buffers.exchange;
    exchange.begin(exec, x);
    if (!s.options.overlap) s.wait_for_others(exec, [&] { exchange.end(exec); });
    s.own->apply(exec, x, y);
    if (s.multiplies_as_they_come()) {
      const auto next_arrived = [&] {
        int next = -1;
        s.wait_for_others(exec, [&] { next = exchange.next_arrived(exec); });
        return next;
      };
      for (int k = next_arrived(); k >= 0; k = next_arrived()) {
        buffers.template multiply<X::rank()>(exec, s.others[std::size_t(k)]);
      }
      for (const auto& part : s.others) buffers.add(exec, part, y);
    } else {
      if (s.options.overlap) s.wait_for_others(exec, [&] { exchange.end(exec); });
      for (const auto& part : s.others) buffers.multiply_add(exec, part, y);
    }
  }

  /// y := A x and *slot := the local part of x^H y, its real part.
  template <vector_view X, vector_view Y>
  void apply_dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) const {
    const State& s = *state_;
    s.check(x, y);
    if (s.comm->is_alone()) return s.own->apply_dot(exec, x, y, sums, slot);
    apply(exec, x, y);
    dot(exec, x, y, sums, slot);
  }

  /// What apply() does on this rank alone, with what came of others last: for the time that this takes. Nothing is
  /// sent, and no other rank need call it.
  template <class X, class Y>
  void apply_without_exchange(const Exec& exec, const X& x, const Y& y) const {
    const State& s = *state_;
    s.check(x, y);
    s.own->apply(exec, x, y);
    if (s.comm->is_alone()) return;
    auto& buffers = s.template exchange_for<typename X::non_const_value_type>(
        exec, X::rank() == 1 ? 1 : static_cast<int>(x.extent(1)));
    if (s.multiplies_as_they_come()) {
      for (const auto& part : s.others) buffers.template multiply<X::rank()>(exec, part);
      for (const auto& part : s.others) buffers.add(exec, part, y);
    } else {
      for (const auto& part : s.others) buffers.multiply_add(exec, part, y);
    }
  }

  /// How long the host has waited for other ranks so far, in products and in sums.
  double waited_seconds() const {
    const State& s = *state_;
    return halo_figures().waited_seconds + s.space->waited_seconds();
  }
  /// Of that, how long this rank has had nothing to do: on a device by options().idle_clock, with the halo's copy to
  /// the device where it is staged.
  double idle_seconds() const {
    const State& s = *state_;
    return (s.idle ? s.idle->seconds() : halo_figures().waited_seconds) + s.space->idle_seconds();
  }

  /// What this rank's exchanges of the halo have done so far, in all products: how many messages went, how many bytes,
  /// and whether they were staged. All zero on a rank that is alone.
  HaloFigures halo_figures() const { return impl::sum_of(state_->wide.figures(), state_->narrow.figures()); }

  DistributedSpace<Exec> space() const { return *state_->space; }

  /// Collective. A kernel of each rank that makes many iterations of CG, all of them as one (persistent_cg_of_ranks);
  /// of a rank that is alone, its own (persistent_cg); or why there is none. Not where messages were asked for: in the
  /// kernel mode, and where the mode is automatic.
  template <class M, class Scalar>
  CgKernelOffer<Exec> cg_kernel(const Exec& exec, const M& m, CgPlace<Scalar> place) const {
    const State& s = *state_;
    // (What is within a limit was counted without a copy.)
    if (s.options.streaming && s.options.streaming->device_memory_limit > 0) place.copy_bytes = 0;
    // (Ranks need not agree on what they stream.)
    if (s.space->agree_max(s.own->streamed() ? 1 : 0) > 0) return no_cg_kernel("a rank streams its matrix");
    if (s.comm->is_alone()) return persistent_cg(exec, s.own->plan(), s.own->matrix(), m, place);
    if (s.options.exchange != ExchangeMode::automatic && s.options.exchange != ExchangeMode::kernel) {
      return no_cg_kernel(text("the exchange mode is ", to_string(s.options.exchange)));
    }
    if (s.options.decomposition != Decomposition::one_d) return no_cg_kernel("in two dimensions");
    if constexpr (is_gpu_v<Exec> && std::is_same_v<Scalar, Value>) {
      if (s.some_on_host) return no_cg_kernel("some ranks compute on the host");
      if (!s.meeting) {
        s.meeting = s.comm->together([&] {
          return std::make_shared<impl::PeerMeeting<Value, Exec>>(exec, *s.comm, s.halo, s.block_size, s.others);
        });
      }
      auto offer = persistent_cg_of_ranks(exec, s.own->plan(), s.own->matrix(), m, place,
                                          std::shared_ptr<CgMeeting<Scalar>>(s.meeting));
      // All ranks take it, or none. It is worth more where the host would have to wait otherwise.
      if (offer.kernel) {
        offer.is_worth_it = !s.exchange_waits_on_device || s.space->agree_max(offer.is_worth_it ? 0 : 1) == 0;
      }
      return offer;
    } else {
      return no_cg_kernel("there is one for GPUs alone, with vectors of the matrix's scalar type");
    }
  }

  /// Of this rank.
  std::int64_t traffic_bytes() const {
    const State& s = *state_;
    std::int64_t bytes = s.own->traffic_bytes();
    const std::int64_t entry = s.entry_bytes();
    for (const auto& part : s.others) {
      const auto rows = static_cast<std::int64_t>(part.rows.extent(0));
      bytes += spmv_traffic_bytes(part.matrix, s.multiplies_as_they_come()) +
               rows * std::int64_t(sizeof(typename Matrix::ordinal_type));
      // Products that were held are read again and added.
      if (s.multiplies_as_they_come()) bytes += 3 * rows * entry;
    }
    std::int64_t sent = 0;
    for (const auto& to : s.halo.to()) sent += to.count;
    return bytes + 2 * (sent + s.halo.num_entries()) * entry;
  }
  HeldBytes bytes() const { return state_->own->bytes() + state_->bytes_beside_own(); }
  /// Whether the host never waits: on a device, where there is nobody to wait for, or the device itself waits for them.
  bool is_stream_ordered() const {
    const State& s = *state_;
    return s.own->is_stream_ordered() &&
           (s.comm->is_alone() || (s.exchange_waits_on_device && s.space->is_stream_ordered()));
  }
  /// Whether products may be captured (CapturedWork): where own columns are not streamed, in the stream mode, and on a
  /// device in the kernel mode.
  bool is_capturable() const {
    const State& s = *state_;
    return s.own->is_capturable() && (s.comm->is_alone() || (s.exchange_waits_on_device && s.space->is_capturable()));
  }

  /// Throws CommError where the device has waited for another rank in vain so far, in the stream and kernel modes. So
  /// does the next product otherwise: solvers call this before they say how a solve has ended.
  void check() const {
    state_->wide.check();
    state_->narrow.check();
    state_->space->check();
  }

  /// How the halo is exchanged, never automatic, and why so; of a rank that is alone, blocking.
  ExchangeMode exchange_mode() const { return state_->exchange_mode; }
  const std::string& why_exchange_mode() const { return state_->why_exchange_mode; }

  /// What multiplies here, and how the halo travels: as planned, and what its exchanges have done so far.
  std::string explain() const {
    const State& s = *state_;
    std::int64_t other_blocks = 0, other_rows = 0;
    for (const auto& part : s.others) {
      other_blocks += part.matrix.num_blocks();
      other_rows += static_cast<std::int64_t>(part.rows.extent(0));
    }
    std::string result = text("block rows ", s.partition.begin(s.rank()), " to ", s.partition.end(s.rank()), " of ",
                              s.partition.num_rows(), " on rank ", s.rank(), " of ", s.comm->size());
    if (s.comm->is_alone()) return text(result, "; ", s.own->explain());
    result += text(", ", to_string(s.options.decomposition), ", the halo ",
                   s.options.overlap ? "under the product with own columns" : "before the products", ": ",
                   count_text(s.own->num_blocks(), "block"), " in own columns, ", other_blocks, " in ",
                   count_text(other_rows, "row"), " of ", count_text(std::ssize(s.others), "part"), " in others'");
    return text(result, "; own: ", s.own->explain(),
                s.others.empty() ? "" : "; others': ", s.others.empty() ? "" : s.others.front().plan.explain(),
                "; halo planned: ", s.halo.explain(), s.wide.explain(), s.narrow.explain(), "; ", s.comm->explain());
  }

  /// The square matrix of own rows and own columns, which has the whole block diagonal: what Jacobi and block-Jacobi
  /// preconditioners are made of.
  ///
  /// Throws   ArgumentError where it is streamed: diagonal_blocks() has what preconditioners need.
  const Matrix& own_matrix() const {
    state_->require_resident("own_matrix()", "diagonal_blocks() has the diagonal of either");
    return state_->own->matrix();
  }
  /// How own_matrix() is multiplied. Throws as that.
  const SpmvPlan<Matrix>& own_plan() const {
    state_->require_resident("own_plan()", "kernel() has the kernel of either");
    return state_->own->plan();
  }
  /// Own rows and own columns as they are streamed, to record() or to be told of values_changed(); null where they are
  /// on the device.
  streamed_type* streamed() const { return state_->own->streamed(); }
  int block_size() const { return state_->block_size; }
  /// That multiplies own columns.
  Kernel kernel() const { return state_->own->kernel(); }
  /// Of this rank's rows, in all columns.
  std::int64_t num_blocks() const {
    std::int64_t count = state_->own->num_blocks();
    for (const auto& part : state_->others) count += part.matrix.num_blocks();
    return count;
  }
  const RowPartition& partition() const { return state_->partition; }
  const HaloPlan& halo_plan() const { return state_->halo; }
  const DistributedOptions& options() const { return state_->options; }
  /// The operator's own.
  const Communicator& communicator() const { return *state_->comm; }

 private:
  using Value = typename Matrix::scalar_type;
  using Wide = vector_scalar_t<Value>;
  // Matrices of floats multiply vectors of floats, too.
  using Narrow = std::conditional_t<scalar<Value>, Value, Wide>;

  static CgKernelOffer<Exec> no_cg_kernel(std::string why) { return {nullptr, std::move(why), false}; }

  struct State {
    template <class Rows>
    State(const Exec& exec, const Communicator& given, RowPartition the_partition, Rows rows,
          const DistributedOptions& the_options)
        : comm(std::make_shared<const Communicator>(given.duplicate())),
          partition(std::move(the_partition)),
          options(the_options) {
      impl::require_same(*comm, name, impl::claims_of_operator(rows, options));
      some_on_host = comm->max(is_gpu_v<Exec> ? 0 : 1) > 0;
      comm->together([&] {
        block_size = size_of_square(name, rows.block_shape());
        impl::check_rows_of_rank(name, *comm, partition, rows, options, std::is_same_v<Rows, host_type>);
      });
      make_others(exec, rows);
      if (!comm->is_alone()) make_exchange(exec);
      if (!exchange_waits_on_device && options.idle_clock == IdleClock::device) idle.emplace();
      // The last to be made, as it takes what room is left.
      comm->together([&] {
        make_own(exec, std::move(rows));
        exec.fence("ashlar::distributed_operator: own columns cut");
      });
      space.emplace(exec, comm, own->num_rows(), sum_mode(exchange_mode), options.halo.time_out_seconds,
                    options.idle_clock);
    }

    /// Sums travel as the halo does.
    static SumMode sum_mode(ExchangeMode mode) {
      return mode == ExchangeMode::stream   ? SumMode::stream
             : mode == ExchangeMode::kernel ? SumMode::kernel
                                            : SumMode::messages;
    }

    int rank() const { return comm->rank(); }
    /// Whether parts are multiplied in the order in which they come, and then their products added in that of ranks.
    bool multiplies_as_they_come() const { return options.overlap && options.decomposition == Decomposition::two_d; }
    std::int64_t entry_bytes() const { return vector_scalar_bytes_of<Value> * block_size; }

    void require_resident(const char* what, const char* suggestion) const {
      if (!own->streamed()) return;
      throw ArgumentError(text(name, ": ", what, " on rank ", rank()), "its own columns are streamed", suggestion);
    }

    /// Collective.
    template <class Rows>
    void make_others(const Exec& exec, const Rows& rows) {
      const impl::ColumnSet other_columns{partition.begin(rank()), partition.end(rank()), true};
      const Matrix with_others =
          comm->together([&] { return impl::rows_with_others<Matrix>(exec, rows, other_columns); });
      const std::vector<std::int64_t> needed =
          comm->together([&] { return impl::columns_used(exec, with_others, other_columns); });
      options.halo.entry_bytes = static_cast<int>(entry_bytes()) * options.spmv.num_vectors;
      halo = HaloPlan(*comm, partition, needed, options.halo);
      comm->together([&] {
        others = impl::other_parts(exec, with_others, partition, rank(), needed, halo,
                                   options.decomposition == Decomposition::two_d, options.spmv);
        exec.fence("ashlar::distributed_operator: others' columns cut");
      });
    }

    template <class Rows>
    void make_own(const Exec& exec, Rows rows) {
      if (!comm->is_alone()) {
        rows = impl::cut_columns(exec, rows, {partition.begin(rank()), partition.end(rank())});
      }
      if constexpr (std::is_same_v<Rows, host_type>) {
        if (options.streaming) return stream(exec, rows);
      }
      own.emplace(exec, impl::on_device<Matrix>(exec, rows), options.spmv);
    }

    /// Within what the limit leaves beside others' columns and the halo.
    void stream(const Exec& exec, const host_type& rows) {
      StreamingOptions streaming = *options.streaming;
      streaming.product = options.spmv;
      const std::uint64_t beside = bytes_beside_own().device;
      const std::uint64_t limit =
          streaming.device_memory_limit > 0 ? streaming.device_memory_limit : std::numeric_limits<std::uint64_t>::max();
      if (streaming.device_memory_limit > 0) streaming.device_memory_limit = limit > beside ? limit - beside : 1;
      try {
        own.emplace(exec, rows, streaming);
      } catch (const MemoryError& error) {
        const std::uint64_t needed = error.needed() + beside, available = std::min(limit, error.available() + beside);
        throw MemoryError(needed, available,
                          text(name, ": rank ", rank(), " needs ", bytes_text(needed),
                               " of device memory to stream its own columns, of which ", bytes_text(beside),
                               " are the halo and others' columns"),
                          text("the limit is ", bytes_text(available)), "raise the limit to that, or take more ranks");
      }
    }

    void make_exchange(const Exec& exec) {
      const auto make = [&]<class Scalar>(Scalar) {
        const auto& exchange = exchange_for<Scalar>(exec, options.spmv.num_vectors).exchange;
        exchange_mode = wanted_exchange = exchange.mode();
        why_exchange_mode = exchange.why_mode();
        exchange_waits_on_device = exchange.is_stream_ordered();
      };
      if (std::is_same_v<Wide, Narrow> || options.spmv.double_vectors) {
        make(Wide{});
      } else {
        make(Narrow{});
      }
    }

    HeldBytes bytes_beside_own() const {
      HeldBytes bytes = wide.bytes() + narrow.bytes();
      for (const auto& part : others) {
        bytes = bytes + held_bytes(part.matrix) + held_bytes(part.plan) +
                HeldBytes{part.rows.extent(0) * sizeof(typename Matrix::ordinal_type), 0};
      }
      return bytes;
    }

    /// wait(), which is for the halo, behind what this rank does meanwhile.
    template <class Wait>
    void wait_for_others(const Exec& exec, const Wait& wait) const {
      idle ? idle->during(exec, wait) : wait();
    }

    /// Throws ShapeError before anything is sent.
    template <class X, class Y>
    void check(const X& x, const Y& y) const {
      own->check(x, y);
    }

    template <class Scalar>
    impl::VectorExchange<Scalar, Matrix, Exec>& exchange_for(const Exec& exec, int num_vectors) const {
      if constexpr (std::is_same_v<Scalar, Wide>) {
        return wide.of(exec, *comm, halo, block_size, num_vectors, wanted_exchange, others, multiplies_as_they_come());
      } else {
        static_assert(std::is_same_v<Scalar, Narrow>,
                      "ashlar::DistributedOperator: x must hold the matrix's scalar type, or double where that is "
                      "float or bfloat16");
        return narrow.of(exec, *comm, halo, block_size, num_vectors, wanted_exchange, others,
                         multiplies_as_they_come());
      }
    }

    static constexpr const char* name = "DistributedOperator";

    std::shared_ptr<const Communicator> comm;
    RowPartition partition;
    DistributedOptions options;
    int block_size = 1;
    ExchangeMode exchange_mode = ExchangeMode::blocking;
    ExchangeMode wanted_exchange = options.exchange;  // once one is made, its mode: others and sums take it, too
    std::string why_exchange_mode = "one rank alone";
    bool exchange_waits_on_device = false;
    bool some_on_host = false;  // of all ranks, whose spaces may differ
    HaloPlan halo;
    std::optional<impl::OwnPart<Matrix, Exec>> own;
    std::vector<impl::OtherPart<Matrix>> others;
    std::optional<DistributedSpace<Exec>> space;
    mutable std::shared_ptr<impl::PeerMeeting<Value, Exec>> meeting;  // made when CG first asks for it
    mutable std::optional<IdleTimer<Exec>> idle;  // in waits for the halo, where it is the device that tells
    mutable impl::VectorExchanges<Wide, Matrix, Exec> wide;
    mutable impl::VectorExchanges<Narrow, Matrix, Exec> narrow;  // not used where it is the same
  };

  std::shared_ptr<const State> state_;
};

}  // namespace ashlar
