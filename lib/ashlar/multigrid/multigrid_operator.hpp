#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/multigrid/flat_vectors.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/multigrid/traffic.hpp>
#include <concepts>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <utility>

namespace ashlar::multigrid {

/// The operator of a multigrid's finest level, for the solvers (krylov's linear_operator): y := A x of flat vectors,
/// one value a cell, box after box.
///
/// A is positive definite, and symmetric but for the cells at the boundary, whose ghost cells continue a polynomial of
/// degree 2 or 4; with fv4 also but for differences of coefficients. CG converges nevertheless where it is
/// preconditioned well: by MultigridPreconditioner, not by a diagonal.
///
/// Shapes   x and y have flat_size(multigrid.level(0)) entries, or as many rows: columns are multiplied in turn.
/// Memory   shares the multigrid, and uses its finest level's u and temp: one solve at a time, and level(0).u is not
/// the
///          solution after it. x and y reachable from `exec`.
/// Async    enqueued on `exec`; no fence, no allocation; with other ranks the host waits for their messages.
/// Throws   ArgumentError from the constructor, where the space is not that of these vectors; ShapeError from apply().
template <execution_space Exec, class Space = LocalSpace>
class MultigridOperator {
 public:
  /// On one rank.
  explicit MultigridOperator(std::shared_ptr<const Multigrid<Exec>> multigrid) requires std::same_as<Space, LocalSpace>
      : MultigridOperator(multigrid, LocalSpace(flat_size(multigrid->level(0)))) {}
  /// With a space that knows how sums over this rank's entries and those of others are made.
  MultigridOperator(std::shared_ptr<const Multigrid<Exec>> multigrid, Space space)
      : multigrid_(std::move(multigrid)), space_(std::move(space)) {
    const Level<Exec>& level = multigrid_->level(0);
    if (space_.num_local() == flat_size(level) && space_.num_global() == level.num_cells()) return;
    throw ArgumentError(
        text("MultigridOperator: a space of ", space_.num_local(), " entries here and ", space_.num_global(),
             " in all"),
        text("the finest level has ", flat_size(level), " cells here and ", level.num_cells(), " in all"),
        "over ranks pass a space that all of them share");
  }

  /// y := A x
  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if constexpr (X::rank() == 2) {
      for (std::size_t j = 0; j < x.extent(1); ++j) {
        apply(exec, Kokkos::subview(x, Kokkos::ALL, j), Kokkos::subview(y, Kokkos::ALL, j));
      }
    } else {
      const Level<Exec>& level = multigrid_->level(0);
      require_flat_size("MultigridOperator", level, y);
      to_boxes(exec, level, x, level.u);
      multigrid::apply(exec, level, level.u, level.temp);
      from_boxes(exec, level, level.temp, y);
    }
  }

  const Space& space() const { return space_; }
  std::int64_t traffic_bytes() const {
    return flat_size(multigrid_->level(0)) * (apply_bytes(multigrid_->options().equation) + 32);
  }
  /// Whether the host never waits.
  bool is_stream_ordered() const { return is_gpu_v<Exec> && space_.num_local() == space_.num_global(); }
  void check() const { multigrid_->check(); }
  /// What a multigrid's levels hold.
  HeldBytes bytes() const {
    const MultigridOptions& options = multigrid_->options();
    HeldBytes bytes;
    for (std::size_t l = 0; l < multigrid_->num_levels(); ++l) {
      const bool is_apart = is_gpu_v<Exec> && multigrid_->is_on_host(l);
      (is_apart ? bytes.host : bytes.device) +=
          level_bytes(multigrid_->grid(l), options.discretisation, options.equation);
    }
    return bytes;
  }
  std::string explain() const {
    const BoxGrid& grid = multigrid_->level(0).grid;
    const std::size_t levels = multigrid_->num_levels();
    std::size_t on_host = 0;
    for (std::size_t l = 0; l < levels; ++l) on_host += std::size_t(multigrid_->is_on_host(l));
    return text("multigrid's operator ", to_string(multigrid_->options().discretisation), ", ",
                to_string(multigrid_->options().equation), ": ", grid.cells_per_dim(), "^3 cells in ",
                count_text(grid.num_boxes(), "box"), ", ", count_text(std::int64_t(levels), "level"),
                on_host > 0 ? text(", levels ", levels - on_host, " to ", levels - 1, " on the host") : "");
  }

 private:
  std::shared_ptr<const Multigrid<Exec>> multigrid_;
  Space space_;
};

}  // namespace ashlar::multigrid
