#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/any_space.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar {

/// A preconditioner of any type: one type for the solvers, so that they are compiled once. Copies share it.
///
/// It is applied to contiguous vectors of Scalar and to multi-vectors of any layout.
///
/// Shapes   r and z are local parts of one shape.
/// Memory   vectors in the memory space of Exec.
/// Async    as the preconditioner that it holds; each application takes one virtual call besides, and no allocation.
/// Throws   what that preconditioner throws.
template <scalar Scalar, execution_space Exec>
class AnyPreconditioner {
 public:
  template <class M>
  requires(!std::is_same_v<M, AnyPreconditioner>) explicit AnyPreconditioner(M m)
      : held_(std::make_shared<Held<M>>(std::move(m))) {}

  /// z := M^-1 r
  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    held_->apply(exec, Vectors::template of<Scalar>(r), Vectors::template of<Scalar>(z));
  }
  /// The same, and *slot := r^H z, its real part: in one pass if the preconditioner has one.
  template <vector_view R, vector_view Z>
  void apply_dot(const Exec& exec, const R& r, const Z& z, const TeamSumsAccess& sums, double* slot) const {
    held_->apply_dot(exec, Vectors::template of<Scalar>(r), Vectors::template of<Scalar>(z), sums, slot);
  }

  bool is_identity() const { return held_->is_identity(); }
  bool is_stream_ordered() const { return held_->is_stream_ordered(); }
  bool is_capturable() const { return held_->is_capturable(); }
  void check() const { held_->check(); }
  std::int64_t traffic_bytes() const { return held_->traffic_bytes(); }
  /// The inverse diagonal of the preconditioner, if it has one; else without values.
  DiagonalInverse<Scalar> diagonal_inverse() const { return held_->diagonal_inverse(); }

 private:
  using Vectors = impl::AnyVectors<Scalar, typename Exec::memory_space>;
  using One = typename Vectors::template One<Scalar>;
  using Many = typename Vectors::template Many<Scalar>;

  struct Base {
    virtual ~Base() = default;
    virtual void apply(const Exec&, const One&, const One&) const = 0;
    virtual void apply(const Exec&, const Many&, const Many&) const = 0;
    virtual void apply_dot(const Exec&, const One&, const One&, const TeamSumsAccess&, double*) const = 0;
    virtual bool is_identity() const = 0;
    virtual bool is_stream_ordered() const = 0;
    virtual bool is_capturable() const = 0;
    virtual void check() const = 0;
    virtual std::int64_t traffic_bytes() const = 0;
    virtual DiagonalInverse<Scalar> diagonal_inverse() const = 0;
  };
  template <class M>
  struct Held final : Base {
    explicit Held(M given) : m(std::move(given)) {}
    void apply(const Exec& exec, const One& r, const One& z) const override { m.apply(exec, r, z); }
    void apply(const Exec& exec, const Many& r, const Many& z) const override { m.apply(exec, r, z); }
    void apply_dot(const Exec& exec, const One& r, const One& z, const TeamSumsAccess& sums,
                   double* slot) const override {
      if constexpr (dot_preconditioner<M, Exec, One>) {
        m.apply_dot(exec, r, z, sums, slot);
      } else {
        m.apply(exec, r, z);
        dot(exec, r, z, sums, slot);
      }
    }
    bool is_identity() const override { return m.is_identity(); }
    bool is_stream_ordered() const override { return m.is_stream_ordered(); }
    bool is_capturable() const override { return ashlar::is_capturable(m); }
    void check() const override { check_device_work(m); }
    std::int64_t traffic_bytes() const override { return m.traffic_bytes(); }
    DiagonalInverse<Scalar> diagonal_inverse() const override {
      if constexpr (inverts_diagonal<M, Scalar>) {
        return m.diagonal_inverse();
      } else {
        return {};
      }
    }
    M m;
  };

  std::shared_ptr<const Base> held_;
};

}  // namespace ashlar
