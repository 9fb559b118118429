#include <ashlar/halo/exchange_mode.hpp>

namespace ashlar {

std::string_view to_string(ExchangeMode mode) {
  switch (mode) {
    case ExchangeMode::automatic:
      return "automatic";
    case ExchangeMode::blocking:
      return "blocking";
    case ExchangeMode::stream:
      return "stream";
    case ExchangeMode::kernel:
      return "kernel";
  }
  return "unknown";
}

}  // namespace ashlar
