// A job whose last rank is killed while all ranks solve again and again, or stands still amid iterations of CG; tests
// look at it from outside:
//
//   end_in_solve cg blocking|kernel killed|stopped
//   end_in_solve gmres|bicgstab|minres blocking|kernel killed
//   end_in_solve multigrid blocking|kernel killed
#include <Kokkos_Core.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/comm/rank_devices.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/box_grid.hpp>
#include <ashlar/multigrid/multigrid.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <ashlar/problems/cantilever.hpp>
#include <chrono>
#include <csignal>
#include <cstdint>
#include <cstdio>
#include <string>
#include <thread>

namespace {

using namespace ashlar;
using namespace ashlar::multigrid;
using Exec = Kokkos::DefaultExecutionSpace;
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Exec::memory_space>;
using Vector = Kokkos::View<double*, Exec::memory_space>;

constexpr double time_out_seconds = 2, seconds_before = 0.5;

bool is_last(const Communicator& world) { return world.rank() + 1 == world.size(); }

template <class Solve>
[[noreturn]] void solve_for_ever(const Communicator& world, const Solve& solve) {
  solve();
  world.barrier();
  if (world.rank() == 0) {
    std::printf("solving\n");
    std::fflush(stdout);
  }
  while (true) solve();
}

void solve_by_krylov(const std::string& solver, const Communicator& world, ExchangeMode mode, int signal) {
  const Exec exec;
  const problems::Cantilever problem{.nodes = {12, 6, 5}, .dof = 3};
  const RowPartition partition =
      RowPartition::even(problem.nodes[0] * problem.nodes[1] * problem.nodes[2], world.size());
  const auto rows = problems::cantilever_matrix<Matrix>(
      exec, problem, problems::RowRange{partition.begin(world.rank()), partition.end(world.rank())});
  DistributedOptions options;
  options.exchange = mode;
  options.halo.time_out_seconds = time_out_seconds;
  const DistributedOperator<Matrix> a(exec, world, partition, rows, options);
  const BlockJacobiPreconditioner<Matrix> m(exec, a.own_matrix());
  const Vector b("b", a.space().num_local()), x("x", a.space().num_local());
  Kokkos::deep_copy(b, 1.0);
  // Between two iterations, and with some left: messages of the host, before a solve and after it, wait for ever.
  constexpr int check_interval = 5, iterations = 8 * check_interval;
  const Kokkos::Timer timer;
  const auto end = [&](int iteration, double) {
    if (!is_last(world) || iteration > check_interval || timer.seconds() < seconds_before) return;
    std::fprintf(stderr, "rank %d goes\n", world.rank());  // who hangs hangs before this, or behind it
    std::raise(signal);
  };
  solve_for_ever(world, [&] {
    Kokkos::deep_copy(exec, x, 0.0);
    const SolverOptions common{
        .rtol = 1e-30, .max_iterations = iterations, .check_interval = check_interval, .monitor = end};
    if (solver == "gmres") {
      gmres(exec, a, m, b, x,
            {.rtol = common.rtol,
             .max_iterations = iterations,
             .check_interval = check_interval,
             .monitor = end,
             .restart = 2 * check_interval});
    } else if (solver == "bicgstab") {
      bicgstab(exec, a, m, b, x, common);
    } else if (solver == "minres") {
      minres(exec, a, m, b, x, common);
    } else {
      cg(exec, a, m, b, x,
         {.rtol = common.rtol, .max_iterations = iterations, .check_interval = check_interval, .monitor = end});
    }
  });
}

void solve_by_multigrid(const Communicator& world, ExchangeMode mode, int signal) {
  const Exec exec;
  const MultigridOptions options{.exchange = {.mode = mode, .time_out_seconds = time_out_seconds}};
  const HierarchyOptions over_all{.min_cells_per_rank = 0, .joins_boxes = false};
  Multigrid<Exec> levels(exec,
                         make_hierarchy(2, 8, reach_of(options.discretisation), world.size(), world.rank(), over_all),
                         options, world);
  set_benchmark_problem(exec, levels.level(0));
  levels.set_up(exec);
  if (is_last(world)) {
    std::thread([signal] {
      std::this_thread::sleep_for(std::chrono::duration<double>(seconds_before));
      std::raise(signal);
    }).detach();
  }
  solve_for_ever(world, [&] { levels.solve(exec, Cycle::f); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr,
                 "end_in_solve cg|gmres|bicgstab|minres blocking|kernel killed|stopped, or multigrid blocking|kernel "
                 "killed\n");
    return 2;
  }
  const std::string what = argv[1];
  const ExchangeMode mode = std::string(argv[2]) == "kernel" ? ExchangeMode::kernel : ExchangeMode::blocking;
  const int signal = std::string(argv[3]) == "stopped" ? SIGSTOP : SIGKILL;
  try {
    const MpiSession mpi;
    const Kokkos::ScopeGuard kokkos(argc, argv);
    if (const PeersFound found = find_peer_memory(Exec(), mpi.world()); mode == ExchangeMode::kernel && !found.work) {
      std::printf("left out: %s\n", found.why.c_str());
      return 0;
    }
    try {
      if (what == "multigrid") {
        solve_by_multigrid(mpi.world(), mode, signal);
      } else {
        solve_by_krylov(what, mpi.world(), mode, signal);
      }
    } catch (const std::exception& error) {
      std::fprintf(stderr, "main: %s\n", error.what());  // before the session ends all other ranks
      throw;
    }
  } catch (const std::exception&) {
    return 3;
  }
}
