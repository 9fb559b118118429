#include <ashlar/base/text.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <cg/check.hpp>
#include <cmath>
#include <cstdint>
#include <string>
#include <support/plain_product.hpp>

namespace ashlar::perf {

namespace {

using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

}  // namespace

std::string fault_of_residual(const Exec& exec, const CgSystem& system, const Vector<double>& x) {
  const Vector<double> b = system.b, y = plain_product(exec, system.matrix, x, Mode::no_transpose).y;
  double of_residual = 0, of_b = 0;
  Kokkos::parallel_reduce(
      "perf::plain_residual", Policy(exec, 0, b.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& rr, double& bb) {
        const double r = b(i) - y(i);
        rr += r * r;
        bb += b(i) * b(i);
      },
      of_residual, of_b);
  const double residual = std::sqrt(of_residual / of_b);
  // A NaN is no less wrong.
  return residual <= plain_rtol ? "" : text("the residual is ", residual, " by plain loops");
}

bool same_bits(const Exec& exec, const Vector<double>& x, const Vector<double>& y) {
  std::int64_t num_different = 0;
  Kokkos::parallel_reduce(
      "perf::same_bits", Policy(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & different) {
        different += Kokkos::bit_cast<std::uint64_t>(x(i)) != Kokkos::bit_cast<std::uint64_t>(y(i));
      },
      num_different);
  return num_different == 0;
}

}  // namespace ashlar::perf
