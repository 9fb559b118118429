#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::amg {

/// The largest eigenvalue of a symmetric tridiagonal matrix with this diagonal and subdiagonal, one shorter.
double largest_eigenvalue(const std::vector<double>& diagonal, const std::vector<double>& subdiagonal);

namespace impl {

/// The memory of Lanczos' method.
template <class Vector, class Space>
struct LanczosMemory {
  TeamSums<Space> sums;
  Kokkos::View<double*, Space> total;
  Vector u, z, q, before, ap;

  template <class Exec>
  LanczosMemory(const Exec& exec, std::size_t n)
      : sums(exec),
        total(Kokkos::view_alloc(exec, "ashlar::amg::sum"), 1),
        u(Kokkos::view_alloc(exec, "ashlar::amg::u"), n),
        z(Kokkos::view_alloc(exec, "ashlar::amg::z"), n),
        q(Kokkos::view_alloc(exec, "ashlar::amg::q"), n),
        before(Kokkos::view_alloc(exec, "ashlar::amg::q_before"), n),
        ap(Kokkos::view_alloc(exec, "ashlar::amg::ap"), n) {}
};

/// x . y to the host, over all ranks.
template <class Exec, class X, class Memory>
double dot_on_host(const Exec& exec, const Communicator& comm, const X& x, const X& y, const Memory& memory) {
  using Scalar = typename X::non_const_value_type;
  const auto& total = memory.total;
  sum_over_entries<1>(
      "ashlar::amg[dot]", exec, x.extent(0), memory.sums.access(), {total.data()},
      KOKKOS_LAMBDA(std::int64_t i, double(&sum)[1]) { sum[0] += double(x(i)) * double(static_cast<Scalar>(y(i))); });
  double result = 0;
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&result, 1), total);
  exec.fence("ashlar::amg: dot product");
  return comm.sum(result);
}

}  // namespace impl

/// The largest eigenvalue of D^-1 A, from below, by steps of Lanczos' method in the inner product of D from a fixed
/// pseudo-random vector:
///
///   u := r_1 random;  z := D^-1 u;  beta_1 := sqrt(u . z)
///   for j = 1, 2, ...:  q_j := u / beta_j;  p_j := z / beta_j;  u := A p_j - beta_j q_{j-1};  alpha_j := u . p_j
///                       u := u - alpha_j q_j;  z := D^-1 u;  beta_{j+1} := sqrt(u . z)
///
/// and the largest eigenvalue of the tridiagonal matrix of alpha and beta.
///
/// Async    collective; waits for `exec` in each step.
/// Result   the same on all ranks; the same bits for any number of threads.
/// Source   Saad, Numerical Methods for Large Eigenvalue Problems, section 6.6.
template <execution_space Exec, class A>
double largest_eigenvalue(const Exec& exec, const LevelMatrix<A>& a,
                          const BlockJacobiPreconditioner<typename LevelMatrix<A>::Local>& inverse, int steps = 10) {
  using Scalar = typename LevelMatrix<A>::Scalar;
  using Vector = typename LevelMatrix<A>::Vector;
  const std::int64_t n = a.num_rows(), first_row = a.first_row();
  using Memory = impl::LanczosMemory<Vector, typename Exec::memory_space>;
  Memory memory = a.comm().together([&] { return Memory(exec, std::size_t(n)); });
  const Vector u = memory.u, z = memory.z, ap = memory.ap;
  for_entries(
      "ashlar::amg[random]", exec, n,
      KOKKOS_LAMBDA(std::int64_t i) { u(i) = static_cast<Scalar>(pseudo_random(std::uint64_t(first_row + i) + 1)); });
  std::vector<double> alpha, beta;
  inverse.apply(exec, u, z);
  double length = std::sqrt(impl::dot_on_host(exec, a.comm(), u, z, memory));
  while (length > 0 && int(alpha.size()) < steps) {
    const auto scale = static_cast<Scalar>(1 / length);
    std::swap(memory.q, memory.before);
    {
      const Vector own = memory.q;
      for_entries(
          "ashlar::amg[normalise]", exec, n, KOKKOS_LAMBDA(std::int64_t i) {
            own(i) = scale * u(i);
            z(i) *= scale;
          });
    }
    a.multiply(exec, 1, z, 0, ap);
    const double share = impl::dot_on_host(exec, a.comm(), ap, z, memory);
    alpha.push_back(share);
    {
      const Vector own = memory.q, last = memory.before, product = ap;
      const auto of_own = static_cast<Scalar>(share), of_last = static_cast<Scalar>(alpha.size() > 1 ? length : 0);
      for_entries(
          "ashlar::amg[orthogonalise]", exec, n,
          KOKKOS_LAMBDA(std::int64_t i) { u(i) = product(i) - of_own * own(i) - of_last * last(i); });
    }
    inverse.apply(exec, u, z);
    const double squared = impl::dot_on_host(exec, a.comm(), u, z, memory);
    length = squared > 0 ? std::sqrt(squared) : 0;
    beta.push_back(length);
  }
  if (alpha.empty()) return 0;
  beta.pop_back();
  return largest_eigenvalue(alpha, beta);
}

}  // namespace ashlar::amg
