#pragma once

#include <ashlar/comm/communicator.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <ashlar/trace/recorder.hpp>
#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types.hpp"

namespace ashlar::app {

/// What --trace records: all that Kokkos tells of. While a GPU multiplies a streamed matrix, instead of it when copies
/// and products take place: what Kokkos tells would have them wait for each other.
template <class Exec>
class SolveTrace {
 public:
  /// Spans of a streamed solve at most, of the device and of the host each: the first ones.
  static constexpr int max_spans = 20000;

  SolveTrace() : start_(std::chrono::steady_clock::now()) { recorder_.emplace(); }

  /// The timeline in which a streamed matrix record()s its products, from here on instead of Kokkos' view of a GPU.
  StreamTimeline<Exec>& timeline(const Exec& exec);

  /// Notes for readers of the trace: a line each, if there are any.
  std::vector<std::string> notes() const;

  /// The spans of all ranks, as one text; empty on other ranks than 0. Times count from the barrier of the ranks before
  /// they made their traces. Collective.
  std::string json(const Communicator& comm) const;

 private:
  std::chrono::steady_clock::time_point start_;
  std::optional<trace::Recorder> recorder_;
  std::vector<trace::Process> recorded_;  // by a recorder that has ended
  std::optional<StreamTimeline<Exec>> timeline_;
  double timeline_begin_ = 0;
};

}  // namespace ashlar::app
