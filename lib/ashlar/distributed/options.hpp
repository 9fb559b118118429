#pragma once

#include <ashlar/distributed/idle_clock.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/streaming/options.hpp>
#include <optional>
#include <string_view>

namespace ashlar {

/// How a rank multiplies its remote columns.
enum class Decomposition {
  one_d,  ///< in one product, when all of the halo has arrived
  two_d,  ///< in one product for each source rank, when its entries have arrived
};

/// "1d", "2d"
inline std::string_view to_string(Decomposition decomposition) {
  return decomposition == Decomposition::one_d ? "1d" : "2d";
}

/// How a DistributedOperator multiplies, and exchanges the halo.
struct DistributedOptions {
  Decomposition decomposition = Decomposition::one_d;
  /// How the halo travels. The operator ignores entry_bytes, which it knows. time_out_seconds also holds for sums and
  /// for kernels that iterate CG.
  HaloOptions halo = {};
  /// The mode of halo exchanges, and of sums over ranks.
  ExchangeMode exchange = ExchangeMode::automatic;
  /// The products on each rank. Ranks may choose different kernels. The mode is A, not A^T.
  SpmvOptions spmv = {};
  /// If true, the halo travels while a rank multiplies its local columns; if false, before, to measure the benefit.
  bool overlap = true;
  /// How this rank streams its local columns from host memory. The device keeps as many as fit; none: all of them are
  /// on the device. Ranks may differ. device_memory_limit holds for all memory of the rank on the device, with x and y.
  /// Its `product` is ignored in favour of `spmv`.
  std::optional<StreamingOptions> streaming = std::nullopt;
  /// How idle_seconds() is measured if halo and sums are messages of the host. Ranks may differ.
  IdleClock idle_clock = IdleClock::host;
};

}  // namespace ashlar
