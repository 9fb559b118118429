#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

// From a rank's rows with global columns to the parts of a DistributedMatrix.

namespace ashlar {

struct DistributedMatrixOptions {
  /// How the halo travels. The matrix ignores entry_bytes, which it knows.
  HaloOptions halo = {};
  /// The number of vectors in a product, for the choice of HaloForm::automatic.
  int num_vectors = 1;
  /// If true, DistributedMatrix::with_values() works; it needs an offset for each block.
  bool keep_value_order = true;
};

namespace impl {

/// All matrices of one pattern share this.
template <class Matrix>
struct MatrixStructure {
  using Space = typename Matrix::memory_space;
  using Order = Kokkos::View<const typename Matrix::offset_type*, Space>;

  std::shared_ptr<const Communicator> comm;
  RowPartition row_map, column_map;
  HaloPlan halo;
  Kokkos::View<const typename Matrix::ordinal_type*, Space>
      remote_rows;                                        ///< own rows that have remote blocks, ascending
  Kokkos::View<const std::int64_t*, Space> halo_columns;  ///< global column of each halo entry; -1: not needed
  bool keeps_value_order = false;
  bool shares_rows = false;           ///< the local matrix is the given one, with the same value order
  Order local_source, remote_source;  ///< position of each block among the given ones, if the order is kept
  std::int64_t num_given_blocks = 0;
  std::int64_t num_global_blocks = 0;
};

/// `Rows` is the type of the given rows: Matrix, or the same in host memory, in which the local part stays.
template <class Matrix, class Rows = Matrix>
struct MatrixParts {
  std::shared_ptr<const MatrixStructure<Matrix>> structure;
  Rows local;
  Matrix remote;
};

/// The rows of a rank: block k has global column columns(k), and values at position source(k).
template <class Matrix, class Columns, class Source>
struct GivenRows {
  BlockShape block_shape;
  std::int64_t num_rows, num_blocks;
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::values_view values;
  Columns columns;
  Source source;

  BlocksInColumns<Matrix, Columns, Source> in(const ColumnSet& set) const {
    return {row_ptr, columns, values, set, {set.all_but ? 0 : set.begin, {}, {}}, {}, source};
  }
};

/// Rows of a matrix, with the columns columns(k).
template <class Matrix, class Columns>
GivenRows<Matrix, Columns, SameBlock> given_rows(const Matrix& rows, const Columns& columns) {
  return {rows.block_shape(),
          rows.num_block_rows(),
          static_cast<std::int64_t>(rows.num_blocks()),
          rows.graph().row_ptr(),
          rows.values(),
          columns,
          {}};
}

/// The positions of the blocks of `part`, which was built from `blocks`, among the given blocks. Enqueued on `exec`.
template <class Matrix, class Exec, class Blocks>
typename MatrixStructure<Matrix>::Order sources_of(const Exec& exec, const Blocks& blocks, const Matrix& part) {
  using Offset = typename Matrix::offset_type;
  const Kokkos::View<Offset*, typename Matrix::memory_space> sources(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::distributed::value_order"),
      std::size_t(part.num_blocks()));
  const auto part_row_ptr = part.graph().row_ptr();
  Kokkos::parallel_for(
      "ashlar::distributed[value order]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, part.num_block_rows()),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t from = blocks.row_of(i);
        std::int64_t to = part_row_ptr(i);
        for (std::int64_t k = blocks.row_ptr(from); k < std::int64_t(blocks.row_ptr(from + 1)); ++k) {
          if (blocks.columns.has(blocks.col_idx(k))) sources(to++) = static_cast<Offset>(blocks.source(k));
        }
      });
  return sources;
}

/// The matrix of this pattern whose block k has the values of block source(k). Enqueued on `exec`.
template <class Matrix, class Exec>
Matrix with_values_from(const Exec& exec, const Matrix& pattern, const typename MatrixStructure<Matrix>::Order& source,
                        const typename Matrix::values_view& given) {
  const typename Matrix::values_view values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"),
                                            std::size_t(pattern.num_values()));
  const std::int64_t of_block = pattern.block_shape().num_values();
  Kokkos::parallel_for(
      "ashlar::distributed[new values]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, pattern.num_values()),
      KOKKOS_LAMBDA(std::int64_t v) {
        const std::int64_t block = v / of_block;
        values(v) = given(std::int64_t(source(block)) * of_block + (v - block * of_block));
      });
  return Matrix(pattern.block_shape(), pattern.graph(), values);
}

