#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/comm/communicator.hpp>
#include <type_traits>
#include <vector>

// Messages of set-up start on the host.

namespace ashlar::impl {

/// A list cut into `num_pieces`: piece k goes from begin(k) to begin(k + 1).
template <class Entry, class Begin>
std::vector<std::vector<Entry>> pieces_of(const Entry* list, int num_pieces, const Begin& begin) {
  std::vector<std::vector<Entry>> pieces;
  for (int k = 0; k < num_pieces; ++k) pieces.emplace_back(list + begin(k), list + begin(k + 1));
  return pieces;
}

/// Sends lists[r] to each rank r. Returns the lists for this rank, concatenated in rank order. Collective.
template <class Entry>
std::vector<Entry> lists_from_all(const Communicator& comm, const std::vector<std::vector<Entry>>& lists) {
  std::vector<Entry> all;
  for (const std::vector<Entry>& list : comm.all_to_all(lists)) all.insert(all.end(), list.begin(), list.end());
  return all;
}

/// An instance that reaches the rows of a rank, which may be on the device or in host memory: `exec` if they are in its
/// memory, else one of the host.
template <class Rows, class Exec>
auto instance_at(const Exec& exec) {
  if constexpr (std::is_same_v<typename Rows::memory_space, typename Exec::memory_space>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

/// The rows in the memory of Matrix; the same rows if they are there already. Waits.
template <class Matrix, class Rows, class Exec>
Matrix on_device(const Exec& exec, const Rows& rows) {
  const Matrix result = copy_to<typename Matrix::memory_space>(exec, rows);
  exec.fence("ashlar::distributed: rows on the device");
  return result;
}

}  // namespace ashlar::impl
