#pragma once

#include <span>

namespace ashlar::trace {

/// Where the time of a parallel run goes, as three factors of at most about 1, whose product is its efficiency.
struct ParallelEfficiency {
  double granularity = 1;  ///< of work on a part of the system: what smaller pieces lose, one rank at work at a time
  double tasks = 1;        ///< of work beside the others: what ranks lose that share memory or a link
  double pipeline = 1;     ///< of the ranks' time: what they do not spend waiting

  double total() const { return granularity * tasks * pipeline; }
};

/// The efficiency of a run by as many ranks as `busy_seconds` has, against the same work by one.
///
/// serial_seconds  of the whole by one rank
/// alone_seconds   of each rank's share, while the other ranks rest
/// busy_seconds    of each rank's share in the run, without its waits for others
/// wall_seconds    of the run
///
/// Throws   ArgumentError for times that are not positive, or lists that are empty or of two lengths.
/// Source   Agullo, Giraud, Guermouche, Nakov, Roman 2016, section 5: e = e_granularity * e_tasks * e_pipeline.
ParallelEfficiency parallel_efficiency(double serial_seconds, std::span<const double> alone_seconds,
                                       std::span<const double> busy_seconds, double wall_seconds);

}  // namespace ashlar::trace
