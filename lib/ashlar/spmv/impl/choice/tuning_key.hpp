#pragma once

#include <Kokkos_Core.hpp>
#include <array>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/device/probes/device_properties.hpp>
#include <ashlar/host/instruction_set.hpp>
#include <ashlar/host/processors.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/launch/spmv_launch.hpp>
#include <ashlar/spmv/impl/products/matrix_unit.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <cstdint>
#include <string>
#include <string_view>
#include <type_traits>

namespace ashlar::impl {

/// Where the last class of numbers of block rows begins: from some millions on, more change nothing.
inline constexpr std::int64_t last_block_rows_class = std::int64_t(1) << 20;

/// The names of the classes of spread, from even to long rows.
inline constexpr std::array<std::string_view, 3> spreads{"even", "uneven", "long_rows"};

/// The most block rows that a tile of by_tile has.
inline constexpr int most_rows_of_tile = lanes_of_tile;

/// The largest power of 4 up to `block_rows`, at least 1 and at most last_block_rows_class.
std::int64_t block_rows_class(std::int64_t block_rows);

/// The largest power of 2 up to the average number of blocks of a block row, or 0.
std::int64_t row_blocks_class(const SpmvShape& shape);

/// One of `spreads`; of a shape that knows its longest row.
std::string_view spread_class(const SpmvShape& shape);

/// The classes of a shape, in a key without device, types and mode.
TuningKey tuning_class(const SpmvShape& shape);

template <class Exec>
SpmvDevice spmv_device(const Exec& exec) {
  SpmvDevice device{is_gpu_v<Exec>, is_gpu_v<Exec> ? Kokkos::TeamPolicy<Exec>::vector_length_max() : 32,
                    exec.concurrency(), has_matrix_unit && is_gpu_v<Exec>, device_cache_bytes(exec)};
  if constexpr (!is_gpu_v<Exec>) {
    device.processor_cache_bytes = last_cache_bytes(exec.concurrency());
    device.gains_by_prefetch = is_intel_processor();
    device.instruction_set = instruction_set();
  }
  if (const std::int64_t bytes = device_scratch_bytes(exec); bytes > 0) device.scratch_bytes = bytes;
  return device;
}

/// The device's name; for a CPU with the number of threads and the instruction set, on which the fastest kernel
/// depends.
template <class Exec>
std::string tuning_device(const Exec& exec) {
  if constexpr (is_gpu_v<Exec>) {
    return device_name(exec);
  } else {
    return text(device_name(exec), ", ", exec.concurrency(), " threads, ", to_string(instruction_set()));
  }
}

/// True if a matrix of Value multiplies vectors of doubles; for floats the caller has to say so.
template <class Value>
constexpr bool are_vectors_double(bool told) {
  return std::is_same_v<vector_scalar_t<Value>, double> && (told || !std::is_same_v<Value, float>);
}

/// The key of the product of `shape` with such a matrix in a table.
template <class Matrix, class Exec>
TuningKey tuning_key(const Exec& exec, const SpmvShape& shape, Mode mode, bool double_vectors) {
  using Value = typename Matrix::scalar_type;
  TuningKey key = tuning_class(shape);
  key.device = tuning_device(exec);
  key.values = scalar_name<Value>();
  key.vectors = are_vectors_double<Value>(double_vectors) ? "double" : key.values;
  key.layout = Matrix::layout_type::name;
  key.mode = to_string(mode);
  return key;
}

}  // namespace ashlar::impl
