#pragma once

#include <ashlar/halo/exchange_mode.hpp>
#include <string>

namespace ashlar::perf {

/// As --exchange has it.
inline std::string mode_name(ExchangeMode mode) {
  return mode == ExchangeMode::automatic ? "auto" : std::string(to_string(mode));
}

}  // namespace ashlar::perf
