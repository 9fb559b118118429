#pragma once

#include <ashlar/bcsr/block.hpp>
#include <type_traits>
#include <utility>

// The build may choose fewer, which take less time to compile: cmake -DASHLAR_BLOCK_SIZES=1,2,3.
#if !defined(ASHLAR_BLOCK_SIZES)
#define ASHLAR_BLOCK_SIZES \
  1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27, 28, 29, 30, 31, 32
#endif

namespace ashlar {

/// The block sizes with kernels of their own. This list drives the kernels, their instantiation, the typed tests and
/// the performance tests.
using CompiledBlockSizes = std::integer_sequence<int, ASHLAR_BLOCK_SIZES>;

/// Stands for "known at run time only" where a block size is a template argument.
inline constexpr int runtime_block_size = 0;

/// The most rows, or columns, of a block that the kernels take.
inline constexpr int max_block_size = 64;

namespace impl {
template <int... Sizes, class Function>
void with_block_size_of(std::integer_sequence<int, Sizes...>, int block_size, Function&& function) {
  const bool found = ((block_size == Sizes ? (function(std::integral_constant<int, Sizes>{}), true) : false) || ...);
  if (!found) function(std::integral_constant<int, runtime_block_size>{});
}

template <int... Sizes>
constexpr bool is_one_of(std::integer_sequence<int, Sizes...>, int block_size) {
  return ((block_size == Sizes) || ...);
}
}  // namespace impl

/// True if `block_size` has kernels of its own.
constexpr bool is_compiled_block_size(int block_size) { return impl::is_one_of(CompiledBlockSizes{}, block_size); }

/// True if blocks of this shape have kernels of their own: square ones, of a size on the list.
constexpr bool is_compiled(const BlockShape& shape) { return shape.is_square() && is_compiled_block_size(shape.rows); }

/// Calls function(std::integral_constant<int, B>) with B the size of blocks that are square and on the list, and
/// B = runtime_block_size for others: the one place where a number becomes a type.
template <class Function>
void with_block_size(const BlockShape& shape, Function&& function) {
  const int block_size = shape.is_square() ? shape.rows : runtime_block_size;
  impl::with_block_size_of(CompiledBlockSizes{}, block_size, std::forward<Function>(function));
}

}  // namespace ashlar
