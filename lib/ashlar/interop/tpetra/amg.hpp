#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Access.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <ashlar/amg/distributed.hpp>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/preconditioner.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/interop/tpetra/distributed_matrix.hpp>
#include <ashlar/interop/tpetra/operator.hpp>
#include <ashlar/interop/tpetra/rows.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>

namespace ashlar {

/// Algebraic multigrid for a Tpetra matrix, as a Tpetra::Operator: the preconditioner of Belos' solvers. tpetra_amg()
/// makes one. apply() is y := alpha M^-1 x + beta y, a cycle for each column of x. op() is the amg::Preconditioner;
/// op().explain() prints its levels.
///
/// Real is the precision of the hierarchy, double or float.
///
/// Memory   the copy that distributed_from_tpetra() makes, and as amg::Preconditioner.
/// Async    collective. apply() enqueues on the default instance of Node's execution space, and over ranks waits as
///          HaloExchange does.
/// Throws   as amg::Preconditioner and TpetraOperator.
template <class Scalar, class LO, class GO, class Node, class Real = Scalar>
class TpetraAmg : public TpetraOperator<amg::Preconditioner<DistributedTpetraMatrix<Scalar, LO, GO, Node>, Real>,
                                        Scalar, LO, GO, Node> {
 public:
  using matrix_type = DistributedTpetraMatrix<Scalar, LO, GO, Node>;
  using preconditioner_type = amg::Preconditioner<matrix_type, Real>;
  using modes_type = typename preconditioner_type::Modes;
  using map_type = Tpetra::Map<LO, GO, Node>;

  /// `map` has the unknowns of the matrix: each rank's, in the order of its rows.
  TpetraAmg(matrix_type matrix, const Teuchos::RCP<const map_type>& map, const modes_type& modes,
            const amg::Options& options = {})
      : Base(preconditioner_type(tpetra_execution_space<Node>(), matrix, modes, options), map, map),
        matrix_(std::move(matrix)) {}

  /// New values of the Tpetra matrix in the same structure, which the caller ensures: aggregates, structures and plans
  /// stay. Collective; waits.
  ///
  /// Throws   on all ranks: ShapeError for another number of values; ArgumentError with a strength above 0;
  ///          NumericalError as the constructor.
  template <template <class...> class TpetraMatrix>
  void update_values(const TpetraMatrix<Scalar, LO, GO, Node>& a) {
    const tpetra_execution_space<Node> exec;
    matrix_ = matrix_.communicator().together(
        [&] { return matrix_.with_values(exec, impl::rows_of(a, "TpetraAmg").values()); });
    this->op().update_values(exec, matrix_);
  }

  /// Ashlar's copy of the matrix.
  const matrix_type& matrix() const { return matrix_; }

 private:
  using Base = TpetraOperator<preconditioner_type, Scalar, LO, GO, Node>;

  matrix_type matrix_;
};

namespace impl {

template <class Real, class Scalar, class LO, class GO, class Node>
using TpetraAmgIn = TpetraAmg<Scalar, LO, GO, Node, std::conditional_t<std::is_void_v<Real>, Scalar, Real>>;

/// Coordinates of nodes, one column a dimension, as entries of one vector, node after node.
template <class From, class To>
struct InterleaveCoordinates {
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const auto dimensions = static_cast<std::int64_t>(from.extent(1));
    to(k) = static_cast<double>(from(k / dimensions, k % dimensions));
  }
};

/// The rigid-body modes of a matrix whose block rows have these coordinates. Collective; waits.
///
/// Throws   on all ranks: ShapeError unless there is a row of coordinates for each block row; as rigid_body_modes().
template <class Matrix, class Coordinate, class LO, class GO, class Node>
amg::NearNullSpace<typename Matrix::memory_space> rigid_body_modes_of(
    const Matrix& a, const Tpetra::MultiVector<Coordinate, LO, GO, Node>& coordinates) {
  using Space = typename Matrix::memory_space;
  const tpetra_execution_space<Node> exec;
  const Communicator& comm = a.communicator();
  const auto dimensions = static_cast<std::int64_t>(coordinates.getNumVectors());
  const auto flat = comm.together([&] {
    if (static_cast<std::int64_t>(coordinates.getLocalLength()) != a.num_block_rows()) {
      throw ShapeError(
          text("tpetra_amg: coordinates of ", coordinates.getLocalLength(), " nodes on rank ", comm.rank()),
          text("the matrix has ", a.num_block_rows(), " block rows there"),
          "pass a row of coordinates for each of them, in their order");
    }
    const auto from = coordinates.getLocalViewDevice(Tpetra::Access::ReadOnly);
    const Kokkos::View<double*, Space> to(
        Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::tpetra::coordinates"),
        std::size_t(a.num_block_rows() * dimensions));
    Kokkos::parallel_for(
        "ashlar::tpetra[coordinates]",
        Kokkos::RangePolicy<tpetra_execution_space<Node>, Kokkos::IndexType<std::int64_t>>(exec, 0, to.extent(0)),
        InterleaveCoordinates<decltype(from), decltype(to)>{from, to});
    exec.fence("ashlar::tpetra: coordinates");
    return to;
  });
  return amg::rigid_body_modes<Space>(exec, flat, static_cast<int>(dimensions), a.block_shape().rows, comm);
}

/// The multigrid of a matrix with the modes that modes_of(its distributed matrix) returns. Collective.
template <class Real, template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node,
          class ModesOf>
Teuchos::RCP<TpetraAmgIn<Real, Scalar, LO, GO, Node>> make_tpetra_amg(const TpetraMatrix<Scalar, LO, GO, Node>& a,
                                                                      const ModesOf& modes_of,
                                                                      const amg::Options& options) {
  from_teuchos(*a.getComm()).together([&] { rows_of(a, "tpetra_amg"); });  // (or it has no maps yet)
  const auto& graph = graph_of(a);
  if (!graph.getDomainMap()->isSameAs(*graph.getRangeMap())) {  // (the same answer on all ranks)
    throw ArgumentError("tpetra_amg: a matrix whose domain and range map differ",
                        "a preconditioner works on vectors that are partitioned alike",
                        "make it with one map for both");
  }
  const auto matrix = distributed_from_tpetra(a);
  return Teuchos::rcp(new TpetraAmgIn<Real, Scalar, LO, GO, Node>(matrix, a.getDomainMap(), modes_of(matrix), options));
}

}  // namespace impl

