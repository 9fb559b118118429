#pragma once

#include <Kokkos_Macros.hpp>
#include <ashlar/spmv/impl/with_panel.hpp>

// What StagedMultiProduct takes, and with how much in flight: all measured on an H200.

namespace ashlar::impl {

/// The largest blocks: of larger ones a lane has no registers left for the sums and a block's x. Those of 7 and 8 are
/// measured, and compiled, with vectors of doubles alone.
constexpr int largest_staged_block(bool double_vectors) { return double_vectors ? 8 : 6; }

/// Threads of a team, as groups of lanes within a warp are put together.
inline constexpr int staged_threads = 128;

/// Those of the widest: no more than 16 lanes load from one entry of x, 16 bytes each, its vectors.
constexpr int widest_staged_panel(int vector_bytes) { return vector_bytes > 8 ? 16 : 32; }

/// The lanes of a block row that are compiled in, beside a warp's 32; vector_bytes are those of an entry of x.
constexpr int usual_staged_width(int block_size, int vector_bytes) {
  if (block_size == 1) return vector_bytes > 8 ? 8 : 4;
  return block_size <= 4 ? 8 : 16;
}

/// The same for wide panels.
constexpr int wide_staged_width(int block_size, int lanes_of_block) {
  return lanes_of_block > 8 || block_size >= 6 ? 16 : 8;
}

/// Whether copies go through the first cache as well: where there are several panels they want the same values, and
/// block rows shorter than a line the same lines.
constexpr bool stages_near(int block_size, int panel) { return block_size == 1 || panel > usual_panel; }

/// Blocks whose x a lane asks for before it uses the first.
constexpr int blocks_in_flight(int block_size) { return block_size <= 6 ? 2 : 1; }

/// Columns, where a lane takes those one by one.
constexpr int columns_in_flight(int block_size) { return block_size <= 3 ? 3 : 6; }

/// The teams that a multiprocessor is to hold, and so how many registers a lane has at most: of an H200's 65536 / 128 /
/// teams. (HIP takes no more than 8, and GPUs of compute capability 7.5 hold no more.)
constexpr int staged_teams(int block_size) {
#if defined(KOKKOS_ENABLE_HIP) || defined(KOKKOS_ARCH_TURING75)
  constexpr int most = 8;
#else
  constexpr int most = 16;
#endif
  constexpr int teams[] = {1, 8, 9, 7, 5, 5, 4, 5, 5};
  return teams[block_size] < most ? teams[block_size] : most;
}

/// Bytes of values and block columns that a team is to hold at a time at most, so that the first cache has room for x.
inline constexpr int most_staged_bytes = 33 * 1024;

/// Bytes of a team's scratch memory that Kokkos and the device take for themselves, and of a group's those that no
/// block lies in.
inline constexpr int scratch_of_team = 2112, scratch_of_group = 96;

}  // namespace ashlar::impl
