#pragma once

#include <ashlar/problems/cantilever.hpp>
#include <ashlar/problems/convection_diffusion_reaction.hpp>
#include <ashlar/problems/lattice.hpp>
#include <ashlar/problems/stencil11.hpp>
#include <optional>
#include <string>

#include "matrix_bytes.hpp"
#include "problem_options.hpp"

namespace ashlar::app {

/// A problem that the command generates, all of it or some block rows.
class GeneratedProblem {
 public:
  /// Takes options that passed check_problem().
  explicit GeneratedProblem(const ProblemOptions& options);

  /// "cantilever of 33 x 33 x 33 nodes"
  const std::string& description() const { return description_; }
  const std::optional<problems::Cantilever>& cantilever() const { return cantilever_; }

  /// Throws   ArgumentError for sides that no mesh has.
  MatrixShape shape() const;

  /// The matrix, or its block rows of a range.
  ///
  /// Throws   what the generators throw.
  template <class Matrix, class Exec>
  Matrix matrix(const Exec& exec, const std::optional<problems::RowRange>& rows = {}) const {
    if (cantilever_) {
      return rows ? problems::cantilever_matrix<Matrix>(exec, *cantilever_, *rows)
                  : problems::cantilever_matrix<Matrix>(exec, *cantilever_);
    }
    if (transport_) {
      return rows ? problems::convection_diffusion_reaction<Matrix>(exec, *transport_, *rows)
                  : problems::convection_diffusion_reaction<Matrix>(exec, *transport_);
    }
    const auto& [nx, ny, nz] = nodes_;
    return rows ? problems::stencil11<Matrix>(exec, nx, ny, nz, dof_, *rows)
                : problems::stencil11<Matrix>(exec, nx, ny, nz, dof_);
  }

  /// True if the problem has a right-hand side of its own.
  bool has_load() const { return cantilever_.has_value(); }

  /// That right-hand side, or its entries for the block rows of a range, in Space.
  template <class Space, class Exec>
  Kokkos::View<double*, Space> load(const Exec& exec, const std::optional<problems::RowRange>& rows = {}) const {
    return rows ? problems::cantilever_load<double, Space>(exec, cantilever_.value(), *rows)
                : problems::cantilever_load<double, Space>(exec, cantilever_.value());
  }

 private:
  std::array<int, 3> nodes_;
  int dof_;
  std::string description_;
  std::optional<problems::Cantilever> cantilever_;
  std::optional<problems::ConvectionDiffusionReaction> transport_;
};

}  // namespace ashlar::app
