#pragma once

#include <ashlar/distributed/idle_clock.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/options.hpp>
#include <optional>
#include <string_view>

namespace ashlar {

/// How a rank multiplies what is not its own.
enum class Decomposition {
  one_d,  ///< when all of the halo has come, at once
  two_d,  ///< cut by the rank that it comes from, each piece when it has come
};

/// "1d", "2d"
std::string_view to_string(Decomposition decomposition);

/// How a DistributedOperator multiplies, and exchanges what that needs of other ranks.
struct DistributedOptions {
  Decomposition decomposition = Decomposition::one_d;
  /// How the halo travels. Its entry_bytes are not looked at: the operator knows them. Its time_out_seconds hold for
  /// sums and for kernels that iterate CG, too.
  HaloOptions halo = {};
  /// Who sends and receives it, and sums over ranks with it.
  ExchangeMode exchange = ExchangeMode::automatic;
  /// Of the products on each rank, of which some may have other kernels than others. A, not A^T.
  SpmvOptions spmv = {};
  /// Whether the halo travels while a rank multiplies its own columns; without, before: to see what that is worth.
  bool overlap = true;
  /// How this rank streams its own columns from the host's memory, of which as much stays on the device as there is
  /// room for; none: they are on the device. Ranks need not agree. Its device_memory_limit holds for all that the rank
  /// has there, with x and y; its product is not looked at, `spmv` is.
  std::optional<StreamingOptions> streaming = std::nullopt;
  /// How idle_seconds() knows, where halo and sums are messages of the host. Ranks need not agree.
  IdleClock idle_clock = IdleClock::host;
};

}  // namespace ashlar
