#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/io/block_file.hpp>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar {

namespace impl {

/// Block rows of one rank, on the host, with the names of their types.
struct RankRows {
  std::string scalar, layout;
  int col_idx_bytes;
  BlockShape block_shape;
  std::int64_t num_block_cols;
  std::vector<std::int64_t> row_ptr;  // from 0
  std::span<const std::byte> col_idx, values;
};

void write_block_file(const Communicator& comm, const std::string& path, const RankRows& rows,
                      const io::BlockFileOptions& options);

}  // namespace impl

/// Writes a matrix, of which each rank has some block rows in rank order, as one block file: the same bytes that
/// io::write_block_file() writes for the whole matrix. Each rank writes its own rows; no rank needs memory for the
/// whole. Collective.
///
/// A chunk of the file with bytes of several ranks is sent to the first of them, which writes it and computes its
/// checksum.
///
/// Shapes   `rows` has the block columns of the whole matrix on each rank; some ranks may have no rows.
/// Memory   the matrix in any memory space. On the host, its row pointers in 64 bits, three chunks, and a copy of a
///          matrix that the host does not reach.
/// Async    waits for `exec`.
/// Throws   on all ranks together, RankError if another rank is at fault: ShapeError if ranks have other blocks or
///          block columns, and as io::write_block_file(); FileError as SharedFile.
template <execution_space Exec, bcsr_matrix Matrix>
void write_block_file(const Exec& exec, const Communicator& comm, const std::string& path, const Matrix& rows,
                      const io::BlockFileOptions& options = {}) {
  constexpr bool is_on_host =
      Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, typename Matrix::memory_space>::accessible;
  using HostSpace = std::conditional_t<is_on_host, typename Matrix::memory_space, Kokkos::HostSpace>;
  const auto on_host = comm.together([&] {
    const auto copy = copy_to<HostSpace>(exec, rows);
    exec.fence("ashlar::write_block_file: the rows");
    if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>) {
      validate(exec, copy.graph());
    } else {
      validate(Kokkos::DefaultHostExecutionSpace(), copy.graph());
    }
    return copy;
  });
  const auto row_ptr = on_host.graph().row_ptr();
  const auto col_idx = on_host.graph().col_idx();
  const auto values = on_host.values();
  std::vector<std::int64_t> pointers(row_ptr.data(), row_ptr.data() + row_ptr.extent(0));
  if (pointers.empty()) pointers = {0};  // a default-constructed graph
  impl::write_block_file(comm, path,
                         {.scalar = scalar_name<typename Matrix::scalar_type>(),
                          .layout = Matrix::layout_type::name,
                          .col_idx_bytes = sizeof(typename Matrix::ordinal_type),
                          .block_shape = rows.block_shape(),
                          .num_block_cols = rows.num_block_cols(),
                          .row_ptr = std::move(pointers),
                          .col_idx = std::as_bytes(std::span(col_idx.data(), col_idx.extent(0))),
                          .values = std::as_bytes(std::span(values.data(), values.extent(0)))},
                         options);
}

}  // namespace ashlar
