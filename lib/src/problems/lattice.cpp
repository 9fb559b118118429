#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/impl/checked_product.hpp>
#include <ashlar/problems/lattice.hpp>

namespace ashlar::problems {

namespace {
std::string sides(int nx, int ny, int nz) { return text(nx, " x ", ny, " x ", nz, " points"); }
}  // namespace

Lattice::Lattice(std::array<int, 3> points) : nx_(points[0]), ny_(points[1]), nz_(points[2]) {
  if (nx_ < 1 || ny_ < 1 || nz_ < 1) {
    throw ArgumentError(sides(nx_, ny_, nz_), "each side has at least one point", "pass three positive numbers");
  }
  impl::checked_product(sides(nx_, ny_, nz_), {nx_, ny_, nz_});
}

std::int64_t Lattice::sum_of_neighbours() const {
  const auto side = [](int n) { return 3 * std::int64_t(n) - 2; };
  return impl::checked_product(sides(nx_, ny_, nz_), {side(nx_), side(ny_), side(nz_)});
}

}  // namespace ashlar::problems
