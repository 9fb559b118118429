#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <cstdint>
#include <string>
#include <utility>

namespace ashlar {

/// An operator made of a function(exec, x, y) that enqueues y := A x. All other members are defaults: it counts no
/// bytes, and is not captured in graphs. Derive from it to replace some of them.
///
/// Shapes   x and y are local parts of space().num_local() entries.
/// Memory   the function, with its captures.
/// Async    as the function, which neither fences nor allocates.
template <class Function, class Space = LocalSpace>
class FunctionOperator {
 public:
  FunctionOperator(Space space, Function function) : space_(std::move(space)), function_(std::move(function)) {}

  template <execution_space Exec, class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    function_(exec, x, y);
  }

  Space space() const { return space_; }
  std::int64_t traffic_bytes() const { return 0; }
  HeldBytes bytes() const { return {}; }
  bool is_stream_ordered() const { return is_gpu_v<Kokkos::DefaultExecutionSpace>; }
  std::string explain() const { return "a function"; }

 private:
  Space space_;
  Function function_;
};

/// The square operator of a function on vectors of n entries:
///
///     const auto a = make_operator(n, [](const auto& exec, const auto& x, const auto& y) { ... });
template <class Function>
auto make_operator(std::int64_t n, Function function) {
  return FunctionOperator<Function>(LocalSpace(n), std::move(function));
}

/// The same on local parts of vectors of a space: the function itself exchanges entries with the other parts.
template <class Space, class Function>
requires requires(const Space& space) { space.num_local(); }
auto make_operator(const Space& space, Function function) {
  return FunctionOperator<Function, Space>(space, std::move(function));
}

}  // namespace ashlar
