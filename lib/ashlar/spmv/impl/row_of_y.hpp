#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::impl {

/// Where in y a block row of a product goes: to the block row that a list has for it; or, where there is no list, to
/// that of its own number.
///
/// The list is asked where a row is stored and nowhere before, so that it costs kernels no register meanwhile, and
/// whether there is one is the same for all threads.
template <class Ordinal>
struct RowOfY {
  const Ordinal* list = nullptr;

  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t block_row) const {
    return list == nullptr ? block_row : std::int64_t(list[block_row]);
  }
};

}  // namespace ashlar::impl
