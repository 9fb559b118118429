#pragma once

#include <cg/system.hpp>
#include <string>
#include <support/types.hpp>

// What solutions are checked by before their solves are timed.

namespace ashlar::perf {

/// How small ||b - A x|| / ||b|| is to become: by the solvers, and by plain loops, which round otherwise.
inline constexpr double rtol = 1e-8, plain_rtol = 1.01e-8;

/// Nothing that is right takes more.
inline constexpr int most_iterations = 20000;

/// Computes ||b - A x|| / ||b|| by plain loops, which share no code with what is measured. What is wrong with it, for
/// people; nothing where it is small enough.
std::string fault_of_residual(const Exec& exec, const CgSystem& system, const Vector<double>& x);

/// Whether both are the same numbers to the last bit.
bool same_bits(const Exec& exec, const Vector<double>& x, const Vector<double>& y);

}  // namespace ashlar::perf
