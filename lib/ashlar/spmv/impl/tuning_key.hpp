#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/device_cache.hpp>
#include <ashlar/device/device_name.hpp>
#include <ashlar/device/device_scratch.hpp>
#include <ashlar/host/last_cache.hpp>
#include <ashlar/spmv/impl/matrix_unit.hpp>
#include <ashlar/spmv/impl/tuning_class.hpp>
#include <ashlar/spmv/mode.hpp>
#include <string>
#include <type_traits>

namespace ashlar::impl {

template <class Exec>
SpmvDevice spmv_device(const Exec& exec) {
  SpmvDevice device{is_gpu_v<Exec>, is_gpu_v<Exec> ? Kokkos::TeamPolicy<Exec>::vector_length_max() : 32,
                    exec.concurrency(), has_matrix_unit && is_gpu_v<Exec>, device_cache_bytes(exec)};
  if constexpr (!is_gpu_v<Exec>) {
    device.processor_cache_bytes = last_cache_bytes(exec.concurrency());
    device.gains_by_prefetch = is_intel_processor();
  }
  if (const std::int64_t bytes = device_scratch_bytes(exec); bytes > 0) device.scratch_bytes = bytes;
  return device;
}

/// The device's name; of a CPU with the number of threads, on which depends what is fast.
template <class Exec>
std::string tuning_device(const Exec& exec) {
  return is_gpu_v<Exec> ? device_name(exec) : text(device_name(exec), ", ", exec.concurrency(), " threads");
}

/// Whether the vectors that a matrix of Value multiplies are of doubles; of floats it may be either, and has to be
/// told.
template <class Value>
constexpr bool are_vectors_double(bool told) {
  return std::is_same_v<vector_scalar_t<Value>, double> && (told || !std::is_same_v<Value, float>);
}

/// What the product of `shape` with such a matrix goes by in a table.
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