/// Algebraic multigrid for a Tpetra matrix: the preconditioner of a Belos::LinearProblem.
///
///     problem->setLeftPrec(ashlar::tpetra_amg(*matrix, *coordinates));
///
/// The matrix is a BlockCrsMatrix or a fill-complete CrsMatrix, whose blocks have size 1. The three forms differ in the
/// near-null space: a constant for each unknown of a node, for diffusion; rigid-body modes, for elasticity; modes of
/// the caller's own. tpetra_amg<float>() makes a hierarchy of half of the bytes, for solvers in double.
///
/// Shapes   `coordinates` has a row for each block row, in the order of the row map, and 2 or 3 columns. `modes` has a
///          row for each unknown, as amg::NearNullSpace says.
/// Memory   as TpetraAmg. The matrix, the coordinates and the modes may go afterwards.
/// Async    collective; waits.
/// Throws   on all ranks: as distributed_from_tpetra() and amg::Preconditioner; ArgumentError if domain and range map
///          differ; ShapeError if coordinates or modes do not fit the matrix.
template <class Real = void, template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node>
requires(impl::tpetra_matrix<TpetraMatrix<Scalar, LO, GO, Node>>)
    Teuchos::RCP<impl::TpetraAmgIn<Real, Scalar, LO, GO, Node>> tpetra_amg(const TpetraMatrix<Scalar, LO, GO, Node>& a,
                                                                           const amg::Options& options = {}) {
  return impl::make_tpetra_amg<Real>(
      a,
      [](const DistributedTpetraMatrix<Scalar, LO, GO, Node>& matrix) {
        return matrix.communicator().together([&] {
          return amg::constant_modes<tpetra_memory_space<Node>>(tpetra_execution_space<Node>(), matrix.num_block_rows(),
                                                                matrix.block_shape().rows);
        });
      },
      options);
}

template <class Real = void, template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node,
          class Coordinate>
requires(impl::tpetra_matrix<TpetraMatrix<Scalar, LO, GO, Node>>)
    Teuchos::RCP<impl::TpetraAmgIn<Real, Scalar, LO, GO, Node>> tpetra_amg(
        const TpetraMatrix<Scalar, LO, GO, Node>& a, const Tpetra::MultiVector<Coordinate, LO, GO, Node>& coordinates,
        const amg::Options& options = {}) {
  return impl::make_tpetra_amg<Real>(
      a, [&](const auto& matrix) { return impl::rigid_body_modes_of(matrix, coordinates); }, options);
}

template <class Real = void, template <class...> class TpetraMatrix, class Scalar, class LO, class GO, class Node>
requires(impl::tpetra_matrix<TpetraMatrix<Scalar, LO, GO, Node>>)
    Teuchos::RCP<impl::TpetraAmgIn<Real, Scalar, LO, GO, Node>> tpetra_amg(
        const TpetraMatrix<Scalar, LO, GO, Node>& a, const amg::NearNullSpace<tpetra_memory_space<Node>>& modes,
        const amg::Options& options = {}) {
  return impl::make_tpetra_amg<Real>(
      a, [&](const auto&) { return modes; }, options);
}

}  // namespace ashlar
