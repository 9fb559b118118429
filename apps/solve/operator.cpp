#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/operators/bcsr_operator.hpp>
#include <ashlar/spmv/tune.hpp>
#include <cstdint>
#include <memory>
#include <utility>

#include "solve/files.hpp"
#include "solve/memory_need.hpp"
#include "solve/solver_parts.hpp"
#include "solve/streamed_operator.hpp"

namespace ashlar::app {

namespace {

template <class Exec>
SystemOperator<Exec> of_resident(BcsrOperator<Matrix<Exec>> op, std::optional<TuningTable> tuning = std::nullopt) {
  const std::string kernel(to_string(op.plan().kernel()));
  return {Operator<Exec>(std::move(op)), kernel, std::nullopt, std::move(tuning), nullptr};
}

}  // namespace

template <class Exec>
SystemOperator<Exec> make_operator(const Exec& exec, const LinearSystem<Exec>& system, const SolveOptions& options) {
  if (system.over_ranks) {
    SystemOperator<Exec> result{Operator<Exec>(system.over_ranks), std::string(to_string(system.over_ranks->kernel())),
                                std::nullopt, std::nullopt, nullptr};
    if (system.over_ranks->streamed()) {
      result.record = [op = system.over_ranks](StreamTimeline<Exec>& timeline) {
        return op->streamed()->record(timeline);
      };
    }
    return result;
  }
  // It was set up when the file was checked.
  if (system.in_file) return operator_of<Exec>(StreamedProduct<Streamed<Exec>>{system.in_file});
  if (system.streamed && options.placement.transfer == TransferKind::half) {
    return operator_of<Exec>(
        streamed_from_memory<StreamedHalf<Exec>>(exec, system, half_of<Exec>(*system.streamed), options));
  }
  if (system.streamed) {
    return operator_of<Exec>(streamed_from_memory<Streamed<Exec>>(exec, system, *system.streamed, options));
  }
  if (options.method.tune) {
    TuningTable tuning = load_tuning(options.method);
    BcsrOperator<Matrix<Exec>> op(system.matrix, tuned_plan(exec, system.matrix, tuning));
    return of_resident<Exec>(std::move(op), std::move(tuning));
  }
  const SpmvOptions product{.kernel = options.method.kernel, .num_vectors = options.method.num_rhs};
  return of_resident<Exec>(BcsrOperator<Matrix<Exec>>(exec, system.matrix, product));
}

template SystemOperator<HostExecution> make_operator(const HostExecution&, const LinearSystem<HostExecution>&,
                                                     const SolveOptions&);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template SystemOperator<Execution> make_operator(const Execution&, const LinearSystem<Execution>&, const SolveOptions&);
#endif

namespace {

template <class Exec>
using Range = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;

struct RowCheck {
  std::int64_t num_nonzeros = 0;
  std::int64_t num_disordered = 0;  ///< blocks whose column is not after the one before
  std::int64_t first_bad = -1;      ///< the first value of the part that is no finite number
};

template <class Exec>
RowCheck check_rows(const Exec& exec, const Matrix<Exec>& rows, const Subdivision& part) {
  const std::int64_t per_block = rows.block_shape().num_values();
  const std::int64_t begin = (part.first_block - part.first_sent()) * per_block, count = part.num_blocks * per_block;
  const auto values = rows.values();
  RowCheck found;
  std::int64_t first_bad = count;
  Kokkos::parallel_reduce(
      "ashlar::app::check_rows", Range<Exec>(exec, 0, count),
      KOKKOS_LAMBDA(std::int64_t v, std::int64_t & nonzeros, std::int64_t & bad) {
        const double value = values(begin + v);
        nonzeros += value != 0;
        if (!Kokkos::isfinite(value) && v < bad) bad = v;
      },
      found.num_nonzeros, Kokkos::Min<std::int64_t>(first_bad));
  const auto row_ptr = rows.graph().row_ptr();
  const auto col_idx = rows.graph().col_idx();
  Kokkos::parallel_reduce(
      "ashlar::app::check_rows[columns]", Range<Exec>(exec, 0, part.num_rows),
      KOKKOS_LAMBDA(std::int64_t i, std::int64_t & disordered) {
        for (std::int64_t k = row_ptr(i) + 1; k < row_ptr(i + 1); ++k) disordered += col_idx(k) <= col_idx(k - 1);
      },
      found.num_disordered);
  exec.fence("ashlar: a check of some rows");
  if (first_bad < count) found.first_bad = first_bad;
  return found;
}

}  // namespace

template <class Exec>
FileMatrixFound<Exec> open_file_matrix(const Exec& exec, io::BlockFile file, const SolveOptions& options,
                                       std::uint64_t limit) {
  const std::string path = file.path();
  const MatrixShape shape{std::uint64_t(file.num_block_rows()), std::uint64_t(file.num_blocks()),
                          std::uint64_t(file.block_shape().rows)};
  // The diagonal blocks come to the device beside the preconditioner that is made of them.
  const bool has_diagonal = options.method.preconditioner != PreconditionerKind::none;
  const std::uint64_t diagonal =
      has_diagonal ? matrix_bytes({shape.num_block_rows, shape.num_block_rows, shape.block_size}).count : 0;
  FileMatrixFound<Exec> found;
  found.matrix = within_limit(limit, bytes_beside_streaming(shape, options, diagonal), path, options, [&] {
    return std::make_shared<Streamed<Exec>>(exec, typename Streamed<Exec>::file_type(std::move(file)),
                                            streaming_options(shape, options, limit, diagonal));
  });
  std::int64_t num_values = 0, num_nonzeros = 0;
  found.matrix->for_each(exec, [&](const Matrix<Exec>& rows, const SpmvPlan<Matrix<Exec>>&, const Subdivision& part) {
    const RowCheck check = check_rows(exec, rows, part);
    if (check.first_bad >= 0) {
      const std::int64_t block = part.first_block + check.first_bad / rows.block_shape().num_values();
      throw FileError(path, 0, text("block ", block, ", counted from 0, holds a value that is no finite number"),
                      "no solver gets far with it", "check the program that wrote the file");
    }
    if (check.num_disordered > 0) {
      throw FileError(path, 0,
                      text("block columns do not ascend in block rows ", part.first_row, " to ",
                           part.first_row + part.num_rows - 1, ", counted from 0"),
                      "each block of a row has a column after the one before", "check the program that wrote the file");
    }
    num_values += part.num_blocks * rows.block_shape().num_values();
    num_nonzeros += check.num_nonzeros;
  });
  if (num_nonzeros > 0) found.block_fill = static_cast<double>(num_values) / static_cast<double>(num_nonzeros);
  return found;
}

template FileMatrixFound<HostExecution> open_file_matrix(const HostExecution&, io::BlockFile, const SolveOptions&,
                                                         std::uint64_t);
#if defined(KOKKOS_ENABLE_CUDA) || defined(KOKKOS_ENABLE_HIP)
template FileMatrixFound<Execution> open_file_matrix(const Execution&, io::BlockFile, const SolveOptions&,
                                                     std::uint64_t);
#endif

}  // namespace ashlar::app
