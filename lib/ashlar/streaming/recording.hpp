#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <memory>

namespace ashlar {

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

}  // namespace ashlar
