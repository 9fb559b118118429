#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace ashlar::trace {

enum class SpanKind {
  region,           ///< Kokkos::Profiling::pushRegion to popRegion
  fence,            ///< the host waiting
  parallel_for,     ///< a kernel
  parallel_reduce,  ///< a kernel
  parallel_scan,    ///< a kernel
  copy              ///< Kokkos::deep_copy
};

/// "region": the category in timelines.
std::string_view to_string(SpanKind kind);

/// Something that began and ended, in nanoseconds since its recorder was made, by a clock that never goes back.
struct Span {
  std::string name;   ///< the label
  std::string track;  ///< the line of the timeline that it is on: "host thread 0", "Cuda 0 instance 2", ...
  SpanKind kind;
  std::int64_t begin_ns;
  std::int64_t end_ns;
  std::uint64_t bytes = 0;  ///< of a copy

  double seconds() const { return 1e-9 * static_cast<double>(end_ns - begin_ns); }
};

/// All spans of one name and kind.
struct SpanTotal {
  std::string name;
  SpanKind kind;
  std::int64_t count;
  double seconds;  ///< their sum; regions hold what runs inside them, so sums of different names overlap
};

/// One entry for each name and kind, the longest total first.
std::vector<SpanTotal> totals(const std::vector<Span>& spans);

}  // namespace ashlar::trace
