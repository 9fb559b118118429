#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/events/timed_event.hpp>
#include <chrono>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace ashlar {

/// Something that took place while a matrix was streamed, in seconds since its timeline began.
struct StreamSpan {
  std::string track;  ///< "copies", "products", "host" or "reader 0"
  std::string name;   ///< "copy 3", "products with 3", "the host's share", "read 3"
  double begin_seconds;
  double end_seconds;
  std::uint64_t bytes = 0;  ///< of a copy, or read
};

/// When copies and products of a streamed matrix took place (StreamedMatrix::record), from marks that the device sets
/// as it passes them: nobody waits for them, and what overlaps goes on to.
///
/// Times    the device's, on all its instances; pieces of the host's share and reads of a file by the host's clock, to
///          some hundredths of a millisecond. Where the backend has no events the host waits at each mark: TimedEvent.
/// Memory   the constructor makes all marks, two for each span. If all are taken, later spans are only counted.
/// Async    the constructor waits for `exec`.
template <execution_space Exec = Kokkos::DefaultExecutionSpace>
class StreamTimeline {
 public:
  using Clock = std::chrono::steady_clock;
  enum class Track { copies, products };

  /// Begins now, with room for the given numbers of spans of the device and of the host.
  ///
  /// Throws   ArgumentError for less than none; Error of the backend.
  StreamTimeline(const Exec& exec, int max_spans) : start_(exec) {
    if (max_spans < 0) {
      throw ArgumentError(text("streaming: a timeline of ", max_spans, " spans"), "there are none at least",
                          "ask for two for each subdivision and product, and of a file for one for each 8 MiB");
    }
    device_.reserve(std::size_t(max_spans));
    for (int i = 0; i < max_spans; ++i) {
      device_.push_back({Track::copies, 0, 0, TimedEvent<Exec>(exec), TimedEvent<Exec>(exec)});
    }
    host_.resize(std::size_t(max_spans));
    // Both clocks begin together, with nothing before them; where they are one, with the same time.
    exec.fence("ashlar::streaming: work before the timeline");
    start_.record(exec);
    host_start_ = start_.host_time().value_or(Clock::now());
    exec.fence("ashlar::streaming: begin of the timeline");
  }

  /// work(), which enqueues on `exec` what a span is of: the copy of subdivision k, of so many bytes, or the products
  /// with it.
  template <class Work>
  void record(Track track, int k, std::uint64_t bytes, const Exec& exec, const Work& work) {
    if (num_device_ == device_.size()) {
      ++num_missed_;
      return work();
    }
    DeviceSpan& span = device_[num_device_];
    span.begin.record(exec);
    work();
    span.end.record(exec);
    span.track = track;
    span.subdivision = k;
    span.bytes = bytes;
    ++num_device_;
  }

  /// work(), which is a piece of the host's share, and returns when that is done.
  template <class Work>
  void record_host(const Work& work) {
    if (num_host_ == host_.size()) {
      ++num_missed_;
      return work();
    }
    HostSpan& span = host_[num_host_];
    span = {"host", "the host's share", Clock::now(), {}, 0};
    work();
    span.end = Clock::now();
    ++num_host_;
  }

  /// A thread has read the given number of bytes of subdivision k from a file. Reads before the timeline began are left
  /// out.
  void add_read(int k, std::uint64_t bytes, int thread, Clock::time_point begin, Clock::time_point end) {
    if (begin < host_start_) return;
    if (num_host_ == host_.size()) {
      ++num_missed_;
      return;
    }
    host_[num_host_++] = {text("reader ", thread), text("read ", k), begin, end, bytes};
  }

  /// The number of spans for which no room was left.
  std::int64_t num_missed() const { return num_missed_; }

  /// All recorded spans: the device's in the order in which they were enqueued, then the host's. Waits until the last
  /// has ended.
  std::vector<StreamSpan> spans() const {
    std::vector<StreamSpan> result;
    for (std::size_t i = 0; i < num_device_; ++i) {
      const DeviceSpan& span = device_[i];
      const bool is_copy = span.track == Track::copies;
      // All since one mark: rounding then keeps their order.
      result.push_back({is_copy ? "copies" : "products", text(is_copy ? "copy " : "products with ", span.subdivision),
                        span.begin.seconds_since(start_), span.end.seconds_since(start_), span.bytes});
    }
    for (std::size_t i = 0; i < num_host_; ++i) {
      const HostSpan& span = host_[i];
      result.push_back(
          {span.track, span.name, seconds_since_start(span.begin), seconds_since_start(span.end), span.bytes});
    }
    return result;
  }

 private:
  struct DeviceSpan {
    Track track;
    int subdivision;
    std::uint64_t bytes;
    TimedEvent<Exec> begin, end;
  };
  struct HostSpan {
    std::string track, name;
    Clock::time_point begin, end;
    std::uint64_t bytes = 0;
  };

  double seconds_since_start(Clock::time_point time) const {
    return std::chrono::duration<double>(time - host_start_).count();
  }

  TimedEvent<Exec> start_;
  Clock::time_point host_start_;
  std::vector<DeviceSpan> device_;
  std::vector<HostSpan> host_;
  std::size_t num_device_ = 0, num_host_ = 0;
  std::int64_t num_missed_ = 0;
};

/// That a streamed matrix records its products on a timeline: what record() returns. It ends with this object, or when
/// the matrix begins another. The matrix may be moved, or go first; the timeline stays where it is as long as this
/// lives.
///
/// Move-only.
template <execution_space Exec>
class [[nodiscard]] StreamRecording {
 public:
  explicit StreamRecording(StreamTimeline<Exec>& timeline) : timeline_(&timeline, [](StreamTimeline<Exec>*) {}) {}
  StreamRecording(StreamRecording&&) noexcept = default;
  StreamRecording& operator=(StreamRecording&&) noexcept = default;

  /// Ends it now.
  void stop() { timeline_.reset(); }

  /// For the matrix: nothing once this has ended.
  std::weak_ptr<StreamTimeline<Exec>> timeline() const { return timeline_; }

 private:
  std::shared_ptr<StreamTimeline<Exec>> timeline_;  // owns nothing: who holds it records
};

/// How much of its copies a streamed matrix hid behind products, or of its products behind copies.
struct StreamOverlap {
  double copy_seconds = 0;     ///< in which copies were under way
  double product_seconds = 0;  ///< in which products were
  double both_seconds = 0;     ///< in which both were

  /// The part of the shorter of the two that passed beside the other; 1 where there was nothing to hide.
  double hidden_share() const;
};

/// The overlap of a timeline's spans; pieces of the host's share and reads of a file are left out.
StreamOverlap overlap_of(const std::vector<StreamSpan>& spans);

}  // namespace ashlar
