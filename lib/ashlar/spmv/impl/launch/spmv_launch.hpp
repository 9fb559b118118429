#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Macros.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/row_ranges.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/operands/lanes.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>

namespace ashlar::impl {

/// The sizes of a product, as the choice of a kernel needs them: of A^T where that is multiplied by.
struct SpmvShape {
  std::int64_t num_block_rows = 0;
  std::int64_t num_blocks = 0;
  std::int64_t num_cols = 0;  ///< entries of x
  BlockShape block_shape = {};
  std::int64_t longest_row = 0;  ///< blocks of the block row that has most
  int value_bytes = 8;
  int index_bytes = 4;             ///< of a block column
  bool by_columns = true;          ///< whether blocks are stored by columns: of A^T, by rows of A
  bool in_order = true;            ///< whether the blocks of a block row follow each other: not of A^T
  bool many_vectors = false;       ///< whether several vectors are multiplied at a time
  int num_vectors = 1;             ///< how many that may be, as far as the plan was told
  bool vectors_by_rows = true;     ///< whether their entries of a row lie side by side
  bool double_vectors = true;      ///< whether vectors are of doubles; where that is not known, as the values are
  std::int64_t traffic_bytes = 0;  ///< of a product, by the byte model
};

struct SpmvDevice {
  bool is_gpu = false;
  int warp = 32;                           ///< lanes of a warp or wavefront
  std::int64_t threads = 1024;             ///< that are on the device at a time
  bool matrix_unit = false;                ///< whether it multiplies small matrices of doubles by a unit of their own
  std::int64_t cache_bytes = 0;            ///< device_cache_bytes
  std::int64_t scratch_bytes = 96 * 1024;  ///< device_scratch_bytes; what any GPU has where that is not known
  std::int64_t processor_cache_bytes = 0;  ///< of a CPU: last_cache_bytes of its threads
  bool gains_by_prefetch = false;          ///< of a CPU: whether all values are best prefetched
  InstructionSet instruction_set = InstructionSet::baseline;  ///< of a CPU
};

/// The parts of a launch that a caller may request. The cost model chooses parts that are automatic, 0 or empty.
struct LaunchRequest {
  Kernel kernel = Kernel::automatic;
  int width = 0;
  int tile_rows = 0;
  std::optional<int> prefetch_bytes = std::nullopt;

  bool is_free() const { return kernel == Kernel::automatic && width == 0 && tile_rows == 0 && !prefetch_bytes; }
};

/// The lanes of a team that works on a tile.
inline constexpr int lanes_of_tile = 128;

/// Scalars that a tile holds at a time at most: what every GPU has scratch memory for.
constexpr int most_held_by_tile(int scalar_bytes) { return scalar_bytes > 4 ? 2048 : 4096; }

/// How a tile is made and held.
struct TileShape {
  int rows = 0;               ///< block rows of a tile, a divisor of lanes_of_tile; 0 where there are no tiles
  int capacity = 1;           ///< blocks whose products are held at a time
  int log2_lanes_of_row = 0;  ///< of lanes_of_tile / rows, the lanes that add up a block row
};

}  // namespace ashlar::impl

// What StagedMultiProduct takes, and with how much in flight: all measured on an H200.

namespace ashlar::impl {

/// The largest blocks: with larger ones a lane has no registers left for the sums and a block's x. Blocks of 7 and 8
/// are measured, and compiled, with vectors of doubles only.
constexpr int largest_staged_block(bool double_vectors) { return double_vectors ? 8 : 6; }

/// Threads of a team, as groups of lanes within a warp are put together.
inline constexpr int staged_threads = 128;

/// The number of vectors of the widest panel: no more than 16 lanes load from one row of x, 16 bytes each.
constexpr int widest_staged_panel(int vector_bytes) { return vector_bytes > 8 ? 16 : 32; }

/// The compiled numbers of lanes of a block row, beside a warp's 32; vector_bytes is the size of an entry of x.
constexpr int usual_staged_width(int block_size, int vector_bytes) {
  if (block_size == 1) return vector_bytes > 8 ? 8 : 4;
  return block_size <= 4 ? 8 : 16;
}

/// The same for wide panels.
constexpr int wide_staged_width(int block_size, int lanes_of_block) {
  return lanes_of_block > 8 || block_size >= 6 ? 16 : 8;
}

/// True if copies go through the first cache as well: several panels read the same values, and block rows shorter than
/// a line read the same lines.
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

/// How many blocks groups of lanes hold in scratch memory.
struct Staging {
  int team_bytes = 0;   ///< that the groups of a team may take together
  int block_bytes = 1;  ///< of a block's values and its column
  int usual_row = 1;    ///< blocks of a block row of usual length

  /// The blocks that each of `groups` of a team holds at a time: a block row of usual length in as few pieces as there
  /// is room for, all of about the same size. At least one.
  int blocks(int groups) const {
    const int room = std::max(1, (team_bytes / groups - scratch_of_group) / block_bytes);
    const int pieces = std::max(1, (usual_row + room - 1) / room);
    return std::max(1, (usual_row + pieces - 1) / pieces);
  }
};

/// The decision of a plan: which kernel, and how its threads are grouped.
struct SpmvLaunch {
  Kernel kernel = Kernel::automatic;
  int compiled_size = runtime_block_size;  ///< of the blocks
  Grouping grouping;
  TileShape tile;   ///< of by_tile
  Staging staging;  ///< of staged
  /// Block rows of more blocks than this are cut into segments; the kernel leaves them out.
  std::int64_t longest_row = std::numeric_limits<std::int64_t>::max();
  int prefetch_bytes = 0;                         ///< how far ahead a CPU prefetches values; 0: not at all
  std::optional<InstructionSet> instruction_set;  ///< of a CPU: which its kernel is compiled for
  RowRanges first_row;  ///< of the range that each thread of a CPU takes; empty: block rows are dealt one by one
  std::string label;    ///< of the launch
};

/// A team kernel over `num_groups` groups of lanes, with scratch_bytes for each.
///
/// MaxThreads bounds the threads of a team, and with MinTeams, of which so many are to be on a multiprocessor at a
/// time, the registers of a thread: on NVIDIA GPUs to 65536 / (MaxThreads * MinTeams).
template <int MaxThreads, int MinTeams, class Exec, class Functor>
void launch_teams(const Exec& exec, const std::string& label, const Grouping& grouping, std::int64_t num_groups,
                  std::size_t scratch_bytes, const Functor& functor) {
  const int teams = static_cast<int>((num_groups + grouping.groups - 1) / grouping.groups);
  // On a CPU one thread plays all lanes.
  Kokkos::TeamPolicy<Exec, Kokkos::LaunchBounds<MaxThreads, MinTeams>> policy(
      exec, teams, is_gpu_v<Exec> ? grouping.groups * grouping.width : 1, 1);
  policy.set_scratch_size(scratch_level<Exec>, Kokkos::PerTeam(grouping.groups * scratch_bytes));
  Kokkos::parallel_for(label, policy, functor);
}

/// The same, grouped as the plan has it.
template <int MaxThreads, int MinTeams, class Exec, class Functor>
void launch_teams(const Exec& exec, const SpmvLaunch& launch, std::int64_t num_groups, std::size_t scratch_bytes,
                  const Functor& functor) {
  launch_teams<MaxThreads, MinTeams>(exec, launch.label, launch.grouping, num_groups, scratch_bytes, functor);
}

}  // namespace ashlar::impl
