#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/launch/kernel_instance.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/launch/with_kernel.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cstdint>

namespace ashlar::impl {

/// True if the values are aligned as the kernel loads them.
template <class Value, class Scalar, class Ordinal, class Offset>
bool can_load_chunks(Kernel kernel, const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  const int bytes = bytes_of_load(kernel, arguments.block_shape, sizeof(Value));
  return reinterpret_cast<std::uintptr_t>(arguments.values) % bytes == 0;
}

/// True if `kernel` can read the vectors: plans may have been told of others.
template <class Exec, class Scalar>
bool can_read(Kernel kernel, const BlockShape& block_shape, const MultiVectors<Scalar>& vectors) {
  return with_kernel(kernel, [&](auto k) { return k.template can_read<Exec>(block_shape, vectors); });
}

/// Hands the product to the kernel of the launch.
template <class Exec, class Layout, class Value, class Scalar, class Ordinal, class Offset>
void run_spmv(const Exec& exec, const SpmvLaunch& launch,
              const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments) {
  with_kernel(launch.kernel, [&](auto k) {
    if constexpr (k.has_single) {
      SpmvKernel<k.kernel, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments);
    } else {
      Kokkos::abort("ashlar::spmv: the plan has a kernel for several vectors where there is one");
    }
  });
}

/// The same for several vectors.
template <class Exec, class Layout, class Value, class Scalar, class Ordinal, class Offset>
void run_spmv_multi(const Exec& exec, const SpmvLaunch& launch,
                    const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments,
                    const MultiVectors<Scalar>& vectors) {
  with_kernel(launch.kernel, [&](auto k) {
    if constexpr (k.has_multi) {
      SpmvMultiKernel<k.kernel, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(exec, launch, arguments, vectors);
    } else {
      Kokkos::abort("ashlar::spmv: the plan has a kernel for one vector where there are several");
    }
  });
}

}  // namespace ashlar::impl
