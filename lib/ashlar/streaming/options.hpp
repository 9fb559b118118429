#pragma once

#include <ashlar/spmv/plan.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>

namespace ashlar {

/// Where the block columns of a streamed matrix are while it is multiplied. (Its row pointers, a number for each block
/// row, are always on the device.)
enum class StructurePlacement {
  automatic,  ///< on the device, where that leaves enough memory for the values
  resident,   ///< on the device, for good
  streamed    ///< sent with the values
};

/// How a matrix is to be streamed.
struct StreamingOptions {
  /// Into how many subdivisions of whole block rows the matrix is cut; 0: as many as suit its size and the memory.
  int num_subdivisions = 0;
  Taper taper = Taper::both;
  /// Subdivisions that the device has room for at a time: one to multiply by, the others on their way.
  int num_buffers = 2;
  StructurePlacement structure = StructurePlacement::automatic;
  /// How many subdivisions, the first ones, stay on the device for good; -1: as many as the memory limit leaves room
  /// for.
  int num_resident = -1;
  /// The share of the blocks that the host multiplies in place, while the device works on the others: the last block
  /// rows. Their results have the bits of the host's products. Not for a file.
  double host_share = 0;
  /// Bytes of device memory that the matrix and the vectors of its products may take together; never more than what is
  /// free, less a sixteenth, which is what 0 stands for. (Of the host's memory, where that is the device's.)
  std::uint64_t device_memory_limit = 0;
  /// True if copies (and reading a file) run beside products. Without, each waits for the other: for measuring what
  /// hiding is worth.
  bool hide = true;
  /// True if the first subdivisions of the next product are sent as soon as a product has been enqueued.
  bool send_ahead = true;
  /// True if subdivisions are copied even where host and device share one memory: for tests.
  bool copy_always = false;
  /// Threads that read the file of a matrix that stays in one (FileMatrix); 0: one for every two processors of this
  /// process, 8 at most.
  int num_readers = 0;
  /// The options of the products' plan; A and conj(A) only. A kernel and its width apply to the device: the host's
  /// share has its own.
  SpmvOptions product = {};
};

}  // namespace ashlar
