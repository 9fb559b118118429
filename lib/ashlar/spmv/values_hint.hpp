#pragma once

#include <ashlar/base/concepts.hpp>
#include <ashlar/device/loads/cache_hint.hpp>
#include <ashlar/spmv/impl/choice/choose_launch.hpp>
#include <ashlar/spmv/impl/choice/tuning_key.hpp>
#include <cstdint>

namespace ashlar {

/// What the device's last cache is to keep of the values of a square matrix from one product to the next, beside what
/// locates them and the vectors, whose entries have the size of a value: as SpmvPlan has it, for who multiplies by a
/// copy of a format of its own. Waits for a small kernel when a device is first asked, as cache_hint_for() does.
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
