#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/figures.hpp>
#include <ashlar/amg/hierarchy.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>

namespace ashlar::amg {

namespace impl {

/// For each column of r: copies it to b of the finest level, calls cycle(), and copies x to the column of z.
template <class Exec, class Level, class R, class Z, class Cycle>
void apply_by_columns(const Exec& exec, const Level& finest, const R& r, const Z& z, const Cycle& cycle) {
  if constexpr (R::rank() == 2) {
    if (r.extent(1) != z.extent(1)) {
      throw ShapeError(text("amg: r has ", r.extent(1), " columns and z has ", z.extent(1)),
                       "each column of z is one application", "pass as many columns of both");
    }
    for (std::size_t j = 0; j < r.extent(1); ++j) {
      apply_by_columns(exec, finest, Kokkos::subview(r, Kokkos::ALL, j), Kokkos::subview(z, Kokkos::ALL, j), cycle);
    }
  } else {
    using Vector = typename Level::Vector;
    const std::int64_t n = finest.products().num_rows();
    if (std::int64_t(r.extent(0)) != n || std::int64_t(z.extent(0)) != n) {
      throw ShapeError(text("amg: r has ", r.extent(0), " entries and z has ", z.extent(0)),
                       text("the matrix has ", n, " rows"), "pass vectors of the matrix");
    }
    for_entries("ashlar::amg[copy]", exec, n, CopyEntry<R, Vector>{r, finest.b()});
    cycle();
    for_entries("ashlar::amg[copy]", exec, n, CopyEntry<Vector, Z>{finest.x(), z});
  }
}

}  // namespace impl

/// Algebraic multigrid by smoothed aggregation of nodes: z := one cycle for A z = r from zero. Symmetric and positive
/// definite if A is, so that CG may use it.
///
/// Real is the precision of the hierarchy, double or float: a float hierarchy moves half of the bytes, and CG in double
/// reaches the same true residual with it. Set-up computes in double, if A holds double, and rounds its results.
///
/// A is a BcsrMatrix, or with amg/distributed.hpp a DistributedMatrix. Over ranks the constructor and apply() are
/// collective, vectors and modes are this rank's parts, and aggregates lie within ranks.
///
/// Shapes   A is square, with square blocks; r and z are vectors of as many rows as A, or multi-vectors, whose columns
///          are taken one after another. `modes`, the near-null space, has a column for each unknown of a coarse node:
///          rigid_body_modes() for elasticity, constant_modes() for diffusion.
/// Types    A holds double or float.
/// Memory   the matrices of all levels (about 1.15 times A, which is shared if it is of type Real), prolongators and
///          their indexes, structures of products, inverse diagonal blocks and five vectors a level. Copies share the
///          hierarchy, whose vectors serve one application at a time.
/// Async    the constructor waits for `exec`; applications are enqueued, without fence or allocation. Over
///          ranks they wait as HaloExchange does in options.exchange.
/// Throws   ShapeError, ArgumentError, BlockSizeError; NumericalError if a diagonal block has no inverse, naming its
///          block row, or of a coarse level the level, if a mode is 0, not finite or dependent on others, or if the
///          matrix is seen not to be positive definite.
/// Source   Vanek, Mandel and Brezina 1996.
template <class A, class Real = typename A::scalar_type>
class Preconditioner {
 public:
  static_assert(std::is_same_v<Real, double> || std::is_same_v<Real, float>,
                "ashlar::amg: hierarchies are of double or float");
  using Scalar = typename A::scalar_type;
  /// Set-up is in double if A or the levels are.
  using InSetUp = InPrecision<A, std::conditional_t<std::is_same_v<Scalar, double>, double, Real>>;
  using Levels = Hierarchy<typename InSetUp::type, Real>;
  using Matrix = typename Levels::Matrix;  ///< of all levels
  using Modes = NearNullSpace<typename A::memory_space>;

  /// A first_level above 0 is for a matrix and modes of a coarse level, as Hierarchy says.
  template <execution_space Exec>
  Preconditioner(const Exec& exec, const A& a, const Modes& modes, const Options& options = {}, int first_level = 0)
      : hierarchy_(std::make_shared<Levels>(exec, InSetUp::of(exec, a), modes, options, first_level)) {}

  /// New values of A in the same structure; aggregates, structures and plans stay.
  template <execution_space Exec>
  void update_values(const Exec& exec, const A& a) const {
    if constexpr (std::is_same_v<typename InSetUp::type, A>) {
      hierarchy_->update_values(exec, a);
    } else {
      hierarchy_->update_values(exec, InSetUp::of(exec, a, &hierarchy_->levels().front().matrix()));
    }
  }

  /// z := M^-1 r
  template <execution_space Exec, class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    impl::apply_by_columns(exec, hierarchy_->levels().front(), r, z, [&] { hierarchy_->cycle(exec); });
  }

  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return is_gpu_v<typename A::memory_space::execution_space> && is_capturable(); }
  /// True if no level waits for other ranks on the host.
  bool is_capturable() const {
    for (const auto& level : hierarchy_->levels()) {
      if (!level.is_stream_ordered()) return false;
    }
    return true;
  }
  /// Throws CommError if the device has waited for another rank in vain so far.
  void check() const {
    for (const auto& level : hierarchy_->levels()) level.check();
  }

  /// Bytes that the products of one cycle move at least, on this rank.
  std::int64_t traffic_bytes() const {
    std::int64_t sum = 0;
    for (const auto& level : hierarchy_->levels()) {
      if (!level.transfer()) continue;
      sum += level.products_of_cycle() * level.products().traffic_bytes() + 2 * level.transfer()->traffic_bytes();
    }
    return sum;
  }

  const Levels& hierarchy() const { return *hierarchy_; }

  /// Levels, sizes and complexity, a line each, of all ranks.
  std::string explain() const {
    return describe(hierarchy_->options(), hierarchy_->figures(), std::is_same_v<Real, float>,
                    hierarchy_->levels().back().is_dense());
  }

 private:
  std::shared_ptr<Levels> hierarchy_;
};

}  // namespace ashlar::amg
