#pragma once

#include <Eigen/Dense>
#include <algorithm>
#include <ashlar/base/scalar.hpp>
#include <ashlar/krylov/make_operator.hpp>
#include <complex>
#include <support/compare.hpp>
#include <type_traits>
#include <vector>

#include "krylov/systems.hpp"

// Dense systems, and what Krylov methods do with them by their definition, computed by Eigen in double.

namespace ashlar::testing {

template <class S>
using exact_t = std::conditional_t<is_complex_v<S>, std::complex<double>, double>;
template <class S>
using DenseMatrix = Eigen::Matrix<exact_t<S>, Eigen::Dynamic, Eigen::Dynamic>;
template <class S>
using DenseVector = Eigen::Matrix<exact_t<S>, Eigen::Dynamic, 1>;

template <class S>
S from_exact(const exact_t<S>& number) {
  if constexpr (is_complex_v<S>) {
    return S(real_t<S>(number.real()), real_t<S>(number.imag()));
  } else {
    return S(number);
  }
}
template <class S>
exact_t<S> to_exact(const S& number) {
  if constexpr (is_complex_v<S>) {
    return {double(number.real()), double(number.imag())};
  } else {
    return number;
  }
}

template <class S>
DenseVector<S> to_exact(const std::vector<S>& v) {
  DenseVector<S> result(v.size());
  for (std::size_t i = 0; i < v.size(); ++i) result(i) = to_exact(v[i]);
  return result;
}
template <class S, class V>
DenseVector<S> exact_of(const V& view) {
  return to_exact<S>(to_host(view));
}

/// Entries in [-1, 1], rounded to S.
template <class S>
DenseMatrix<S> random_dense(int n, unsigned seed) {
  const std::vector<S> entries = random_vector<S>(std::size_t(n) * n, seed);
  DenseMatrix<S> a(n, n);
  for (int i = 0; i < n; ++i) {
    for (int j = 0; j < n; ++j) a(i, j) = to_exact(entries[i * n + j]);
  }
  return a;
}

/// y := A x for a dense A.
template <class S>
struct DenseProduct {
  Kokkos::View<S**, Space> a;

  template <class OnExec, class X, class Y>
  void operator()(const OnExec& exec, const X& x, const Y& y) const {
    const auto matrix = a;
    Kokkos::parallel_for(
        "test::dense", Kokkos::RangePolicy<OnExec>(exec, 0, int(matrix.extent(0))), KOKKOS_LAMBDA(int i) {
          S sum(0);
          for (int j = 0; j < int(matrix.extent(1)); ++j) sum += matrix(i, j) * x(j);
          y(i) = sum;
        });
  }
};

template <class S>
DenseProduct<S> dense_product(const DenseMatrix<S>& a) {
  const Kokkos::View<S**, Space> entries("test::dense", a.rows(), a.cols());
  const auto mirror = Kokkos::create_mirror_view(entries);
  for (int i = 0; i < a.rows(); ++i) {
    for (int j = 0; j < a.cols(); ++j) mirror(i, j) = from_exact<S>(a(i, j));
  }
  Kokkos::deep_copy(entries, mirror);
  return {entries};
}
template <class S>
auto dense_operator(const DenseMatrix<S>& a) {
  return make_operator(a.rows(), dense_product<S>(a));
}

/// M^-1 by a dense matrix.
template <class S>
struct DensePreconditioner {
  DenseProduct<S> inverse;

  explicit DensePreconditioner(const DenseMatrix<S>& m_inverse) : inverse(dense_product<S>(m_inverse)) {}
  template <class OnExec, class R, class Z>
  void apply(const OnExec& exec, const R& r, const Z& z) const {
    inverse(exec, r, z);
  }
  static constexpr bool is_identity() { return false; }
  static constexpr bool is_stream_ordered() { return true; }
  static constexpr std::int64_t traffic_bytes() { return 0; }
};

/// x solves A x = b, with an error of at most `tolerance` of ||x||.
template <class S>
void expect_solution(const DenseMatrix<S>& a, const std::vector<S>& b, const Kokkos::View<S*, Space>& x,
                     double tolerance) {
  const DenseVector<S> exact = a.partialPivLu().solve(to_exact(b));
  EXPECT_LE((exact_of<S>(x) - exact).norm(), tolerance * exact.norm());
}

/// The norms of the residuals of GMRES by its definition, from x = 0: each is the least over a Krylov space of A, which
/// begins again after `restart` iterations. Without restarts they are MINRES's, too, if A is Hermitian.
template <class S>
std::vector<double> least_residuals(const DenseMatrix<S>& a, const DenseVector<S>& b, int restart, int iterations) {
  std::vector<double> norms = {b.norm()};
  DenseVector<S> r = b;
  while (int(norms.size()) <= iterations) {
    DenseMatrix<S> basis(a.rows(), 0);
    DenseVector<S> next = r, left = r;
    for (int k = 0; k < restart && int(norms.size()) <= iterations; ++k) {
      for (int twice = 0; twice < 2; ++twice) next -= basis * (basis.adjoint() * next).eval();
      basis.conservativeResize(Eigen::NoChange, k + 1);
      basis.col(k) = next.normalized();
      next = a * basis.col(k);
      const DenseMatrix<S> images = a * basis;
      left = r - images * images.colPivHouseholderQr().solve(r);
      norms.push_back(left.norm());
    }
    r = left;
  }
  return norms;
}

}  // namespace ashlar::testing
