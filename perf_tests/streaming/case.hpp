#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <functional>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

using Streamed = StreamedMatrix<Matrix>;
using HostMatrix = Streamed::host_type;

/// A matrix in the host's memory, made from a name: "3x128" is a cantilever of 3 unknowns and 128 nodes a side,
/// "stencil64x30" the 11-point stencil in blocks of 64, 30 points a side.
struct StreamingCase {
  std::string name;  ///< for people
  HostMatrix host;

  double value_bytes() const { return 8.0 * double(host.num_values()); }
};

/// Made on the device, which has to have room for it.
///
/// Throws   ArgumentError for a name that is none.
StreamingCase make_case(const Exec& exec, const std::string& name);

/// Of a plain copy of a GiB, or of the matrix where that is less.
double plain_copy_gb_s(const Exec& copy_exec, const HostMatrix& host);

/// The median of some calls after a first one.
double median_seconds(int samples, const std::function<void()>& work);

}  // namespace ashlar::perf
