#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <string>
#include <type_traits>
#include <vector>

/// Block sparse matrices as binary files, of which any range of blocks can be read (docs/reference/file_formats.md).
namespace ashlar::io {

struct BlockFileOptions {
  /// Bytes that share a checksum, and so the least that is read of a file: a multiple of 64. 0: about a MiB, in which
  /// the values of whole blocks lie, as many as a multiple of 16.
  std::int64_t chunk_bytes = 0;
};

/// A block file, open for reading.
///
/// Opening it reads the header, the row pointers and the table of checksums. Data read later is checked against that
/// table first: damaged data is an error that names the bytes.
///
/// Memory   the row pointers, 8 bytes a block row, and the table, 8 bytes for each chunk.
/// Async    none: plain host code (Kokkos need not be initialised). Any number of threads may read simultaneously.
/// Throws   FileError when it cannot be read, is no block file or one of another version, is damaged, or has lost
///          bytes at its end.
class BlockFile {
 public:
  explicit BlockFile(const std::string& path);
  ~BlockFile();
  BlockFile(BlockFile&&) noexcept;
  BlockFile& operator=(BlockFile&&) noexcept;

  const std::string& path() const;
  std::uint64_t file_bytes() const;

  BlockShape block_shape() const;
  std::int64_t num_block_rows() const;
  std::int64_t num_block_cols() const;
  std::int64_t num_blocks() const;
  /// The type of the values, as scalar_name() has it: "double".
  std::string scalar_name() const;
  /// The layout of the blocks, as it calls itself: "column_major".
  std::string layout_name() const;
  /// Bytes that share a checksum.
  std::int64_t chunk_bytes() const;
  /// The number of blocks whose values fill whole chunks: a range that begins and ends at a multiple of it is read
  /// without a detour.
  std::int64_t blocks_together() const;

  /// num_block_rows() + 1 numbers, which rise from 0 to num_blocks().
  const std::vector<std::int64_t>& row_ptr() const;

  /// The values of blocks first_block .. first_block + count - 1, as they lie in the file: block_shape().num_values()
  /// each, in its layout.
  ///
  /// Types    the file's type; or a wider one of its kind (double for float and bfloat16, complex<double> for
  ///          complex<float>), to which values are converted some MiB at a time.
  /// Throws   ArgumentError for blocks that are not there; FileError for another type, or where the file is damaged:
  ///          what `to` holds is then not to be used.
  template <matrix_value T>
  void read_values(std::int64_t first_block, std::int64_t count, T* to) const;

  /// The block columns of blocks first_block .. first_block + count - 1, each of them less than num_block_cols().
  ///
  /// Types    std::int32_t or std::int64_t, whatever the file has.
  /// Throws   as read_values(); FileError where I does not count the matrix's columns.
  template <class I>
  void read_col_idx(std::int64_t first_block, std::int64_t count, I* to) const;

