#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <cstdint>
#include <limits>

namespace ashlar {

/// How far a matrix is from its conjugate transpose, and where it is farthest.
template <scalar Scalar>
struct HermitianDefect {
  /// The largest |a_ij - conj(a_ji)| over max(sqrt(|a_ii a_jj|), |a_ij|, |a_ji|), so that rows of any size count alike:
  /// no entry of a Hermitian positive definite matrix is larger than that square root. 0 for a Hermitian matrix,
  /// infinite if an entry is not finite.
  double relative = 0;
  /// Where it is reached: row, column (scalar ones) and the two entries. The first such place in the order of storage;
  /// -1 where the matrix is Hermitian.
  std::int64_t row = -1;
  std::int64_t column = -1;
  Scalar a_ij = {};
  Scalar a_ji = {};
};

namespace impl {

/// The difference that is reported for entries that are not finite. (A number: with -ffast-math there is no infinity.)
inline constexpr double no_difference = Kokkos::Experimental::finite_max_v<double>;

/// |a - conj(b)| over the largest of `scale`, |a| and |b|; no_difference if one is not finite, so that a NaN is never
/// overlooked.
template <scalar Scalar>
KOKKOS_INLINE_FUNCTION double hermitian_difference(const Scalar& a, const Scalar& b, double scale) {
  if (!is_finite(a) || !is_finite(b) || !is_finite(scale)) return no_difference;
  const double difference = Kokkos::abs(a - conj(b));
  if (difference <= 0) return 0;
  return difference / Kokkos::max(scale, Kokkos::max(double(Kokkos::abs(a)), double(Kokkos::abs(b))));
}

/// sqrt(|a_ii|) of each row; 0 if a_ii is not finite, or not stored.
template <execution_space Exec, bcsr_matrix Matrix>
Kokkos::View<double*, typename Matrix::memory_space> roots_of_diagonal(const Exec& exec, const Matrix& matrix) {
  using Layout = typename Matrix::layout_type;
  const int b = matrix.block_size();
  const Kokkos::View<double*, typename Matrix::memory_space> roots(
      Kokkos::view_alloc(exec, "ashlar::hermitian_defect::roots"), matrix.num_rows());
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  const auto values = matrix.values();
  Kokkos::parallel_for(
      "ashlar::hermitian_defect[diagonal]",
      Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(matrix.num_block_rows())),
      KOKKOS_LAMBDA(std::int64_t i) {
        const std::int64_t k = find_block(row_ptr, col_idx, i, i);
        if (k < 0) return;
        for (int r = 0; r < b; ++r) {
          const auto a_rr = values(k * b * b + Layout::at(r, r, b));
          if (is_finite(a_rr)) roots(i * b + r) = Kokkos::sqrt(double(Kokkos::abs(a_rr)));
        }
      });
  return roots;
}

}  // namespace impl

