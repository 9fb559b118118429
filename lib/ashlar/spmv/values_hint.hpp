#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/choice/tuning_key.hpp>
#include <cstdint>

namespace ashlar {

/// The share of a square matrix's values that the device's last cache is to keep from one product to the next, beside
/// the indices and the vectors, whose entries have the size of a value. The same hint as SpmvPlan's, for kernels that
/// multiply by a copy in a format of their own. Waits for a small kernel when a device is first asked, like
/// cache_hint_for().
template <execution_space Exec>
CacheHint values_hint(const Exec& exec, std::int64_t num_rows, std::int64_t num_values, int value_bytes,
                      std::int64_t index_bytes) {
  impl::SpmvShape shape;
  shape.num_block_rows = shape.num_cols = num_rows;
  shape.num_blocks = num_values;
  shape.block_shape = {1, 1};
  shape.value_bytes = value_bytes;
  shape.double_vectors = value_bytes == sizeof(double);
  shape.traffic_bytes = num_values * value_bytes + index_bytes + 2 * num_rows * value_bytes;
  return cache_hint_for(exec, impl::choose_cache_hint(shape, impl::spmv_device(exec)).kept());
}

}  // namespace ashlar
