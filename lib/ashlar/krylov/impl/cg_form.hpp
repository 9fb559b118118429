#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/impl/cg_memory.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar::impl {

/// What all forms of CG have: the system, and what they keep on the device besides vectors.
template <execution_space Exec, class Op, class M, class X>
class CgForm {
 public:
  using Scalar = typename X::non_const_value_type;
  using Vector = Kokkos::View<Scalar*, typename Exec::memory_space>;

  const CgMemory<Exec>& memory() const { return memory_; }
  const X& x() const { return x_; }

  /// The norm by which solves are judged from now on: that of M^-1 r takes a sum of its own in each iteration.
  void judge_by(ResidualNorm norm) { sums_zz_ = norm == ResidualNorm::preconditioned && !m_.is_identity(); }

 protected:
  CgForm(const Exec& exec, const Op& a, const M& m, const X& x)
      : a_(a), m_(m), space_(a.space()), x_(x), memory_(exec) {}

  /// A vector as long as x.
  Vector vector(const Exec& exec, const char* label) const { return new_vector<Vector>(exec, label, x_.extent(0)); }
  /// M^-1 of another vector: without a preconditioner that one itself.
  Vector preconditioned(const Exec& exec, const char* label, const Vector& other) const {
    return m_.is_identity() ? other : vector(exec, label);
  }

  /// Bytes of an iteration with one product, one preconditioner, and so many vectors that are read or written besides.
  std::int64_t traffic_bytes_with(std::int64_t vectors) const {
    return a_.traffic_bytes() + m_.traffic_bytes() + vectors * std::int64_t(x_.extent(0) * sizeof(Scalar));
  }

  using Space = std::decay_t<decltype(std::declval<const Op&>().space())>;

  const Op& a_;
  const M& m_;
  Space space_;
  X x_;
  CgMemory<Exec> memory_;
  bool sums_zz_ = false;  ///< whether iterations add up z^H z
};

}  // namespace ashlar::impl
