#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::impl {

/// The most vectors of a block.
inline constexpr int most_block_vectors = 64;

/// Edge of the tile of results that a lane of a GPU keeps in registers: 2 * edge loads for edge * edge products.
inline constexpr int tile_edge = 4;

/// Tiles that cover `count` entries.
KOKKOS_INLINE_FUNCTION constexpr int tiles_of(int count) { return (count + tile_edge - 1) / tile_edge; }

/// Entry k of a tile: they lie `tiles` apart, so that those of neighbouring lanes lie side by side.
KOKKOS_INLINE_FUNCTION constexpr int entry_of_tile(int tile, int k, int tiles) { return tile + k * tiles; }

}  // namespace ashlar::impl
