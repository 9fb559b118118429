#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <cstdint>
#include <limits>

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
  const std::int64_t num_rows = comm.sum(std::int64_t(a.num_rows()));
  for (int k = 0; k < m; ++k) {
    double largest = 0;
    Kokkos::parallel_reduce("ashlar::amg[check modes]",
                            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
                            LargestEntry<Modes>{modes, k}, Kokkos::Max<double>(largest));
    exec.fence("ashlar::amg: a mode is there");
    largest = comm.max(largest);
    if (num_rows > 0 && !(largest > 0 && Kokkos::isfinite(largest))) {
      throw NumericalError(-1, text("amg: mode ", k, largest > 0 ? " is not finite" : " is 0"),
                           "each mode is a vector that the matrix maps to nearly zero", "leave it out");
    }
  }
}

}  // namespace ashlar::amg::impl
