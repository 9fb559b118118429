#pragma once

#include <ashlar/base/scalar.hpp>
#include <cstdint>
#include <vector>

namespace ashlar {

/// A sparse matrix on the host as a list of entries: value values[k] at (rows[k], cols[k]), counted from 0.
///
/// Shapes   the three vectors have one length. Any order; entries that name one place twice are added up by what reads
///          them.
/// Memory   the host's.
template <scalar Scalar>
struct CooMatrix {
  std::int64_t num_rows = 0;
  std::int64_t num_cols = 0;
  std::vector<std::int32_t> rows;
  std::vector<std::int32_t> cols;
  std::vector<Scalar> values;

  std::int64_t num_values() const { return static_cast<std::int64_t>(values.size()); }
};

}  // namespace ashlar