/// Compares every entry with the conjugate of its mirror image; a block that has no mirror image is compared with
/// zeros.
///
/// For a real matrix this is its symmetry. Mirror images are found by bisection of the rows.
///
/// Shapes   square.
/// Memory   the matrix reachable from `exec`; a double for each row while it runs.
/// Async    waits for `exec`.
/// Traffic  the matrix, and once more its mirrored blocks as they come.
/// Throws   ShapeError if the matrix is not square; StructureError if its columns do not ascend and a defect is found.
template <execution_space Exec, bcsr_matrix Matrix>
HermitianDefect<typename Matrix::scalar_type> hermitian_defect(const Exec& exec, const Matrix& matrix) {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  using Space = typename Matrix::memory_space;
  using Reducer = Kokkos::MaxFirstLoc<double, std::int64_t>;
  using Worst = typename Reducer::value_type;
  using Policy = Kokkos::TeamPolicy<Exec>;
  using Defect = HermitianDefect<Scalar>;
  static_assert(Kokkos::SpaceAccessibility<Exec, Space>::accessible,
                "hermitian_defect: the execution space must reach the matrix");
  if (matrix.num_block_rows() != matrix.num_block_cols()) {
    throw ShapeError(text("hermitian_defect: a matrix of ", matrix.num_rows(), " x ", matrix.num_cols()),
                     "only a square matrix can be symmetric", "pass a square matrix");
  }
  if (std::int64_t(matrix.num_block_rows()) > std::numeric_limits<int>::max()) {
    throw ShapeError(text("hermitian_defect: ", matrix.num_block_rows(), " block rows"),
                     text("a launch takes up to ", std::numeric_limits<int>::max(), " teams"),
                     "check parts of the matrix");
  }
  if (matrix.num_blocks() == 0) return {};

  const int b = matrix.block_size();
  const std::int64_t block_values = std::int64_t(b) * b, num_block_rows = matrix.num_block_rows();
  const auto row_ptr = matrix.graph().row_ptr();
  const auto col_idx = matrix.graph().col_idx();
  const auto values = matrix.values();
  const auto roots = impl::roots_of_diagonal(exec, matrix);

  // A team for each block row: its threads share the row's blocks, and each keeps the worst place that it has seen.
  Worst worst;
  Reducer(worst).init(worst);
  const Policy block_rows =
      is_gpu_v<Exec> ? Policy(exec, int(num_block_rows), 32) : Policy(exec, int(num_block_rows), 1);
  Kokkos::parallel_reduce(
      "ashlar::hermitian_defect[compare]", block_rows,
      KOKKOS_LAMBDA(const typename Policy::member_type& team, Worst& update) {
        const std::int64_t i = team.league_rank();
        for (std::int64_t k = std::int64_t(row_ptr(i)) + team.team_rank(); k < std::int64_t(row_ptr(i + 1));
             k += team.team_size()) {
          const std::int64_t mirror = impl::find_block(row_ptr, col_idx, col_idx(k), i);
          if (mirror >= 0 && mirror < k) continue;  // compared from the other side
          for (int c = 0; c < b; ++c) {
            for (int r = 0; r < b; ++r) {
              const std::int64_t place = k * block_values + Layout::at(r, c, b);
              const Scalar a_ji = mirror < 0 ? Scalar(0) : values(mirror * block_values + Layout::at(c, r, b));
              const double scale = roots(i * b + r) * roots(std::int64_t(col_idx(k)) * b + c);
              const double difference = impl::hermitian_difference(Scalar(values(place)), a_ji, scale);
              if (difference > update.val || (difference == update.val && place < update.loc)) {
                update.val = difference;
                update.loc = place;
              }
            }
          }
        }
      },
      Reducer(worst));
  if (!(worst.val > 0)) return {};
  // If columns do not ascend, bisection misses mirror images that are there.
  validate(exec, matrix.graph());

  // The kernel collects the place and the two entries in the memory of the matrix.
  Kokkos::View<Defect, Space> where(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::hermitian_defect.where"));
  const std::int64_t place = worst.loc;
  Kokkos::parallel_for(
      "ashlar::hermitian_defect[where]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
        const std::int64_t k = place / block_values, j = col_idx(k);
        const std::int64_t i = impl::row_of_block(row_ptr, num_block_rows, k);
        const std::int64_t mirror = impl::find_block(row_ptr, col_idx, j, i);
        for (int c = 0; c < b; ++c) {
          for (int r = 0; r < b; ++r) {
            if (k * block_values + Layout::at(r, c, b) != place) continue;
            where().row = i * b + r;
            where().column = j * b + c;
            where().a_ij = values(place);
            where().a_ji = mirror < 0 ? Scalar(0) : values(mirror * block_values + Layout::at(c, r, b));
          }
        }
      });
  Defect defect;
  Kokkos::deep_copy(exec, defect, where);
  exec.fence("ashlar::hermitian_defect: where");
  defect.relative = worst.val < impl::no_difference ? worst.val : std::numeric_limits<double>::infinity();
  return defect;
}

}  // namespace ashlar
