// A job whose last rank ends, or stands still, while all ranks solve again and again; tests look at it from outside:
//
//   end_in_solve cg|multigrid blocking|kernel killed|stopped
#include <Kokkos_Core.hpp>
#include <ashlar/comm/mpi/communicator.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/multigrid/benchmark_problem.hpp>
#include <ashlar/multigrid/hierarchy.hpp>
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

constexpr double patience_seconds = 2;

/// Raises a signal on the last rank, when all have solved for a while.
void end_last_rank(const Communicator& world, int signal) {
  if (world.rank() + 1 < world.size()) return;
  std::thread([signal] {
    std::this_thread::sleep_for(std::chrono::milliseconds(500));
    std::raise(signal);
  }).detach();
}

template <class Solve>
[[noreturn]] void solve_for_ever(const Communicator& world, int signal, const Solve& solve) {
  solve();
  world.barrier();
  if (world.rank() == 0) {
    std::printf("solving\n");
    std::fflush(stdout);
  }
  end_last_rank(world, signal);
  while (true) solve();
}

void solve_by_cg(const Communicator& world, ExchangeMode mode, int signal) {
  const Exec exec;
  const problems::Cantilever problem{.nodes = {12, 6, 5}, .dof = 3};
  const RowPartition partition =
      RowPartition::even(problem.nodes[0] * problem.nodes[1] * problem.nodes[2], world.size());
  const auto rows = problems::cantilever_matrix<Matrix>(
      exec, problem, problems::RowRange{partition.begin(world.rank()), partition.end(world.rank())});
  DistributedOptions options;
  options.exchange = mode;
  options.halo.time_out_seconds = patience_seconds;
  const DistributedOperator<Matrix> a(exec, world, partition, rows, options);
  const BlockJacobiPreconditioner<Matrix> m(exec, a.own_matrix());
  const Vector b("b", a.space().num_local()), x("x", a.space().num_local());
  Kokkos::deep_copy(b, 1.0);
  solve_for_ever(world, signal, [&] {
    Kokkos::deep_copy(exec, x, 0.0);
    cg(exec, a, m, b, x, {.rtol = 1e-30, .max_iterations = 40});
  });
}

void solve_by_multigrid(const Communicator& world, ExchangeMode mode, int signal) {
  const Exec exec;
  const MultigridOptions options{.exchange = {.mode = mode, .time_out_seconds = patience_seconds}};
  const HierarchyOptions over_all{.min_cells_per_rank = 0, .joins_boxes = false};
  Multigrid<Exec> levels(exec,
                         make_hierarchy(2, 8, reach_of(options.discretisation), world.size(), world.rank(), over_all),
                         options, world);
  set_benchmark_problem(exec, levels.level(0));
  levels.set_up(exec);
  solve_for_ever(world, signal, [&] { levels.solve(exec, Cycle::f); });
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 4) {
    std::fprintf(stderr, "end_in_solve cg|multigrid blocking|kernel killed|stopped\n");
    return 2;
  }
  const std::string what = argv[1];
  const ExchangeMode mode = std::string(argv[2]) == "kernel" ? ExchangeMode::kernel : ExchangeMode::blocking;
  const int signal = std::string(argv[3]) == "stopped" ? SIGSTOP : SIGKILL;
  try {
    const MpiSession mpi;
    const Kokkos::ScopeGuard kokkos(argc, argv);
    try {
      (what == "cg" ? solve_by_cg : solve_by_multigrid)(mpi.world(), mode, signal);
    } catch (const std::exception& error) {
      std::fprintf(stderr, "main: %s\n", error.what());  // before the session ends all other ranks
      throw;
    }
  } catch (const std::exception&) {
    return 3;
  }
}
