#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <concepts>
#include <cstdint>
#include <string>

// The solvers' view of a system. Vectors are the local parts, plain views. Only the inner-product space and the
// operator know whether there are other parts, on other ranks.

namespace ashlar {

/// Where vectors live that may be cut into parts: how long they are, and how sums over the parts are made.
///
/// `sums` is a view of doubles on the device, each a sum over the local part. Between sum_begin() and sum_end(), which
/// both enqueue on `exec`, other work may be enqueued, and runs under the reduction; after sum_end() each entry is the
/// sum over all parts, the same bits everywhere. agree_max() is for set-up and collective: the largest of all parts'
/// numbers. is_stream_ordered() says whether the host never waits. It may have is_capturable() and check(), as
/// operators.
template <class S, class Exec, class Sums>
concept inner_product_space = execution_space<Exec> && requires(const S& s, const Exec& exec, const Sums& sums, int n) {
  { s.num_local() } -> std::convertible_to<std::int64_t>;
  { s.num_global() } -> std::convertible_to<std::int64_t>;
  s.sum_begin(exec, sums);
  s.sum_end(exec, sums);
  { s.agree_max(n) } -> std::same_as<int>;
  { s.is_stream_ordered() } -> std::same_as<bool>;
};

/// A linear map: apply(exec, x, y) enqueues y := A x on `exec`, for local parts, without fence or allocation.
///
/// x is in its domain space and y in its range space. An operator with space() alone is square: that is both. An
/// operator with domain_space() and range_space() maps the one to the other, and is square if they have the same sizes;
/// its space() is the range space. Solvers take square operators (require_square).
///
/// traffic_bytes() is what one application moves at least, 0 where that is not known; bytes() the memory held;
/// is_stream_ordered() whether the host never waits; explain() how it multiplies, for people.
///
/// It may have apply_dot(exec, x, y, sums, slot) besides, which leaves the local part of x^H y (its real part) in
/// *slot, on the device, and adds it up in the caller's scratch memory `sums` (dot_operator); is_capturable(), whether
/// what apply() enqueues may be captured once and replayed (is_capturable below); and check(), which throws where
/// something that it has enqueued has gone wrong on the device so far, as where it has waited in vain for another rank
/// (check_device_work below).
template <class Op, class Exec, class X, class Y = X>
concept linear_operator = execution_space<Exec> && requires(const Op& op, const Exec& exec, const X& x, const Y& y) {
  op.apply(exec, x, y);
  { op.space() } -> inner_product_space<Exec, Kokkos::View<double*, typename Exec::memory_space>>;
  { op.traffic_bytes() } -> std::convertible_to<std::int64_t>;
  { op.bytes() } -> std::same_as<HeldBytes>;
  { op.is_stream_ordered() } -> std::same_as<bool>;
  { op.explain() } -> std::convertible_to<std::string>;
};

/// An operator that can multiply and leave x^H y behind in one pass.
template <class Op, class Exec, class X, class Y = X>
concept dot_operator = linear_operator<Op, Exec, X, Y> &&
    requires(const Op& op, const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) {
  op.apply_dot(exec, x, y, sums, slot);
};

/// An approximate inverse: apply(exec, r, z) enqueues z := M^-1 r on `exec`. Hermitian and positive definite for CG.
///
/// Where is_identity() says so, solvers neither apply it nor make room for z. It may have apply_dot(), is_capturable()
/// and check(), as operators.
template <class M, class Exec, class R, class Z = R>
concept preconditioner = execution_space<Exec> && requires(const M& m, const Exec& exec, const R& r, const Z& z) {
  m.apply(exec, r, z);
  { m.is_identity() } -> std::same_as<bool>;
  { m.is_stream_ordered() } -> std::same_as<bool>;
  { m.traffic_bytes() } -> std::convertible_to<std::int64_t>;
};

/// A preconditioner that can be applied and leave the local part of r^H z behind in one pass, as dot_operator.
template <class M, class Exec, class R, class Z = R>
concept dot_preconditioner = preconditioner<M, Exec, R, Z> &&
    requires(const M& m, const Exec& exec, const R& r, const Z& z, const TeamSumsAccess& sums, double* slot) {
  m.apply_dot(exec, r, z, sums, slot);
};

/// The space of x, and the space of y, in y := A x.
template <class Op>
auto domain_space(const Op& op) {
  if constexpr (requires { op.domain_space(); }) {
    return op.domain_space();
  } else {
    return op.space();
  }
}
template <class Op>
auto range_space(const Op& op) {
  if constexpr (requires { op.range_space(); }) {
    return op.range_space();
  } else {
    return op.space();
  }
}

/// True if the two spaces of an operator have the same sizes, on this part and over all parts.
template <class Op>
bool is_square(const Op& op) {
  const auto domain = domain_space(op);
  const auto range = range_space(op);
  return domain.num_local() == range.num_local() && domain.num_global() == range.num_global();
}

/// Throws ShapeError if an operator is not square; `solver` is named in the message.
template <class Op>
void require_square(const char* solver, const Op& op) {
  if (is_square(op)) return;
  throw ShapeError(text(solver, ": A maps ", domain_space(op).num_global(), " entries to ",
                        range_space(op).num_global(), ", on this part ", domain_space(op).num_local(), " to ",
                        range_space(op).num_local()),
                   "a solver takes a square operator, whose vectors are distributed alike",
                   "check how the matrix was built; for least squares pass A^H A as the operator");
}

/// True if what `map` (an operator, a preconditioner, a space) enqueues may be captured once and replayed: where it
/// says nothing of that, not.
template <class Map>
bool is_capturable(const Map& map) {
  if constexpr (requires { map.is_capturable(); }) {
    return map.is_capturable();
  } else {
    return false;
  }
}

/// Throws where something that `map` (an operator, a preconditioner, a space) has enqueued has gone wrong on the
/// device, and it knows. Solvers call this when they have waited for the device, and before they say how a solve has
/// ended.
template <class Map>
void check_device_work(const Map& map) {
  if constexpr (requires { map.check(); }) map.check();
}


/// No preconditioner: z := r. Solvers do not apply it, and let z be r.
///
/// Shapes   r and z are vectors, or multi-vectors, of one shape.
/// Memory   both reachable from `exec`; they may be one.
/// Async    enqueued on `exec`; no fence, no allocation.
struct IdentityPreconditioner {
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    if (z.data() != r.data()) Kokkos::deep_copy(exec, z, r);
  }
  bool is_identity() const { return true; }
  bool is_stream_ordered() const { return true; }
  bool is_capturable() const { return true; }
  std::int64_t traffic_bytes() const { return 0; }
};

}  // namespace ashlar
