#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/impl/peer_lists.hpp>
#include <ashlar/halo/peer_messages.hpp>
#include <ashlar/halo/peer_tasks.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// Entries of a list.
struct ListedEntries {
  const std::int64_t* index;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const { return index[i]; }
};

/// Consecutive entries.
struct SpanOfEntries {
  std::int64_t first;
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const { return first + i; }
};

/// An entry of a view of one vector or of several.
template <class X>
KOKKOS_INLINE_FUNCTION typename X::reference_type entry_at(const X& x, std::int64_t row, std::int64_t vector) {
  if constexpr (X::rank() == 1) {
    return x(row);
  } else {
    return x(row, vector);
  }
}

/// Gathers entries of x, which are blocks of scalars of one or several vectors, into a buffer or an OutgoingMessage.
/// The scalars of all vectors in a row lie side by side, whatever the layout of x.
///
/// On a GPU a thread copies a scalar, so that neighbouring threads write neighbouring scalars; elsewhere a thread
/// copies an entry.
template <class Entries, class X, class Buffer>
struct PackedEntries {
  using Scalar = typename X::non_const_value_type;

  Entries entries;
  X x;
  std::int64_t block_size, num_vectors;
  Buffer to;

  struct ByScalar {};
  KOKKOS_INLINE_FUNCTION void operator()(ByScalar, std::int64_t i) const {
    const std::int64_t row = i / num_vectors, vector = i - row * num_vectors;
    const std::int64_t entry = row / block_size;
    to.template put<Scalar>(i, entry_at(x, entries(entry) * block_size + (row - entry * block_size), vector));
  }

  struct ByEntry {};
  KOKKOS_INLINE_FUNCTION void operator()(ByEntry, std::int64_t i) const {
    const std::int64_t first_row = entries(i) * block_size;
    const std::int64_t first = i * block_size * num_vectors;
    for (std::int64_t row = 0; row < block_size; ++row) {
      for (std::int64_t vector = 0; vector < num_vectors; ++vector) {
        to.template put<Scalar>(first + row * num_vectors + vector, entry_at(x, first_row + row, vector));
      }
    }
  }
};

/// to := `count` entries of x. Enqueued on `exec`.
template <execution_space Exec, class Entries, class X>
void pack(const Exec& exec, const Entries& entries, std::int64_t count, const X& x, std::int64_t block_size,
          std::int64_t num_vectors, typename X::non_const_value_type* to) {
  if (count == 0) return;
  using Buffer = PlainBuffer<typename X::non_const_value_type>;
  using Functor = PackedEntries<Entries, X, Buffer>;
  using Tag = std::conditional_t<is_gpu_v<Exec>, typename Functor::ByScalar, typename Functor::ByEntry>;
  const std::int64_t items = is_gpu_v<Exec> ? count * block_size * num_vectors : count;
  Kokkos::parallel_for("ashlar::halo[pack]",
                       Kokkos::RangePolicy<Exec, Tag, Kokkos::IndexType<std::int64_t>>(exec, 0, items),
                       Functor{entries, x, block_size, num_vectors, Buffer{to}});
}

/// The entries for one neighbour: listed or consecutive.
struct MessageEntries {
  const std::int64_t* index = nullptr;
  std::int64_t first = 0;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return index != nullptr ? index[i] : first + i;
  }
};

/// Packs entries of x straight to the neighbours: a team for each chunk of entries.
template <class X>
struct PackToPeers {
  const PeerChunk* chunks;
  const MessageEntries* entries;  ///< by message
  X x;
  std::int64_t block_size, num_vectors;

  template <class Team>
  KOKKOS_FUNCTION void operator()(const Team& team, int task, const PeerSends& sends) const {
    const PeerChunk chunk = chunks[task];
    const MessageEntries its = entries[chunk.message];
    sends(team, chunk.message, chunk.num_chunks, [&](const OutgoingMessage& message) {
      using Scalar = typename X::non_const_value_type;
      if (Scalar* const to = message.plain<Scalar>()) {
        pack(team, chunk, its, PlainBuffer<Scalar>{to});
      } else {
        pack(team, chunk, its, message);
      }
    });
  }

 private:
  template <class Team, class Buffer>
  KOKKOS_FUNCTION void pack(const Team& team, const PeerChunk& chunk, const MessageEntries& its,
                            const Buffer& to) const {
    using Packed = PackedEntries<MessageEntries, X, Buffer>;
    const Packed packed{its, x, block_size, num_vectors, to};
    const std::int64_t end = chunk.begin + chunk.count;
    if constexpr (is_gpu_v<typename Team::execution_space>) {
      const std::int64_t scalars = block_size * num_vectors;
      Kokkos::parallel_for(Kokkos::TeamThreadRange(team, chunk.begin * scalars, end * scalars),
                           [&](std::int64_t i) { packed(typename Packed::ByScalar(), i); });
    } else {
      for (std::int64_t i = chunk.begin; i < end; ++i) packed(typename Packed::ByEntry(), i);
    }
  }
};

}  // namespace ashlar::impl
