#include "solve/symmetric_products.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/dot.hpp>
#include <cmath>
#include <string>

#include "number_text.hpp"
#include "solve/pseudo_random.hpp"

namespace ashlar::app {

template <class Exec>
void require_symmetric_products(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system) {
  const auto space = a.space();
  const auto vector = [&](const std::string& label) { return Vector<Exec>(label, std::size_t(space.num_local())); };
  const Vector<Exec> x = vector("ashlar::app::x"), y = vector("ashlar::app::y"), a_x = vector("ashlar::app::a_x"),
                     a_y = vector("ashlar::app::a_y");
  fill_pseudo_random(exec, x, 1, system.first_row(), system.num_rows());
  fill_pseudo_random(exec, y, 2, system.first_row(), system.num_rows());
  a.apply(exec, x, a_x);
  a.apply(exec, y, a_y);
  const Kokkos::View<double[4], typename Exec::memory_space> sums("ashlar::app::dots");
  const auto sum = [&](int k) { return Kokkos::subview(sums, k); };
  dot(exec, x, a_y, sum(0));
  dot(exec, y, a_x, sum(1));
  dot(exec, x, x, sum(2));
  dot(exec, a_y, a_y, sum(3));
  const Kokkos::View<double*, typename Exec::memory_space> all(sums.data(), 4);
  space.sum_begin(exec, all);
  space.sum_end(exec, all);
  double host[4];
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(host, 4), all);
  exec.fence("ashlar: inner products");
  const double one = host[0], other = host[1], scale = std::sqrt(host[2] * host[3]);
  // Rounding of a sum of n products is some 1e-16 of this, and far less than n times as much.
  constexpr double tolerance = 1e-13;
  if (std::abs(one - other) <= tolerance * scale) return;
  throw NumericalError(text(system.description, ": the matrix is not symmetric: x^T (A y) is ", short_number(one),
                            " and y^T (A x) is ", short_number(other), " for pseudo-random x and y"),
                       "CG solves symmetric positive definite systems",
                       "pass --skip-symmetry-check to try nevertheless");
}

template void require_symmetric_products(const HostExecution&, const Operator<HostExecution>&,
                                         const LinearSystem<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template void require_symmetric_products(const Execution&, const Operator<Execution>&, const LinearSystem<Execution>&);
#endif

}  // namespace ashlar::app
