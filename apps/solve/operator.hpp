#pragma once

#include <ashlar/spmv/tuning_table.hpp>
#include <functional>
#include <optional>
#include <string>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// The system's matrix as the solvers see it, wherever it is; and what was decided on the way.
template <class Exec>
struct SystemOperator {
  Operator<Exec> op;
  std::string kernel;                    ///< that computes the products
  std::optional<std::string> streaming;  ///< how the plan for a streamed matrix came about
  std::optional<TuningTable> tuning;     ///< to be written, where --tune was given
  /// Records the products of a streamed matrix from then on; none of a matrix on the device, of which Kokkos tells.
  std::function<StreamRecording<Exec>(StreamTimeline<Exec>&)> record;
};

/// Plans the products: by what was asked for, by a tuning table, or for a matrix that is streamed from the host's
/// memory to a device by measuring how to.
///
/// Throws   what plans do; MemoryError where the device has too little memory for streaming, too.
template <class Exec>
SystemOperator<Exec> make_operator(const Exec& exec, const LinearSystem<Exec>& system, const SolveOptions& options);

}  // namespace ashlar::app
