#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/cut_matrix.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/spmv/plan.hpp>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>
#include <vector>

// The block rows of a rank in the numbering of applications. A matrix with global column indices is the third form.

namespace ashlar {

/// Block rows with global block columns in 64 bits.
///
/// Shapes   row_ptr has an entry more than there are block rows, columns one for each block, values R * C for each, in
///          the layout of Matrix. Columns may be in any order within a row, each once.
/// Memory   views, shared as they are.
template <bcsr_matrix Matrix>
struct GlobalRows {
  using row_ptr_view = typename Matrix::graph_type::row_ptr_view;
  using column_view = Kokkos::View<const std::int64_t*, typename Matrix::memory_space>;

  BlockShape block_shape;
  row_ptr_view row_ptr;
  column_view columns;
  typename Matrix::values_view values;

  std::int64_t num_block_rows() const { return row_ptr.extent(0) == 0 ? 0 : std::int64_t(row_ptr.extent(0)) - 1; }
  std::int64_t num_blocks() const { return std::int64_t(columns.extent(0)); }
};

/// Block rows in an application's own numbering, with ghost nodes: block column j of `rows` is the global block column
/// global_column(j). Own nodes and ghost nodes may be in any order.
///
/// Shapes   global_column has an entry for each block column of `rows`. global_row has one for each block row, its
///          global number, in any order; if it is empty, rows are in the order of their global numbers.
template <bcsr_matrix Matrix>
struct RowsWithGhosts {
  using index_view = Kokkos::View<const std::int64_t*, typename Matrix::memory_space>;

  Matrix rows;
  index_view global_column;
  index_view global_row = {};
};

/// A sparse matrix of dense blocks over the ranks of a communicator, square or not: each rank has the block rows that
/// the row map gives it. It is a value: copies share their data.
///
///     const DistributedMatrix a(exec, comm, row_map, column_map, rows);
///     ProductWorkspace workspace(exec, a);           // products.hpp
///     multiply(exec, a, workspace, x, y);
///     multiply_transpose(exec, a, workspace, y, x);
///
/// A rank's rows lie in two matrices. local() has the columns that the column map gives this rank, counted from the
/// first of them. remote() has all other columns, counted as the entries of the halo (halo_plan()), and only the rows
/// that have any: remote_rows() lists them.
///
/// Rows come in three forms: with the global block columns of a Matrix; GlobalRows, with global block columns in 64
/// bits; RowsWithGhosts, in an application's own numbering. assemble() makes a matrix of contributions to any rank's
/// rows.
///
/// Shapes   row_map and column_map have a part for each rank of `comm`, which may be empty. Vectors that A multiplies
/// have
///          column_map.size(rank) block entries on each rank, and products row_map.size(rank).
/// Memory   the rank's blocks once, in Matrix's memory space, and 8 bytes for each halo entry. During construction, the
///          rows that were given besides; if their columns do not ascend, 16 bytes for each block, too. One rank alone
///          shares the rows that it was given if their columns ascend. options.keep_value_order takes an offset a
///          block.
/// Async    constructors: collective, and wait for `exec`. `comm` is shared: many matrices may use one.
/// Throws   constructors: on all ranks together, ArgumentError if maps, options or numbers of columns do not fit;
///          ShapeError if the rows do not fit the row map; StructureError if a row has a column twice;
///          BlockSizeError.
template <bcsr_matrix Matrix>
class DistributedMatrix {
 public:
  using matrix_type = Matrix;
  using scalar_type = typename Matrix::scalar_type;
  using memory_space = typename Matrix::memory_space;
  using communicator_pointer = std::shared_ptr<const Communicator>;

  /// Rows whose block columns are global: as many as the column map has.
  template <execution_space Exec>
  DistributedMatrix(const Exec& exec, communicator_pointer comm, RowPartition row_map, RowPartition column_map,
                    const Matrix& rows, const DistributedMatrixOptions& options = {})
      : DistributedMatrix(impl::order_and_cut(exec, std::move(comm), std::move(row_map), column_map,
                                              impl::given_rows(rows, rows.graph().col_idx()), NoList(), options, &rows,
                                              [&] { check_columns(rows, column_map); })) {}

  template <execution_space Exec>
  DistributedMatrix(const Exec& exec, communicator_pointer comm, RowPartition row_map, RowPartition column_map,
                    const GlobalRows<Matrix>& rows, const DistributedMatrixOptions& options = {})
      : DistributedMatrix(impl::order_and_cut<Exec, Matrix>(exec, std::move(comm), std::move(row_map),
                                                            std::move(column_map), given(rows), NoList(), options,
                                                            nullptr, [&] { check_sizes(rows); })) {}

