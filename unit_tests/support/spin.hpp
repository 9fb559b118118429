#pragma once

#include <Kokkos_Core.hpp>

namespace ashlar::testing {

/// Keeps the instance busy for some hundredths of a second. `result` lives on: to free a view here would wait.
template <class Exec>
void spin(const Exec& exec, const Kokkos::View<double, typename Exec::memory_space>& result) {
  Kokkos::parallel_for(
      "test::spin", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        double x = 1;
        for (int i = 0; i < 10000000; ++i) x = 0.999 * x + 1e-3 * double(i % 7);
        result() = x;
      });
}

}  // namespace ashlar::testing
