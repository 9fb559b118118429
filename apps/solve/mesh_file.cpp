#include "solve/files.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/scatter.hpp>
#include <ashlar/host/replaced_file.hpp>
#include <ashlar/io/vtk.hpp>
#include <ashlar/problems/hex_grid.hpp>
#include <cstdint>
#include <filesystem>
#include <optional>
#include <utility>
#include <vector>

#include "file_names.hpp"

namespace ashlar::app {

namespace {

namespace fs = std::filesystem;
using problems::RowRange;

/// The values shown at the points of a mesh.
struct Shown {
  std::string name;
  int components;
  std::vector<double> values;

  std::vector<io::PointField> fields() const { return {{name, components, values}}; }
};

Shown shown(int dof, std::vector<double> x) {
  if (dof == 1) return {"solution", 1, std::move(x)};
  if (dof == 3) return {"displacement", 3, std::move(x)};
  // With 6 unknowns per node the first of the two solids is shown.
  Shown first{"displacement", 3, {}};
  first.values.reserve(x.size() / 2);
  for (std::size_t node = 0; node < x.size(); node += 6) {
    first.values.insert(first.values.end(), {x[node], x[node + 1], x[node + 2]});
  }
  return first;
}

/// The nodes of which this rank has entries of x.
template <class Exec>
RowRange nodes_of_rank(const LinearSystem<Exec>& system, const Vector<Exec>& x) {
  const std::int64_t dof = system.cantilever->dof, begin = system.first_row() / dof;
  return {begin, begin + static_cast<std::int64_t>(x.extent(0)) / dof};
}

/// The entries of the nodes that this rank wants, of those that all have. Collective.
template <class Exec>
std::vector<double> entries_at(const Exec& exec, const Communicator& comm, int dof, const RowRange& mine,
                               const Vector<Exec>& x, const RowRange& wanted) {
  std::vector<double> entries(x.extent(0));
  Kokkos::deep_copy(exec, Kokkos::View<double*, Kokkos::HostSpace>(entries.data(), entries.size()), x);
  exec.fence("ashlar: x for the mesh");
  std::vector<std::vector<double>> to;
  for (const RowRange& range : comm.all_gather(wanted)) {
    const std::int64_t begin = std::clamp(range.begin, mine.begin, mine.end),
                       end = std::clamp(range.end, begin, mine.end);
    to.emplace_back(entries.data() + (begin - mine.begin) * dof, entries.data() + (end - mine.begin) * dof);
  }
  // Ranks have their nodes in rank order.
  std::vector<double> all;
  for (const auto& piece : comm.all_to_all(to)) all.insert(all.end(), piece.begin(), piece.end());
  return all;
}

template <class Exec>
void write_whole_mesh(const Exec& exec, const World& world, const std::string& path, const LinearSystem<Exec>& system,
                      const Vector<Exec>& x) {
  std::vector<double> all = gather_vector(exec, world.comm(), x);
  world.on_all([&] {
    if (!world.speaks()) return;
    const problems::HexGrid grid = problems::cantilever_grid(*system.cantilever);
    const Shown solution = shown(system.cantilever->dof, std::move(all));
    OutputFile(path).write([&](const std::string& name) {
      io::write_vtu(name, problems::hex_points(grid), problems::hex_cells(grid), solution.fields());
    });
  });
}

template <class Exec>
void write_pieces(const Exec& exec, const World& world, const std::string& path, const LinearSystem<Exec>& system,
                  const Vector<Exec>& x) {
  const Communicator& comm = world.comm();
  const problems::HexGrid grid = problems::cantilever_grid(*system.cantilever);
  const int dof = system.cantilever->dof;
  const RowRange mine = nodes_of_rank(system, x);
  const Shown solution = shown(dof, entries_at(exec, comm, dof, mine, x, problems::hex_piece_nodes(grid, mine)));

  const std::string piece_name = mesh_piece(path, comm.rank());
  const auto on_all = [&](const auto& work) {
    world.on_all([&] {
      try {
        work();
      } catch (const FileError& fault) {
        const std::string who =
            world.is_alone() ? "" : text("rank ", comm.rank(), " on ", comm.transport().host_name(), ": ");
        throw FileError(path, 0, "cannot be written", text(who, piece_name, ": ", fault.why()), fault.suggestion());
      }
    });
  };
  std::optional<ReplacedFile> piece, whole;
  on_all([&] {
    piece.emplace(piece_name);
    const problems::HexPiece mesh = problems::hex_piece(grid, mine);
    io::write_vtu(piece->new_name(), mesh.points, mesh.cells, solution.fields());
  });
  world.on_all([&] {
    if (!world.speaks()) return;
    std::vector<std::string> names;
    for (int rank = 0; rank < comm.size(); ++rank)
      names.push_back(fs::path(mesh_piece(path, rank)).filename().string());
    whole.emplace(path);
    try {
      io::write_pvtu(whole->new_name(), names, solution.fields());
    } catch (const FileError& fault) {
      throw FileError(path, 0, "cannot be written", fault.why(), fault.suggestion());
    }
  });
  // All are whole: from here on nothing is missing.
  on_all([&] { piece->take_name(); });
  world.on_all([&] {
    if (whole) whole->take_name();
  });
}

}  // namespace

bool is_mesh_of_pieces(const std::string& path) { return ending_of(path) == ".pvtu"; }

std::string mesh_piece(const std::string& path, int rank) {
  const fs::path whole(path);
  return (whole.parent_path() / text(whole.stem().string(), "_", rank, ".vtu")).string();
}

template <class Exec>
void write_mesh(const Exec& exec, const World& world, const std::string& path, const LinearSystem<Exec>& system,
                const Vector<Exec>& x) {
  is_mesh_of_pieces(path) ? write_pieces(exec, world, path, system, x) : write_whole_mesh(exec, world, path, system, x);
}

template void write_mesh(const HostExecution&, const World&, const std::string&, const LinearSystem<HostExecution>&,
                         const Vector<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template void write_mesh(const Execution&, const World&, const std::string&, const LinearSystem<Execution>&,
                         const Vector<Execution>&);
#endif

}  // namespace ashlar::app
