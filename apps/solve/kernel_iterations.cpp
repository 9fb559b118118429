#include "solve/kernel_iterations.hpp"

#include <ashlar/base/text.hpp>

namespace ashlar::app {

ExchangeAccount exchange_of_kernels(const ExchangeAccount& of_products) {
  return {"packets", text("one kernel of each rank iterates, and sends halo and sums itself, not as messages; products "
                          "by themselves: ",
                          of_products.mode, ", ", of_products.why)};
}

}  // namespace ashlar::app
