#include <ashlar/base/error.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/identity_preconditioner.hpp>
#include <ashlar/krylov/pipelined_cg.hpp>
#include <ashlar/krylov/single_reduction_cg.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cg/forms.hpp>
#include <cg/solves.hpp>
#include <cstdio>
#include <string>
#include <vector>

namespace ashlar::perf {

namespace {

/// All there are, for b and x. `exec`, `a` and `m` are to live as long as they do.
template <class Op, class M>
std::vector<SolverForm> forms_of(const Exec& exec, const Op& a, const M& m, const Vector<double>& b,
                                 const Vector<double>& x) {
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
  return {{"one_by_one", 0, standard(CgLaunch::one_by_one)}, {"graph", 1, standard(CgLaunch::graph)},
          {"persistent", 1, standard(CgLaunch::persistent)}, {"automatic", 1, standard(CgLaunch::automatic)},
          {"single_reduction", 1, single_reduction},         {"pipelined", 3, pipelined}};
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
    if (!is_among(options.forms, form.name)) continue;
    const CgForm named{"ashlar", form.name};
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
