#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/comm/communicator.hpp>
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

/// A singular system of which the null space is removed: P A x = P b, for any number of right-hand sides. Collective.
template <class Exec>
struct SingularSystem {
  using Null = NullSpace<double, Exec, AnySpace<Exec>>;

  Null null_space;
  Operator<Exec> op;

  /// Throws   NumericalError if A does not map the vectors to 0, or if they depend on each other; FileError for the
  ///          file of vectors or of coordinates. On all ranks alike.
  SingularSystem(const Exec& exec, const World& world, const Operator<Exec>& a, const LinearSystem<Exec>& given,
                 const MethodOptions& method)
      : SingularSystem(exec, world, a, given, method, vectors_of(exec, world, given, method)) {}

  /// The system with b without the null space.
  LinearSystem<Exec> without_null_space(const Exec& exec, const LinearSystem<Exec>& given) const {
    LinearSystem<Exec> system = given;
    system.rhs = Vector<Exec>("ashlar::app::b", given.rhs.extent(0));
    Kokkos::deep_copy(exec, system.rhs, given.rhs);
    null_space.remove(exec, system.rhs);
    exec.fence("ashlar: b without the null space");
    return system;
  }

 private:
  SingularSystem(const Exec& exec, const World& world, const Operator<Exec>& a, const LinearSystem<Exec>& given,
                 const MethodOptions& method, const typename Null::Vectors& vectors)
      : null_space(independent(exec, a, given, vectors)), op(ProjectedOperator<Operator<Exec>, Null>(a, null_space)) {
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
      throw NumericalError(text(given.description, ": ", name_of_vector(method.null_space, k),
                                " is not in the null space of the matrix"),
                           text("A maps it to ", short_number(grown), " of what it maps other vectors to"),
                           "leave --null-space out if the matrix is not singular");
    }
  }

  static std::string name_of_vector(NullSpaceKind kind, std::size_t k) {
    if (kind == NullSpaceKind::rigid) return text("rigid-body mode ", k + 1);
    if (kind == NullSpaceKind::from_file) return text("vector ", k + 1, " of the file");
    return "the constant vector";
  }

  /// Vectors that depend on each other are an error of numbers, which all ranks find alike.
  static Null independent(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& given,
                          const typename Null::Vectors& vectors) {
    try {
      return Null(exec, a.space(), vectors);
    } catch (const ArgumentError& error) {
      throw NumericalError(text(given.description, ": ", error.problem()), error.why(), error.suggestion());
    }
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
        return rigid_modes(exec, system, method.coordinates, "--null-space components", world.comm(),
                           {first, first + n / b});
      });
      const typename Null::Vectors vectors("ashlar::app::null_space", modes.extent(0), modes.extent(1));
      Kokkos::deep_copy(exec, vectors, modes);
      return vectors;
    }
    return constant_vectors<double>(exec, n, method.null_space == NullSpaceKind::constant ? 1 : system.block_size());
  }
};

}  // namespace ashlar::app