  template <execution_space Exec>
  DistributedMatrix(const Exec& exec, communicator_pointer comm, const RowPartition& row_map, RowPartition column_map,
                    const RowsWithGhosts<Matrix>& given, const DistributedMatrixOptions& options = {})
      : DistributedMatrix(exec, comm, row_map, std::move(column_map), given,
                          comm->together([&] { return row_sources(exec, given, row_map, comm->rank()); }), options) {}

  const RowPartition& row_map() const { return structure_->row_map; }
  const RowPartition& column_map() const { return structure_->column_map; }
  /// Own rows x own columns.
  const Matrix& local() const { return local_; }
  /// The own rows that remote_rows() lists, ascending, x the entries of the halo.
  const Matrix& remote() const { return remote_; }
  const auto& remote_rows() const { return structure_->remote_rows; }
  /// The global block column of each halo entry; -1 for an entry that nobody needs.
  const auto& halo_columns() const { return structure_->halo_columns; }
  const HaloPlan& halo_plan() const { return structure_->halo; }
  const Communicator& communicator() const { return *structure_->comm; }
  const communicator_pointer& shared_communicator() const { return structure_->comm; }

  int rank() const { return communicator().rank(); }
  const BlockShape& block_shape() const { return local_.block_shape(); }
  std::int64_t num_global_block_rows() const { return row_map().num_rows(); }
  std::int64_t num_global_block_cols() const { return column_map().num_rows(); }
  std::int64_t num_global_rows() const { return num_global_block_rows() * block_shape().rows; }
  std::int64_t num_global_cols() const { return num_global_block_cols() * block_shape().cols; }
  std::int64_t num_global_blocks() const { return structure_->num_global_blocks; }
  /// Of this rank.
  std::int64_t num_block_rows() const { return local_.num_block_rows(); }
  std::int64_t num_block_cols() const { return local_.num_block_cols(); }
  std::int64_t num_blocks() const { return std::int64_t(local_.num_blocks()) + std::int64_t(remote_.num_blocks()); }

  /// The matrix of the same pattern with other values, in the order of the blocks that this rank was given. Plans and
  /// workspaces of this one serve it. For an assembled matrix, blocks are in the order of its own rows and their
  /// columns.
  ///
  /// Memory   allocates the values, where they lie in two matrices.
  /// Async    enqueued on `exec`; no messages.
  /// Throws   ShapeError for another number of values; ArgumentError if the order was not kept.
  template <execution_space Exec>
  DistributedMatrix with_values(const Exec& exec, const typename Matrix::values_view& values) const {
    const impl::MatrixStructure<Matrix>& s = *structure_;
    if (!s.keeps_value_order) {
      throw ArgumentError("DistributedMatrix: new values", "the order of the blocks that were given was not kept",
                          "make the matrix with keep_value_order");
    }
    const std::int64_t expected = s.num_given_blocks * block_shape().num_values();
    if (std::int64_t(values.extent(0)) != expected) {
      throw ShapeError(text("DistributedMatrix: ", values.extent(0), " new values on rank ", rank()),
                       text("its ", s.num_given_blocks, " blocks have ", expected), "pass a value for each of these");
    }
    if (s.shares_rows) return DistributedMatrix({structure_, Matrix(block_shape(), local_.graph(), values), remote_});
    return DistributedMatrix({structure_, impl::with_values_from(exec, local_, s.local_source, values),
                              impl::with_values_from(exec, remote_, s.remote_source, values)});
  }

  /// True if both matrices share one pattern, as copies do and results of with_values().
  bool has_pattern_of(const DistributedMatrix& other) const { return structure_ == other.structure_; }

  /// The pieces of the matrix, for the library's own operators.
  impl::MatrixParts<Matrix> parts() const { return {structure_, local_, remote_}; }

  HeldBytes bytes() const {
    const auto& s = *structure_;
    const std::uint64_t lists = s.remote_rows.size() * sizeof(typename Matrix::ordinal_type) +
                                s.halo_columns.size() * sizeof(std::int64_t) +
                                (s.local_source.size() + s.remote_source.size()) * sizeof(typename Matrix::offset_type);
    return held_bytes(local_) + held_bytes(remote_) + HeldBytes{lists, 0};
  }

