#pragma once

#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/symmetry.hpp>
#include <ashlar/blas1/local_space.hpp>
#include <ashlar/distributed/operator.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/solver_options.hpp>
#include <ashlar/operators/any_operator.hpp>
#include <ashlar/operators/any_preconditioner.hpp>
#include <ashlar/problems/lattice.hpp>
#include <ashlar/spmv/tuning_table.hpp>
#include <ashlar/streaming/file_matrix.hpp>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>

#include "solve/options.hpp"
#include "solve/system.hpp"
#include "types.hpp"
#include "world.hpp"

namespace ashlar::app {

/// The system's matrix as the solvers see it, wherever it is; and what was decided on the way.
template <class Exec>
struct SystemOperator {
  Operator<Exec> op;
  std::string kernel;                    ///< that computes the products
  std::optional<std::string> streaming;  ///< how the plan for a streamed matrix came about
  std::optional<TuningTable> tuning;     ///< to be written, where --tune was given
  /// Records the products of a streamed matrix from then on; none of a matrix on the device, of which Kokkos tells.
  std::function<StreamRecording<Exec>(StreamTimeline<Exec>&)> record;
};

/// Plans the products: by the options, by a tuning table, or by measuring if a matrix is streamed from the host's
/// memory to a device.
///
/// Throws   what plans do; MemoryError where the device has too little memory for streaming, too.
template <class Exec>
SystemOperator<Exec> make_operator(const Exec& exec, const LinearSystem<Exec>& system, const SolveOptions& options);

/// A rank's work in a product over ranks, without the exchange, as an operator: to measure the time of the work alone.
/// Its halo entries are the last ones received.
template <class Exec>
class LocalWork {
 public:
  explicit LocalWork(std::shared_ptr<const DistributedOperator<Matrix<Exec>>> op) : op_(std::move(op)) {}

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    op_->apply_without_exchange(exec, x, y);
  }
  LocalSpace space() const { return LocalSpace(op_->space().num_local()); }
  std::int64_t traffic_bytes() const { return op_->traffic_bytes(); }
  HeldBytes bytes() const { return op_->bytes(); }
  bool is_stream_ordered() const { return is_gpu_v<Exec>; }
  std::string explain() const { return "a rank's part of a product, without the exchange"; }

 private:
  std::shared_ptr<const DistributedOperator<Matrix<Exec>>> op_;
};

/// A matrix that is too large for memory and stays in its block file, with the results of one pass through it.
template <class Exec>
struct FileMatrixFound {
  std::shared_ptr<Streamed<Exec>> matrix;
  double block_fill = 1;  ///< values stored over those that are not zero
};

/// Opens it for products that read the file, within what `limit` bytes leave beside the solver, and reads all of it
/// once: a file that is damaged anywhere is found out here.
///
/// Throws   FileError, which for a value that is no number names its block; MemoryError.
template <class Exec>
FileMatrixFound<Exec> open_file_matrix(const Exec& exec, io::BlockFile file, const SolveOptions& options,
                                       std::uint64_t limit);

/// The preconditioner that was asked for. All but algebraic multigrid use the diagonal alone, which goes to the
/// device also where the matrix does not stay there. `hierarchy` becomes the levels of algebraic multigrid, a line
/// each. `op` becomes the operator if that is made on the way: streamed_amg_preconditioner().
///
/// Throws   NumericalError where it does not exist, naming the system and the rows; of algebraic multigrid FileError
///          for the file of coordinates, and Error for a matrix that is streamed over ranks or from a file.
template <class Exec>
Preconditioner<Exec> make_preconditioner(const Exec& exec, const LinearSystem<Exec>& system,
                                         const SolveOptions& options, std::string& hierarchy,
                                         std::optional<SystemOperator<Exec>>& op);

/// Algebraic multigrid for a matrix in memory, with the modes that were asked for. `hierarchy` becomes its levels, a
/// line each. Over ranks: collective.
///
/// Throws   FileError for the file of coordinates; NumericalError for a diagonal block without an inverse.
template <class Exec>
Preconditioner<Exec> amg_preconditioner(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method,
                                        std::string& hierarchy);

