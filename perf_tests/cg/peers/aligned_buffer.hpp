#pragma once

#include <cstddef>
#include <cstdint>
#include <support/types.hpp>

namespace ashlar::perf {

/// Memory of the device that begins where the allocator of the runtime would let it begin, as libraries expect: what
/// Kokkos allocates begins behind a header of 128 bytes.
class AlignedBuffer {
 public:
  explicit AlignedBuffer(std::size_t bytes)
      : memory_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "perf::buffer"), bytes + alignment) {}

  char* data() const {
    const auto address = reinterpret_cast<std::uintptr_t>(memory_.data());
    return memory_.data() + (alignment - address % alignment) % alignment;
  }

 private:
  static constexpr std::size_t alignment = 256;

  Kokkos::View<char*, Space> memory_;
};

}  // namespace ashlar::perf
