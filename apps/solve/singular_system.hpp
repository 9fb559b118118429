#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/io/matrix_market.hpp>
#include <ashlar/krylov/null_space.hpp>
#include <ashlar/operators/any_space.hpp>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <string>

#include "numbers.hpp"
#include "solve/amg_modes.hpp"
#include "solve/options.hpp"
#include "solve/solver_parts.hpp"
#include "solve/system.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// Fills x with pseudo-random numbers, row by row; each seed gives other numbers. Rows are counted from first_row, of
/// num_rows in all, so that each rank fills its part of one vector.
///
/// Async    enqueued on `exec`.
template <class Exec, class X>
void fill_pseudo_random(const Exec& exec, const X& x, std::uint64_t seed, std::int64_t first_row,
                        std::int64_t num_rows) {
  const auto n = static_cast<std::int64_t>(x.size()), columns = static_cast<std::int64_t>(x.extent(1));
  const std::uint64_t first = seed * std::uint64_t(num_rows * columns) + std::uint64_t(first_row * columns);
  Kokkos::parallel_for(
      "ashlar::app::pseudo_random", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i) {
        // A vector has one column, 0.
        x.access(i / columns, i % columns) = pseudo_random(first + std::uint64_t(i));
      });
}

/// Fills a whole vector.
template <class Exec, class X>
void fill_pseudo_random(const Exec& exec, const X& x, std::uint64_t seed) {
  fill_pseudo_random(exec, x, seed, 0, static_cast<std::int64_t>(x.extent(0)));
}

/// Over all ranks: collective.
template <class Exec>
double norm_of(const Exec& exec, const Communicator& comm, const Vector<Exec>& x) {
  double squares = 0;
  Kokkos::parallel_reduce(
      "ashlar::app::norm", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& sum) { sum += x(i) * x(i); }, squares);
  return std::sqrt(comm.sum(squares));
}

/// A singular system of which the null space is removed: P A x = P b. Collective.
template <class Exec>
struct SingularSystem {
  using Null = NullSpace<double, Exec, AnySpace<Exec>>;

  Null null_space;
  double rhs_share;  ///< of b's norm, in the null space
  Operator<Exec> op;
  LinearSystem<Exec> system;

  /// Throws   NumericalError if A does not map the vectors to 0; FileError for the file of vectors or of coordinates;
  ///          ArgumentError if the vectors depend on each other. On all ranks alike.
  SingularSystem(const Exec& exec, const World& world, const Operator<Exec>& a, const LinearSystem<Exec>& given,
                 const MethodOptions& method)
      : SingularSystem(exec, world, a, given, method.null_space, vectors_of(exec, world, given, method)) {}

 private:
  SingularSystem(const Exec& exec, const World& world, const Operator<Exec>& a, const LinearSystem<Exec>& given,
                 NullSpaceKind kind, const typename Null::Vectors& vectors)
      : null_space(exec, a.space(), vectors),
        rhs_share(null_space.share_of(exec, given.rhs)),
        op(ProjectedOperator<Operator<Exec>, Null>(a, null_space)),
        system(given) {
    const Vector<Exec> x("ashlar::app::x", given.rhs.extent(0)), y("ashlar::app::y", given.rhs.extent(0));
    const auto growth = [&] {
      a.apply(exec, x, y);
      return norm_of(exec, world.comm(), y) / norm_of(exec, world.comm(), x);
    };
    fill_pseudo_random(exec, Block<Exec>(x.data(), x.extent(0), 1), 5, given.first_row(), given.num_rows());
    const double of_others = growth();
    for (std::size_t k = 0; k < vectors.extent(1); ++k) {
      Kokkos::deep_copy(exec, x, Kokkos::subview(vectors, Kokkos::ALL, k));
      const double grown = growth() / of_others;
      if (grown <= 1e-8) continue;
      const bool is_constant = kind == NullSpaceKind::constant || kind == NullSpaceKind::components;
      const std::string vector = kind == NullSpaceKind::rigid ? text("rigid-body mode ", k + 1)
                                 : is_constant                ? std::string("the constant vector")
                                                              : text("vector ", k + 1, " of the file");
      throw NumericalError(text(given.description, ": ", vector, " is not in the null space of the matrix"),
                           text("A maps it to ", short_number(grown), " of what it maps other vectors to"),
                           "leave --null-space out if the matrix is not singular");
    }
    system.rhs = Vector<Exec>("ashlar::app::b", given.rhs.extent(0));
    Kokkos::deep_copy(exec, system.rhs, given.rhs);
    null_space.remove(exec, system.rhs);
    exec.fence("ashlar: b without the null space");
  }

  /// This rank's part of the vectors asked for. Collective.
  static typename Null::Vectors vectors_of(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                                           const MethodOptions& method) {
    const auto n = std::int64_t(system.rhs.extent(0));
    if (method.null_space == NullSpaceKind::from_file) {
      return world.on_all([&] { return vectors_of_file(exec, *method.null_space_file, system); });
    }
    if (method.null_space == NullSpaceKind::rigid) {
      const std::int64_t b = system.block_size(), first = system.first_row() / b;
      const auto modes = world.on_all([&] {
        return rigid_modes(exec, system, method.coordinates, world.comm(), {first, first + n / b});
      });
      const typename Null::Vectors vectors("ashlar::app::null_space", modes.extent(0), modes.extent(1));
      Kokkos::deep_copy(exec, vectors, modes);
      return vectors;
    }
    return constant_vectors<double>(exec, n, method.null_space == NullSpaceKind::constant ? 1 : system.block_size());
  }

  /// The rows of this rank of a file with a column for each vector.
  static typename Null::Vectors vectors_of_file(const Exec& exec, const std::string& path,
                                                const LinearSystem<Exec>& system) {
    constexpr std::int64_t most = 64;
    const CooMatrix<double> file = io::read_matrix_market<double>(path);
    if (std::int64_t(file.num_rows) != system.num_rows() || file.num_cols < 1 || file.num_cols > most) {
      throw FileError(
          path, 0, text("vectors of ", file.num_rows, " x ", file.num_cols, " entries"),
          text("the matrix has ", count_text(system.num_rows(), "row"), ", and a null space 1 to ", most, " vectors"),
          "name a file with a row for each row of the matrix, and a column for each vector");
    }
    const std::int64_t first = system.first_row(), n = std::int64_t(system.rhs.extent(0));
    const typename Null::Vectors vectors("ashlar::app::null_space", n, file.num_cols);
    const auto here = Kokkos::create_mirror_view(vectors);
    for (std::size_t k = 0; k < file.values.size(); ++k) {
      const std::int64_t row = std::int64_t(file.rows[k]) - first;
      if (row >= 0 && row < n) here(row, file.cols[k]) += file.values[k];
    }
    Kokkos::deep_copy(exec, vectors, here);
    exec.fence("ashlar: vectors of a null space");
    return vectors;
  }
};

}  // namespace ashlar::app
