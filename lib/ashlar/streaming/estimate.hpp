#pragma once

#include <ashlar/bcsr/block.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <functional>
#include <vector>

namespace ashlar {

/// What streaming a matrix takes, before anything is allocated: all in bytes.
struct StreamingEstimate {
  int num_subdivisions = 0;
  int num_resident = 0;  ///< of the subdivisions, the first ones, that stay on the device
  int num_buffers = 0;   ///< that the others take turns in
  bool structure_is_resident = true;
  std::uint64_t buffer_bytes = 0;     ///< of all buffers
  std::uint64_t resident_bytes = 0;   ///< of the blocks that stay
  std::uint64_t structure_bytes = 0;  ///< of row pointers, of block columns where they stay, and of what plans hold
  std::uint64_t vector_bytes = 0;     ///< of x and y, which the caller allocates
  std::uint64_t host_bytes = 0;       ///< of the blocks that the host multiplies where they are
  std::uint64_t sent_bytes = 0;       ///< over the link at most, in one pass through the matrix, after the first

  std::uint64_t device_bytes() const { return buffer_bytes + resident_bytes + structure_bytes + vector_bytes; }
};

namespace impl {

/// The sizes of a matrix to be streamed; its block rows and blocks are those of the device only.
struct StreamedShape {
  BlockShape block_shape;
  std::int64_t num_block_rows = 0, num_blocks = 0;
  std::int64_t num_rows = 0, num_cols = 0;  ///< entries of y and of x
  std::uint64_t scalar_bytes = 8, ordinal_bytes = 4, offset_bytes = 4, vector_scalar_bytes = 8;
  std::uint64_t plan_bytes = 0;  ///< that plans, and making them, take on the device at most
};

/// The estimate for so many subdivisions as are asked for, or suit: `cut(n)` cuts the block rows into n.
///
/// Throws   ArgumentError for numbers that count nothing; MemoryError where the limit is too small, which names the
///          least that would do, but for how evenly many subdivisions can be cut.
StreamingEstimate estimate_streaming(const StreamedShape& shape, const StreamingOptions& options,
                                     std::uint64_t available, const std::function<std::vector<Subdivision>(int)>& cut);

/// The same where host and device are one memory, and nothing is sent: only the number of subdivisions is to be chosen.
StreamingEstimate estimate_in_place(const StreamedShape& shape, const StreamingOptions& options);

}  // namespace impl

}  // namespace ashlar
