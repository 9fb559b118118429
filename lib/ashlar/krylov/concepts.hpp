#pragma once

#include <ashlar/base/concepts.hpp>
#include <concepts>
#include <cstdint>

namespace ashlar {

/// A square linear map: apply(exec, x, y) enqueues y := A x on `exec`, without fence or allocation.
///
/// traffic_bytes() is what one application moves at least; 0 where that is not known.
template <class Op, class Exec, class Vector>
concept linear_operator = execution_space<Exec> && requires(const Op& op, const Exec& exec, const Vector& v) {
  op.apply(exec, v, v);
  { op.num_rows() } -> std::convertible_to<std::int64_t>;
  { op.traffic_bytes() } -> std::convertible_to<std::int64_t>;
};

/// An approximate inverse: apply(exec, r, z) enqueues z := M^-1 r on `exec`. Hermitian and positive definite for CG.
template <class M, class Exec, class Vector>
concept preconditioner = execution_space<Exec> && requires(const M& m, const Exec& exec, const Vector& v) {
  m.apply(exec, v, v);
  { m.traffic_bytes() } -> std::convertible_to<std::int64_t>;
};

}  // namespace ashlar
