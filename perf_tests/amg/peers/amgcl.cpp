// amgcl: CG with smoothed aggregation of 3x3 blocks, rigid-body modes and Chebyshev's method as smoother.
#include <amg/peers/peers.hpp>

#if defined(ASHLAR_PERF_AMGCL)

#define AMGCL_NO_BOOST
#include <Kokkos_Timer.hpp>
#include <amgcl/adapter/block_matrix.hpp>
#include <amgcl/adapter/crs_tuple.hpp>
#include <amgcl/amg.hpp>
#include <amgcl/backend/builtin.hpp>
#include <amgcl/coarsening/as_scalar.hpp>
#include <amgcl/coarsening/smoothed_aggregation.hpp>
#include <amgcl/make_solver.hpp>
#include <amgcl/relaxation/chebyshev.hpp>
#include <amgcl/solver/cg.hpp>
#include <amgcl/value_type/static_matrix.hpp>
#include <cstddef>
#include <tuple>

namespace ashlar::perf {
namespace {

PeerSolve solve(const HostSystem& system, double rtol) {
  using Block = amgcl::static_matrix<double, 3, 3>;
  using Backend = amgcl::backend::builtin<Block, int, std::ptrdiff_t>;
  using Amg = amgcl::amg<Backend, amgcl::coarsening::as_scalar<amgcl::coarsening::smoothed_aggregation>::type,
                         amgcl::relaxation::chebyshev>;
  using Solver = amgcl::make_solver<Amg, amgcl::solver::cg<Backend>>;
  const auto n = static_cast<std::ptrdiff_t>(system.num_rows());
  Solver::params parameters;
  parameters.solver.tol = rtol;
  parameters.solver.maxiter = 5000;
  parameters.precond.coarsening.aggr.eps_strong = 0;
  parameters.precond.relax.degree = 2;
  parameters.precond.relax.scale = true;
  parameters.precond.relax.power_iters = 10;
  parameters.precond.relax.higher = 1.1f;
  const auto modes = rigid_body_modes_of(system);
  auto& near_null = parameters.precond.coarsening.nullspace;
  near_null.cols = static_cast<int>(modes.size());
  near_null.B.resize(modes.size() * system.load.size());
  for (std::size_t i = 0; i < system.load.size(); ++i) {
    for (std::size_t k = 0; k < modes.size(); ++k) near_null.B[i * modes.size() + k] = modes[k][i];
  }
  const std::vector<std::ptrdiff_t> row_ptr(system.row_ptr.begin(), system.row_ptr.end());
  const auto entries = std::tie(n, row_ptr, system.col_idx, system.values);
  PeerSolve result;
  Kokkos::Timer timer;
  Solver cg(amgcl::adapter::block_matrix<Block>(entries), parameters);
  result.seconds_set_up = timer.seconds();
  result.x.assign(system.load.size(), 0);
  timer.reset();
  const auto [iterations, error] =
      cg(amgcl::backend::reinterpret_as_rhs<Block>(system.load), amgcl::backend::reinterpret_as_rhs<Block>(result.x));
  result.seconds_solve = timer.seconds();
  result.iterations = static_cast<int>(iterations);
  return result;
}

}  // namespace

std::vector<AmgPeer> amgcl_peers() { return {{"amgcl", "aggregation, modes", solve}}; }

}  // namespace ashlar::perf

#else

namespace ashlar::perf {
std::vector<AmgPeer> amgcl_peers() { return {}; }
}  // namespace ashlar::perf

#endif
