#pragma once

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "types.hpp"

namespace ashlar::app {

/// The preconditioner that was asked for. It looks at the diagonal alone, which goes to the device also where the
/// matrix does not stay there.
///
/// Throws   NumericalError where it does not exist, naming the system and the rows.
template <class Exec>
Preconditioner<Exec> make_preconditioner(const Exec& exec, const LinearSystem<Exec>& system, PreconditionerKind kind);

}  // namespace ashlar::app
