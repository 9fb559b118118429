#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/streaming/estimate.hpp>
#include <ashlar/streaming/figures.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <functional>
#include <string>
#include <vector>

namespace ashlar {

/// How to stream a matrix, and how long a product should take.
struct StreamingPlan {
  StreamingOptions options;  ///< with everything decided that was left open
  StreamingEstimate estimate;
  StreamingFigures figures;
  double seconds = 0;         ///< of one of many products in turn
  double link_seconds = 0;    ///< of it, what the link is busy
  double device_seconds = 0;  ///< what the device is
  double host_seconds = 0;    ///< what the host needs, from its part of x on its way to the last piece multiplied

  /// The decision and its terms, for people.
  std::string explain() const;
};

namespace impl {

/// What the device has to do with a matrix that is cut in one way.
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
/// multiplies, at most most_host_share of the blocks, and nothing of a file, of half of a symmetric matrix, or of a
/// matrix that stays on the device: Streamed is a StreamedMatrix or a StreamedSymmetricMatrix, Source its host_type or
/// file_type, `figures` are those of one of this matrix (StreamedMatrix::measure).
///
/// Memory   allocates nothing on the device; plans are within options.device_memory_limit.
/// Async    reads the host's row pointers at once, of half of a symmetric matrix its block columns, too.
/// Throws   as StreamedMatrix does.
template <class Streamed, class Source>
StreamingPlan plan_streaming(const Source& matrix, const StreamingFigures& figures,
                             const StreamingOptions& options = {}, double most_host_share = 1) {
  return impl::plan(options, figures, most_host_share, Streamed::planning(matrix, options));
}

/// The same by what is measured on this machine: a Streamed by `options` is made for that, and gone when this returns.
/// Takes some tenths of a second.
///
/// Memory   within options.device_memory_limit; x and y are like those of products to come, and hold numbers; y is
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
