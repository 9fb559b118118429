#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar {

/// Where block entries of a vector go that is gathered from another: entry to[k] of one is entry from[k] of the other.
struct EntryMoves {
  std::vector<std::int64_t> to, from;

  void add(std::int64_t to_entry, std::int64_t from_entry) {
    to.push_back(to_entry);
    from.push_back(from_entry);
  }
};

/// Where the columns of a rank's rows get their entries of x: from the rank's own part, and from the halo. Together
/// each column once, in any order.
struct ColumnSources {
  EntryMoves own, halo;
};

namespace impl {

/// Copies scalars of entries, of one vector or of several side by side.
template <class From, class To>
struct MoveEntries {
  const std::int64_t *to_entry, *from_entry;
  std::int64_t block_size;
  From from;
  To to;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t i) const {
    const std::int64_t k = i / block_size, row = i - k * block_size;
    const std::int64_t to_row = to_entry[k] * block_size + row, from_row = from_entry[k] * block_size + row;
    if constexpr (To::rank() == 1) {
      to(to_row) = from(from_row);
    } else {
      for (std::size_t j = 0; j < to.extent(1); ++j) to(to_row, j) = from(from_row, j);
    }
  }
};

/// EntryMoves in a memory space.
template <class Space>
class EntryMovesIn {
 public:
  explicit EntryMovesIn(const EntryMoves& moves)
      : to_(copied("ashlar::column_map::to", moves.to)), from_(copied("ashlar::column_map::from", moves.from)) {}

  /// to := from, where they are listed. Enqueued on `exec`.
  template <execution_space Exec, class From, class To>
  void run(const Exec& exec, int block_size, const From& from, const To& to) const {
    static_assert(From::rank() == To::rank());
    if (to_.extent(0) == 0) return;
    Kokkos::parallel_for(
        "ashlar::column_map[gather]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(to_.extent(0)) * block_size),
        MoveEntries<From, To>{to_.data(), from_.data(), block_size, from, to});
  }

  /// to_of(from[k]) := to[k]; the other entries stay as they are. Enqueued on `exec`.
  template <execution_space Exec>
  void list_targets(const Exec& exec, const Kokkos::View<std::int64_t*, Space>& to_of) const {
    const auto to = to_, from = from_;
    Kokkos::parallel_for(
        "ashlar::column_map[targets]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(to.extent(0))),
        KOKKOS_LAMBDA(std::int64_t k) { to_of(from(k)) = to(k); });
  }

  std::size_t bytes() const { return (to_.size() + from_.size()) * sizeof(std::int64_t); }

 private:
  using List = Kokkos::View<std::int64_t*, Space>;

  static List copied(const char* label, const std::vector<std::int64_t>& list) {
    const List result(Kokkos::view_alloc(Kokkos::WithoutInitializing, std::string(label)), list.size());
    Kokkos::deep_copy(result, Kokkos::View<const std::int64_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(
                                  list.data(), list.size()));
    return result;
  }

  List to_, from_;
};

}  // namespace impl

}  // namespace ashlar
