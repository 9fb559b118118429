#include "solve/files.hpp"

#include <algorithm>
#include <ashlar/distributed/shared_file.hpp>
#include <cmath>
#include <cstdint>
#include <vector>

#include "column_file.hpp"
#include "file_names.hpp"

namespace ashlar::app {

namespace {

/// This rank's entries of all right-hand sides' solutions, without rows that were added to the system.
template <class Exec>
Columns columns_of(const Exec& exec, const LinearSystem<Exec>& system, const Solution<Exec>& solution) {
  const std::int64_t num_rows = system.num_rows() - system.padding,
                     here = static_cast<std::int64_t>(solution.x.extent(0));
  Columns columns;
  columns.num_rows = std::clamp<std::int64_t>(num_rows - system.first_row(), 0, here);
  if (!solution.all) {
    columns.entries.resize(std::size_t(here));
    Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(columns.entries.data(), columns.entries.size()),
                      solution.x);
    exec.fence("ashlar: x on the host");
    columns.entries.resize(std::size_t(columns.num_rows));
    return columns;
  }
  columns.num_columns = static_cast<std::int64_t>(solution.all->extent(1));
  columns.entries.reserve(std::size_t(columns.num_rows * columns.num_columns));
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> host("ashlar::app::all", solution.x.extent(0),
                                                                            solution.all->extent(1));
  Kokkos::deep_copy(exec, host, *solution.all);
  exec.fence("ashlar: all x on the host");
  for (std::int64_t j = 0; j < columns.num_columns; ++j) {
    for (std::int64_t i = 0; i < columns.num_rows; ++i) columns.entries.push_back(host(i, j));
  }
  return columns;
}

}  // namespace

bool uses_standard_output(const OutputOptions& options) {
  const auto paths = {options.solution, options.report, options.vtk, options.trace};
  return std::any_of(paths.begin(), paths.end(), [](const auto& path) { return path == "-"; });
}

template <class Exec>
bool write_outputs(const Exec& exec, const World& world, const OutputOptions& options, const LinearSystem<Exec>& system,
                   const Solution<Exec>& solution, WriteErrors& errors) {
  if (!options.solution && !options.vtk) return true;
  const Columns mine = columns_of(exec, system, solution);
  const bool is_finite =
      std::all_of(mine.entries.begin(), mine.entries.end(), [](double x) { return std::isfinite(x); });
  if (world.comm().max(int(!is_finite)) > 0) return false;
  if (options.solution) {
    errors.keep_from([&] { write_columns(world, *options.solution, mine); });
  }
  if (options.vtk) {
    errors.keep_from([&] { write_mesh(exec, world, *options.vtk, system, solution.x); });
  }
  return true;
}

void check_shared_outputs(const World& world, const OutputOptions& options) {
  if (world.is_alone()) return;
  const auto check = [&](const std::string& path) {
    if (world.comm().broadcast(is_written_through(path))) return;
    world.on_all([&] { SharedFile(world.comm(), path); });
  };
  if (options.solution) check(*options.solution);
  if (options.checkpoint) check(*options.checkpoint);
  if (options.vtk && is_mesh_of_pieces(*options.vtk)) check(*options.vtk);
}

template bool write_outputs(const HostExecution&, const World&, const OutputOptions&,
                            const LinearSystem<HostExecution>&, const Solution<HostExecution>&, WriteErrors&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template bool write_outputs(const Execution&, const World&, const OutputOptions&, const LinearSystem<Execution>&,
                            const Solution<Execution>&, WriteErrors&);
#endif

}  // namespace ashlar::app
