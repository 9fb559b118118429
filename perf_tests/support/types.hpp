#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>

namespace ashlar::perf {

using Exec = Kokkos::DefaultExecutionSpace;
using Space = Exec::memory_space;
/// What the peers are measured on.
using Matrix = BcsrMatrix<double>;
using RowMajorMatrix = BcsrMatrix<double, BlockRowMajor>;
template <class Scalar>
using Vector = Kokkos::View<Scalar*, Space>;

}  // namespace ashlar::perf
