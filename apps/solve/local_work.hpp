#pragma once

#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/distributed/operator.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

#include "types.hpp"

namespace ashlar::app {

/// What a rank does in a product over ranks, less the exchange, as an operator: for the time that its work takes alone.
/// Of others' entries it takes those that came last.
template <class Exec>
class LocalWork {
 public:
  explicit LocalWork(std::shared_ptr<const DistributedOperator<Matrix<Exec>>> op) : op_(std::move(op)) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    op_->apply_without_exchange(exec, x, y);
  }
  LocalSpace space() const { return LocalSpace(op_->space().num_local()); }
  std::int64_t traffic_bytes() const { return op_->traffic_bytes(); }
  HeldBytes bytes() const { return op_->bytes(); }
  bool is_stream_ordered() const { return is_gpu_v<Exec>; }
  std::string explain() const { return "a rank's part of a product, without the exchange"; }

 private:
  std::shared_ptr<const DistributedOperator<Matrix<Exec>>> op_;
};

}  // namespace ashlar::app
