#include "given_arrays.hpp"

#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block_coo.hpp>
#include <ashlar/bcsr/csr.hpp>
#include <ashlar/bcsr/from_csr.hpp>
#include <limits>
#include <utility>

namespace ashlar::impl {

namespace {

/// Row pointers and lengths, before anything is read through them.
template <class Offset>
void check_lengths(int block_size, std::span<const Offset> row_ptr, std::size_t num_columns, std::size_t num_values) {
  if (!Kokkos::is_initialized()) {
    throw Error("ashlar::solve: Kokkos is not initialised", "it runs the kernels",
                "put Kokkos::ScopeGuard kokkos(argc, argv); at the beginning of main()");
  }
  if (block_size < 1) {
    throw BlockSizeError(block_size, text("ashlar::solve: blocks of size ", block_size), "a block has at least one row",
                         "pass the number of unknowns of a node");
  }
  const bool is_csr = block_size == 1;
  if (row_ptr.empty()) {
    throw ShapeError("ashlar::solve: row_ptr is empty",
                     text("it has one entry more than the matrix has ", is_csr ? "rows" : "block rows"),
                     text("pass the row pointers of a ", is_csr ? "CSR" : "BCSR", " matrix"));
  }
  const std::size_t values_of_block = std::size_t(block_size) * std::size_t(block_size);
  if (num_values % values_of_block != 0 || num_values / values_of_block != num_columns) {
    throw ShapeError(text("ashlar::solve: ", num_columns, " column indices and ", num_values, " values"),
                     is_csr ? "each entry of the matrix has one of both"
                            : text("each block has a column index and ", values_of_block, " values"),
                     is_csr ? "pass arrays of one length" : "pass full blocks");
  }
  if (row_ptr.front() != 0 || std::uint64_t(row_ptr.back()) != num_columns) {
    throw StructureError(
        text("ashlar::solve: row_ptr goes from ", row_ptr.front(), " to ", row_ptr.back()),
        text("it goes from 0 to the number of ", is_csr ? "entries" : "blocks", ", which is ", num_columns),
        "pass row pointers that count from 0");
  }
  for (std::size_t i = 0; i + 1 < row_ptr.size(); ++i) {
    if (row_ptr[i] > row_ptr[i + 1]) {
      throw StructureError(
          text("ashlar::solve: row_ptr falls from ", row_ptr[i], " to ", row_ptr[i + 1], " in row ", i),
          "rows lie one behind the other", "correct row_ptr");
    }
  }
  constexpr std::int64_t largest = std::numeric_limits<std::int32_t>::max();
  if (std::int64_t(row_ptr.size()) - 1 > largest) {
    throw ShapeError(text("ashlar::solve: ", row_ptr.size() - 1, " rows"),
                     text("columns are stored in 32 bits, up to ", largest),
                     "build a BcsrMatrix with 64-bit indices, and call a solver such as gmres() with it");
  }
}

/// Entry k of the caller's list for each row.
std::vector<std::int32_t> rows_of(const GivenStructure& given) {
  std::vector<std::int32_t> rows(given.col_idx.size());
  for (std::int64_t i = 0; i < given.num_block_rows(); ++i) {
    std::fill(rows.begin() + given.row_ptr[i], rows.begin() + given.row_ptr[i + 1], static_cast<std::int32_t>(i));
  }
  return rows;
}

template <class Scalar>
BcsrMatrix<Scalar> matrix_of_entries(const Kokkos::DefaultExecutionSpace& exec, GivenStructure& given,
                                     std::span<const Scalar> values, int block_size) {
  const std::int64_t n = given.num_block_rows();
  const auto convert = [&](const CsrMatrix<Scalar>& csr) {
    return bcsr_from_csr<BcsrMatrix<Scalar>>(exec, csr, block_size > 0 ? block_size : detect_block_size(csr));
  };
  if (!given.is_ascending) {
    return convert(csr_from_coo(CooMatrix<Scalar>{.num_rows = n,
                                                  .num_cols = n,
                                                  .rows = rows_of(given),
                                                  .cols = given.col_idx,
                                                  .values = {values.begin(), values.end()}}));
  }
  // Lent, not copied.
  CsrMatrix<Scalar> csr{n, n, std::move(given.row_ptr), std::move(given.col_idx), {values.begin(), values.end()}};
  auto matrix = convert(csr);
  given.row_ptr = std::move(csr.row_ptr);
  given.col_idx = std::move(csr.col_idx);
  return matrix;
}

template <class Scalar>
BcsrMatrix<Scalar> matrix_of_blocks(const Kokkos::DefaultExecutionSpace& exec, const GivenStructure& given,
                                    std::span<const Scalar> values) {
  const auto n = static_cast<std::int32_t>(given.num_block_rows());
  BlockCoo<Scalar> blocks{.num_block_rows = n,
                          .num_block_cols = n,
                          .block_size = given.block_size,
                          .rows = rows_of(given),
                          .cols = given.col_idx,
                          .values = {values.begin(), values.end()}};
  if (given.layout == BlockLayout::row_major) {
    const std::size_t b = std::size_t(given.block_size);
    for (std::size_t first = 0; first < blocks.values.size(); first += b * b) {
      for (std::size_t r = 0; r < b; ++r) {
        for (std::size_t c = 0; c < r; ++c) {
          std::swap(blocks.values[first + r * b + c], blocks.values[first + c * b + r]);
        }
      }
    }
  }
  return bcsr_from_block_coo<BcsrMatrix<Scalar>>(exec, blocks);
}

/// Adds the values of a given block row. A given block lies in one block of the matrix, whose blocks are as large, or
/// larger if the given ones are single entries. So each place has one writer.
template <class Scalar>
struct AddGivenRow {
  using Matrix = typename BcsrMatrix<Scalar>::template in_space<Kokkos::HostSpace>;

