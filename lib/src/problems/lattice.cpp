#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/impl/build_range.hpp>
#include <ashlar/problems/lattice.hpp>
#include <ashlar/problems/stencil11.hpp>

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

std::int64_t stencil11_num_blocks(int nx, int ny, int nz) {
  const Lattice lattice({nx, ny, nz});
  // Where 11 a point fit, every sum below does.
  impl::checked_product(text("stencil11 on ", nx, " x ", ny, " x ", nz, " points"), {11, nx, ny, nz});
  const std::int64_t x = nx, y = ny, z = nz;
  const std::int64_t edges = (x - 1) * y * z + x * (y - 1) * z + x * y * (z - 1);
  const std::int64_t diagonals = 2 * x * (y - 1) * (z - 1);
  return lattice.num_points() + 2 * edges + 2 * diagonals;
}

}  // namespace ashlar::problems
