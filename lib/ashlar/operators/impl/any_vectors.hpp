#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <type_traits>

namespace ashlar::impl {

/// The vectors that operators of any type take: one type for all contiguous ones, one for all multi-vectors.
template <class Scalar, class Space>
struct AnyVectors {
  template <class Entry>
  using One = Kokkos::View<Entry*, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;
  template <class Entry>
  using Many = Kokkos::View<Entry**, Kokkos::LayoutStride, Space, Kokkos::MemoryTraits<Kokkos::Unmanaged>>;

  /// The same entries, for reading where Entry is const.
  template <class Entry, class View>
  static auto of(const View& view) {
    static_assert(Kokkos::is_view_v<View> && std::is_same_v<typename View::non_const_value_type, Scalar>,
                  "ashlar: vectors of an operator of any type hold its scalar");
    if constexpr (View::rank() == 1) {
      static_assert(vector_view<View>, "ashlar: a vector is contiguous");
      return One<Entry>(view.data(), view.extent(0));
    } else {
      return Many<Entry>(view.data(),
                         Kokkos::LayoutStride(view.extent(0), view.stride(0), view.extent(1), view.stride(1)));
    }
  }
};

}  // namespace ashlar::impl
