#include <algorithm>
#include <ashlar/amg/preconditioner_bytes.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix_bytes.hpp>
#include <ashlar/host/memory.hpp>
#include <ashlar/krylov/bicgstab.hpp>
#include <ashlar/krylov/block_cg.hpp>
#include <ashlar/krylov/cg.hpp>
#include <ashlar/krylov/gmres.hpp>
#include <ashlar/krylov/iterative_refinement.hpp>
#include <ashlar/krylov/minres.hpp>
#include <ashlar/operators/preconditioner_bytes.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <limits>

#include "matrix_bytes.hpp"
#include "solve/memory_need.hpp"

namespace ashlar::app {

namespace {

/// The modes of amg at most: rigid-body modes are twice as many as the unknowns of a node in three dimensions.
std::uint64_t most_modes(const MatrixShape& shape, const SolveOptions& options) {
  const MethodOptions& method = options.method;
  if (method.near_null_columns) return std::uint64_t(*method.near_null_columns);
  return method.near_null == NearNullKind::constants ? shape.block_size : 2 * shape.block_size;
}

Bytes amg_bytes(const MatrixShape& shape, const SolveOptions& options) {
  return {amg::preconditioner_bytes<SizedMatrix>(shape.num_block_rows, shape.num_blocks, shape.block_size,
                                                 most_modes(shape, options))};
}

Bytes preconditioner_bytes(const MatrixShape& shape, const SolveOptions& options, MatrixPlace place) {
  switch (options.method.preconditioner) {
    case PreconditionerKind::jacobi:
      return {jacobi_bytes<SizedMatrix>(shape.num_block_rows, shape.block_size)};
    case PreconditionerKind::automatic:  // amg only if there is room for it
    case PreconditionerKind::block_jacobi:
      return {block_jacobi_bytes<SizedMatrix>(shape.num_block_rows, shape.block_size)};
    case PreconditionerKind::ilu0:  // values of its own, inverse blocks, the orders of rows
      return matrix_bytes(shape) + Bytes{block_jacobi_bytes<SizedMatrix>(shape.num_block_rows, shape.block_size)};
    case PreconditionerKind::ssor:
      return {block_jacobi_bytes<SizedMatrix>(shape.num_block_rows, shape.block_size)};
    case PreconditionerKind::amg:
      if (place != MatrixPlace::device) break;
      return amg_bytes(shape, options);
    case PreconditionerKind::none:
      break;
  }
  return {0};
}

/// The bytes that the solver allocates for this number of rows.
std::uint64_t method_bytes(std::int64_t rows, const MethodOptions& method) {
  const bool preconditioned = method.preconditioner != PreconditionerKind::none;
  switch (method.solver) {
    case SolverKind::block_cg:
      return block_cg_bytes(rows, method.num_rhs, sizeof(double), preconditioned);
    case SolverKind::automatic:  // at most; for GMRES it needs more room
    case SolverKind::minres:
      return minres_bytes(rows, sizeof(double), preconditioned);
    case SolverKind::gmres:
      return gmres_bytes(rows, sizeof(double), preconditioned, method.restart_or_default());
    case SolverKind::bicgstab:
      return bicgstab_bytes(rows, sizeof(double), preconditioned);
    case SolverKind::cg:
      break;
  }
  switch (method.variant) {
    case VariantKind::single_reduction:
      return single_reduction_cg_bytes(rows, sizeof(double), preconditioned);
    case VariantKind::pipelined:
      return pipelined_cg_bytes(rows, sizeof(double), preconditioned);
    case VariantKind::standard:
      break;
  }
  return cg_bytes(rows, sizeof(double), preconditioned);
}

}  // namespace

std::uint64_t solver_bytes(const MatrixShape& shape, const SolveOptions& options, MatrixPlace place) {
  const MethodOptions& method = options.method;
  const Bytes rows = Bytes{shape.num_block_rows} * Bytes{shape.block_size};
  // As many as there can be; a file may promise more.
  const std::uint64_t most_rows = std::numeric_limits<SizedMatrix::ordinal_type>::max() * std::uint64_t(max_block_size);
  const auto counted = static_cast<std::int64_t>(std::min(rows.count, most_rows));
  // b and x of all right-hand sides; of block CG one right-hand side more, while they are made.
  const std::uint64_t num_rhs = std::uint64_t(method.num_rhs);
  // All columns of a file of several are kept, and their solutions by all solvers but block CG.
  const std::uint64_t columns = options.source.rhs_columns > 1 ? std::uint64_t(options.source.rhs_columns) : 0;
  const bool is_block = method.solver == SolverKind::block_cg;
  const Bytes vectors{2 * num_rhs + (is_block ? 1 : 0) + (is_block ? 1 : 2) * columns};
  if (method.precision == PrecisionKind::mixed) {
    // Values of float and a graph besides, with a second block on the diagonal of each block row.
    const std::uint64_t num_blocks = shape.num_blocks + shape.num_block_rows;
    const Bytes low = Bytes{num_blocks} * (Bytes{shape.block_size * shape.block_size * sizeof(float)} + index_bytes) +
                      Bytes{shape.num_block_rows + 1} * index_bytes;
    return (low + preconditioner_bytes(shape, options, place) + vectors * rows * scalar_bytes +
            Bytes{refined_cg_bytes(counted, sizeof(double), sizeof(double),
                                   method.preconditioner != PreconditionerKind::none)})
        .count;
  }
  return (preconditioner_bytes(shape, options, place) + vectors * rows * scalar_bytes +
          Bytes{method_bytes(counted, method)})
      .count;
}

std::uint64_t device_bytes(const MatrixShape& shape, const SolveOptions& options) {
  return (matrix_bytes(shape) + Bytes{solver_bytes(shape, options)}).count;
}

template <class Exec>
std::uint64_t device_limit(const SolveOptions& options) {
  const std::uint64_t limit = options.placement.device_memory_limit.value_or(std::numeric_limits<std::uint64_t>::max());
  return std::min(limit, bytes_left<typename Exec::memory_space>());
}

template <class Exec>
MatrixPlace place_of(const MatrixShape& shape, const SolveOptions& options, bool is_in_block_file) {
  switch (options.placement.stream) {
    case StreamKind::off:
      return MatrixPlace::device;
    case StreamKind::on:
      return MatrixPlace::host;
    case StreamKind::from_file:
      return MatrixPlace::file;
    case StreamKind::automatic:
      break;
  }
  if (options.method.tune || device_bytes(shape, options) <= device_limit<Exec>(options)) return MatrixPlace::device;
  // Where host and device are one memory, the host's has no more room.
  const bool host_has_room =
      has_device_memory<Exec> && matrix_bytes(shape).count <= bytes_left<HostExecution::memory_space>();
  if (is_in_block_file && !host_has_room && options.placement.transfer == TransferKind::all) return MatrixPlace::file;
  return has_device_memory<Exec> ? MatrixPlace::host : MatrixPlace::device;
}

template <class Exec>
void require_memory_for(const MatrixShape& shape, const std::string& what, const SolveOptions& options,
                        MatrixPlace place) {
  // Its half is made beside the whole.
  const std::uint64_t num_half_blocks = (shape.num_blocks + shape.num_block_rows + 1) / 2;
  const bool has_half = place == MatrixPlace::host && options.placement.transfer == TransferKind::half;
  Bytes half = has_half ? matrix_bytes({shape.num_block_rows, num_half_blocks, shape.block_size}) : Bytes{0};
  if (has_half && !has_device_memory<Exec>) {  // and its index of columns
    half = half + Bytes{transpose_index_bytes<SizedMatrix>(shape.num_block_rows, num_half_blocks)};
  }
  if (place == MatrixPlace::device || (place == MatrixPlace::host && !has_device_memory<Exec>)) {
    return require_device_memory<Exec>((Bytes{device_bytes(shape, options)} + half).count, what, options);
  }
  const Bytes block_rows{shape.num_block_rows}, rows = block_rows * Bytes{shape.block_size};
  // The other memory for streaming depends on the structure, which does not exist yet (StreamedMatrix::estimate): at
  // least the row pointers of the matrix and of its parts; on a device Kokkos' own memory and two small buffers.
  Bytes least = Bytes{solver_bytes(shape, options, place)} + Bytes{2} * block_rows * index_bytes;
  if (has_device_memory<Exec>) least = least + Bytes{8 << 20};
  const PreconditionerKind kind = options.method.preconditioner;
  if (kind == PreconditionerKind::block_jacobi || kind == PreconditionerKind::automatic) {
    // Its diagonal blocks come to the device, and are inverted to others.
    const Bytes peak = matrix_bytes({shape.num_block_rows, shape.num_block_rows, shape.block_size}) +
                       preconditioner_bytes(shape, options, place) + rows * scalar_bytes;
    least.count = std::max(least.count, peak.count);
  }
  Bytes on_host = matrix_bytes(shape) + half;
  if (kind == PreconditionerKind::amg) {  // its set-up for the finest level is the host's
    least = least + Bytes{amg::streamed_level_bytes<SizedMatrix>(shape.num_block_rows, shape.block_size,
                                                                 options.method.amg_smoother)};
    on_host = on_host + amg_bytes(shape, options);
  }
  // A small matrix takes less than what streaming takes besides.
  const std::uint64_t resident = device_bytes(shape, options);
  if (options.placement.stream == StreamKind::automatic && resident <= least.count) {
    return require_device_memory<Exec>(resident, what, options);
  }
  require_device_memory<Exec>(least.count, what + ", without the matrix", options);
  if (place == MatrixPlace::host) require_host_memory(on_host.count, what);
}

template <class Exec>
FileNeed file_need(const io::MatrixMarketHeader& header, std::uint64_t file_size, const SolveOptions& options) {
  const std::uint64_t block_size = std::max(options.source.block_size.value_or(1), 1);
  FileNeed need;
  const MatrixShape least = least_shape(header, file_size, block_size);
  const bool streamed = has_device_memory<Exec> && place_of<Exec>(least, options) == MatrixPlace::host;
  need.device_bytes = streamed ? solver_bytes(least, options, MatrixPlace::host) : device_bytes(least, options);
  need.host_bytes = reading_bytes(header, file_size, block_size);
  if (!has_device_memory<Exec>) need.host_bytes = std::max(need.host_bytes, need.device_bytes);
  return need;
}

void require_within_limit(std::uint64_t needed, std::uint64_t available, const std::string& what,
                          const SolveOptions& options) {
  if (needed <= available) return;
  if (options.placement.device_memory_limit != available) return require_memory(needed, available, what);
  throw MemoryError(
      needed, available, text(what, " needs ", bytes_text(needed)),
      text(available == 1 ? "1 byte is" : bytes_text(available) + " are", " available by --device-memory-limit"),
      "pass a larger one, or make the system smaller");
}

template <class Exec>
void require_device_memory(std::uint64_t needed, const std::string& what, const SolveOptions& options) {
  require_within_limit(needed, device_limit<Exec>(options), what, options);
}

template std::uint64_t device_limit<HostExecution>(const SolveOptions&);
template MatrixPlace place_of<HostExecution>(const MatrixShape&, const SolveOptions&, bool);
template void require_memory_for<HostExecution>(const MatrixShape&, const std::string&, const SolveOptions&,
                                                MatrixPlace);
template FileNeed file_need<HostExecution>(const io::MatrixMarketHeader&, std::uint64_t, const SolveOptions&);
template void require_device_memory<HostExecution>(std::uint64_t, const std::string&, const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template std::uint64_t device_limit<Execution>(const SolveOptions&);
template MatrixPlace place_of<Execution>(const MatrixShape&, const SolveOptions&, bool);
template void require_memory_for<Execution>(const MatrixShape&, const std::string&, const SolveOptions&, MatrixPlace);
template FileNeed file_need<Execution>(const io::MatrixMarketHeader&, std::uint64_t, const SolveOptions&);
template void require_device_memory<Execution>(std::uint64_t, const std::string&, const SolveOptions&);
#endif

std::uint64_t bytes_beside_streaming(const MatrixShape& shape, const SolveOptions& options, std::uint64_t besides) {
  const std::uint64_t x_and_y =
      2 * shape.num_block_rows * shape.block_size * sizeof(double) * std::uint64_t(options.method.num_rhs);
  return solver_bytes(shape, options, MatrixPlace::host) + besides - x_and_y;
}

StreamingOptions streaming_options(const MatrixShape& shape, const SolveOptions& options, std::uint64_t limit,
                                   std::uint64_t besides) {
  StreamingOptions streaming;
  streaming.product.kernel = options.method.kernel;
  streaming.product.num_vectors = options.method.num_rhs;
  const std::uint64_t taken = bytes_beside_streaming(shape, options, besides);
  streaming.device_memory_limit = limit > taken ? limit - taken : 1;
  return streaming;
}

}  // namespace ashlar::app
