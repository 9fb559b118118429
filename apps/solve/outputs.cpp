#include "solve/outputs.hpp"

#include <algorithm>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/io/vtu.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cmath>
#include <vector>

#include "output_file.hpp"

namespace ashlar::app {

namespace {

/// All columns of all ranks, one after another, on rank 0.
std::vector<double> gather_columns(const Execution& exec, const Communicator& comm, const Block& x) {
  const Kokkos::View<const double*, Space> by_rows(x.data(), x.size());
  const std::vector<double> rows = gather_vector(exec, comm, by_rows);
  std::vector<double> columns(rows.size());
  const std::size_t s = x.extent(1), n = rows.size() / s;
  for (std::size_t i = 0; i < n; ++i) {
    for (std::size_t j = 0; j < s; ++j) columns[j * n + i] = rows[i * s + j];
  }
  return columns;
}

void write_mesh(const std::string& path, const problems::Cantilever& problem, const std::vector<double>& x) {
  const problems::HexGrid grid = problems::cantilever_grid(problem);
  const std::vector<double> points = problems::hex_points(grid);
  const std::vector<std::int64_t> cells = problems::hex_cells(grid);
  if (problem.dof == 1) return io::write_vtu(path, points, cells, {{"solution", 1, x}});
  if (problem.dof == 3) return io::write_vtu(path, points, cells, {{"displacement", 3, x}});
  // Of the two solids of dof 6 the first is shown.
  std::vector<double> first;
  first.reserve(x.size() / 2);
  for (std::size_t node = 0; node < x.size(); node += 6) first.insert(first.end(), {x[node], x[node + 1], x[node + 2]});
  io::write_vtu(path, points, cells, {{"displacement", 3, first}});
}

}  // namespace

bool uses_standard_output(const OutputOptions& options) {
  const auto paths = {options.solution, options.report, options.vtk, options.trace};
  return std::any_of(paths.begin(), paths.end(), [](const auto& path) { return path == "-"; });
}

bool write_outputs(const Execution& exec, const World& world, const OutputOptions& options, const LinearSystem& system,
                   const Solution& solution, FirstError& errors) {
  if (!options.solution && !options.vtk) return true;
  const std::vector<double> x = gather_vector(exec, world.comm(), solution.x);
  const std::vector<double> all = solution.all ? gather_columns(exec, world.comm(), *solution.all) : x;
  if (!world.speaks()) return true;
  if (!std::all_of(all.begin(), all.end(), [](double entry) { return std::isfinite(entry); })) return false;
  if (options.solution) {
    errors.keep_from([&] {
      OutputFile(*options.solution).write([&](const std::string& name) {
        io::write_matrix_market_array(name, static_cast<std::int64_t>(x.size()), all);
      });
    });
  }
  if (options.vtk) {
    errors.keep_from([&] {
      OutputFile(*options.vtk).write([&](const std::string& name) { write_mesh(name, *system.cantilever, x); });
    });
  }
  return true;
}

}  // namespace ashlar::app
