#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ashlar {

/// The memory that streaming a matrix takes, before anything is allocated: all in bytes.
struct StreamingEstimate {
  int num_subdivisions = 0;
  int num_resident = 0;  ///< of the subdivisions, the first ones, that stay on the device
  int num_buffers = 0;   ///< that the others use alternately
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

/// The sizes of a matrix to be streamed; its block rows and blocks are the device's only.
struct StreamedShape {
  BlockShape block_shape;
  std::int64_t num_block_rows = 0, num_blocks = 0;
  std::int64_t num_rows = 0, num_cols = 0;  ///< entries of y and of x
  std::uint64_t scalar_bytes = 8, ordinal_bytes = 4, offset_bytes = 4, vector_scalar_bytes = 8;
  std::uint64_t plan_bytes = 0;  ///< that plans, and making them, take on the device at most
};

/// The bytes of device memory that a streamed matrix may take, and whether the caller or the device sets that limit.
struct StreamingLimit {
  std::uint64_t bytes = 0;
  bool is_callers = false;

  /// For a need of more than that. `remedy` is what helps beside more memory.
  MemoryError error(std::uint64_t needed, const std::string& problem, const std::string& remedy) const;
};

/// StreamingOptions::device_memory_limit where so many bytes are available.
StreamingLimit streaming_limit(const StreamingOptions& options, std::uint64_t available);

/// The estimate for so many subdivisions as are asked for, or suit: `cut(n)` cuts the block rows into n.
///
/// Throws   ArgumentError for numbers that count nothing; MemoryError where the limit is too small, which names the
///          least that would do, but for how evenly many subdivisions can be cut.
StreamingEstimate estimate_streaming(const StreamedShape& shape, const StreamingOptions& options,
                                     std::uint64_t available, const std::function<std::vector<Subdivision>(int)>& cut);

/// The same where host and device are one memory, and nothing is sent: only the number of subdivisions is to be chosen.
StreamingEstimate estimate_in_place(const StreamedShape& shape, const StreamingOptions& options);

}  // namespace impl

/// The measured speeds of a machine with the blocks of one matrix, for a product with the planned number of vectors:
/// StreamedMatrix::measure(). From these planning computes the time of a product.
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

/// How to stream a matrix, and how long a product should take.
struct StreamingPlan {
  StreamingOptions options;  ///< with everything decided that was left open
  StreamingEstimate estimate;
  StreamingFigures figures;
  double seconds = 0;         ///< of one of many successive products
  double link_seconds = 0;    ///< of it, what the link is busy
  double device_seconds = 0;  ///< what the device is
  double host_seconds = 0;    ///< what the host needs, from its part of x on its way to the last piece multiplied

  /// The decision and its terms, for people.
  std::string explain() const;
};

namespace impl {

/// The device's work with a matrix that is cut in one way.
struct StreamedWork {
  StreamingEstimate estimate;
  std::vector<Subdivision> parts;  ///< of the device
  std::int64_t host_blocks = 0;    ///< that the host multiplies
  std::uint64_t bytes_of_sent_block = 0;
  std::uint64_t host_vector_bytes = 0;  ///< of x that go to the host, and as many of y that come back
};

/// The times of a product, after some before: fills in all of the plan but its options.
///
/// Copies follow each other on the link, products on the device; a copy waits for the product with what its buffer
/// held, a product for its copy. The host waits for its part of x, which the product before may have made, and its part
/// of y shares the link with the copies; both go piece by piece (HostPieces), as if each piece needed a part of x of
/// its own: where columns are scattered the first one needs nearly all of it.
StreamingPlan predict(const StreamedWork& work, const StreamingFigures& figures);

/// The options with which a product takes least time: `work_of` cuts the matrix as options say. The host's share is
/// decided, and unless the number of subdivisions is given, that and where they taper; the rest stays as it is.
///
/// Throws   what work_of throws for options as they are.
StreamingPlan plan(const StreamingOptions& options, const StreamingFigures& figures, double most_host_share,
                   const std::function<StreamedWork(const StreamingOptions&)>& work_of);

}  // namespace impl

/// Decides how many subdivisions there are, how much of the matrix stays on the device, and how much the host
/// multiplies: at most most_host_share of the blocks, and nothing of a file, of half of a symmetric matrix, or of a
/// matrix that stays on the device. Streamed is a StreamedMatrix or a StreamedSymmetricMatrix, Source its host_type or
/// file_type, and `figures` were measured with such an object of this matrix (StreamedMatrix::measure).
///
/// Memory   allocates nothing on the device; plans are within options.device_memory_limit.
/// Async    reads the host's row pointers immediately, of half of a symmetric matrix its block columns, too.
/// Throws   as StreamedMatrix does.
template <class Streamed, class Source>
StreamingPlan plan_streaming(const Source& matrix, const StreamingFigures& figures,
                             const StreamingOptions& options = {}, double most_host_share = 1) {
  return impl::plan(options, figures, most_host_share, Streamed::planning(matrix, options));
}

/// The same with figures measured on this machine: by a Streamed that is made with `options` and destroyed before this
/// returns. Takes some tenths of a second.
///
/// Memory   within options.device_memory_limit; x and y are like the vectors of later products, and hold numbers; y is
///          overwritten.
/// Async    returns when all is measured.
/// Throws   as Streamed does.
template <class Streamed, execution_space Exec, class Source, class X, class Y>
StreamingPlan plan_streaming(const Exec& exec, const Source& matrix, const X& x, const Y& y,
                             const StreamingOptions& options = {}, double most_host_share = 1) {
  const StreamingFigures figures = Streamed(exec, matrix, options).measure(exec, x, y);
  return plan_streaming<Streamed>(matrix, figures, options, most_host_share);
}

}  // namespace ashlar
