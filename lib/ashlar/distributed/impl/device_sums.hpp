#pragma once

#include <ashlar/base/concepts.hpp>
#include <cstddef>

namespace ashlar::impl {

/// Sums over ranks for which the host does not wait, save where it computes itself. One sum at a time.
template <execution_space Exec>
class DeviceSums {
 public:
  virtual ~DeviceSums() = default;
  DeviceSums() = default;
  DeviceSums(const DeviceSums&) = delete;
  DeviceSums& operator=(const DeviceSums&) = delete;

  /// `mine` must not change until end().
  virtual void begin(const Exec& exec, const double* mine, std::size_t count) = 0;
  virtual void end(const Exec& exec, double* sums, std::size_t count) = 0;
  /// Throws CommError where the device has waited for another rank in vain.
  virtual void check() const = 0;
};

}  // namespace ashlar::impl
