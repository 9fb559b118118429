#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/impl/launch/kernel_of.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/operands/arguments.hpp>
#include <ashlar/spmv/impl/operands/vectors.hpp>
#include <type_traits>

namespace ashlar::impl {

/// Runs one kernel, for the types named. One specialisation a kernel, so that each is instantiated in a file of its
/// own.
///
/// The member is defined outside the class: inside it would be inline, and a compiler instantiates inline functions in
/// spite of an `extern template`.
template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvKernel {
  using Arguments = SpmvArguments<Value, Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments);
};

/// SpmvKernel for several vectors.
template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
struct SpmvMultiKernel {
  using Arguments = SpmvArguments<Value, Scalar, Ordinal, Offset>;
  static void run(const Exec& exec, const SpmvLaunch& launch, const Arguments& arguments,
                  const MultiVectors<Scalar>& vectors);
};

/// Calls run(rows) with the block rows as a kernel sees them, blocks of the compiled size that
/// size_of(std::bool_constant<by columns>, std::integral_constant<int, one of CompiledBlockSizes>) has, or 0.
template <class Layout, class Value, class Scalar, class Ordinal, class Offset, class SizeOf, class Run>
void with_block_rows(const SpmvArguments<Value, Scalar, Ordinal, Offset>& arguments, const SizeOf& size_of,
                     const Run& run) {
  with_block_size(arguments.block_shape, [&](auto block_size) {
    constexpr bool by_columns = std::is_same_v<Layout, BlockColumnMajor>;
    if (arguments.block == nullptr) {
      constexpr int b = decltype(size_of(std::bool_constant<by_columns>{}, block_size))::value;
      run(BlockRows<Value, Scalar, Layout, Ordinal, Offset, b, false>{arguments});
    } else {
      constexpr int b = decltype(size_of(std::bool_constant<!by_columns>{}, block_size))::value;
      run(BlockRows<Value, Scalar, transposed_layout_t<Layout>, Ordinal, Offset, b, true>{arguments});
    }
  });
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                                      const Arguments& arguments) {
  static_assert(KernelOf<K>::has_single);
  if (arguments.num_block_rows == 0) return;
  const auto size_of = [](auto by_columns, auto block_size) {
    constexpr int b = block_size() > 0
                          ? KernelOf<K>::compiled_size(block_size(), sizeof(Value), by_columns(), is_gpu_v<Exec>)
                          : runtime_block_size;
    return std::integral_constant<int, b>{};
  };
  with_block_rows<Layout>(arguments, size_of, [&](const auto& rows) { KernelOf<K>::run(exec, launch, rows); });
}

template <Kernel K, class Exec, class Value, class Scalar, class Layout, class Ordinal, class Offset>
void SpmvMultiKernel<K, Exec, Value, Scalar, Layout, Ordinal, Offset>::run(const Exec& exec, const SpmvLaunch& launch,
                                                                           const Arguments& arguments,
                                                                           const MultiVectors<Scalar>& vectors) {
  static_assert(KernelOf<K>::has_multi);
  if (arguments.num_block_rows == 0 || vectors.num_vectors == 0) return;
  const auto size_of = [](auto, auto block_size) {
    constexpr int b = block_size() > 0 ? KernelOf<K>::compiled_size_multi(block_size()) : runtime_block_size;
    return std::integral_constant<int, b>{};
  };
  with_block_rows<Layout>(arguments, size_of,
                          [&](const auto& rows) { KernelOf<K>::run_multi(exec, launch, rows, vectors); });
}

}  // namespace ashlar::impl
