#pragma once

#include <ashlar/spmv/impl/launch/all_kernels.hpp>
#include <ashlar/spmv/impl/launch/kernel_list.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <type_traits>

namespace ashlar::impl {

template <Kernel First, Kernel... Others, class Function>
auto with_kernel_of(KernelList<First, Others...>, Kernel kernel, const Function& function) {
  using Result = decltype(function(KernelOf<First>{}));
  if constexpr (std::is_void_v<Result>) {
    if (kernel == First) return function(KernelOf<First>{});
    if constexpr (sizeof...(Others) > 0) with_kernel_of(KernelList<Others...>{}, kernel, function);
  } else {
    if (kernel == First) return function(KernelOf<First>{});
    if constexpr (sizeof...(Others) > 0) return with_kernel_of(KernelList<Others...>{}, kernel, function);
    return Result{};
  }
}

/// The result of function(KernelOf<kernel>{}): the one place where a kernel's number becomes a type. For automatic,
/// which is no kernel: nothing, {}.
template <class Function>
auto with_kernel(Kernel kernel, const Function& function) {
  return with_kernel_of(AllKernels{}, kernel, function);
}

/// The first kernel of the list for which is_it(KernelOf<...>{}) holds, or automatic.
template <Kernel... Kernels, class Predicate>
Kernel first_kernel(KernelList<Kernels...>, const Predicate& is_it) {
  Kernel found = Kernel::automatic;
  (void)((is_it(KernelOf<Kernels>{}) ? (found = Kernels, true) : false) || ...);
  return found;
}

}  // namespace ashlar::impl