  /// "100 x 90 block rows and columns of 3 x 2, 812 blocks; rank 1 of 4: ..."
  std::string explain() const {
    return text(num_global_block_rows(), " x ", num_global_block_cols(), " blocks of ", to_string(block_shape()), ", ",
                num_global_blocks(), " stored; rank ", rank(), " of ", communicator().size(), ": block rows ",
                row_map().begin(rank()), " to ", row_map().end(rank()), ", block columns ", column_map().begin(rank()),
                " to ", column_map().end(rank()), "; ", count_text(std::int64_t(local_.num_blocks()), "block"),
                " in local columns, ", remote_.num_blocks(), " in remote columns of ",
                count_text(std::int64_t(remote_.num_block_rows()), "row"), "; halo: ", halo_plan().explain());
  }

 private:
  using NoList = Kokkos::View<const std::int64_t*, memory_space>;

  explicit DistributedMatrix(impl::MatrixParts<Matrix> parts)
      : structure_(std::move(parts.structure)), local_(std::move(parts.local)), remote_(std::move(parts.remote)) {}

  template <execution_space Exec>
  DistributedMatrix(const Exec& exec, communicator_pointer comm, const RowPartition& row_map, RowPartition column_map,
                    const RowsWithGhosts<Matrix>& given, const NoList& row_source,
                    const DistributedMatrixOptions& options)
      : DistributedMatrix(impl::order_and_cut<Exec, Matrix>(
            exec, std::move(comm), row_map, std::move(column_map),
            impl::given_rows(given.rows, GhostColumns{given.global_column, given.rows.graph().col_idx()}), row_source,
            options, nullptr, [] {})) {}

  using GhostColumns =
      impl::ColumnsThrough<typename RowsWithGhosts<Matrix>::index_view, typename Matrix::graph_type::col_idx_view>;

  static impl::GivenRows<Matrix, NoList, impl::SameBlock> given(const GlobalRows<Matrix>& rows) {
    return {rows.block_shape, rows.num_block_rows(), rows.num_blocks(), rows.row_ptr, rows.values, rows.columns, {}};
  }

  static void check_columns(const Matrix& rows, const RowPartition& column_map) {
    if (std::int64_t(rows.num_block_cols()) == column_map.num_rows()) return;
    throw ShapeError(text("DistributedMatrix: rows of ", rows.num_block_cols(), " block columns"),
                     text("the column map has ", column_map.num_rows()),
                     "pass rows with the block columns of the whole matrix");
  }

  static void check_sizes(const GlobalRows<Matrix>& rows) {
    if (std::int64_t(rows.values.extent(0)) == rows.num_blocks() * rows.block_shape.num_values()) return;
    throw ShapeError(text("DistributedMatrix: ", rows.values.extent(0), " values"),
                     text(rows.num_blocks(), " blocks of ", to_string(rows.block_shape), " have ",
                          rows.num_blocks() * rows.block_shape.num_values()),
                     "pass R * C values for each block of R x C");
  }

  /// The local number of each own row, by its global number.
  template <class Exec>
  static NoList row_sources(const Exec& exec, const RowsWithGhosts<Matrix>& given, const RowPartition& row_map,
                            int rank) {
    const std::int64_t num_rows = given.rows.num_block_rows();
    if (std::int64_t(given.global_column.extent(0)) != std::int64_t(given.rows.num_block_cols())) {
      throw ShapeError(text("DistributedMatrix: global numbers of ", given.global_column.extent(0), " columns"),
                       text("the rows have ", given.rows.num_block_cols(), " block columns"),
                       "name the global column of each of them");
    }
    if (given.global_row.extent(0) == 0) return NoList();
    const std::vector<std::int64_t> global = impl::list_of(exec, given.global_row);
    std::vector<std::int64_t> source(global.size(), -1);
    for (std::size_t i = 0; i < global.size(); ++i) {
      const std::int64_t local = rank < row_map.num_parts() ? global[i] - row_map.begin(rank) : -1;
      if (std::int64_t(global.size()) != num_rows || local < 0 || local >= num_rows ||
          source[std::size_t(local)] >= 0) {
        throw ArgumentError(text("DistributedMatrix: row ", i, " of rank ", rank, " is global block row ", global[i]),
                            "each of its block rows has one global number, of those that the row map gives it",
                            "list these, each once");
      }
      source[std::size_t(local)] = std::int64_t(i);
    }
    return impl::view_from<memory_space>(exec, "ashlar::distributed::list", source);
  }

  std::shared_ptr<const impl::MatrixStructure<Matrix>> structure_;
  Matrix local_, remote_;
};

}  // namespace ashlar
