#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/cg_kernel.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/operators/any_space.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar {

/// A linear operator of any type: one type for the solvers, so that they are compiled once. Copies share it.
///
/// It is applied to contiguous vectors of Scalar and to multi-vectors of any layout. It offers all optional features of
/// the wrapped operator: a product with a dot in one pass, capture, a kernel that iterates CG.
///
/// Shapes   x and y are the local parts, of as many entries or rows as domain_space() and range_space() have.
/// Memory   vectors in the memory space of Exec; the operator is shared, not copied.
/// Async    as the wrapped operator; a product takes one virtual call more, and no allocation.
/// Throws   as the wrapped operator.
template <scalar Scalar, execution_space Exec>
class AnyOperator {
 public:
  template <class Op>
  requires(!std::is_same_v<Op, AnyOperator>) explicit AnyOperator(std::shared_ptr<const Op> op)
      : held_(std::make_shared<Held<Op>>(std::move(op))) {}
  template <class Op>
  requires(!std::is_same_v<Op, AnyOperator>) explicit AnyOperator(Op op)
      : AnyOperator(std::make_shared<const Op>(std::move(op))) {}

  /// y := A x
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    held_->apply(exec, Vectors::template of<const Scalar>(x), Vectors::template of<Scalar>(y));
  }

  /// y := A x and *slot := x^H y, its real part: in one pass if the operator has one.
  template <vector_view X, vector_view Y>
  void apply_dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) const {
    held_->apply_dot(exec, Vectors::template of<const Scalar>(x), Vectors::template of<Scalar>(y), sums, slot);
  }

  AnySpace<Exec> space() const { return held_->space(); }
  AnySpace<Exec> domain_space() const { return held_->domain_space(); }
  AnySpace<Exec> range_space() const { return held_->range_space(); }
  std::int64_t traffic_bytes() const { return held_->traffic_bytes(); }
  bool is_stream_ordered() const { return held_->is_stream_ordered(); }
  bool is_capturable() const { return held_->is_capturable(); }
  void check() const { held_->check(); }
  HeldBytes bytes() const { return held_->bytes(); }
  std::string explain() const { return held_->explain(); }

  /// The operator's kernel for many iterations of CG, or why there is none.
  CgKernelOffer<Exec> cg_kernel(const Exec& exec, const AnyPreconditioner<Scalar, Exec>& m,
                                const CgPlace<Scalar>& place) const {
    return held_->cg_kernel(exec, m, place);
  }

 private:
  using Vectors = impl::AnyVectors<Scalar, typename Exec::memory_space>;
  using Const = typename Vectors::template One<const Scalar>;
  using One = typename Vectors::template One<Scalar>;
  using ConstMany = typename Vectors::template Many<const Scalar>;
  using Many = typename Vectors::template Many<Scalar>;

  struct Base {
    virtual ~Base() = default;
    virtual void apply(const Exec&, const Const&, const One&) const = 0;
    virtual void apply(const Exec&, const ConstMany&, const Many&) const = 0;
    virtual void apply_dot(const Exec&, const Const&, const One&, const TeamSumsAccess&, double*) const = 0;
    virtual AnySpace<Exec> space() const = 0;
    virtual AnySpace<Exec> domain_space() const = 0;
    virtual AnySpace<Exec> range_space() const = 0;
    virtual std::int64_t traffic_bytes() const = 0;
    virtual bool is_stream_ordered() const = 0;
    virtual bool is_capturable() const = 0;
    virtual void check() const = 0;
    virtual HeldBytes bytes() const = 0;
    virtual std::string explain() const = 0;
    virtual CgKernelOffer<Exec> cg_kernel(const Exec&, const AnyPreconditioner<Scalar, Exec>&,
                                          const CgPlace<Scalar>&) const = 0;
  };
  template <class Op>
  struct Held final : Base {
    explicit Held(std::shared_ptr<const Op> given) : op(std::move(given)) {}
    void apply(const Exec& exec, const Const& x, const One& y) const override { op->apply(exec, x, y); }
    void apply(const Exec& exec, const ConstMany& x, const Many& y) const override { op->apply(exec, x, y); }
    void apply_dot(const Exec& exec, const Const& x, const One& y, const TeamSumsAccess& sums,
                   double* slot) const override {
      if constexpr (dot_operator<Op, Exec, Const, One>) {
        op->apply_dot(exec, x, y, sums, slot);
      } else {
        op->apply(exec, x, y);
        dot(exec, x, y, sums, slot);
      }
    }
    AnySpace<Exec> space() const override { return AnySpace<Exec>(op->space()); }
    AnySpace<Exec> domain_space() const override { return AnySpace<Exec>(ashlar::domain_space(*op)); }
    AnySpace<Exec> range_space() const override { return AnySpace<Exec>(ashlar::range_space(*op)); }
    std::int64_t traffic_bytes() const override { return op->traffic_bytes(); }
    bool is_stream_ordered() const override { return op->is_stream_ordered(); }
    bool is_capturable() const override { return ashlar::is_capturable(*op); }
    void check() const override { check_device_work(*op); }
    HeldBytes bytes() const override { return op->bytes(); }
    std::string explain() const override { return op->explain(); }
    CgKernelOffer<Exec> cg_kernel(const Exec& exec, const AnyPreconditioner<Scalar, Exec>& m,
                                  const CgPlace<Scalar>& place) const override {
      if constexpr (provides_cg_kernel<Op, Exec, AnyPreconditioner<Scalar, Exec>, Scalar>) {
        return op->cg_kernel(exec, m, place);
      } else {
        return {nullptr, "the operator provides none", false};
      }
    }
    std::shared_ptr<const Op> op;
  };

  std::shared_ptr<const Base> held_;
};

}  // namespace ashlar
