#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <type_traits>

// A rank's rows may be on the device, or in the host's memory.

namespace ashlar::impl {

/// An instance that reaches a rank's rows: `exec` if they are in its memory, else one of the host's.
template <class Rows, class Exec>
auto instance_at(const Exec& exec) {
  if constexpr (std::is_same_v<typename Rows::memory_space, typename Exec::memory_space>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

/// Rows where the matrix is to be; the same rows if they are there. Waits.
template <class Matrix, class Rows, class Exec>
Matrix on_device(const Exec& exec, const Rows& rows) {
  const Matrix result = copy_to<typename Matrix::memory_space>(exec, rows);
  exec.fence("ashlar::distributed: rows on the device");
  return result;
}

}  // namespace ashlar::impl
