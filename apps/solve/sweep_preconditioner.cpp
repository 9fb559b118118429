#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/operators/ilu0_preconditioner.hpp>
#include <ashlar/operators/ssor_preconditioner.hpp>

#include "solve/solver_parts.hpp"

namespace ashlar::app {

template <class Exec>
Preconditioner<Exec> sweep_preconditioner(const Exec& exec, const Matrix<Exec>& matrix, PreconditionerKind kind,
                                          bool definite) {
  if constexpr (is_gpu_v<Exec>) {
    throw Error(text("--preconditioner ", to_string(kind), " on a GPU"), "its sweeps run on CPUs alone",
                "pass block-jacobi or amg, or take a build for CPUs");
  } else {
    if (kind == PreconditionerKind::ssor) {
      return Preconditioner<Exec>(SsorPreconditioner<Matrix<Exec>>(exec, matrix));
    }
    return Preconditioner<Exec>(Ilu0Preconditioner<Matrix<Exec>>(exec, matrix, {.positive_definite = definite}));
  }
}

template Preconditioner<HostExecution> sweep_preconditioner(const HostExecution&, const Matrix<HostExecution>&,
                                                            PreconditionerKind, bool);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template Preconditioner<Execution> sweep_preconditioner(const Execution&, const Matrix<Execution>&, PreconditionerKind,
                                                        bool);
#endif

}  // namespace ashlar::app
