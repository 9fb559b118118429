#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/krylov/cg_options.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/drive.hpp>
#include <ashlar/krylov/impl/on_all_parts.hpp>
#include <ashlar/krylov/impl/require_system.hpp>
#include <ashlar/krylov/impl/residual.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <type_traits>
#include <vector>

namespace ashlar::impl {

/// What all parts of a system are asked for alike.
inline std::vector<Asked> asked(const CgOptions& options) {
  return {{"rtol", options.rtol},
          {"atol", options.atol},
          {"norm", double(options.norm)},
          {"max_iterations", double(options.max_iterations)},
          {"stagnation_window", double(options.stagnation_window)},
          {"check_interval", double(options.check_interval)},
          {"launch", double(options.launch)},
          {"x_update", double(options.x_update)},
          {"a monitor that may stop", double(options.monitor.may_stop())},
          {"checkpoints", double(bool(options.checkpoints.save))},
          {"a checkpoint to resume from", double(options.checkpoints.resume != nullptr)}};
}

/// A form of CG, which takes of the options what it knows.
template <class Form, class Exec, class Op, class M, class X>
Form make(const Exec& exec, const Op& a, const M& m, const X& x, const CgOptions& options) {
  const auto form = [&] {
    if constexpr (std::is_constructible_v<Form, const Exec&, const Op&, const M&, const X&, const CgOptions&>) {
      return Form(exec, a, m, x, options);
    } else {
      return Form(exec, a, m, x);
    }
  };
  Form result = form();
  result.judge_by(options.norm);
  return result;
}

/// One solve by one form of CG.
template <template <class, class, class, class> class Method, class Exec, class Op, class M, class B, class X>
SolveReport solve_with(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, const CgOptions& options) {
  static_assert(SystemOfOneVector<Exec, Op, M, B, X>::value);
  using Form = Method<Exec, Op, M, X>;
  const auto space = a.space();
  check_on_all_parts(space, Form::name, [&] {
    check_vectors(Form::name, space.num_local(), b, x);
    check_stopping(Form::name, options.rtol, options.atol, options.max_iterations, options.stagnation_window,
                   options.check_interval);
    if constexpr (!requires(const Form& form) { form.state(); }) {
      if (options.checkpoints.save || options.checkpoints.resume != nullptr) {
        throw ArgumentError(text(Form::name, ": checkpoints"), "cg() alone has them", "leave them out, or call cg()");
      }
    }
  });
  require_same_on_all_parts(space, Form::name, asked(options));
  Driver<Exec, Form, Op, M> driver(exec, make<Form>(exec, a, m, x, options), a, m, options.launch);
  return driver.solve(exec, b, options);
}

}  // namespace ashlar::impl
