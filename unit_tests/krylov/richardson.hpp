#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/method.hpp>
#include <cstdint>

namespace ashlar::testing {

/// Richardson's iteration with a preconditioner, for operators A with ||I - A M^-1|| < 1:
///
///     r := b - A x                       start
///     until ||r|| is small enough
///       z := M^-1 r                      preconditioner
///       q := A z                         product
///       x := x + z,  r := r - q          step
template <class Exec, class Op, class M, class Scalar>
class Richardson : public IterativeMethod<Exec, Op, M, Scalar, IterationScalars> {
  using Base = IterativeMethod<Exec, Op, M, Scalar, IterationScalars>;
  using Base::a_, Base::m_, Base::x_, Base::memory_;

 public:
  using typename Base::Vector, typename Base::RightHandSide;
  static constexpr const char* name = "richardson";

  Richardson(const Exec& exec, const Op& a, const M& m, const SolverOptions&)
      : Base(exec, a, m, 1),  // one sum: r^H r
        r_(Base::vector(exec, "richardson::r")),
        z_(Base::preconditioned(exec, "richardson::z", r_)),
        q_(Base::vector(exec, "richardson::q")) {}

  const Vector& r() const { return r_; }

  void start(const Exec& exec, const RightHandSide& b) {
    Base::form_residual(exec, b, r_);
    Base::dot(exec, r_, r_, 0);
    Base::sum_over_parts(exec, 0, 1);
    Base::change_scalars(
        "richardson[begin]", exec, KOKKOS_LAMBDA(IterationScalars & s, const double* sums, double*) {
          s.begin(sums[0], sums[0], sums[0]);
        });
  }

  void iterate(const Exec& exec) {
    if (!m_.is_identity()) m_.apply(exec, r_, z_);
    a_.apply(exec, z_, q_);
    step(exec);
    Base::sum_over_parts(exec, 0, 1);
    Base::change_scalars(
        "richardson[advance]", exec, KOKKOS_LAMBDA(IterationScalars & s, const double* sums, double* history) {
          if (s.is_running()) s.end_iteration(Kokkos::sqrt(sums[0]), 0, history);
        });
  }

  /// x := x + z, r := r - q and r^H r in one pass; nothing changes once the solve has ended.
  void step(const Exec& exec) {
    const auto scalars = memory_.scalars;
    const auto x = x_, r = r_, z = z_, q = q_;
    sum_over_entries<1>(
        "richardson[step]", exec, r.extent(0), memory_.team_sums.access(), {memory_.sums.data()},
        KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) {
          if (scalars().is_running()) {
            x(i) += z(i);
            r(i) -= q(i);
          }
          sum[0] += real_product(r(i), r(i));
        });
  }

  std::int64_t traffic_bytes() const { return Base::traffic_bytes_with(6); }

 private:
  Vector r_, z_, q_;
};

}  // namespace ashlar::testing
