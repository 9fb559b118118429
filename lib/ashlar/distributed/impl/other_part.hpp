#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/matrix_bytes.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The blocks of a rank's rows whose columns are others', as a matrix with these rows alone, which multiplies a run of
/// entries of the halo.
template <class Matrix>
struct OtherPart {
  using Rows = Kokkos::View<const typename Matrix::ordinal_type*, typename Matrix::memory_space>;

  int neighbour = -1;  ///< the one that it comes from, as HaloPlan::from() numbers them; -1: all
  std::int64_t first_entry = 0;
  Rows rows;                       ///< of the rank's rows, the numbers of those that it has
  std::int64_t first_product = 0;  ///< block entries of the parts before: where its products lie, if they are held
  Matrix matrix;
  SpmvPlan<Matrix> plan;
};

/// Cuts from a rank's rows what others' columns are: one part for each neighbour, or one for all. `needed` are those
/// columns, ascending.
template <class Exec, class Matrix>
std::vector<OtherPart<Matrix>> other_parts(const Exec& exec, const Matrix& rows, const RowPartition& partition,
                                           int rank, const std::vector<std::int64_t>& needed, const HaloPlan& halo,
                                           bool by_neighbour, const SpmvOptions& options) {
  using Space = typename Matrix::memory_space;
  using Ordinal = typename Matrix::ordinal_type;
  std::vector<OtherPart<Matrix>> parts;
  if (needed.empty()) return parts;
  std::vector<std::int64_t> positions;
  positions.reserve(needed.size());
  for (const std::int64_t column : needed) positions.push_back(halo.position(column));
  const auto listed = list_in<Space>(exec, needed), number = list_in<Space>(exec, positions);

  std::int64_t first_product = 0;
  const auto cut = [&](int neighbour, const ColumnSet& columns, std::int64_t first_entry, std::int64_t count) {
    const typename OtherPart<Matrix>::Rows with = rows_with(exec, rows, columns);
    const BlocksInColumns<Matrix> blocks{
        rows.graph().row_ptr(), rows.graph().col_idx(), rows.values(), columns, {first_entry, listed, number}, with};
    const Matrix matrix = build_by_rows<Matrix>(exec, rows.block_shape(), static_cast<Ordinal>(with.extent(0)),
                                                static_cast<Ordinal>(count), blocks, blocks);
    parts.push_back({neighbour, first_entry, with, first_product, matrix, SpmvPlan<Matrix>(exec, matrix, options)});
    first_product += static_cast<std::int64_t>(with.extent(0));
  };
  if (!by_neighbour) {
    cut(-1, {partition.begin(rank), partition.end(rank), true}, 0, halo.num_entries());
  } else {
    for (std::size_t k = 0; k < halo.from().size(); ++k) {
      const HaloPlan::Neighbour& from = halo.from()[k];
      cut(static_cast<int>(k), {partition.begin(from.rank), partition.end(from.rank)}, from.begin, from.count);
    }
  }
  return parts;
}

/// Of a matrix that has some of so many rows, `rows`, ascending: where each of all rows begins, and the last ends; the
/// rows that it does not have are empty. Waits for `exec`.
template <class Exec, class Rows, class RowPtr>
Kokkos::View<typename RowPtr::non_const_value_type*, typename RowPtr::memory_space> row_begins_of_all(
    const Exec& exec, std::int64_t num_rows, const Rows& rows, const RowPtr& row_ptr) {
  using Offset = typename RowPtr::non_const_value_type;
  const Kokkos::View<Offset*, typename RowPtr::memory_space> begins(
      Kokkos::view_alloc(exec, "ashlar::distributed::row_begins"), static_cast<std::size_t>(num_rows) + 1);
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  Kokkos::parallel_for(
      "ashlar::distributed[row_lengths]", Policy(exec, 0, static_cast<std::int64_t>(rows.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { begins(rows(i)) = row_ptr(i + 1) - row_ptr(i); });
  Kokkos::parallel_scan(
      "ashlar::distributed[row_begins]", Policy(exec, 0, num_rows + 1),
      KOKKOS_LAMBDA(std::int64_t i, Offset & begin, bool is_final) {
        const Offset length = begins(i);
        if (is_final) begins(i) = begin;
        begin += length;
      });
  exec.fence("ashlar::distributed: row begins");
  return begins;
}

/// to(rows(i)) += from(i), block row by block row: products with a part that were not added as they were made.
template <class Exec, class Rows, class From, class To>
void add_rows(const Exec& exec, const Rows& rows, int block_rows, const From& from, const To& to) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(
      exec, 0, static_cast<std::int64_t>(rows.extent(0)) * block_rows);
  if constexpr (To::rank() == 1) {
    Kokkos::parallel_for(
        "ashlar::distributed[add_rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          to(std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows) += from(i);
        });
  } else {
    Kokkos::parallel_for(
        "ashlar::distributed[add_rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          const std::int64_t row = std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows;
          for (std::size_t j = 0; j < to.extent(1); ++j) to(row, j) += from(i, j);
        });
  }
}

}  // namespace ashlar::impl
