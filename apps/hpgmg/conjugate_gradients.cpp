#include "hpgmg/conjugate_gradients.hpp"

#include <ashlar/distributed/space.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/multigrid/level_vectors.hpp>
#include <ashlar/multigrid/multigrid_operator.hpp>
#include <string>
#include <utility>

namespace ashlar::app {

namespace {

using Shared = std::shared_ptr<const multigrid::Multigrid<Execution>>;

Operator<Execution> operator_of(const Execution& exec, const World& world, const Shared& mg) {
  if (world.is_alone()) return Operator<Execution>(multigrid::MultigridOperator<Execution>(mg));
  const DistributedSpace<Execution> space(exec, world.comm(), multigrid::flat_size(mg->level(0)));
  return Operator<Execution>(multigrid::MultigridOperator<Execution, DistributedSpace<Execution>>(mg, space));
}

Preconditioner<Execution> preconditioner_of(const Shared& mg,
                                            const std::shared_ptr<const MultigridCg::SingleMultigrid>& single) {
  if (single) return Preconditioner<Execution>(multigrid::MultigridPreconditioner<Execution, float>(single));
  return Preconditioner<Execution>(multigrid::MultigridPreconditioner<Execution>(mg));
}

Vector<Execution> vector_of(const Execution& exec, const Shared& mg, const std::string& name) {
  return Vector<Execution>(Kokkos::view_alloc(exec, "ashlar::hpgmg::" + name),
                           std::size_t(multigrid::flat_size(mg->level(0))));
}

}  // namespace

MultigridCg::MultigridCg(const Execution& exec, const World& world, Shared mg,
                         std::shared_ptr<const SingleMultigrid> single)
    : mg_(std::move(mg)),
      operator_(operator_of(exec, world, mg_)),
      preconditioner_(preconditioner_of(mg_, single)),
      b_(vector_of(exec, mg_, "b")),
      x_(vector_of(exec, mg_, "x")) {}

SolveReport MultigridCg::solve(const Execution& exec) const {
  const auto& level = mg_->level(0);
  multigrid::from_boxes(exec, level, level.f, b_);
  Kokkos::deep_copy(exec, x_, 0.0);
  SolveReport report = cg(exec, operator_, preconditioner_, b_, x_, {.rtol = 1e-10, .max_iterations = 100});
  multigrid::to_boxes(exec, level, x_, level.u);
  exec.fence("ashlar::hpgmg: the solution");
  return report;
}

}  // namespace ashlar::app
