#pragma once

#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <cg/options.hpp>
#include <cg/results.hpp>
#include <cg/system.hpp>
#include <functional>
#include <string>
#include <support/types.hpp>
#include <vector>

namespace ashlar::perf {

/// One of our solvers, with all that it solves.
struct SolverForm {
  CgForm named;
  int slack;   ///< how many iterations more or less than one_by_one it may take
  int period;  ///< the numbers of iterations that are timed are multiples of it
  std::function<SolveReport(const CgOptions&)> solve;
};

/// Solves one system again and again, each time from x = 0.
class Solves {
 public:
  /// The forms solve for `x`.
  Solves(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, const Vector<double>& x);

  SolveReport converge(const SolverForm& form) const;

  /// Checks a form, where one_by_one takes so many iterations. What is wrong, for people; nothing where all is right.
  std::string fault_of(const SolverForm& form, int iterations_one_by_one) const;

  /// An iteration is the difference of two solves of few and of more iterations, over the iterations that they differ
  /// by: so what a solve takes at its start and its end does not count. Medians, in turns, after a warm-up.
  ///
  /// Throws   ArgumentError where solves end before they should, or the difference is lost in noise.
  CgTimes times_of(const SolverForm& form) const;

 private:
  struct Timed {
    SolveReport report;
    double seconds;
  };

  Timed solve(const SolverForm& form, const CgOptions& options) const;
  double seconds_of_iteration(const SolverForm& form) const;

  Exec exec_;
  int samples_;
  std::vector<int> asked_;  ///< iterations; none: by the form
  const CgSystem& system_;
  Vector<double> x_, first_x_;
};

}  // namespace ashlar::perf
