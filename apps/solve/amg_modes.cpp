#include "solve/amg_modes.hpp"

#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "types.hpp"

namespace ashlar::app {

namespace {

/// A dense matrix, row after row.
struct DenseRows {
  std::vector<double> values;
  int columns = 0;
};

/// A file's rows, if check(rows, columns) does not throw.
template <class Check>
DenseRows read_dense_rows(const std::string& path, const Check& check) {
  const CooMatrix<double> entries = io::read_matrix_market<double>(path);
  check(entries.num_rows, entries.num_cols);
  DenseRows result{std::vector<double>(std::size_t(entries.num_rows * entries.num_cols), 0), int(entries.num_cols)};
  for (std::size_t k = 0; k < entries.values.size(); ++k) {
    result.values[std::size_t(entries.rows[k]) * entries.num_cols + entries.cols[k]] += entries.values[k];
  }
  return result;
}

/// A row for each node and a column for each dimension.
DenseRows read_coordinates(const std::string& path, std::int64_t num_nodes, int block_size) {
  return read_dense_rows(path, [&](std::int64_t rows, std::int64_t columns) {
    if (rows != num_nodes) {
      throw FileError(
          path, 0, text("coordinates of ", count_text(rows, "node")),
          text("the matrix has ", count_text(num_nodes, "block row"), " of size ", block_size, ", one for each node"),
          "name a file with a row for each node, or pass another --block-size");
    }
    if (columns != 2 && columns != 3) {
      throw FileError(path, 0, text("coordinates in ", count_text(columns, "dimension")), "bodies have 2 or 3",
                      "name a file of 2 or 3 columns");
    }
    if (block_size % columns != 0) {
      throw FileError(path, 0, text("coordinates in ", columns, " dimensions for blocks of size ", block_size),
                      "a node has a displacement in each dimension",
                      "pass another --block-size, or --near-null constants");
    }
  });
}

/// A row for each row of the matrix and a column for each mode.
DenseRows read_modes(const std::string& path, std::int64_t num_rows) {
  return read_dense_rows(path, [&](std::int64_t rows, std::int64_t columns) {
    if (rows != num_rows) {
      throw FileError(path, 0, text("modes of ", count_text(rows, "row")),
                      text("the matrix has ", count_text(num_rows, "row")),
                      "name a file with a row for each row of the matrix; coordinates of nodes go to --coordinates");
    }
    if (columns < 1 || columns > amg::max_modes) {
      throw FileError(path, 0, count_text(columns, "mode"), text("amg takes 1 to ", amg::max_modes),
                      "name a file with a column for each mode");
    }
  });
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
                                                            const Communicator& comm, const problems::RowRange& rows) {
  const int b = system.block_size();
  const DenseRows points = comm.together([&] {
    return system.cantilever ? DenseRows{problems::hex_points(problems::cantilever_grid(*system.cantilever)), 3}
                             : read_coordinates(*coordinates, system.num_block_rows(), b);
  });
  return amg::rigid_body_modes<typename Exec::memory_space>(exec, rows_on_device(exec, points, rows.begin, rows.size()),
                                                            points.columns, b, comm);
}

template <class Exec>
amg::NearNullSpace<typename Exec::memory_space> amg_modes(const Exec& exec, const LinearSystem<Exec>& system,
                                                          const MethodOptions& method, const Communicator& comm,
                                                          const problems::RowRange& rows) {
  using Space = typename Exec::memory_space;
  const int b = system.block_size();
  const bool is_elastic = system.cantilever && system.cantilever->dof != 1;
  const NearNullKind kind = near_null_of(method, is_elastic);
  if (kind == NearNullKind::constants) return amg::constant_modes<Space>(exec, rows.size(), b);
  if (kind == NearNullKind::file) {
    const DenseRows all =
        comm.together([&] { return read_modes(*method.near_null_file, system.num_block_rows() * b); });
    const Vector<Exec> there = rows_on_device(exec, all, rows.begin * b, rows.size() * b);
    const amg::NearNullSpace<Space> modes(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::app::modes"),
                                          std::size_t(rows.size() * b), std::size_t(all.columns));
    // (Rows lie one after another in both.)
    Kokkos::deep_copy(exec, Vector<Exec>(modes.data(), modes.size()), there);
    return modes;
  }
  return rigid_modes(exec, system, method.coordinates, comm, rows);
}

template amg::NearNullSpace<HostExecution::memory_space> amg_modes(const HostExecution&,
                                                                   const LinearSystem<HostExecution>&,
                                                                   const MethodOptions&, const Communicator&,
                                                                   const problems::RowRange&);
template amg::NearNullSpace<HostExecution::memory_space> rigid_modes(const HostExecution&,
                                                                     const LinearSystem<HostExecution>&,
                                                                     const std::optional<std::string>&,
                                                                     const Communicator&, const problems::RowRange&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template amg::NearNullSpace<Execution::memory_space> amg_modes(const Execution&, const LinearSystem<Execution>&,
                                                               const MethodOptions&, const Communicator&,
                                                               const problems::RowRange&);
template amg::NearNullSpace<Execution::memory_space> rigid_modes(const Execution&, const LinearSystem<Execution>&,
                                                                 const std::optional<std::string>&, const Communicator&,
                                                                 const problems::RowRange&);
#endif

}  // namespace ashlar::app
