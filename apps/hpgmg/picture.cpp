#include "hpgmg/picture.hpp"

#include <ashlar/distributed/scatter.hpp>
#include <ashlar/io/vti.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace ashlar::app {

namespace {

/// What lies box after box, along x first, through all boxes.
std::vector<double> in_rows(const multigrid::BoxGrid& grid, const std::vector<double>& flat) {
  const std::int64_t n = grid.box_dim(), cells = grid.cells_per_dim();
  std::vector<double> result(flat.size());
  std::size_t from = 0;
  for (int box = 0; box < grid.num_boxes(); ++box) {
    const multigrid::Index3& place = grid.place(box);
    for (std::int64_t k = 0; k < n; ++k) {
      for (std::int64_t j = 0; j < n; ++j) {
        const std::int64_t row = (place[2] * n + k) * cells + place[1] * n + j;
        for (std::int64_t i = 0; i < n; ++i) result[std::size_t(row * cells + place[0] * n + i)] = flat[from++];
      }
    }
  }
  return result;
}

}  // namespace

void write_picture(const Execution& exec, const World& world, const std::optional<OutputFile>& file,
                   const multigrid::Level<Execution>& level) {
  const Vector<Execution> mine(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::hpgmg::picture"),
                               std::size_t(multigrid::flat_size(level)));
  multigrid::from_boxes(exec, level, level.u, mine);
  // Ranks have their boxes in rank order.
  const std::vector<double> flat = gather_vector(exec, world.comm(), mine);
  world.on_all([&] {
    if (!file) return;
    const std::vector<double> u = in_rows(level.grid, flat);
    const std::int64_t cells = level.grid.cells_per_dim();
    const double h = level.grid.cell_width();
    file->write([&](const std::string& name) {
      io::write_vti(name, {{cells, cells, cells}, {h, h, h}}, {{"u", 1, u}});
    });
  });
}

}  // namespace ashlar::app
