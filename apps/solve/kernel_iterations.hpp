#pragma once

#include <ashlar/krylov/report.hpp>
#include <string>

namespace ashlar::app {

/// Whether CG iterated in one persistent kernel, over ranks in one of each: a solve's `launch` begins so. (That of
/// other ways has the reason why there is no such kernel further on.)
bool iterates_in_kernel(const SolveReport& report);

/// How ranks exchanged what they need of each other, and why so.
struct ExchangeAccount {
  std::string mode, why;
};

/// Of a solve by kernels that iterate: these send halo and sums themselves. `of_products` is how products by themselves
/// exchange, of which such a solve has few.
ExchangeAccount exchange_of_kernels(const ExchangeAccount& of_products);

}  // namespace ashlar::app
