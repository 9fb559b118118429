#include "solve/amg_modes.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "entry_files.hpp"
#include "types.hpp"

namespace ashlar::app {

namespace {

/// A dense matrix, row after row.
struct DenseRows {
  std::vector<double> values;
  std::int64_t columns = 0;
};

DenseRows row_after_row(const Columns& columns) {
  DenseRows rows{std::vector<double>(columns.entries.size()), columns.num_columns};
  for (std::int64_t i = 0; i < columns.num_rows; ++i) {
    for (std::int64_t j = 0; j < columns.num_columns; ++j) {
      rows.values[std::size_t(i * columns.num_columns + j)] = columns.column(j)[std::size_t(i)];
    }
  }
  return rows;
}

/// Throws unless the file has a row for each node and a column for each dimension; `other` is what to pass instead.
void check_coordinates(const std::string& path, const Columns& points, std::int64_t num_nodes, int block_size,
                       const std::string& other) {
  if (points.num_rows != num_nodes) {
    throw FileError(
        path, 0, text("coordinates of ", count_text(points.num_rows, "node")),
        text("the matrix has ", count_text(num_nodes, "block row"), " of size ", block_size, ", one for each node"),
        "name a file with a row for each node, or pass another --block-size");
  }
  if (points.num_columns != 2 && points.num_columns != 3) {
    throw FileError(path, 0, text("coordinates in ", count_text(points.num_columns, "dimension")), "bodies have 2 or 3",
                    "name a file of 2 or 3 columns");
  }
  if (block_size % points.num_columns != 0) {
    throw FileError(path, 0, text("coordinates in ", points.num_columns, " dimensions for blocks of size ", block_size),
                    "a node has a displacement in each dimension", "pass another --block-size, or " + other);
  }
}

/// Throws unless the file has a row for each row of the matrix and a column for each mode.
void check_modes(const std::string& path, const Columns& modes, std::int64_t num_rows) {
  if (modes.num_rows != num_rows) {
    throw FileError(path, 0, text("modes of ", count_text(modes.num_rows, "row")),
                    text("the matrix has ", count_text(num_rows, "row")),
                    "name a file with a row for each row of the matrix; coordinates of nodes go to --coordinates");
  }
  if (modes.num_columns < 1 || modes.num_columns > amg::max_modes) {
    throw FileError(path, 0, count_text(modes.num_columns, "mode"), text("amg takes 1 to ", amg::max_modes),
                    "name a file with a column for each mode");
  }
}

/// The modes asked for, of a problem or of a matrix file.
NearNullKind near_null_of(const MethodOptions& method, bool is_elastic_problem) {
  if (method.near_null != NearNullKind::automatic) return method.near_null;
  return is_elastic_problem || method.coordinates ? NearNullKind::rigid : NearNullKind::constants;
}

/// Entries of some rows, from row `first` on, where `exec` computes.
template <class Exec>
Vector<Exec> rows_on_device(const Exec& exec, const DenseRows& all, std::int64_t first, std::int64_t num_rows) {
  const Vector<Exec> there(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::rows"),
                           std::size_t(num_rows * all.columns));
  using Here = Kokkos::View<const double*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>;
  Kokkos::deep_copy(exec, there, Here(all.values.data() + first * all.columns, there.extent(0)));
  exec.fence("ashlar: rows of a file");
  return there;
}

}  // namespace

template <class Exec>
amg::NearNullSpace<typename Exec::memory_space> rigid_modes(const Exec& exec, const LinearSystem<Exec>& system,
                                                            const std::optional<std::string>& coordinates,
                                                            const std::string& other, const Communicator& comm,
                                                            const problems::RowRange& rows) {
  const int b = system.block_size();
  const DenseRows points = comm.together([&] {
    if (system.cantilever) {
      return DenseRows{problems::hex_points(problems::cantilever_grid(*system.cantilever)), 3};
    }
    const Columns file = read_columns(*coordinates);
    check_coordinates(*coordinates, file, system.num_block_rows(), b, other);
    return row_after_row(file);
  });
  const Vector<Exec> own = comm.together([&] { return rows_on_device(exec, points, rows.begin, rows.size()); });
  return amg::rigid_body_modes<typename Exec::memory_space>(exec, own, static_cast<int>(points.columns), b, comm);
}

template <class Exec>
amg::NearNullSpace<typename Exec::memory_space> amg_modes(const Exec& exec, const LinearSystem<Exec>& system,
                                                          const MethodOptions& method, const Communicator& comm,
                                                          const problems::RowRange& rows) {
  using Space = typename Exec::memory_space;
  const int b = system.block_size();
  const bool is_elastic = system.cantilever && system.cantilever->dof != 1;
  const NearNullKind kind = near_null_of(method, is_elastic);
  if (kind == NearNullKind::constants) {
    return comm.together([&] { return amg::constant_modes<Space>(exec, rows.size(), b); });
  }
  if (kind == NearNullKind::from_file) {
    return comm.together([&] {
      const Columns file = read_columns(*method.near_null_file);
      check_modes(*method.near_null_file, file, system.num_block_rows() * b);
      const DenseRows all = row_after_row(file);
      const Vector<Exec> there = rows_on_device(exec, all, rows.begin * b, rows.size() * b);
      const amg::NearNullSpace<Space> modes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::modes"),
                                            std::size_t(rows.size() * b), std::size_t(all.columns));
      // (Rows lie one after another in both.)
      Kokkos::deep_copy(exec, Vector<Exec>(modes.data(), modes.size()), there);
      return modes;
    });
  }
  return rigid_modes(exec, system, method.coordinates, "--near-null constants", comm, rows);
}

