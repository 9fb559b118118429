#pragma once

#include <cstdint>

namespace ashlar {

/// What a machine was measured to do with the blocks of one matrix, for a product with as many vectors as planned:
/// StreamedMatrix::measure(). From these planning computes how long a product takes.
struct StreamingFigures {
  double link_bytes_per_second = 0;         ///< of large copies from the host to the device
  double copy_start_seconds = 0;            ///< that each copy takes besides
  double block_seconds = 0;                 ///< of a product on the device, a block
  double product_start_seconds = 0;         ///< that each product takes besides
  double enqueue_seconds = 0;               ///< of the host, for a copy and the products that wait for it
  double host_block_seconds = 0;            ///< of a product on the host, a block; 0: the host is not to multiply
  double host_block_seconds_beside = 0;     ///< the same while copies read the host's memory, too
  double link_bytes_per_second_beside = 0;  ///< while the host multiplies
};

}  // namespace ashlar
