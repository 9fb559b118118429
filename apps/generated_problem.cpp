#include "generated_problem.hpp"

#include <ashlar/base/text.hpp>

namespace ashlar::app {

GeneratedProblem::GeneratedProblem(const ProblemOptions& options)
    : nodes_(options.nodes_or_default()), dof_(options.dof_or_default()) {
  const std::string sides = text(nodes_[0], " x ", nodes_[1], " x ", nodes_[2]);
  if (options.problem == "cantilever") {
    cantilever_.emplace();
    cantilever_->nodes = nodes_;
    cantilever_->dof = dof_;
    description_ = text("cantilever of ", sides, " nodes");
  } else if (options.problem == "convection-diffusion") {
    transport_ = problems::ConvectionDiffusionReaction{.nodes = nodes_, .dof = dof_};
    description_ = text("convection-diffusion on ", sides, " nodes");
  } else {
    description_ = text("11-point stencil on ", sides, " points");
  }
}

MatrixShape GeneratedProblem::shape() const {
  MatrixShape shape{0, 0, std::uint64_t(dof_)};
  if (cantilever_) {
    const problems::HexGrid grid = problems::cantilever_grid(*cantilever_);
    shape.num_block_rows = std::uint64_t(grid.num_nodes());
    shape.num_blocks = std::uint64_t(grid.num_blocks());
    return shape;
  }
  shape.num_block_rows = std::uint64_t(problems::Lattice(nodes_).num_points());
  shape.num_blocks = std::uint64_t(transport_ ? problems::convection_diffusion_reaction_num_blocks(*transport_)
                                              : problems::stencil11_num_blocks(nodes_[0], nodes_[1], nodes_[2]));
  return shape;
}

}  // namespace ashlar::app
