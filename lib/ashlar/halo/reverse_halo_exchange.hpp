#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/halo_layout.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <ashlar/halo/neighbour_exchange.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

namespace impl {

/// y(entry) += all received entries for it: one row of one vector for each index.
template <class Y>
struct AddReceived {
  using Scalar = typename Y::non_const_value_type;

  const std::int64_t *entry, *begin, *source;
  const Scalar* received;
  std::int64_t block_size, num_vectors;
  Y y;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i / num_vectors, vector = i - row * num_vectors;
    const std::int64_t k = row / block_size, row_of_block = row - k * block_size;
    const std::int64_t to = entry[k] * block_size + row_of_block;
    Scalar sum = entry_at(y, to, vector);
    for (std::int64_t s = begin[k]; s < begin[k + 1]; ++s) {
      sum += received[(source[s] * block_size + row_of_block) * num_vectors + vector];
    }
    entry_at(y, to, vector) = sum;
  }
};

}  // namespace impl

/// HaloExchange in reverse: halo entries go back to the ranks that own them and are added there. For products with A^T,
/// and for sums over elements whose nodes other ranks own.
///
///     const auto halo = exchange.halo();   // after open(exec): write all of it, by kernels on exec
///     exchange.begin(exec);                // sends it
///     ...                                  // work that does not need the contributions of other ranks
///     exchange.end_and_add(exec, y);       // y(own entry) += the contributions for it
///
/// Contributions to one entry are added in the order of the ranks that sent them: the same bits each time, in all
/// modes. All ranks begin the same exchanges in the same order.
///
/// Shapes   halo(): plan.num_entries() * block_size rows, in the order of HaloExchange::halo(); multi_halo(): the same
///          rows with num_vectors columns. y: rank 1 with plan.num_own() * block_size entries, or rank 2 with as many
///          rows and num_vectors columns.
/// Memory   allocated by the constructor: the buffers of a NeighbourExchange, and three numbers for each received
///          entry.
/// Async    as HaloExchange in the same mode.
/// Traffic  the halo is written once; received entries are read once, and their entries of y read and written.
/// Throws   ShapeError, ArgumentError before anything is started; CommError if the transport fails.
template <scalar Scalar, execution_space Exec = Kokkos::DefaultExecutionSpace>
class ReverseHaloExchange {
 public:
  using memory_space = typename Exec::memory_space;
  using halo_view = Kokkos::View<Scalar*, memory_space>;
  using multi_halo_view = Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space>;

  /// Collective. `comm` is the communicator of the plan, or one of the same ranks.
  ///
  /// Throws   on all ranks together: ArgumentError if plan, block size, vectors, scalars or mode do not fit.
  ReverseHaloExchange(const Exec& exec, const Communicator& comm, const HaloPlan& plan, int block_size,
                      int num_vectors = 1, ExchangeMode mode = ExchangeMode::automatic)
      : ReverseHaloExchange(exec, comm, plan, impl::HaloEntries{int(sizeof(Scalar)), block_size, num_vectors}, mode,
                            impl::HaloLayout(comm, plan, {int(sizeof(Scalar)), block_size, num_vectors})) {}

  /// Prepares halo(): kernels on `exec` may write it from now on.
  void open(const Exec& exec) { open_ = reinterpret_cast<Scalar*>(exchange_.open(exec)); }
  /// The entries to send, from open() to begin(). All are sent: write zeros for entries without a contribution.
  halo_view halo() const { return halo_view(open_, num_halo_rows()); }
  multi_halo_view multi_halo() const { return multi_halo_view(open_, num_halo_rows(), entries_.num_vectors); }

  /// Sends the entries written to halo().
  ///
  /// Throws   ArgumentError without an open() before.
  void begin(const Exec& exec) {
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::reverse_begin");
    if (!open_ && num_entries_ > 0) {
      throw ArgumentError("halo: a reverse exchange begun without open()", "nothing has been written",
                          "call open(), and write halo()");
    }
    exchange_.start(exec);
    open_ = nullptr;
  }

