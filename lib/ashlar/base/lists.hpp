#pragma once

#include <Kokkos_Core.hpp>
#include <string>
#include <vector>

// Lists move between the memory of kernels and the host, in set-up.

namespace ashlar::impl {

/// A contiguous view as a list on the host. Waits for `exec`.
template <class Exec, class View>
std::vector<typename View::non_const_value_type> list_of(const Exec& exec, const View& view) {
  using Entry = typename View::non_const_value_type;
  std::vector<Entry> list(view.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<Entry*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(list.data(), list.size()),
                    view);
  exec.fence("ashlar: a list to the host");
  return list;
}

/// A copy of a host list where kernels read it. Allocates, and waits for `exec`: the list may go afterwards.
template <class Space, class Exec, class Entry>
Kokkos::View<Entry*, Space> view_from(const Exec& exec, const std::string& label, const std::vector<Entry>& list) {
  const Kokkos::View<Entry*, Space> view(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), list.size());
  using Here = Kokkos::View<const Entry*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  if (!list.empty()) Kokkos::deep_copy(exec, view, Here(list.data(), list.size()));
  exec.fence(label + ": copied");
  return view;
}

/// The same in the memory of `exec`.
template <class Exec, class Entry>
auto view_from(const Exec& exec, const std::string& label, const std::vector<Entry>& list) {
  return view_from<typename Exec::memory_space>(exec, label, list);
}

}  // namespace ashlar::impl
