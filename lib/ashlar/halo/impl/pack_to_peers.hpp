#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/halo/impl/pack.hpp>
#include <ashlar/halo/impl/peer_chunk.hpp>
#include <ashlar/halo/peer_sends.hpp>
#include <cstdint>

namespace ashlar::impl {

/// The entries that go to one neighbour: listed, or one after another.
struct MessageEntries {
  const std::int64_t* index = nullptr;
  std::int64_t first = 0;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t i) const {
    return index != nullptr ? index[i] : first + i;
  }
};

/// Packs entries of x to where the neighbours have them: chunks of entries, a team for each.
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
