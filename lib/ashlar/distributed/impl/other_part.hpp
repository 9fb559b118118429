#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/distributed/impl/column_part.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// Remote blocks of a rank's rows, as a matrix with these rows alone, which multiplies a run of entries of the halo.
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

/// to(i) := rows(at(i))
template <class Exec, class Rows, class At>
Rows rows_at(const Exec& exec, const Rows& rows, const At& at) {
  const Kokkos::View<typename Rows::non_const_value_type*, typename Rows::memory_space> to(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::distributed::rows"), at.extent(0));
  Kokkos::parallel_for(
      "ashlar::distributed[rows of a part]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, static_cast<std::int64_t>(at.extent(0))),
      KOKKOS_LAMBDA(std::int64_t i) { to(i) = rows(at(i)); });
  return to;
}

/// The remote blocks of a rank's rows, `remote` in `rows`, as parts: one for all, or one for each neighbour.
template <class Exec, class Matrix>
std::vector<OtherPart<Matrix>> other_parts(const Exec& exec, const Matrix& remote,
                                           const typename OtherPart<Matrix>::Rows& rows, const HaloPlan& halo,
                                           bool by_neighbour, const SpmvOptions& options) {
  std::vector<OtherPart<Matrix>> parts;
  if (remote.num_block_rows() == 0) return parts;
  if (!by_neighbour) {
    parts.push_back({-1, 0, rows, 0, remote, SpmvPlan<Matrix>(exec, remote, options)});
    return parts;
  }
  std::int64_t first_product = 0;
  for (std::size_t k = 0; k < halo.from().size(); ++k) {
    const HaloPlan::Neighbour& from = halo.from()[k];
    BlocksInColumns<Matrix> blocks{remote.graph().row_ptr(), remote.graph().col_idx(),
                                   remote.values(),          {from.begin, from.begin + from.count},
                                   {from.begin, {}, {}},     {}};
    blocks.rows = rows_with(exec, remote.num_block_rows(), blocks);
    const Matrix matrix = build_by_rows<Matrix>(exec, remote.block_shape(),
                                                static_cast<typename Matrix::ordinal_type>(blocks.rows.extent(0)),
                                                static_cast<typename Matrix::ordinal_type>(from.count), blocks, blocks);
    parts.push_back({static_cast<int>(k), from.begin, rows_at(exec, rows, blocks.rows), first_product, matrix,
                     SpmvPlan<Matrix>(exec, matrix, options)});
    first_product += static_cast<std::int64_t>(matrix.num_block_rows());
  }
  return parts;
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
