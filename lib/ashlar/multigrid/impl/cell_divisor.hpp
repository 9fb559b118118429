#pragma once

#include <Kokkos_Core.hpp>
#include <cstdint>

namespace ashlar::multigrid::impl {

/// Division of cells' numbers, below 2^50, by 1 to 2^13, which is known at run time only. On GPUs it is the upper half
/// of a product: they take a hundred instructions for a division of 64-bit numbers.
///
/// Source   Granlund & Montgomery 1994.
class CellDivisor {
 public:
  CellDivisor() = default;
  KOKKOS_FUNCTION explicit CellDivisor(int by) : factor_(~std::uint64_t(0) / std::uint64_t(by) + 1), by_(by) {}

  KOKKOS_FUNCTION int by() const { return by_; }
  KOKKOS_FUNCTION std::int64_t quotient(std::int64_t number) const {
#if defined(__CUDA_ARCH__) || defined(__HIP_DEVICE_COMPILE__)
    return by_ == 1 ? number : static_cast<std::int64_t>(__umul64hi(std::uint64_t(number), factor_));
#else
    return number / by_;
#endif
  }
  /// number = quotient * by + remainder; the quotient is what is left of `number`.
  KOKKOS_FUNCTION int remainder(std::int64_t& number) const {
    const std::int64_t whole = quotient(number);
    const int rest = static_cast<int>(number - whole * by_);
    number = whole;
    return rest;
  }

 private:
  [[maybe_unused]] std::uint64_t factor_ = 0;  // GPUs' alone
  int by_ = 1;
};

}  // namespace ashlar::multigrid::impl
