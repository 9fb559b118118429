#include <ashlar/problems/impl/checked_product.hpp>
#include <ashlar/problems/stencil11.hpp>

namespace ashlar::problems {

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
