#pragma once

#include <ashlar/krylov/report.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <memory>

#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// CG on a multigrid's finest level, with one V-cycle as the preconditioner: of the same multigrid, or of one in single
/// precision.
class MultigridCg {
 public:
  using Multigrid = multigrid::Multigrid<Execution>;
  using SingleMultigrid = multigrid::Multigrid<Execution, float>;

  /// Allocates its vectors. `single` preconditions if it is not null. Collective.
  MultigridCg(const Execution& exec, const World& world, std::shared_ptr<const Multigrid> mg,
              std::shared_ptr<const SingleMultigrid> single);

  /// Solves A u = f from u = 0 until ||f - A u|| < 1e-10 ||f||; the solution is level(0).u. Waits for `exec`.
  SolveReport solve(const Execution& exec) const;

 private:
  std::shared_ptr<const Multigrid> mg_;
  Operator<Execution> operator_;
  Preconditioner<Execution> preconditioner_;
  Vector<Execution> b_, x_;
};

}  // namespace ashlar::app
