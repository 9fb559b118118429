#pragma once

#include <string_view>

namespace ashlar::multigrid {

/// Finite volumes of order 2 (7 points) and of order 4 (25 points); unknowns are averages over cells.
enum class Discretisation { fv2, fv4 };
/// -div(beta grad u) = f, or alpha u - div(beta grad u) = f.
enum class Equation { poisson, helmholtz };
enum class Smoother { gsrb, chebyshev, jacobi };
/// V-cycles from zero; one F-cycle; one F-cycle and V-cycles after it.
enum class Cycle { f, v, fv };
/// Whether a level over ranks computes cells while its messages are on their way. Only levels in the blocking mode may.
/// With `automatic` set-up measures which is faster. The bits are the same.
enum class Overlap { automatic, on, off };
/// How fv4 computes the fluxes into cells. By cells, a thread takes a cell, or on CPUs a tile of rows. By planes, a
/// team of threads goes through the planes of a tile and reads each value from memory about once. The bits are the
/// same. fv2 sweeps in place and by cells.
enum class SweepForm { automatic, cells, planes };

std::string_view to_string(Discretisation discretisation);
std::string_view to_string(Equation equation);
std::string_view to_string(Smoother smoother);
std::string_view to_string(Cycle cycle);
std::string_view to_string(Overlap overlap);
std::string_view to_string(SweepForm form);

/// How far the operator reaches, in cells: so many ghost cells lie around each box.
constexpr int reach_of(Discretisation discretisation) { return discretisation == Discretisation::fv2 ? 1 : 2; }

}  // namespace ashlar::multigrid
