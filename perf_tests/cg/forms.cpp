#include <ashlar/base/error.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cg/check.hpp>
#include <cg/floor.hpp>
#include <cg/forms.hpp>
#include <cg/solves.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace ashlar::perf {

namespace {

/// All there are, for b and x. `exec`, `a` and `m` are to live as long as they do.
template <class M>
std::vector<SolverForm> forms_of(const Exec& exec, const BcsrOperator<Matrix>& a, const M& m, const Vector<double>& b,
                                 const Vector<double>& x) {
  // Pipelined CG replaces its vectors after 24 iterations, and takes twice as many between checks.
  constexpr int of_cg = 48, any = most_iterations;
  const double bytes = iteration_bytes(a.matrix());
  const auto cg_form = [&](const char* name, int slack, const auto& solve) {
    return SolverForm{{"ashlar", name, bytes}, slack, of_cg, solve};
  };
  const auto standard = [&exec, &a, &m, b, x](CgLaunch launch) {
    return [&exec, &a, &m, b, x, launch](CgOptions options) {
      options.launch = launch;
      return cg(exec, a, m, b, x, options);
    };
  };
  const auto single_reduction = [&exec, &a, &m, b, x](const CgOptions& options) {
    return single_reduction_cg(exec, a, m, b, x, options);
  };
  const auto pipelined = [&exec, &a, &m, b, x](const CgOptions& options) {
    return pipelined_cg(exec, a, m, b, x, options);
  };
  const auto gmres_form = [&exec, &a, &m, b, x](const CgOptions& options) {
    return gmres(exec, a, m, b, x, {.rtol = options.rtol, .max_iterations = options.max_iterations});
  };
  const auto bicgstab_form = [&exec, &a, &m, b, x](const CgOptions& options) {
    return bicgstab(exec, a, m, b, x, {.rtol = options.rtol, .max_iterations = options.max_iterations});
  };
  const int restart = GmresOptions{}.restart;
  return {cg_form("one_by_one", 0, standard(CgLaunch::one_by_one)),
          cg_form("graph", 1, standard(CgLaunch::graph)),
          cg_form("persistent", 1, standard(CgLaunch::persistent)),
          cg_form("automatic", 1, standard(CgLaunch::automatic)),
          cg_form("single_reduction", 1, single_reduction),
          cg_form("pipelined", 3, pipelined),
          {{"ashlar", "gmres", gmres_bytes(a.matrix(), restart)}, any, 2 * restart, gmres_form},
          {{"ashlar", "bicgstab", bicgstab_bytes(a.matrix())}, any, of_cg, bicgstab_form}};
}

/// Those that the options name, with one preconditioner.
template <class M>
void measure_with(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, const M& m,
                  CgResults& results) {
  const BcsrOperator<Matrix> a(exec, system.matrix);
  std::printf("  %s\n", a.plan().explain().c_str());
  const Vector<double> x("perf::x", system.matrix.num_rows());
  const std::vector<SolverForm> forms = forms_of(exec, a, m, system.b, x);
  const Solves solves(exec, options, system, x);
  const int expected = solves.converge(forms.front()).iterations;
  for (const SolverForm& form : forms) {
    const CgForm& named = form.named;
    if (!is_among(options.forms, named.kernel)) continue;
    try {
      const std::string fault = solves.fault_of(form, expected);
      if (fault.empty()) {
        results.add(named, solves.times_of(form));
      } else {
        results.add_wrong(named, fault);
      }
    } catch (const ArgumentError& error) {
      results.leave_out(named, error.what());
    } catch (const Error& error) {
      results.add_wrong(named, error.what());
    }
  }
}

}  // namespace

void measure_forms(const Exec& exec, const CgPerfOptions& options, const CgSystem& system, CgResults& results) {
  for (const std::string& preconditioner : system.preconditioners) {
    results.begin(system, preconditioner);
    if (preconditioner == "none") {
      measure_with(exec, options, system, IdentityPreconditioner(), results);
    } else {
      measure_with(exec, options, system, BlockJacobiPreconditioner<Matrix>(exec, system.matrix), results);
    }
  }
}

}  // namespace ashlar::perf
