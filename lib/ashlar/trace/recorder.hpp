#pragma once

#include <ashlar/trace/span.hpp>
#include <iosfwd>
#include <memory>
#include <string>
#include <vector>

namespace ashlar::trace {

/// Records all that Kokkos Tools tells of, from its construction to its destruction: regions, kernels, copies, fences.
///
/// Tracks   one for each host thread (its regions and fences), one for each execution-space instance (its kernels), one
///          for each pair of memory spaces (the copies between them: Kokkos does not say which instance copies).
/// Times    On CPUs, those of the work itself. On GPUs Kokkos fences the device before and after each kernel and
///          region while a tool is there, and the recorder asks for the same around copies: spans are the device's own
///          times, but what would overlap runs one after another. Where a tool loaded before has told Kokkos not to
///          fence, kernels' spans are their launches only: `device_times()` is then false.
/// Memory   on the host, about 150 bytes a span.
/// Threads  regions, kernels and copies may come from any number of host threads. While a recorder is made or
///          destroyed no other thread may be in Kokkos.
/// Tools    the callbacks of a tool that was there before rest while the recorder lives, and are put back afterwards.
/// Throws   ArgumentError where another recorder lives, or Kokkos is not initialised.
class Recorder {
 public:
  Recorder();
  ~Recorder();
  Recorder(const Recorder&) = delete;
  Recorder& operator=(const Recorder&) = delete;

  /// The spans so far, in the order in which they began. What has not ended yet ends now.
  std::vector<Span> spans() const;

  /// The names of the tracks, in the order in which they are shown: host threads first, then instances, then copies.
  std::vector<std::string> tracks() const;

  /// Whether the spans of GPU kernels are the times of the device, and not of launches.
  bool device_times() const;

  /// Writes the spans so far as Chrome/Perfetto JSON: open it at ui.perfetto.dev.
  ///
  /// Throws   nothing of its own: whether all of it was taken is for the stream to say.
  void write(std::ostream& out) const;

 private:
  struct Timeline;
  std::unique_ptr<Timeline> timeline_;
};

}  // namespace ashlar::trace