  /// Waits for the contributions of other ranks, and adds them to this rank's entries of y.
  template <class Y>
  void end_and_add(const Exec& exec, const Y& y) {
    static_assert(Kokkos::is_view_v<Y> && (Y::rank() == 1 || Y::rank() == 2),
                  "ashlar::ReverseHaloExchange: y must be a view of rank 1 or 2");
    static_assert(std::is_same_v<typename Y::value_type, Scalar>,
                  "ashlar::ReverseHaloExchange: y must be writable, and have the scalars of the exchange");
    static_assert(reachable_from<Exec, Y>, "ashlar::ReverseHaloExchange: y must be reachable from the execution space");
    const Kokkos::Profiling::ScopedRegion region("ashlar::halo::reverse_end");
    check(y);
    exchange_.finish(exec);
    const std::int64_t rows = std::int64_t(entry_.extent(0)) * entries_.block_size;
    if (rows == 0) return;
    Kokkos::parallel_for(
        "ashlar::halo[add]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * entries_.num_vectors),
        impl::AddReceived<Y>{entry_.data(), begin_.data(), source_.data(),
                             reinterpret_cast<const Scalar*>(exchange_.received()), entries_.block_size,
                             entries_.num_vectors, y});
  }

  int block_size() const { return entries_.block_size; }
  int num_vectors() const { return entries_.num_vectors; }
  /// The mode in use: never automatic.
  ExchangeMode mode() const { return exchange_.mode(); }
  bool is_stream_ordered() const { return exchange_.is_stream_ordered(); }
  /// Throws CommError if the device has waited for another rank in vain so far.
  void check() const { exchange_.check(); }
  HaloFigures figures() const { return exchange_.figures(); }
  std::string explain() const { return text("reverse ", exchange_.explain()); }
  HeldBytes bytes() const {
    return HeldBytes{(entry_.size() + begin_.size() + source_.size()) * sizeof(std::int64_t), 0} + exchange_.bytes();
  }

 private:
  using List = Kokkos::View<std::int64_t*, memory_space>;

  ReverseHaloExchange(const Exec& exec, const Communicator& comm, const HaloPlan& plan,
                      const impl::HaloEntries& entries, ExchangeMode mode, const impl::HaloLayout& forward)
      : ReverseHaloExchange(exec, comm, plan, entries, mode, forward, impl::entry_sums(plan, entries.bytes())) {}

  ReverseHaloExchange(const Exec& exec, const Communicator& comm, const HaloPlan& plan,
                      const impl::HaloEntries& entries, ExchangeMode mode, const impl::HaloLayout& forward,
                      const impl::EntrySums& sums)
      : num_own_(plan.num_own()),
        num_entries_(plan.num_entries()),
        entries_(entries),
        exchange_(exec, comm, forward.from, sums.from,
                  {mode, plan.buffers(), plan.time_out_seconds(),
                   plan.packet_bytes().value_or(default_halo_packet_bytes<Exec>)}) {
    comm.together([&] {
      entry_ = impl::view_from(exec, "ashlar::halo::peers", sums.entry);
      begin_ = impl::view_from(exec, "ashlar::halo::peers", sums.begin);
      source_ = impl::view_from(exec, "ashlar::halo::peers", sums.source);
    });
  }

  std::int64_t num_halo_rows() const { return num_entries_ * entries_.block_size; }

  template <class Y>
  void check(const Y& y) const {
    const std::int64_t rows = num_own_ * entries_.block_size;
    const std::int64_t columns = Y::rank() == 1 ? 1 : std::int64_t(y.extent(1));
    if (std::int64_t(y.extent(0)) == rows && columns == entries_.num_vectors) return;
    throw ShapeError(text("halo: contributions to ", columns, " vectors of ", y.extent(0), " rows"),
                     text("the exchange was made for ", entries_.num_vectors, " vectors of ", rows, " rows"),
                     "pass this rank's part of the vectors");
  }

  std::int64_t num_own_, num_entries_;
  impl::HaloEntries entries_;
  Scalar* open_ = nullptr;
  List entry_, begin_, source_;  // EntrySums
  NeighbourExchange<Exec> exchange_;
};

}  // namespace ashlar
