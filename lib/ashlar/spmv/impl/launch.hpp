#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/spmv/impl/arguments.hpp>
#include <ashlar/spmv/impl/can_load_chunks.hpp>
#include <ashlar/spmv/impl/kernel_instance.hpp>
#include <ashlar/spmv/impl/spmv_launch.hpp>
#include <ashlar/spmv/impl/vectors.hpp>
#include <ashlar/spmv/impl/with_kernel.hpp>

namespace ashlar::impl {

/// Whether `kernel` can read the vectors: plans may have been told of others.
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
