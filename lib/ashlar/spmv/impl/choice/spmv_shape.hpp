#pragma once

#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>
#include <optional>

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
};

/// The parts of a launch that a caller may request. The cost model chooses parts that are automatic, 0 or empty.
struct LaunchRequest {
  Kernel kernel = Kernel::automatic;
  int width = 0;
  int tile_rows = 0;
  std::optional<int> prefetch_bytes = std::nullopt;

  bool is_free() const { return kernel == Kernel::automatic && width == 0 && tile_rows == 0 && !prefetch_bytes; }
};

}  // namespace ashlar::impl
