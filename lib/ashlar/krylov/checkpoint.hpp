#pragma once

#include <ashlar/krylov/cg_scalars.hpp>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <limits>
#include <string>
#include <type_traits>
#include <vector>

namespace ashlar {

/// The counts and measures of a solve so far, beside its vectors and scalars.
struct SolveAccount {
  /// Norms of a true residual: the norm that judges the solve, the 2-norm, and the norm of M^-1 r.
  struct TrueResidual {
    double norm = 0, two = 0, preconditioned = 0;
  };

  TrueResidual first, last, best;  ///< at the first start, at the last, and at the best
  std::int64_t starts = 0, iterations_enqueued = 0, products_besides = 0;
  double hidden_before = std::numeric_limits<double>::max();  ///< SolveLoop::tightens()
  bool has_best = false, is_tightened = false, is_examined = false, is_unsuited = false;
};
static_assert(std::is_trivially_copyable_v<SolveAccount> && std::is_trivially_copyable_v<CgScalars>);

/// A solve by cg() between two iterations, of one part of the system. A solve that resumes from it gives the same bits
/// as one without a break, on the same machine.
struct CgCheckpoint {
  std::string launch;  ///< SolveReport::launch: other launches add up in other orders
  std::string scalar;  ///< scalar_name() of the vectors
  double scale = 1;    ///< of b: another right-hand side has another, but for chance
  CgScalars scalars;
  SolveAccount account;
  std::vector<double> norms;  ///< of the recurrence, by iteration
  /// The bytes of x, r, p, the best x of all starts, and with a preconditioner z.
  std::vector<std::vector<std::byte>> vectors;
};

/// When cg() saves checkpoints, and from which it resumes. Over ranks every rank has its own, of the same solve.
struct CgCheckpoints {
  /// Asked at checks: whether it is time to save. If any rank says so, all ranks save, at the same iteration.
  std::function<bool()> is_due = {};
  /// Called with a checkpoint when it is time, and when the monitor stops the solve; no checkpoints if it is empty.
  std::function<void(const CgCheckpoint&)> save = {};
  const CgCheckpoint* resume = nullptr;  ///< the solve goes on from here; b, A and M are those of the solve before
};

}  // namespace ashlar
