#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <ashlar/streaming/streamed_symmetric_matrix.hpp>
#include <cstdint>

namespace ashlar::app {

/// What the command is compiled for: the device of this build, double precision, 32-bit indices.
using Execution = Kokkos::DefaultExecutionSpace;
using Space = Execution::memory_space;
using Matrix = BcsrMatrix<double, BlockColumnMajor, std::int32_t, std::int32_t, Space>;
using Vector = Kokkos::View<double*, Space>;
/// Right-hand sides, solutions: a column each.
using Block = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
/// A matrix too large for the device, which goes through it.
using Streamed = StreamedMatrix<Matrix>;
using StreamedHalf = StreamedSymmetricMatrix<Matrix>;
/// What the solvers see, so that they are compiled once.
using Operator = AnyOperator<double, Execution>;
using Preconditioner = AnyPreconditioner<double, Execution>;
using HostMatrix = Streamed::host_type;
using HostExecution = Kokkos::DefaultHostExecutionSpace;

inline constexpr bool has_device_memory =
    !Kokkos::SpaceAccessibility<Kokkos::DefaultHostExecutionSpace, Space>::accessible;

}  // namespace ashlar::app