/// A list in another memory space; the same list if it is there. Waits for `exec`.
template <class Space, class Exec, class List>
Kokkos::View<typename List::const_value_type*, Space> list_on_device(const Exec& exec, const List& list) {
  if constexpr (std::is_same_v<typename List::memory_space, Space>) {
    return list;
  } else {
    const Kokkos::View<typename List::non_const_value_type*, Space> copy(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::distributed::list"), list.extent(0));
    Kokkos::deep_copy(exec, copy, list);
    exec.fence("ashlar::distributed: a list on the device");
    return copy;
  }
}

template <class Ordinal>
void check_fits_ordinal(std::int64_t count, const char* what) {
  if (count <= std::int64_t(std::numeric_limits<Ordinal>::max())) return;
  throw ShapeError(text("DistributedMatrix: ", count, " ", what, " on one rank"),
                   text("the ordinal type counts to ", std::numeric_limits<Ordinal>::max()),
                   "use more ranks, or wider ordinals");
}

/// Cuts rows into local and remote columns, and plans the halo. Within a row, blocks keep their order. One rank alone
/// shares `shared` as its local part, if it is not null. Collective; waits for `exec`.
template <class Matrix, class Exec, class Rows, class Columns, class Source>
MatrixParts<Matrix, Rows> cut_matrix(const Exec& exec, std::shared_ptr<const Communicator> comm, RowPartition row_map,
                                     RowPartition column_map, const GivenRows<Rows, Columns, Source>& rows,
                                     const DistributedMatrixOptions& options, const Rows* shared) {
  using Space = typename Matrix::memory_space;
  using RowsSpace = typename Rows::memory_space;
  using Ordinal = typename Matrix::ordinal_type;
  const auto where = instance_at<Rows>(exec);
  const int rank = comm->rank();
  const ColumnSet own{column_map.begin(rank), column_map.end(rank)}, others{own.begin, own.end, true};
  const std::vector<std::int64_t> needed =
      comm->together([&] { return columns_used<RowsSpace>(where, rows.num_blocks, rows.columns, others); });
  HaloOptions halo_options = options.halo;
  halo_options.entry_bytes = int(vector_scalar_bytes_of<typename Matrix::scalar_type>) * rows.block_shape.cols *
                             std::max(options.num_vectors, 1);
  MatrixStructure<Matrix> structure;
  structure.halo = HaloPlan(*comm, column_map, needed, halo_options);
  structure.num_given_blocks = rows.num_blocks;
  structure.shares_rows = shared != nullptr && comm->is_alone();
  Rows local;
  Matrix remote;
  comm->together([&] {
    check_fits_ordinal<Ordinal>(own.end - own.begin, "block columns");
    check_fits_ordinal<Ordinal>(structure.halo.num_entries(), "halo entries");
    std::vector<std::int64_t> positions, columns(std::size_t(structure.halo.num_entries()), -1);
    for (const std::int64_t column : needed) {
      positions.push_back(structure.halo.position(column));
      columns[std::size_t(positions.back())] = column;
    }
    structure.halo_columns = view_from<Space>(exec, "ashlar::distributed::list", columns);
    const auto num_rows = static_cast<Ordinal>(rows.num_rows);
    const auto local_blocks = rows.in(own);
    local = structure.shares_rows
                ? *shared
                : build_by_rows<Rows>(where, rows.block_shape, num_rows, static_cast<Ordinal>(own.end - own.begin),
                                      local_blocks, local_blocks);
    auto remote_blocks = rows.in(others);
    remote_blocks.numbers = {0, view_from<RowsSpace>(where, "ashlar::distributed::list", needed),
                             view_from<RowsSpace>(where, "ashlar::distributed::list", positions)};
    remote_blocks.rows = rows_with(where, rows.num_rows, remote_blocks);
    const Rows remote_there =
        build_by_rows<Rows>(where, rows.block_shape, static_cast<Ordinal>(remote_blocks.rows.extent(0)),
                            static_cast<Ordinal>(structure.halo.num_entries()), remote_blocks, remote_blocks);
    where.fence("ashlar::DistributedMatrix: rows cut");
    remote = on_device<Matrix>(exec, remote_there);
    structure.remote_rows = list_on_device<Space>(exec, remote_blocks.rows);
    if constexpr (std::is_same_v<Rows, Matrix>) {
      structure.keeps_value_order = options.keep_value_order;
      if (options.keep_value_order && !structure.shares_rows) {
        structure.local_source = sources_of(exec, local_blocks, local);
        structure.remote_source = sources_of(exec, remote_blocks, remote);
      }
    }
    exec.fence("ashlar::DistributedMatrix: the order of its values");
  });
  structure.num_global_blocks = comm->sum(rows.num_blocks);
  structure.comm = std::move(comm);
  structure.row_map = std::move(row_map);
  structure.column_map = std::move(column_map);
  return {std::make_shared<const MatrixStructure<Matrix>>(std::move(structure)), local, remote};
}

/// The same for rows whose columns are in any order. If row_source is not empty, row i is given row row_source(i).
/// check_input() throws for other faults of the rows on this rank. Collective.
///
/// Throws   on all ranks together.
template <class Exec, class Matrix, class Columns, class RowSource, class Check>
MatrixParts<Matrix> order_and_cut(const Exec& exec, std::shared_ptr<const Communicator> comm, RowPartition row_map,
                                  RowPartition column_map, const GivenRows<Matrix, Columns, SameBlock>& rows,
                                  const RowSource& row_source, const DistributedMatrixOptions& options,
                                  const Matrix* shared, const Check& check_input) {
  using Space = typename Matrix::memory_space;
  using ColumnsOf = MemberOfBlock<Space, true>;
  using SourcesOf = MemberOfBlock<Space, false>;
  constexpr const char* name = "DistributedMatrix";
  comm->require_same(name, {{"blocks of", to_string(rows.block_shape)},
                            {"values of", scalar_name<typename Matrix::scalar_type>()},
                            {"halo form", std::string(to_string(options.halo.form))}});
  check_partition(*comm, row_map, "DistributedMatrix, rows");
  check_partition(*comm, column_map, "DistributedMatrix, columns");
  comm->together([&] {
    check(name, rows.block_shape);
    const int rank = comm->rank();
    if (rows.num_rows != row_map.size(rank)) {
      throw ShapeError(
          text(name, ": ", rows.num_rows, " block rows on rank ", rank),
          text("the row map gives it ", row_map.size(rank), ", ", row_map.begin(rank), " to ", row_map.end(rank)),
          "pass the block rows that the row map says");
    }
    check_input();
  });
  struct Ordered {
    typename Matrix::graph_type::row_ptr_view row_ptr;
    Kokkos::View<const ColumnAndBlock*, Space> blocks;
  };
  const std::optional<Ordered> ordered = comm->together([&]() -> std::optional<Ordered> {
    const bool is_in_place = row_source.extent(0) == 0;
    if (is_in_place && first_row_out_of_order(exec, rows.num_rows, rows.row_ptr, rows.columns) == rows.num_rows) {
      return std::nullopt;
    }
    Ordered result;
    result.row_ptr = row_begins_from(exec, rows.num_rows, rows.row_ptr, row_source);
    result.blocks = ordered_blocks<Space>(exec, rows.num_rows, rows.num_blocks, rows.row_ptr, rows.columns,
                                          result.row_ptr, row_source);
    const ColumnsOf columns{result.blocks};
    const std::int64_t row = first_row_out_of_order(exec, rows.num_rows, result.row_ptr, columns);
    if (row < rows.num_rows) {
      throw StructureError(text(name, ": block row ", row_map.begin(comm->rank()) + row, " has a block column twice"),
                           "a matrix has one block in each place", "add them up, as assemble() does");
    }
    return result;
  });
  if (!ordered) {
    return cut_matrix<Matrix>(exec, std::move(comm), std::move(row_map), std::move(column_map), rows, options, shared);
  }
  const GivenRows<Matrix, ColumnsOf, SourcesOf> in_order{rows.block_shape, rows.num_rows, rows.num_blocks,
                                                         ordered->row_ptr, rows.values,   {ordered->blocks},
                                                         {ordered->blocks}};
  const Matrix* const none = nullptr;
  return cut_matrix<Matrix>(exec, std::move(comm), std::move(row_map), std::move(column_map), in_order, options, none);
}

}  // namespace impl

}  // namespace ashlar
