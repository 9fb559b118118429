#pragma once

#include <Kokkos_Core.hpp>
#include <type_traits>

namespace ashlar::multigrid::impl {

/// A list in the memory of an execution space, as kernels read it. It owns nothing, and is trivial to copy, so that
/// kernels which hold it may be stored (Step).
template <class Item>
struct Items {
  const Item* first;
  int count;

  KOKKOS_FUNCTION const Item& operator()(int number) const { return first[number]; }
};

template <class View>
auto items(const View& list) {
  using Item = std::remove_const_t<typename View::value_type>;
  return Items<Item>{list.data(), static_cast<int>(list.extent(0))};
}

}  // namespace ashlar::multigrid::impl
