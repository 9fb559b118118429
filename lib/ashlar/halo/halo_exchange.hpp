#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <cstdint>
#include <string>

// INTERFACE SKETCH: to be implemented.

namespace ashlar {

/// Exchanges the halo of distributed vectors with blocks of `block_size` scalars, in buffers of its own.
///
/// begin(exec, x) enqueues the packing and starts the messages; end(exec) waits for the oldest exchange that was begun
/// and makes halo() its data, until the next end(). Two may be on their way; so no barrier is needed between them,
/// however fast a neighbour is. end_of(exec, k) waits for what comes from neighbour k of plan.from() alone (in the
/// order asked for), next_arrived(exec) for whichever comes next: for products that take the pieces as they land.
///
/// Shapes   x: rank 1, num_own() * block_size entries; or rank 2 with num_vectors columns and as many rows.
///          halo(): View<Scalar**, LayoutRight> of num_entries() * block_size rows and num_vectors columns? (see below)
/// Memory   staged through pinned host memory; allocated by the constructor.
/// Async    the host waits in begin() (for the packing, on a device) and in end().
template <class Scalar, execution_space Exec>
class HaloExchange;

}  // namespace ashlar
