#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <numeric>
#include <type_traits>
#include <vector>

// Checks of a hierarchy's input.

namespace ashlar::amg::impl {

/// The largest entry of a mode, infinity if one is not finite.
template <class Modes>
struct LargestEntry {
  Modes modes;
  int k;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& largest) const {
    const double size = Kokkos::abs(modes(row, k));
    if (!(size <= largest)) largest = Kokkos::isfinite(size) ? size : Kokkos::Experimental::infinity_v<double>;
  }
};

/// The inner product of two modes, each scaled to entries of at most 1.
template <class Modes>
struct ModeProduct {
  Modes modes;
  int j, k;
  double scale_j, scale_k;

  KOKKOS_FUNCTION void operator()(std::int64_t row, double& sum) const {
    sum += (scale_j * modes(row, j)) * (scale_k * modes(row, k));
  }
};

/// The first row whose diagonal entry is negative.
template <class Matrix, class Index>
struct FirstNegative {
  typename Matrix::values_view values;
  Index block;  // on the diagonal, of each block row
  int b;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& first) const {
    const std::int64_t k = block(row / b);
    if (k < 0 || row >= first) return;
    if (values(k * b * b + Matrix::layout_type::at(int(row % b), int(row % b), b)) < 0) first = row;
  }
};

/// The first of m vectors that depends on those before it to rounding, by their inner products, entry (j, k) at
/// j + k*m for j <= k; m if there is none.
int first_dependent(std::vector<double> products, int m);

/// Throws if a diagonal entry of this rank's rows is negative. Waits for `exec`.
template <class Exec, class Matrix>
void check_own_diagonal(const Exec& exec, const Matrix& a, std::int64_t first_row) {
  const auto block = diagonal_block_index(exec, a);
  std::int64_t first = a.num_rows();
  Kokkos::parallel_reduce("ashlar::amg[check diagonal]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
                          FirstNegative<Matrix, std::decay_t<decltype(block)>>{a.values(), block, a.block_size()},
                          Kokkos::Min<std::int64_t>(first));
  exec.fence("ashlar::amg: the diagonal");
  if (first >= a.num_rows()) return;
  throw NumericalError(-1, text("amg: the diagonal entry of row ", first_row + first, " (from 0) is negative"),
                       "the matrix is not positive definite",
                       "take MINRES without a preconditioner, or check the sign of A");
}

/// Throws on all ranks together if A has a negative diagonal entry. Waits for `exec`.
template <class Exec, class A>
void check_diagonal(const Exec& exec, const A& given) {
  const Communicator& comm = LevelMatrix<A>::communicator_of(given);
  const auto& a = LevelMatrix<A>::local_of(given);
  const std::vector<std::int64_t> counts = comm.all_gather(std::int64_t(a.num_rows()));
  const std::int64_t first_row = std::accumulate(counts.begin(), counts.begin() + comm.rank(), std::int64_t(0));
  comm.together([&] { check_own_diagonal(exec, a, first_row); });
}

/// Throws unless a rank's part of A can have coarse levels with these modes.
template <class Matrix, class Modes>
void check_sizes(const Matrix& a, const Modes& modes) {
  if (a.num_block_rows() != a.num_block_cols()) {
    throw ShapeError(text("amg: a matrix of ", a.num_block_rows(), " x ", a.num_block_cols(), " blocks"),
                     "coarse levels are made of a square matrix", "check how the matrix was built");
  }
  if (std::int64_t(a.num_block_rows()) > std::numeric_limits<std::int32_t>::max()) {
    throw ShapeError(text("amg: ", a.num_block_rows(), " block rows"), "nodes are counted in 32 bits",
                     "distribute the matrix");
  }
  if (a.block_size() > 64) {
    throw BlockSizeError(a.block_size(), text("amg: blocks of size ", a.block_size()), "they have 64 rows at most",
                         "take smaller blocks");
  }
  const auto m = static_cast<int>(modes.extent(1));
  if (std::int64_t(modes.extent(0)) != a.num_rows() || m < 1 || m > max_modes) {
    throw ShapeError(text("amg: a near-null space of ", modes.extent(0), " x ", m, " entries"),
                     text("the matrix has ", a.num_rows(), " rows, and there are 1 to ", max_modes, " modes"),
                     "pass a row for each row of the matrix and a column for each mode");
  }
}

/// Throws on all ranks together if a mode is 0, is not finite, or depends on those before it. Waits for `exec`.
template <class Exec, class Modes>
void check_modes(const Exec& exec, const Communicator& comm, const Modes& modes) {
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const auto m = static_cast<int>(modes.extent(1));
  const Policy rows(exec, 0, std::int64_t(modes.extent(0)));
  std::vector<double> scale;
  for (int k = 0; k < m; ++k) {
    double largest = 0;
    Kokkos::parallel_reduce("ashlar::amg[check modes]", rows, LargestEntry<Modes>{modes, k},
                            Kokkos::Max<double>(largest));
    exec.fence("ashlar::amg: a mode is there");
    largest = comm.max(largest);
    if (!(largest > 0 && Kokkos::isfinite(largest))) {
      throw NumericalError(-1, text("amg: mode ", k, largest > 0 ? " is not finite" : " is 0"),
                           "each mode is a vector that the matrix maps to nearly zero", "leave it out");
    }
    scale.push_back(1 / largest);
  }
  std::vector<double> own(std::size_t(m) * m, 0);
  for (int k = 0; k < m; ++k) {
    for (int j = 0; j <= k; ++j) {
      double& product = own[std::size_t(j + k * m)];
      Kokkos::parallel_reduce("ashlar::amg[products of modes]", rows,
                              ModeProduct<Modes>{modes, j, k, scale[std::size_t(j)], scale[std::size_t(k)]}, product);
      exec.fence("ashlar::amg: a product of modes");
    }
  }
  std::vector<double> products(own.size(), 0);
  const std::vector<double> of_ranks = comm.all_gather(own);
  for (std::size_t e = 0; e < of_ranks.size(); ++e) products[e % own.size()] += of_ranks[e];
  const int dependent = first_dependent(products, m);
  if (dependent == m) return;
  throw NumericalError(-1, text("amg: mode ", dependent, " (from 0) depends on those before it"),
                       "coarse levels have an unknown for each mode", "leave it out");
}

/// Throws on all ranks together unless A can have coarse levels with these modes. Waits for `exec`.
template <class Exec, class A, class Modes>
void check_input(const Exec& exec, const A& given, const Modes& modes) {
  const Communicator& comm = LevelMatrix<A>::communicator_of(given);
  const auto& a = LevelMatrix<A>::local_of(given);
  comm.together([&] { check_sizes(a, modes); });
  const auto m = static_cast<int>(modes.extent(1));
  const int most = comm.max(m);
  if (-comm.max(-m) != most) {
    throw ShapeError("amg: near-null spaces of other numbers of modes on other ranks",
                     text("there are up to ", most, " modes"), "pass the same modes on all ranks");
  }
  if (comm.sum(std::int64_t(a.num_rows())) == 0) return;
  check_modes(exec, comm, modes);
  check_diagonal(exec, given);
}

}  // namespace ashlar::amg::impl
