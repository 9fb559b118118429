#include "solve/outputs.hpp"

#include <algorithm>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/io/vtu.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cmath>
#include <vector>

#include "output_file.hpp"

namespace ashlar::app {

namespace {

std::vector<double> on_host(const Execution& exec, const Vector& x) {
  std::vector<double> entries(x.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(entries.data(), entries.size()), x);
  exec.fence("ashlar: solution on the host");
  return entries;
}

/// All columns, one after another.
std::vector<double> on_host(const Execution& exec, const Block& x) {
  std::vector<double> entries(x.size());
  const auto rows = Kokkos::create_mirror_view_and_copy(Kokkos::HostSpace(), x);
  exec.fence("ashlar: solutions on the host");
  for (std::size_t j = 0; j < x.extent(1); ++j) {
    for (std::size_t i = 0; i < x.extent(0); ++i) entries[j * x.extent(0) + i] = rows(i, j);
  }
  return entries;
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

bool write_outputs(const Execution& exec, const OutputOptions& options, const LinearSystem& system,
                   const Solution& solution, FirstError& errors) {
  if (!options.solution && !options.vtk) return true;
  const std::vector<double> x = on_host(exec, solution.x);
  const std::vector<double> all = solution.all ? on_host(exec, *solution.all) : x;
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
