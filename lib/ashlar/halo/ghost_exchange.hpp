#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

namespace impl {

/// x(ghost) := its entry of the halo: one row of one vector for each index.
template <class X>
struct FillGhosts {
  using Scalar = typename X::non_const_value_type;

  const std::int64_t* position;  ///< of each ghost entry, in the halo
  const Scalar* halo;
  std::int64_t first_row, block_size, num_vectors;
  X x;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t row = i / num_vectors, vector = i - row * num_vectors;
    const std::int64_t ghost = row / block_size, row_of_block = row - ghost * block_size;
    entry_at(x, first_row + row, vector) = halo[(position[ghost] * block_size + row_of_block) * num_vectors + vector];
  }
};

/// Ascending, each once.
inline std::vector<std::int64_t> sorted_once(std::span<const std::int64_t> numbers) {
  std::vector<std::int64_t> sorted(numbers.begin(), numbers.end());
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  return sorted;
}

}  // namespace impl

/// Fills the ghost entries of vectors in an application's own numbering: own entries first, ghost entries behind them.
///
///     GhostExchange<double> exchange(exec, comm, partition, ghosts, block_size);
///     exchange.fill(exec, x);      // x: own entries, then ghost entries
///
/// Or with work between the two halves, that neither reads ghost entries nor writes own ones:
///
///     exchange.begin(exec, x);
///     ...
///     exchange.end(exec, x);
///
/// It is a HaloExchange, whose halo is copied to the ghost entries. All ranks make the same calls in the same order.
///
/// Shapes   x: rank 1 with (partition.size(rank) + ghosts.size()) * block_size entries, own entries in the order of
///          their global numbers; or rank 2 with as many rows and num_vectors columns, of any layout.
/// Memory   as HaloExchange, and 8 bytes for each ghost entry.
/// Async    as HaloExchange in the same mode; ghost entries are written by a kernel on `exec`.
/// Traffic  as HaloExchange; ghost entries are read once and written once.
/// Throws   ShapeError, ArgumentError before anything is started; CommError if the transport fails.
template <scalar Scalar, execution_space Exec = Kokkos::DefaultExecutionSpace>
class GhostExchange {
 public:
  /// Collective. `ghosts`: the global block entry of each ghost entry, in the order in which x has them. An entry may
  /// have several ghosts.
  ///
  /// Throws   on all ranks together: ArgumentError as HaloPlan and HaloExchange.
  GhostExchange(const Exec& exec, const Communicator& comm, const RowPartition& partition,
                std::span<const std::int64_t> ghosts, int block_size, int num_vectors = 1,
                ExchangeMode mode = ExchangeMode::automatic, const HaloOptions& options = {})
      : exchange_(exec, comm, HaloPlan(comm, partition, impl::sorted_once(ghosts), options), block_size, num_vectors,
                  mode) {
    comm.together([&] {
      std::vector<std::int64_t> position;
      for (const std::int64_t ghost : ghosts) position.push_back(exchange_.plan().position(ghost));
      position_ = impl::view_from(exec, "ashlar::halo::ghosts", position);
    });
  }

  /// begin() and end().
  template <class X>
  void fill(const Exec& exec, const X& x) {
    check(x);
    exchange_.exchange(exec, own_entries(x));
    copy_halo_to(exec, x);
  }

  /// Sends own entries of x to the ranks that have ghosts of them.
  template <class X>
  void begin(const Exec& exec, const X& x) {
    check(x);
    exchange_.begin(exec, own_entries(x));
  }

  /// Waits for the oldest exchange in flight and writes the ghost entries of x.
  template <class X>
  void end(const Exec& exec, const X& x) {
    check(x);
    exchange_.end(exec);
    copy_halo_to(exec, x);
  }

  std::int64_t num_own() const { return exchange_.plan().num_own(); }
  std::int64_t num_ghosts() const { return std::int64_t(position_.extent(0)); }
  int block_size() const { return exchange_.block_size(); }
  int num_vectors() const { return exchange_.num_vectors(); }
  /// The mode in use: never automatic.
  ExchangeMode mode() const { return exchange_.mode(); }
  /// True if the host never waits.
  bool is_stream_ordered() const { return exchange_.is_stream_ordered(); }
  /// Throws CommError if the device has waited for another rank in vain so far.
  void check() const { exchange_.check(); }
  HaloFigures figures() const { return exchange_.figures(); }
  std::string explain() const { return exchange_.explain(); }
  HeldBytes bytes() const { return HeldBytes{position_.size() * sizeof(std::int64_t), 0} + exchange_.bytes(); }

 private:
  template <class X>
  void check(const X& x) const {
    static_assert(Kokkos::is_view_v<X> && (X::rank() == 1 || X::rank() == 2),
                  "ashlar::GhostExchange: x must be a view of rank 1 or 2");
    static_assert(std::is_same_v<typename X::value_type, Scalar>,
                  "ashlar::GhostExchange: x must be writable, and have the scalars of the exchange");
    const std::int64_t rows = (num_own() + num_ghosts()) * block_size();
    const std::int64_t columns = X::rank() == 1 ? 1 : std::int64_t(x.extent(1));
    if (std::int64_t(x.extent(0)) == rows && columns == num_vectors()) return;
    throw ShapeError(text("halo: the ghosts of ", columns, " vectors of ", x.extent(0), " rows"),
                     text("the exchange was made for ", num_vectors(), " vectors of ", rows, " rows: ", num_own(),
                          " own and ", num_ghosts(), " ghost block entries of ", block_size()),
                     "pass vectors with own entries and ghost entries");
  }

  template <class X>
  auto own_entries(const X& x) const {
    const std::pair<std::int64_t, std::int64_t> rows(0, num_own() * block_size());
    if constexpr (X::rank() == 1) {
      return Kokkos::subview(x, rows);
    } else {
      return Kokkos::subview(x, rows, Kokkos::ALL);
    }
  }

  template <class X>
  void copy_halo_to(const Exec& exec, const X& x) const {
    const std::int64_t rows = num_ghosts() * block_size();
    if (rows == 0) return;
    Kokkos::parallel_for("ashlar::halo[fill]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, rows * num_vectors()),
                         impl::FillGhosts<X>{position_.data(), exchange_.halo().data(), num_own() * block_size(),
                                             block_size(), num_vectors(), x});
  }

  Kokkos::View<std::int64_t*, typename Exec::memory_space> position_;  // of each ghost entry, in the halo
  HaloExchange<Scalar, Exec> exchange_;
};

}  // namespace ashlar
