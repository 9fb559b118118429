#pragma once

#include <ashlar/persistent_cg/one_device.hpp>

#ifdef KOKKOS_ENABLE_CUDA
#include <cstdint>
#include <optional>

#include "diagonal_slices.hpp"
#include "sliced_product.hpp"

namespace ashlar::impl {

/// The arrays of DiagonalSlices.
template <class Value>
struct DiagonalCopy {
  Kokkos::View<std::int32_t*, Kokkos::CudaSpace> begin, offsets;
  Kokkos::View<Value*, Kokkos::CudaSpace> values;
  int most_diagonals = 0;  ///< of a slice
  CacheHint hint;          ///< for the values

  template <class Layout, int in_flight>
  SlicedProduct<DiagonalSlices<Value, Layout, in_flight>> product(
      SpmvArguments<Value, Value, std::int32_t, std::int32_t> a) const {
    a.hint = hint;
    constexpr int most = 1 << 16;  // (with more there is no room for a slice)
    const int diagonals = most_diagonals < most ? most_diagonals : most;
    return {{a, begin.data(), offsets.data(), values.data()},
            {1, diagonals * rows_of_diagonal * int(sizeof(Value)), offset_bytes(diagonals), 0}};
  }
};

/// Copies a matrix of single values into slices by diagonals. Makes no copy if the slices are hardly smaller than the
/// stored matrix, or take more than `most_bytes` or half of the device's free memory. Reads the matrix twice at most,
/// and waits for `exec`.
template <class Value>
std::optional<DiagonalCopy<Value>> make_diagonal_copy(const Kokkos::Cuda& exec,
                                                      const SpmvArguments<Value, Value, std::int32_t, std::int32_t>& a,
                                                      std::uint64_t most_bytes);

}  // namespace ashlar::impl
#endif
