#pragma once

#include <ashlar/base/concepts.hpp>
#include <cstdint>

namespace ashlar {

/// The inner-product space of vectors that lie in one memory: its reductions do nothing.
class LocalSpace {
 public:
  explicit LocalSpace(std::int64_t size = 0) : size_(size) {}

  std::int64_t num_local() const { return size_; }
  std::int64_t num_global() const { return size_; }

  template <execution_space Exec, class Sums>
  void sum_begin(const Exec&, const Sums&) const {}
  template <execution_space Exec, class Sums>
  void sum_end(const Exec&, const Sums&) const {}

  int agree_max(int number) const { return number; }
  bool is_stream_ordered() const { return true; }
  bool is_capturable() const { return true; }

 private:
  std::int64_t size_;
};

}  // namespace ashlar