 private:
  struct State;
  std::unique_ptr<const State> state_;
};

namespace impl {

/// A matrix on the host, with its types by name.
struct HostMatrix {
  std::string scalar, layout;
  int col_idx_bytes;
  BlockShape block_shape;
  std::int64_t num_block_cols, num_blocks;
  std::vector<std::int64_t> row_ptr;
  const void* col_idx;
  const void* values;
};

void write_block_file(const std::string& path, const HostMatrix& matrix, const BlockFileOptions& options);

/// Throws FileError if the blocks of the file have another layout, or its numbers exceed the range of the index types.
void require_fit(const BlockFile& file, const std::string& layout, std::int64_t largest_ordinal,
                 std::int64_t largest_offset);

template <class Space>
inline constexpr bool is_on_host = Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible;

/// The instance that checks a matrix on the host: `exec` itself if it is the host's.
template <execution_space Exec>
Kokkos::DefaultHostExecutionSpace host_instance(const Exec& exec) {
  if constexpr (std::is_same_v<Exec, Kokkos::DefaultHostExecutionSpace>) {
    return exec;
  } else {
    return Kokkos::DefaultHostExecutionSpace();
  }
}

}  // namespace impl

/// Writes a matrix as a block file, which takes its name once it is whole: whoever reads `path` meanwhile, or after a
/// failure, finds all of the old file or all of the new.
///
/// Memory   the matrix in any memory space. On the host, its row pointers in 64 bits, and a copy of a matrix that the
///          host does not reach.
/// Async    waits for `exec`.
/// Throws   StructureError where the graph is none (validate()), ShapeError where 64 bits do not count its rows or
///          columns, ArgumentError (the size of a chunk) before the file is touched; FileError when it cannot be
///          written, all of it: what was there is then still there.
template <execution_space Exec, bcsr_matrix Matrix>
void write_block_file(const Exec& exec, const std::string& path, const Matrix& matrix,
                      const BlockFileOptions& options = {}) {
  using Space = typename Matrix::memory_space;
  using HostSpace = std::conditional_t<impl::is_on_host<Space>, Space, Kokkos::HostSpace>;
  const auto on_host = copy_to<HostSpace>(exec, matrix);
  exec.fence("ashlar::io::write_block_file: the matrix");
  validate(impl::host_instance(exec), on_host.graph());
  const auto row_ptr = on_host.graph().row_ptr();
  std::vector<std::int64_t> rows(row_ptr.data(), row_ptr.data() + row_ptr.extent(0));
  if (rows.empty()) rows = {0};  // a default-constructed graph
  impl::write_block_file(path,
                         {.scalar = scalar_name<typename Matrix::scalar_type>(),
                          .layout = Matrix::layout_type::name,
                          .col_idx_bytes = sizeof(typename Matrix::ordinal_type),
                          .block_shape = matrix.block_shape(),
                          .num_block_cols = matrix.num_block_cols(),
                          .num_blocks = matrix.num_blocks(),
                          .row_ptr = std::move(rows),
                          .col_idx = on_host.graph().col_idx().data(),
                          .values = on_host.values().data()},
                         options);
}

/// Reads a whole matrix to the memory space of its type.
///
/// Types    The layout must be the file's; index types must be wide enough for its numbers; the scalar is the file's or
///          one to which BlockFile::read_values() converts.
/// Memory   allocates the matrix in Matrix::memory_space, and another on the host if that does not reach the first.
/// Async    waits for `exec`.
/// Throws   FileError as BlockFile does, for types that do not fit, and for block columns that do not ascend in a row.
template <bcsr_matrix Matrix, execution_space Exec>
Matrix read_block_file(const Exec& exec, const BlockFile& file) {
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Offset = typename Matrix::offset_type;
  using Space = typename Matrix::memory_space;
  using HostSpace = std::conditional_t<impl::is_on_host<Space>, Space, Kokkos::HostSpace>;
  impl::require_fit(file, Matrix::layout_type::name, std::numeric_limits<Ordinal>::max(), most_blocks<Offset>);

  const std::vector<std::int64_t>& rows = file.row_ptr();
  const auto row_ptr = ashlar::impl::target_of_copy<Offset, HostSpace>("ashlar::row_ptr", rows.size());
  for (std::size_t i = 0; i < rows.size(); ++i) row_ptr(i) = static_cast<Offset>(rows[i]);
  const auto col_idx = ashlar::impl::target_of_copy<Ordinal, HostSpace>("ashlar::col_idx", file.num_blocks());
  file.read_col_idx(0, file.num_blocks(), col_idx.data());
  const BcsrGraph<Ordinal, Offset, HostSpace> graph(static_cast<Ordinal>(file.num_block_cols()), row_ptr, col_idx);
  try {
    validate(impl::host_instance(exec), graph);
  } catch (const StructureError& error) {
    throw FileError(file.path(), 0, error.problem(), error.why(), "the program that wrote the file is at fault");
  }
  const auto values = ashlar::impl::target_of_copy<Scalar, HostSpace>(
      "ashlar::values", file.num_blocks() * file.block_shape().num_values());
  file.read_values(0, file.num_blocks(), values.data());

  const typename Matrix::template in_space<HostSpace> on_host(file.block_shape(), graph, values);
  const Matrix matrix = copy_to<Space>(exec, on_host);
  exec.fence("ashlar::io::read_block_file: the host's copy may go");
  return matrix;
}

template <bcsr_matrix Matrix, execution_space Exec>
Matrix read_block_file(const Exec& exec, const std::string& path) {
  return read_block_file<Matrix>(exec, BlockFile(path));
}

/// The checksum of block files and checkpoints: XXH3 of 64 bits, without a seed.
std::uint64_t checksum(const void* bytes, std::size_t size);

}  // namespace ashlar::io
