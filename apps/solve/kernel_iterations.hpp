#pragma once

#include <string>

namespace ashlar::app {

/// How ranks exchanged what they need of each other, and why so.
struct ExchangeAccount {
  std::string mode, why;
};

/// Of a solve by kernels that iterate: these send halo and sums themselves. `of_products` is how products by themselves
/// exchange, of which such a solve has few.
ExchangeAccount exchange_of_kernels(const ExchangeAccount& of_products);

}  // namespace ashlar::app
