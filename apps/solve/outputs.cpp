#include "solve/files.hpp"

#include <algorithm>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <cmath>
#include <cstdint>
#include <span>
#include <vector>

#include "file_names.hpp"

namespace ashlar::app {

namespace {

/// This rank's entries of all right-hand sides' solutions, on the host: column after column.
struct Columns {
  std::vector<double> entries;
  std::int64_t num_rows = 0, num_columns = 1;

  std::span<const double> column(std::int64_t j) const {
    return std::span(entries).subspan(std::size_t(j * num_rows), std::size_t(num_rows));
  }
};

template <class Exec>
Columns columns_of(const Exec& exec, const Solution<Exec>& solution) {
  Columns columns;
  columns.num_rows = static_cast<std::int64_t>(solution.x.extent(0));
  if (solution.all) columns.num_columns = static_cast<std::int64_t>(solution.all->extent(1));
  columns.entries.resize(std::size_t(columns.num_rows * columns.num_columns));
  if (!solution.all) {
    Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(columns.entries.data(), columns.entries.size()),
                      solution.x);
    exec.fence("ashlar: x on the host");
    return columns;
  }
  const Kokkos::View<double**, Kokkos::LayoutRight, Kokkos::HostSpace> host("ashlar::app::all", solution.x.extent(0),
                                                                            solution.all->extent(1));
  Kokkos::deep_copy(exec, host, *solution.all);
  exec.fence("ashlar: all x on the host");
  for (std::int64_t j = 0; j < columns.num_columns; ++j) {
    for (std::int64_t i = 0; i < columns.num_rows; ++i)
      columns.entries[std::size_t(j * columns.num_rows + i)] = host(i, j);
  }
  return columns;
}

/// By rank 0, which is sent all of it: where one rank is alone, and for what has no places, as standard output.
void write_solution_on_one(const World& world, const std::string& path, const Columns& mine) {
  const Communicator& comm = world.comm();
  std::vector<std::vector<double>> to(std::size_t(comm.size()));
  std::vector<double> all;
  for (std::int64_t j = 0; j < mine.num_columns; ++j) {
    to[0].assign(mine.column(j).begin(), mine.column(j).end());
    for (const auto& part : comm.all_to_all(to)) all.insert(all.end(), part.begin(), part.end());
  }
  world.on_all([&] {
    if (!world.speaks()) return;
    OutputFile(path).write([&](const std::string& name) {
      io::write_matrix_market_array(name, static_cast<std::int64_t>(all.size()) / mine.num_columns, all);
    });
  });
}

/// By all ranks, each its lines.
void write_solution_on_all(const World& world, const std::string& path, const Columns& mine) {
  const Communicator& comm = world.comm();
  const std::int64_t num_rows = comm.sum(mine.num_rows);
  SharedFile file(comm, path);
  file.append(world.speaks() ? io::matrix_market_array_head<double>(num_rows, mine.num_columns) : "");
  for (std::int64_t j = 0; j < mine.num_columns; ++j) {
    file.append(world.on_all([&] { return io::matrix_market_array_lines(mine.column(j)); }));
  }
  file.close();
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
  const Columns mine = columns_of(exec, solution);
  const bool is_finite =
      std::all_of(mine.entries.begin(), mine.entries.end(), [](double x) { return std::isfinite(x); });
  if (world.comm().max(int(!is_finite)) > 0) return false;
  if (options.solution) {
    errors.keep_from([&] {
      // Only rank 0 knows an output that is no regular file: other hosts may have none of this name.
      const bool is_stream = world.comm().broadcast(is_written_through(*options.solution));
      // An error of several ranks is kept by one of them.
      world.on_all([&] {
        world.is_alone() || is_stream ? write_solution_on_one(world, *options.solution, mine)
                                      : write_solution_on_all(world, *options.solution, mine);
      });
    });
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
