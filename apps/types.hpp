#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <cstdint>

namespace ashlar::app {

/// The execution spaces of the command: the device of this build; and the host, for ranks that compute there. They are
/// one if there is no device.
using Execution = Kokkos::DefaultExecutionSpace;
using HostExecution = Kokkos::DefaultHostExecutionSpace;
using Space = Execution::memory_space;

// In double precision, with 32-bit indices, for either of them.

template <class Exec>
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, typename Exec::memory_space>;
template <class Exec>
using Vector = Kokkos::View<double*, typename Exec::memory_space>;
/// Right-hand sides, solutions: a column each.
template <class Exec>
using Block = Kokkos::View<double**, Kokkos::LayoutRight, typename Exec::memory_space>;
/// A matrix too large for the device, which goes through it.
template <class Exec>
using Streamed = StreamedMatrix<Matrix<Exec>>;
template <class Exec>
using StreamedHalf = StreamedSymmetricMatrix<Matrix<Exec>>;
template <class Exec>
using HostMatrix = typename Streamed<Exec>::host_type;
/// The types that the solvers see, so that they are compiled once for each.
template <class Exec>
using Operator = AnyOperator<double, Exec>;
template <class Exec>
using Preconditioner = AnyPreconditioner<double, Exec>;

/// True if kernels work in memory that is not the host's.
template <class Exec>
inline constexpr bool has_device_memory =
    !Kokkos::SpaceAccessibility<HostExecution, typename Exec::memory_space>::accessible;

}  // namespace ashlar::app
