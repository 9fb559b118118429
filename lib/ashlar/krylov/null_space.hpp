#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/basis.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <string>
#include <utility>

namespace ashlar {

namespace impl {

/// w -= sum over k < *count of coefficients[k] v_k
template <class Scalar>
struct SubtractCombination {
  BasisAccess<Scalar> v;
  const sum_t<Scalar>* coefficients;
  const int* count;
  Scalar* w;

  template <int most>
  KOKKOS_FUNCTION void rows(std::int64_t first, int rows) const {
    Scalar tile[most];
    for (int i = 0; i < rows; ++i) tile[i] = w[first + i];
    add_combination(v, *count, -1, coefficients, first, rows, tile);
    for (int i = 0; i < rows; ++i) w[first + i] = tile[i];
  }
};

}  // namespace impl

/// The null space of a Hermitian singular matrix, spanned by a few vectors: the constant one for a Laplacian without
/// Dirichlet conditions, rigid-body modes for a body that nothing holds. A x = b then has solutions only if b is
/// orthogonal to it, and x is unique up to it.
///
/// Memory   an orthonormal copy of the vectors, and scratch memory for the sums.
template <scalar Scalar, execution_space Exec, class Space>
class NullSpace {
  using Memory = typename Exec::memory_space;
  using Sum = sum_t<Scalar>;
  static constexpr int parts = sizeof(Sum) / sizeof(double);

 public:
  using Vectors = Kokkos::View<Scalar**, Kokkos::LayoutLeft, Memory>;

  /// Collective.
  ///
  /// Shapes   `vectors` has space.num_local() rows, the local parts, and a column for each vector.
  /// Async    waits for `exec`.
  /// Throws   ShapeError; ArgumentError if a vector is 0 or depends on those before it, on all parts together.
  NullSpace(const Exec& exec, const Space& space, const Vectors& vectors)
      : space_(space),
        size_(static_cast<int>(vectors.extent(1))),
        basis_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::null_space::basis"), vectors.extent(0),
               vectors.extent(1)),
        count_(Kokkos::view_alloc(exec, "ashlar::null_space::count")),
        sums_(Kokkos::view_alloc(exec, "ashlar::null_space::sums"), parts * (size_ + 1)),
        partial_(Kokkos::view_alloc(exec, "ashlar::null_space::partial"), basis_partial_size(space.num_local(), size_)),
        team_sums_(exec) {
    if (size_ < 1 || std::int64_t(vectors.extent(0)) != space.num_local()) {
      throw ShapeError(text("ashlar::NullSpace: vectors of ", vectors.extent(0), " x ", size_, " entries"),
                       text("it takes one at least, as columns of ", space.num_local(), " rows"),
                       "pass the local part of each vector as a column");
    }
    Kokkos::deep_copy(exec, basis_, vectors);
    for (int j = 0; j < size_; ++j) {
      Kokkos::deep_copy(exec, count_, j);
      const double before = norm(exec, j);
      // The second time removes what rounding left.
      for (int repetition = 0; repetition < 2 && j > 0; ++repetition) remove(exec, column(j));
      const double after = norm(exec, j);
      const double rounding = std::sqrt(double(std::numeric_limits<real_t<Scalar>>::epsilon()));
      if (!(after > rounding * before)) {
        throw ArgumentError(text("ashlar::NullSpace: vector ", j),
                            before > 0 ? "it depends on the vectors before it" : "it is 0, or not finite",
                            "pass linearly independent vectors");
      }
      scale(exec, j, 1 / after);
    }
    Kokkos::deep_copy(exec, count_, size_);
    exec.fence("ashlar::null_space: set-up");
  }

  int size() const { return size_; }
  const Space& space() const { return space_; }
  std::int64_t traffic_bytes() const { return (2 * size_ + 3) * space_.num_local() * std::int64_t(sizeof(Scalar)); }

  /// w -= V V^H w: collective. Enqueued on `exec`; no fence, no allocation. One reduction over the parts.
  template <class W>
  void remove(const Exec& exec, const W& w) const {
    project(exec, w);
    for_row_tiles("ashlar::null_space[remove]", exec, basis().rows,
                  impl::SubtractCombination<Scalar>{basis(), totals() + 1, count_.data(), w.data()});
  }

  /// ||V^H w|| / ||w||, how much of w lies in the null space: collective; waits.
  template <class W>
  double share_of(const Exec& exec, const W& w) const {
    project(exec, w);
    const auto sums = Kokkos::create_mirror_view(sums_);
    Kokkos::deep_copy(exec, sums, sums_);
    exec.fence("ashlar::null_space: the share of a vector");
    double squares = 0;
    for (int k = parts; k < parts * (size_ + 1); ++k) squares += sums(k) * sums(k);
    return sums(0) > 0 ? std::sqrt(squares / sums(0)) : 0;
  }

