#include "solve/solve.hpp"

#include <algorithm>
#include <ashlar/amg/choice.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/krylov/symmetric_solve.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "solve/column_reports.hpp"
#include "solve/files.hpp"
#include "solve/singular_system.hpp"
#include "solve/solver_parts.hpp"
#include "stop_signals.hpp"

namespace ashlar::app {

namespace {

/// The usual right-hand side in the first column; other columns of a file, or A times pseudo-random vectors.
template <class Exec>
Block<Exec> right_hand_sides(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system,
                             const Block<Exec>& x) {
  const Block<Exec> b("ashlar::app::b", x.extent(0), x.extent(1));
  fill_pseudo_random(exec, x, 0, system.first_row(), system.num_rows());
  a.apply(exec, x, b);
  Kokkos::deep_copy(exec, Kokkos::subview(b, Kokkos::ALL, 0), system.rhs);
  for (std::size_t k = 0; k < system.more_rhs.size(); ++k) {
    Kokkos::deep_copy(exec, Kokkos::subview(b, Kokkos::ALL, k + 1), system.more_rhs[k]);
  }
  Kokkos::deep_copy(exec, x, 0.0);
  return b;
}

/// A solve with one right-hand side. Solvers that are no form of CG take the common options.
template <class Exec>
SolveReport solve_one(const MethodOptions& method, const Exec& exec, const Operator<Exec>& a,
                      const Preconditioner<Exec>& m, const Vector<Exec>& b, const Vector<Exec>& x,
                      const CgOptions& options) {
  const SolverOptions common{.rtol = options.rtol,
                             .atol = options.atol,
                             .norm = options.norm,
                             .max_iterations = options.max_iterations,
                             .stagnation_window = options.stagnation_window,
                             .monitor = options.monitor};
  switch (method.solver) {
    case SolverKind::minres:
      return minres(exec, a, m, b, x, common);
    case SolverKind::gmres:
      return gmres(exec, a, m, b, x,
                   {.rtol = common.rtol,
                    .atol = common.atol,
                    .max_iterations = common.max_iterations,
                    .stagnation_window = common.stagnation_window,
                    .monitor = common.monitor,
                    .restart = method.restart_or_default()});
    case SolverKind::bicgstab:
      return bicgstab(exec, a, m, b, x, common);
    case SolverKind::automatic:
    case SolverKind::cg:
    case SolverKind::block_cg:
      break;
  }
  switch (method.variant) {
    case VariantKind::single_reduction:
      return single_reduction_cg(exec, a, m, b, x, options);
    case VariantKind::pipelined:
      return pipelined_cg(exec, a, m, b, x, options);
    case VariantKind::standard:
      break;
  }
  return cg(exec, a, m, b, x, options);
}

/// What a checkpoint must be of.
template <class Exec>
std::vector<Identity> identities_of(const LinearSystem<Exec>& system, const SolveOptions& asked) {
  return {{"system", system.description},
          {"right-hand side", asked.source.rhs.value_or("its own")},
          {"block size", std::to_string(system.block_size())},
          {"first row on this rank", std::to_string(system.first_row())},
          {"number of rows on this rank", std::to_string(system.rhs.extent(0))},
          {"preconditioner", to_string(asked.method.preconditioner)},
          {"norm", std::string(to_string(asked.method.norm))},
          {"kernel", std::string(to_string(asked.method.kernel))}};
}

/// --checkpoint and --resume. A checkpoint that cannot be written costs nothing but itself: that is told once.
template <class Exec>
CgCheckpoints checkpoints_of(const World& world, const LinearSystem<Exec>& system, const SolveOptions& asked,
                             std::optional<CgCheckpoint>& resumed) {
  CgCheckpoints checkpoints;
  const auto identities = identities_of(system, asked);
  if (const auto& path = asked.outputs.resume) {
    resumed = world.on_all([&] { return read_checkpoint(world, *path, identities); });
    checkpoints.resume = &*resumed;
  }
  if (const auto& path = asked.outputs.checkpoint) {
    const auto last = std::make_shared<Kokkos::Timer>();
    checkpoints.is_due = [last, every = asked.outputs.checkpoint_every] { return last->seconds() >= every; };
    checkpoints.save = [&world, last, identities, file = *path, has_failed = false](const CgCheckpoint& now) mutable {
      try {
        write_checkpoint(world, file, identities, now);
      } catch (const RankError&) {
        // Another rank tells.
      } catch (const Error& error) {
        if (!std::exchange(has_failed, true)) std::cerr << "ashlar: no checkpoint: " << error.what() << std::endl;
      }
      last->reset();
    };
  }
  return checkpoints;
}

/// `timed` calls the solver, and nothing besides.
template <class Exec, class Timed>
void solve_for_one(const Exec& exec, const World& world, const Operator<Exec>& a, const Preconditioner<Exec>& m,
                   const std::optional<Operator<Exec>>& low, const LinearSystem<Exec>& system,
                   const SolveOptions& asked, const Vector<Exec>& x0, const Timed& timed, const Monitor& monitor,
                   Solution<Exec>& solution) {
  const MethodOptions& method = asked.method;
  const bool starts_from_zero = x0.data() == nullptr;
  solution.x = starts_from_zero ? Vector<Exec>("ashlar::app::x", system.rhs.extent(0)) : x0;
  CgOptions options;
  options.rtol = method.rtol;
  options.atol = method.atol;
  options.norm = method.norm;
  options.max_iterations = method.max_iterations;
  options.stagnation_window = method.stagnation_window;
  options.monitor = monitor;
  std::optional<CgCheckpoint> resumed;
  options.checkpoints = checkpoints_of(world, system, asked, resumed);
  if (asked.placement.device_memory_limit) options.copy_bytes = 0;  // what is within the limit was counted without it
  solution.report = timed([&] {
    if (low) return solve_mixed(exec, a, *low, m, system.rhs, solution.x, options);
    const bool may_take_minres = !method.why_solver.empty() && method.solver == SolverKind::cg;
    if (!may_take_minres) return solve_one(method, exec, a, m, system.rhs, solution.x, options);
    SymmetricSolve found = symmetric_solve(exec, a, m, system.rhs, solution.x, options);
    if (found.by_minres) solution.solver = SolverKind::minres;
    if (found.without_preconditioner) solution.preconditioner = PreconditionerKind::none;
    solution.why_solver += found.but();
    return std::move(found.report);
  });
}

/// The same; of a singular system without its null space.
template <class Exec, class Timed>
void solve_for_rhs(const Exec& exec, const World& world, const Operator<Exec>& a, const Preconditioner<Exec>& m,
                   const std::optional<Operator<Exec>>& low, const std::optional<SingularSystem<Exec>>& singular,
                   const LinearSystem<Exec>& system, const SolveOptions& asked, const Vector<Exec>& x0,
                   const Timed& timed, const Monitor& monitor, Solution<Exec>& solution) {
  if (!singular) return solve_for_one(exec, world, a, m, low, system, asked, x0, timed, monitor, solution);
  solution.rhs_in_null_space = singular->null_space.share_of(exec, system.rhs);
  const LinearSystem<Exec> reduced = singular->without_null_space(exec, system);
  solve_for_one(exec, world, singular->op, m, low, reduced, asked, x0, timed, monitor, solution);
  singular->null_space.remove(exec, solution.x);
  exec.fence("ashlar: x without the null space");
}

/// The right-hand sides behind the first one, which `solution` is of: one after the other, each from 0, with the same
/// operator and preconditioner. After an interrupted solve the rest stays 0.
template <class Exec, class Timed>
void solve_for_others(const Exec& exec, const World& world, const Operator<Exec>& a, const Preconditioner<Exec>& m,
                      const std::optional<Operator<Exec>>& low, const std::optional<SingularSystem<Exec>>& singular,
                      const LinearSystem<Exec>& system, const SolveOptions& asked, const Timed& timed,
                      const Monitor& monitor, Solution<Exec>& solution) {
  const Block<Exec> all("ashlar::app::all", system.rhs.extent(0), 1 + system.more_rhs.size());
  const auto keep = [&](const Solution<Exec>& one) {
    Kokkos::deep_copy(exec, Kokkos::subview(all, Kokkos::ALL, solution.columns.size()), one.x);
    solution.columns.push_back(column_of(one.report));
  };
  keep(solution);
  LinearSystem<Exec> next_system = system;
  for (const Vector<Exec>& rhs : system.more_rhs) {
    next_system.rhs = rhs;
    Solution<Exec> next;
    next.x = Vector<Exec>("ashlar::app::x", rhs.extent(0));
    next.solver = solution.solver;
    next.preconditioner = solution.preconditioner;
    next.why_solver = asked.method.why_solver;
    next.report.status = SolveStatus::interrupted;
    next.report.relative_residual = next.report.preconditioned_residual = 1;
    if (solution.columns.back().status != SolveStatus::interrupted) {
      solve_for_rhs(exec, world, a, m, low, singular, next_system, asked, {}, timed, monitor, next);
    }
    keep(next);
    add_next(solution.report, next.report);
    // --solver auto: the first solve that needed another solver than the chosen one is told.
    if (solution.why_solver == asked.method.why_solver) {
      solution.solver = next.solver;
      solution.preconditioner = next.preconditioner;
      solution.why_solver = next.why_solver;
    }
    if (next.rhs_in_null_space) {
      solution.rhs_in_null_space = std::max(*next.rhs_in_null_space, solution.rhs_in_null_space.value_or(0));
    }
  }
  solution.all = all;
  exec.fence("ashlar: solutions of all right-hand sides");
}

template <class Exec, class Timed>
void solve_by_block_cg(const Exec& exec, const Operator<Exec>& a, const Preconditioner<Exec>& m,
                       const LinearSystem<Exec>& system, const MethodOptions& method, const Timed& timed,
                       const Monitor& monitor, Solution<Exec>& solution) {
  const Block<Exec> x("ashlar::app::x", system.rhs.extent(0), method.num_rhs);
  const Block<Exec> b = right_hand_sides(exec, a, system, x);
  BlockCgOptions options;
  options.rtol = method.rtol;
  options.atol = method.atol;
  options.max_iterations = method.max_iterations;
  options.stagnation_window = method.stagnation_window;
  options.monitor = monitor;
  const BlockSolveReport block = timed([&] { return block_cg(exec, a, m, b, x, options); });
  solution.columns = block.columns;
  // A product's two blocks, and about 14 of the inner products and combinations.
  const std::int64_t vectors = 16 * std::int64_t(x.size()) * std::int64_t(sizeof(double));
  solution.report = summary_of(block, a.traffic_bytes() + vectors);
  solution.x = Vector<Exec>("ashlar::app::x", system.rhs.extent(0));
  Kokkos::deep_copy(exec, solution.x, Kokkos::subview(x, Kokkos::ALL, 0));
  solution.all = x;
  exec.fence("ashlar: solution of the first right-hand side");
}

/// The figures of a rank's exchanges since `before`.
HaloFigures since(const HaloFigures& before, HaloFigures now) {
  now.exchanges -= before.exchanges;
  now.sent.messages -= before.sent.messages;
  now.sent.bytes -= before.sent.bytes;
  now.received.messages -= before.received.messages;
  now.received.bytes -= before.received.bytes;
  now.waited_seconds -= before.waited_seconds;
  return now;
}

/// A solve of so many iterations, as far as they go, with pseudo-random right-hand sides; returns how many it took.
template <class Exec>
int iterate(const Exec& exec, const Operator<Exec>& a, const Preconditioner<Exec>& m, const MethodOptions& method,
            int iterations) {
  const auto n = std::size_t(a.space().num_local());
  const Block<Exec> b("ashlar::app::b", n, method.num_rhs), x("ashlar::app::x", n, method.num_rhs);
  fill_pseudo_random(exec, b, 3);
  if (method.solver == SolverKind::block_cg) {
    return block_cg(exec, a, m, b, x, {.rtol = 0, .max_iterations = iterations}).iterations;
  }
  // x is updated as over ranks.
  const CgOptions options{.rtol = 0, .max_iterations = iterations, .x_update = CgXUpdate::under_reduction};
  return solve_one(method, exec, a, m, Vector<Exec>(b.data(), n), Vector<Exec>(x.data(), n), options).iterations;
}

/// Seconds of so many iterations of this rank's share, while the other ranks rest. Collective.
template <class Exec>
double seconds_alone(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                     const Preconditioner<Exec>& m, const MethodOptions& method, int iterations) {
  // More would take long, and tell no more.
  const int most = std::min(iterations, 100);
  // Other ranks' entries are zero: the operator is the rank's own block of A, which is SPD, too.
  const Block<Exec> zeros("ashlar::app::x", system.rhs.extent(0), method.num_rhs), y("ashlar::app::y", zeros.layout());
  if (method.solver == SolverKind::block_cg) {
    system.over_ranks->apply(exec, zeros, y);
  } else {
    system.over_ranks->apply(exec, Vector<Exec>(zeros.data(), zeros.size()), Vector<Exec>(y.data(), y.size()));
  }
  exec.fence("ashlar: nothing of others");
  const Operator<Exec> local{LocalWork<Exec>(system.over_ranks)};
  double seconds = 0;
  for (int active = 0; active < world.comm().size(); ++active) {
    world.on_all([&] {
      if (active != world.comm().rank()) return;
      const Kokkos::Timer timer;
      const int done = iterate(exec, local, m, method, most);
      exec.fence("ashlar: a rank alone");
      seconds = timer.seconds() * iterations / std::max(done, 1);
    });
  }
  return seconds;
}

/// The preconditioner asked for; block-Jacobi in place of amg, if that was chosen and cannot be set up.
template <class Exec>
Preconditioner<Exec> make_preconditioner_or_other(const Exec& exec, const LinearSystem<Exec>& system,
                                                  SolveOptions& options, std::string& hierarchy,
                                                  std::optional<SystemOperator<Exec>>& op) {
  MethodOptions& method = options.method;
  try {
    return make_preconditioner(exec, system, options, hierarchy, op);
  } catch (const NumericalError& error) {
    if (method.why_preconditioner.empty() || method.preconditioner != PreconditionerKind::amg) throw;
    method.why_preconditioner = amg::without_amg(error).why;
  }
  method.preconditioner = PreconditionerKind::block_jacobi;
  return make_preconditioner(exec, system, options, hierarchy, op);
}

}  // namespace

template <class Exec>
Solution<Exec> solve(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                     const SolveOptions& options, Phases& phases, const Monitor& monitor, SolveTrace<Exec>* trace,
                     const Vector<Exec>& x0) {
  std::optional<Preconditioner<Exec>> m;
  std::optional<SystemOperator<Exec>> a;
  std::optional<Operator<Exec>> low;
  std::string hierarchy;
  SolveOptions with = options;
  const MethodOptions& method = with.method;
  phases.run("setup", [&] {
    // Before the matrix takes the rest of the device: its diagonal is there for a moment.
    m.emplace(world.on_all([&] { return make_preconditioner_or_other(exec, system, with, hierarchy, a); }));
    if (!a) a.emplace(make_operator(exec, system, options));
    if (options.method.precision == PrecisionKind::mixed) {
      world.on_all([&] {
        if (!system.is_streamed()) return;
        throw streamed_matrix_error(system.description, "--precision mixed", "pass --precision double");
      });
      low.emplace(rounded_operator(exec, system, options.method));
    }
    exec.fence("ashlar: set-up");
  });
  Solution<Exec> solution;
  solution.solver = options.method.solver;
  solution.preconditioner = method.preconditioner;
  solution.why_preconditioner = method.why_preconditioner;
  solution.hierarchy = hierarchy;
  solution.why_solver = options.method.why_solver;
  solution.kernel = a->kernel;
  solution.streaming = a->streaming;
  solution.tuning = a->tuning;
  // Ranks report their hidden share, with a trace or without.
  constexpr int some_spans = 4000;
  const bool is_told = system.over_ranks && a->record && system.over_ranks->streamed()->copies();
  std::optional<StreamTimeline<Exec>> timeline;
  StreamTimeline<Exec>* spans = nullptr;
  if (a->record && trace != nullptr) {
    spans = &trace->timeline(exec);
  } else if (is_told) {
    spans = &timeline.emplace(exec, some_spans);
  }
  std::optional<StreamRecording<Exec>> recording;
  if (spans != nullptr) static_cast<void>(recording.emplace(a->record(*spans)));
  const auto waited = [&] { return system.over_ranks ? system.over_ranks->waited_seconds() : 0; };
  const auto idle = [&] { return system.over_ranks ? system.over_ranks->idle_seconds() : 0; };
  const auto exchanged = [&] { return system.over_ranks ? system.over_ranks->halo_figures() : HaloFigures(); };
  struct Before {
    double waited, idle;
    HaloFigures exchanged;
  };
  std::optional<Before> before;
  // The figures of the solve alone: right-hand sides may take products before it. Several solves add up.
  const auto timed = [&](const auto& work) {
    if (!before) before = Before{waited(), idle(), exchanged()};
    const StopSignals::Iterations iterating;
    auto result = phases.run("solve", work);
    solution.waited_seconds = waited() - before->waited;
    solution.halo = since(before->exchanged, exchanged());
    solution.idle_seconds = idle() - before->idle;
    return result;
  };
  world.alike([&] {
    if (options.method.solver != SolverKind::block_cg) {
      Vector<Exec> start = x0;
      if (x0.data() == nullptr && system.initial_guess.data() != nullptr) {
        start = Vector<Exec>("ashlar::app::x", system.rhs.extent(0));  // the guess stays: a solve may start again
        Kokkos::deep_copy(exec, start, system.initial_guess);
      }
      std::optional<SingularSystem<Exec>> singular;
      if (options.method.null_space != NullSpaceKind::none) {
        singular.emplace(exec, world, a->op, system, options.method);
      }
      solve_for_rhs(exec, world, a->op, *m, low, singular, system, options, start, timed, monitor, solution);
      if (!system.more_rhs.empty()) {
        solve_for_others(exec, world, a->op, *m, low, singular, system, options, timed, monitor, solution);
      }
    } else {
      solve_by_block_cg(exec, a->op, *m, system, options.method, timed, monitor, solution);
    }
  });
  solution.plan = a->op.explain();
  if (recording) recording->stop();
  if (is_told) solution.hidden_share = overlap_of(spans->spans()).hidden_share();
  // (Of kernels that iterate it tells nothing: alone, a rank iterates by others.)
  const bool is_comparable = options.outputs.efficiency && !solution.report.iterates_in_kernel &&
                             solution.report.status != SolveStatus::interrupted;
  if (const int iterations = solution.report.iterations; is_comparable && iterations > 0) {
    solution.alone_seconds =
        phases.run("alone", [&] { return seconds_alone(exec, world, system, *m, options.method, iterations); });
  }
  return solution;
}

template <class Exec>
SolutionError error_against_ones(const Exec& exec, const Communicator& comm, const Vector<Exec>& x) {
  double largest = 0, squares = 0;
  Kokkos::parallel_reduce(
      "ashlar::app::error", Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, x.extent(0)),
      KOKKOS_LAMBDA(std::int64_t i, double& update_largest, double& update_squares) {
        const double difference = Kokkos::abs(x(i) - 1);
        // A comparison with NaN is false: it would be lost without a word.
        if (!(difference <= update_largest)) update_largest = difference;
        update_squares += difference * difference;
      },
      Kokkos::Max<double>(largest), squares);
  exec.fence("ashlar: error");
  squares = comm.sum(squares);
  largest = std::isfinite(squares) ? comm.max(largest) : squares;
  return {largest, std::sqrt(squares / static_cast<double>(comm.sum(x.extent(0))))};
}

template Solution<HostExecution> solve(const HostExecution&, const World&, const LinearSystem<HostExecution>&,
                                       const SolveOptions&, Phases&, const Monitor&, SolveTrace<HostExecution>*,
                                       const Vector<HostExecution>&);
template SolutionError error_against_ones(const HostExecution&, const Communicator&, const Vector<HostExecution>&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Solution<Execution> solve(const Execution&, const World&, const LinearSystem<Execution>&, const SolveOptions&,
                                   Phases&, const Monitor&, SolveTrace<Execution>*, const Vector<Execution>&);
template SolutionError error_against_ones(const Execution&, const Communicator&, const Vector<Execution>&);
#endif

}  // namespace ashlar::app