  const GivenStructure& given;
  const Scalar* from;
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  Scalar* to;
  std::int64_t b;

  void operator()(std::int64_t i) const {
    const std::int64_t s = given.block_size, row = i * s;
    const bool is_row_major = given.layout == BlockLayout::row_major;
    for (std::int64_t k = given.row_ptr[i]; k < given.row_ptr[i + 1]; ++k) {
      const std::int64_t column = given.col_idx[k] * s;
      Scalar* const block = to + find_block(row_ptr, col_idx, row / b, column / b) * b * b;
      for (std::int64_t c = 0; c < s; ++c) {
        for (std::int64_t r = 0; r < s; ++r) {
          block[row % b + r + (column % b + c) * b] += from[k * s * s + (is_row_major ? r * s + c : c * s + r)];
        }
      }
    }
  }
};

}  // namespace

template <class Offset, class Ordinal>
GivenStructure given_structure(int block_size, std::span<const Offset> row_ptr, std::span<const Ordinal> col_idx,
                               std::size_t num_values, BlockLayout layout) {
  check_lengths(block_size, row_ptr, col_idx.size(), num_values);
  const auto n = static_cast<std::int64_t>(row_ptr.size()) - 1;
  bool is_ascending = true;
  for (std::int64_t i = 0; i < n; ++i) {
    for (Offset k = row_ptr[i]; k < row_ptr[i + 1]; ++k) {
      if (col_idx[k] < 0 || std::int64_t(col_idx[k]) >= n) {
        throw StructureError(
            block_size == 1 ? text("ashlar::solve: row ", i, " has an entry in column ", col_idx[k])
                            : text("ashlar::solve: block row ", i, " has a block in block column ", col_idx[k]),
            text("columns are counted from 0 to ", n - 1), "subtract 1 if yours are counted from 1, as in Fortran");
      }
      is_ascending = is_ascending && (k == row_ptr[i] || col_idx[k - 1] < col_idx[k]);
    }
  }
  return {block_size, layout, {row_ptr.begin(), row_ptr.end()}, {col_idx.begin(), col_idx.end()}, is_ascending};
}

template <class Scalar>
BcsrMatrix<Scalar> matrix_of(const Kokkos::DefaultExecutionSpace& exec, GivenStructure& given,
                             std::span<const Scalar> values, int block_size) {
  if (block_size < 0) {
    throw ArgumentError(text("ashlar::solve: block_size ", block_size), "it counts unknowns a node",
                        "pass 0 to have it chosen");
  }
  if (given.block_size == 1) return matrix_of_entries(exec, given, values, block_size);
  if (block_size > 0 && block_size != given.block_size) {
    throw BlockSizeError(block_size, text("ashlar::solve: block_size ", block_size),
                         text("the matrix was passed in blocks of size ", given.block_size), "leave it out");
  }
  return matrix_of_blocks(exec, given, values);
}

template <class Scalar>
void set_values(const GivenStructure& given, std::span<const Scalar> values,
                const typename BcsrMatrix<Scalar>::template in_space<Kokkos::HostSpace>& matrix) {
  const Kokkos::DefaultHostExecutionSpace host;
  const AddGivenRow<Scalar> add{given,
                                values.data(),
                                matrix.graph().row_ptr(),
                                matrix.graph().col_idx(),
                                matrix.values().data(),
                                matrix.block_size()};
  Kokkos::deep_copy(host, matrix.values(), Scalar(0));
  Kokkos::parallel_for("ashlar::LinearSolver[values]",
                       Kokkos::RangePolicy<Kokkos::DefaultHostExecutionSpace, Kokkos::IndexType<std::int64_t>>(
                           host, 0, given.num_block_rows()),
                       add);
  host.fence("ashlar::LinearSolver: values");
}

#define ASHLAR_GIVEN_STRUCTURE(Offset, Ordinal)                                                                \
  template GivenStructure given_structure(int, std::span<const Offset>, std::span<const Ordinal>, std::size_t, \
                                          BlockLayout);
ASHLAR_GIVEN_STRUCTURE(std::int32_t, std::int32_t)
ASHLAR_GIVEN_STRUCTURE(std::int64_t, std::int32_t)
ASHLAR_GIVEN_STRUCTURE(std::int64_t, std::int64_t)
#undef ASHLAR_GIVEN_STRUCTURE

#define ASHLAR_GIVEN_VALUES(Scalar)                                                            \
  template BcsrMatrix<Scalar> matrix_of(const Kokkos::DefaultExecutionSpace&, GivenStructure&, \
                                        std::span<const Scalar>, int);                         \
  template void set_values<Scalar>(const GivenStructure&, std::span<const Scalar>,             \
                                   const BcsrMatrix<Scalar>::in_space<Kokkos::HostSpace>&);
ASHLAR_GIVEN_VALUES(float)
ASHLAR_GIVEN_VALUES(double)
#undef ASHLAR_GIVEN_VALUES

}  // namespace ashlar::impl
