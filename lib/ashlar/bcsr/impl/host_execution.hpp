#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <type_traits>

namespace ashlar::impl {

/// Where an operation that was given `exec` does what only the host can: on `exec` itself if that is the host's, on the
/// host's default instance otherwise.
template <execution_space Exec>
Kokkos::DefaultHostExecutionSpace host_execution(const Exec& exec) {
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

}  // namespace ashlar::impl