/// Algebraic multigrid for a matrix streamed from the host's memory. `op` becomes the operator, which its finest level
/// shares, with the device memory that the other levels leave. `hierarchy` becomes the levels.
///
/// Throws   Error for levels in single precision; as amg::StreamedPreconditioner and amg_preconditioner().
template <class Exec>
Preconditioner<Exec> streamed_amg_preconditioner(const Exec& exec, const LinearSystem<Exec>& system,
                                                 const SolveOptions& options, std::string& hierarchy,
                                                 std::optional<SystemOperator<Exec>>& op);

/// ILU(0) or SSOR of a matrix in memory, on a CPU. `definite`: the factors are positive definite, as CG needs it.
///
/// Throws   Error on a GPU; NumericalError for a pivot without an inverse.
template <class Exec>
Preconditioner<Exec> sweep_preconditioner(const Exec& exec, const Matrix<Exec>& matrix, PreconditionerKind kind,
                                          bool definite);

/// The system's matrix rounded to single precision, for vectors of doubles: what --precision mixed iterates with. Made
/// of a matrix in memory. Over ranks: collective.
template <class Exec>
Operator<Exec> rounded_operator(const Exec& exec, const LinearSystem<Exec>& system, const MethodOptions& method);

/// CG in mixed precision (RefinedCg): iterations with `low`, residuals with `a`.
template <class Exec>
SolveReport solve_mixed(const Exec& exec, const Operator<Exec>& a, const Operator<Exec>& low,
                        const Preconditioner<Exec>& m, const Vector<Exec>& b, const Vector<Exec>& x,
                        const CgOptions& options);

/// The error for an option that reads a matrix in memory, if the matrix is streamed.
inline Error streamed_matrix_error(const std::string& description, const std::string& option,
                                   const std::string& suggestion) {
  return Error(description + ": " + option + " with a streamed matrix",
               "it reads all of the matrix in memory, for which the device has too little", suggestion);
}

/// The largest HermitianDefect::relative that passes for rounding.
inline constexpr double symmetry_tolerance = 1e-10;

/// The error that names the worst entry; `name` is the file's.
NumericalError unsymmetric(const HermitianDefect<double>& defect, const std::string& name);

/// The fault of a matrix, reachable from `exec`, that is not symmetric; nothing if it is symmetric.
template <class Exec, class Matrix>
std::optional<NumericalError> symmetry_fault(const Exec& exec, const Matrix& matrix, const std::string& name) {
  const HermitianDefect<double> defect = hermitian_defect(exec, matrix);
  if (defect.relative <= symmetry_tolerance) return std::nullopt;
  return unsymmetric(defect, name);
}

struct SymmetryOfSystem {
  bool is_known = true;                      ///< false if there was no room for the check
  std::optional<NumericalError> fault = {};  ///< what is wrong, if the matrix is not symmetric
};

/// Compares x^T (A y) with y^T (A x) for some x and y: for matrices whose entries lie too far apart to be compared one
/// by one, in a file or on other ranks. Collective, with the same result on all ranks.
template <class Exec>
SymmetryOfSystem symmetry_by_products(const Exec& exec, const Operator<Exec>& a, const LinearSystem<Exec>& system);

struct PreconditionerChoice {
  PreconditionerKind preconditioner;
  std::string why;  ///< of --preconditioner auto; empty: it was asked for
};

/// The preconditioner asked for. With --preconditioner auto: algebraic multigrid if a cost model expects it to be
/// faster (amg::choose), else block-Jacobi. `options` have the solver that was chosen.
template <class Exec>
PreconditionerChoice choose_preconditioner(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                                           const SolveOptions& options);

struct SolverChoice {
  SolverKind solver;
  std::string why;  ///< of --solver auto; empty: it was asked for
};

/// The solver asked for, if the matrix is of its kind. With --solver auto: CG for a symmetric matrix, else GMRES if its
/// vectors have room, else BiCGStab. Collective; multiplies if the matrix is streamed from its file or over ranks.
///
/// Throws   NumericalError if the solver asked for needs a symmetric matrix, and the file holds another.
template <class Exec>
SolverChoice choose_solver(const Exec& exec, const World& world, const LinearSystem<Exec>& system,
                           const SolveOptions& options);

}  // namespace ashlar::app
