#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/comm/communicator.hpp>
#include <string>
#include <type_traits>
#include <vector>

// Lists move between kernel memory and the host, where messages of set-up start.

namespace ashlar::impl {

/// A contiguous view as a list on the host. Waits for `exec`.
template <class Exec, class View>
std::vector<typename View::non_const_value_type> list_of(const Exec& exec, const View& view) {
  using Entry = typename View::non_const_value_type;
  std::vector<Entry> list(view.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<Entry*, Kokkos::HostSpace>(list.data(), list.size()), view);
  exec.fence("ashlar::distributed: a list to the host");
  return list;
}

/// A copy of a host list where kernels read it. Waits for `exec`: the list may go afterwards.
template <class Space, class Exec, class Entry>
Kokkos::View<Entry*, Space> view_from(const Exec& exec, const std::string& label, const std::vector<Entry>& list) {
  const Kokkos::View<Entry*, Space> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), list.size());
  Kokkos::deep_copy(exec, view, Kokkos::View<const Entry*, Kokkos::HostSpace>(list.data(), list.size()));
  exec.fence("ashlar::distributed: a list of the host's");
  return view;
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