template <class Exec>
Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> vectors_of_file(
    const Exec& exec, const std::string& path, const LinearSystem<Exec>& system) {
  constexpr std::int64_t most = 64;
  const Columns file = read_columns(path);
  if (file.num_rows != system.num_rows() || file.num_columns < 1 || file.num_columns > most) {
    throw FileError(
        path, 0, text("vectors of ", file.num_rows, " x ", file.num_columns, " entries"),
        text("the matrix has ", count_text(system.num_rows(), "row"), ", and a null space 1 to ", most, " vectors"),
        "name a file with a row for each row of the matrix, and a column for each vector");
  }
  const std::int64_t first = system.first_row(), n = std::int64_t(system.rhs.extent(0));
  const Kokkos::View<double**, Kokkos::LayoutLeft, typename Exec::memory_space> vectors(
      "ashlar::app::null_space", std::size_t(n), std::size_t(file.num_columns));
  const auto here = Kokkos::create_mirror_view(vectors);
  for (std::int64_t k = 0; k < file.num_columns; ++k) {
    const std::span<const double> column = file.column(k);
    for (std::int64_t i = 0; i < n; ++i) here(i, k) = column[std::size_t(first + i)];
  }
  Kokkos::deep_copy(exec, vectors, here);
  exec.fence("ashlar: vectors of a null space");
  return vectors;
}

template amg::NearNullSpace<HostExecution::memory_space> amg_modes(const HostExecution&,
                                                                   const LinearSystem<HostExecution>&,
                                                                   const MethodOptions&, const Communicator&,
                                                                   const problems::RowRange&);
template amg::NearNullSpace<HostExecution::memory_space> rigid_modes(const HostExecution&,
                                                                     const LinearSystem<HostExecution>&,
                                                                     const std::optional<std::string>&,
                                                                     const std::string&, const Communicator&,
                                                                     const problems::RowRange&);
template Kokkos::View<double**, Kokkos::LayoutLeft, HostExecution::memory_space> vectors_of_file(
    const HostExecution&, const std::string&, const LinearSystem<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template amg::NearNullSpace<Execution::memory_space> amg_modes(const Execution&, const LinearSystem<Execution>&,
                                                               const MethodOptions&, const Communicator&,
                                                               const problems::RowRange&);
template amg::NearNullSpace<Execution::memory_space> rigid_modes(const Execution&, const LinearSystem<Execution>&,
                                                                 const std::optional<std::string>&, const std::string&,
                                                                 const Communicator&, const problems::RowRange&);
template Kokkos::View<double**, Kokkos::LayoutLeft, Execution::memory_space> vectors_of_file(
    const Execution&, const std::string&, const LinearSystem<Execution>&);
#endif

}  // namespace ashlar::app