  // nvcc takes no device lambda in a private member.

  void scale(const Exec& exec, int j, double factor) const {
    const auto v = column(j);
    for_entries(
        "ashlar::null_space[scale]", exec, v.extent(0),
        KOKKOS_LAMBDA(std::int64_t i) { v(i) *= real_t<Scalar>(factor); });
  }

  /// Over all parts; waits.
  double norm(const Exec& exec, int j) const {
    const auto v = column(j);
    const Kokkos::View<double*, Memory> sum(sums_, std::pair(0, 1));
    sum_over_entries<1>(
        "ashlar::null_space[norm]", exec, v.extent(0), team_sums_.access(), {sum.data()},
        KOKKOS_LAMBDA(std::int64_t i, double(&square)[1]) { square[0] += real_product(v(i), v(i)); });
    space_.sum_begin(exec, sum);
    space_.sum_end(exec, sum);
    double result = 0;
    Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&result, 1), sum);
    exec.fence("ashlar::null_space: a norm");
    return std::sqrt(result);
  }

 private:
  BasisAccess<Scalar> basis() const { return {basis_.data(), std::int64_t(basis_.extent(0))}; }
  Sum* totals() const { return reinterpret_cast<Sum*>(sums_.data()); }

  /// totals := w^H w and V^H w over all parts
  template <class W>
  void project(const Exec& exec, const W& w) const {
    basis_dots(exec, basis(), w.data(), count_.data(), size_, partial_.data(), totals());
    space_.sum_begin(exec, sums_);
    space_.sum_end(exec, sums_);
  }

  auto column(int j) const { return Kokkos::subview(basis_, Kokkos::ALL, j); }

  Space space_;
  int size_;
  Vectors basis_;
  Kokkos::View<int, Memory> count_;  ///< of vectors that are orthonormal
  Kokkos::View<double*, Memory> sums_;
  Kokkos::View<Sum*, Memory> partial_;
  TeamSums<Memory> team_sums_;
};

/// The columns e_0, ..., e_(components - 1): column c is 1 for each unknown whose number is c modulo `components`, else
/// 0. With one component the constant vector.
template <scalar Scalar, execution_space Exec>
Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Exec::memory_space> constant_vectors(const Exec& exec,
                                                                                         std::int64_t num_local,
                                                                                         int components = 1) {
  const Kokkos::View<Scalar**, Kokkos::LayoutLeft, typename Exec::memory_space> vectors(
      Kokkos::view_alloc(exec, "ashlar::constant_vectors"), num_local, components);
  for_entries(
      "ashlar::constant_vectors", exec, num_local,
      KOKKOS_LAMBDA(std::int64_t i) { vectors(i, i % components) = Scalar(1); });
  return vectors;
}

/// An operator P A, P = I - V V^H, for solvers of a singular system: what rounding adds to products in the null space
/// of A is removed. The right-hand side is the caller's to project (NullSpace::remove); x is unique up to the null
/// space.
///
/// For Hermitian A, with cg(), single_reduction_cg(), minres(), gmres() and bicgstab(); not with pipelined_cg(), whose
/// reduction is under way during products. One vector at a time.
///
/// Memory   shares the operator and the null space, which outlive it.
/// Async    as the operator; one reduction more over the parts.
template <class Op, class Null>
class ProjectedOperator {
 public:
  ProjectedOperator(const Op& a, const Null& null_space) : a_(a), null_space_(null_space) {}

  template <execution_space Exec, vector_view X, vector_view Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    a_.apply(exec, x, y);
    null_space_.remove(exec, y);
  }
  template <execution_space Exec, class X, class Y>
  requires(!vector_view<Y>) void apply(const Exec&, const X&, const Y&) const {
    throw Error("ashlar::ProjectedOperator: several vectors", "it projects one vector at a time",
                "solve for one right-hand side after another");
  }

  auto space() const { return a_.space(); }
  auto domain_space() const { return ashlar::domain_space(a_); }
  auto range_space() const { return ashlar::range_space(a_); }
  std::int64_t traffic_bytes() const { return a_.traffic_bytes() + null_space_.traffic_bytes(); }
  HeldBytes bytes() const { return a_.bytes(); }
  bool is_stream_ordered() const { return a_.is_stream_ordered() && null_space_.space().is_stream_ordered(); }
  bool is_capturable() const { return ashlar::is_capturable(a_) && ashlar::is_capturable(null_space_.space()); }
  void check() const { check_device_work(a_); }
  std::string explain() const {
    return text(a_.explain(), "; then a null space of ", null_space_.size(), " dimension",
                null_space_.size() == 1 ? "" : "s", " is removed");
  }

 private:
  const Op& a_;
  const Null& null_space_;
};

}  // namespace ashlar
