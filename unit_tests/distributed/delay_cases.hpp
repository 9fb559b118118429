#pragma once

#include <gtest/gtest.h>

#include <chrono>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/minres.hpp>

#include "distributed/exchange_mode_cases.hpp"

// Solves in which ranks wait for each other for a random time.
namespace ashlar::testing {

/// How many solves of 40 iterations: ASHLAR_TEST_ROUNDS, or 3.
inline int delayed_rounds() {
  const char* const asked = std::getenv("ASHLAR_TEST_ROUNDS");
  return asked == nullptr ? 3 : std::stoi(asked);
}

/// Sleeps up to so many microseconds.
class RandomDelay {
 public:
  explicit RandomDelay(unsigned seed) : random_(seed) {}
  void up_to(unsigned microseconds) {
    std::this_thread::sleep_for(std::chrono::microseconds(random_() % microseconds));
  }

 private:
  std::mt19937 random_;
};

/// A preconditioner that keeps its rank waiting before it is applied, at times: what the rank enqueues comes late then,
/// in the midst of an iteration. Nothing of that is captured.
class DelayedPreconditioner {
 public:
  DelayedPreconditioner(AnyM held, unsigned seed)
      : held_(std::move(held)), delay_(std::make_shared<RandomDelay>(seed)) {}

  template <class R, class Z>
  void apply(const Exec& exec, const R& r, const Z& z) const {
    wait_at_times();
    held_.apply(exec, r, z);
  }
  // (A sum of its own over r and z would have other bits.)
  template <class R, class Z>
  void apply_dot(const Exec& exec, const R& r, const Z& z, const TeamSumsAccess& sums, double* slot) const {
    wait_at_times();
    held_.apply_dot(exec, r, z, sums, slot);
  }
  bool is_identity() const { return false; }
  bool is_stream_ordered() const { return held_.is_stream_ordered(); }
  bool is_capturable() const { return false; }
  std::int64_t traffic_bytes() const { return held_.traffic_bytes(); }

 private:
  void wait_at_times() const {
    if (++*count_ % 8 == 0) delay_->up_to(500);
  }

  AnyM held_;
  std::shared_ptr<RandomDelay> delay_;
  std::shared_ptr<int> count_ = std::make_shared<int>(0);
};

enum class DelayedSolver { cg, gmres, bicgstab, minres };

/// A solve of 40 iterations by one of them, which is asked for more accuracy than there is.
inline void iterate_by(DelayedSolver solver, const BeamOfRanks& system, const AnyM& m, const Vector& x, Launch launch,
                       const Monitor& monitor) {
  SolverOptions common{.rtol = 1e-30, .max_iterations = 40, .check_interval = 10, .launch = launch, .monitor = monitor};
  switch (solver) {
    case DelayedSolver::gmres:
      gmres(system.exec, system.a, m, system.b, x,
            {.rtol = common.rtol,
             .max_iterations = common.max_iterations,
             .check_interval = common.check_interval,
             .launch = launch,
             .monitor = monitor,
             .restart = 15});
      return;
    case DelayedSolver::bicgstab:
      bicgstab(system.exec, system.a, m, system.b, x, common);
      return;
    case DelayedSolver::minres:
      minres(system.exec, system.a, m, system.b, x, common);
      return;
    case DelayedSolver::cg:
      break;
  }
  cg(system.exec, system.a, m, system.b, x,
     {.rtol = common.rtol,
      .max_iterations = common.max_iterations,
      .check_interval = common.check_interval,
      .launch = launch,
      .monitor = monitor});
}

/// Many short solves: before each of them, between its intervals, and in iterations that are not of one kernel each
/// rank sleeps for a time of its own. The same bits each time.
inline void expect_same_bits_with_delays(const Communicator& comm, ExchangeMode mode,
                                         DelayedSolver solver = DelayedSolver::cg) {
  const auto seed = unsigned(comm.rank());
  RandomDelay before(seed), between(seed + 2000);
  for (const CgLaunch launch : {CgLaunch::one_by_one, CgLaunch::automatic}) {
    const BeamOfRanks system(comm, in_mode(mode, Decomposition::one_d));
    ASSERT_TRUE(comm.is_alone() || system.a.exchange_mode() == mode);
    const AnyM plain = system.preconditioner(Kind::block_jacobi), delayed(DelayedPreconditioner(plain, seed + 1000));
    const Vector x("test::x", system.b.extent(0));
    const auto solved = [&](const AnyM& m) {
      Kokkos::deep_copy(system.exec, x, 0.0);
      // (Where one kernel iterates, the others' kernels wait for the next one of a rank that comes late.)
      iterate_by(solver, system, m, x, launch, Monitor([&](int, double) { between.up_to(500); }));
      return to_host(x);
    };
    for (const bool amid : {false, true}) {
      SCOPED_TRACE(text(to_string(mode), ", ", launch == CgLaunch::automatic ? "automatic" : "kernel by kernel",
                        amid ? ", delays amid iterations" : ""));
      const AnyM& m = amid ? delayed : plain;
      // Kernel by kernel delays change no bit; where one kernel would iterate, delays amid iterations keep it from
      // that.
      const std::vector<double> first = solved(launch == CgLaunch::one_by_one ? plain : m);
      for (int round = 0; round < delayed_rounds(); ++round) {
        before.up_to(1000);
        EXPECT_EQ(solved(m), first) << "round " << round;
      }
    }
  }
}

}  // namespace ashlar::testing
