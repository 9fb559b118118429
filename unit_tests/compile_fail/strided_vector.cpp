// A row of a column-major array is no contiguous vector.
// expect: vector_view
#include <ashlar/base/concepts.hpp>

template <ashlar::vector_view V>
std::size_t length(const V& v) {
  return v.extent(0);
}

std::size_t strided_vector(const Kokkos::View<double**, Kokkos::LayoutLeft>& block) {
  const Kokkos::View<double*, Kokkos::LayoutStride> row = Kokkos::subview(block, 0, Kokkos::ALL);
  return length(row);
}
