#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <utility>

namespace ashlar {

/// The map of a vector whose block rows are distributed to ranks by a partition. Use it to make a Tpetra::MultiVector
/// for an operator with this partition. Collective.
template <class LO = Tpetra::Map<>::local_ordinal_type, class GO = Tpetra::Map<>::global_ordinal_type,
          class Node = Tpetra::Map<>::node_type>
Teuchos::RCP<const Tpetra::Map<LO, GO, Node>> tpetra_map(const Teuchos::RCP<const Teuchos::Comm<int>>& comm,
                                                         const RowPartition& partition, int block_size) {
  const auto global = static_cast<Tpetra::global_size_t>(partition.num_rows()) * std::size_t(block_size);
  const auto local = static_cast<std::size_t>(partition.size(comm->getRank())) * std::size_t(block_size);
  return Teuchos::rcp(new Tpetra::Map<LO, GO, Node>(global, local, 0, comm));
}

/// An Ashlar operator as a Tpetra::Operator, which the solvers of Belos and others take: y := alpha*A*x + beta*y in the
/// multi-vectors' own memory, columns at a stride or listed included.
///
/// Op is anything with apply(exec, x, y) for multi-vectors: DistributedOperator, BcsrOperator, ColumnMapOperator,
/// StreamedMatrix. It is moved in; where it also has apply(exec, alpha, x, beta, y) that is called, and else products
/// that are to be scaled or added go through a multi-vector of its own, allocated by the first.
///
/// Async    as the operator's products, on the default instance of Node's execution space, where Tpetra computes. No
///          fence is added.
/// beta==0  y is overwritten: NaN in y does not spread.
/// Throws   ArgumentError for a transpose; ShapeError where x and y have other lengths than the maps, or share memory.
template <class Op, class Scalar = Tpetra::Operator<>::scalar_type,
          class LO = typename Tpetra::Operator<Scalar>::local_ordinal_type,
          class GO = typename Tpetra::Operator<Scalar, LO>::global_ordinal_type,
          class Node = typename Tpetra::Operator<Scalar, LO, GO>::node_type>
class TpetraOperator : public Tpetra::Operator<Scalar, LO, GO, Node> {
 public:
  using map_type = Tpetra::Map<LO, GO, Node>;
  using vectors_type = Tpetra::MultiVector<Scalar, LO, GO, Node>;

  /// For vectors x and y with these maps, whose local order is the operator's.
  TpetraOperator(Op op, Teuchos::RCP<const map_type> domain, Teuchos::RCP<const map_type> range)
      : op_(std::move(op)), domain_(std::move(domain)), range_(std::move(range)) {}

  Teuchos::RCP<const map_type> getDomainMap() const override { return domain_; }
  Teuchos::RCP<const map_type> getRangeMap() const override { return range_; }

  void apply(const vectors_type& x, vectors_type& y, Teuchos::ETransp mode = Teuchos::NO_TRANS,
             Scalar alpha = Teuchos::ScalarTraits<Scalar>::one(),
             Scalar beta = Teuchos::ScalarTraits<Scalar>::zero()) const override {
    if (mode != Teuchos::NO_TRANS) {
      throw ArgumentError("TpetraOperator: a product with the transpose", "it has A alone, as hasTransposeApply() says",
                          "make an operator of the transposed matrix");
    }
    if (x.isConstantStride() && y.isConstantStride()) return apply_columns(x, y, alpha, beta);
    check_columns(x, y);
    for (std::size_t j = 0; j < x.getNumVectors(); ++j) {
      apply_columns(*x.getVector(j), *y.getVectorNonConst(j), alpha, beta);
    }
  }

  const Op& op() const { return op_; }

 private:
  using value_type = impl::view_scalar<Scalar, LO, GO, Node>;
  using exec_type = tpetra_execution_space<Node>;

  static void check_columns(const vectors_type& x, const vectors_type& y) {
    if (x.getNumVectors() == y.getNumVectors()) return;
    throw ShapeError(text("TpetraOperator: x of ", x.getNumVectors(), " columns and y of ", y.getNumVectors()),
                     "each column of y is the product with one of x", "pass as many columns of both");
  }

  /// Of columns at one stride.
  void apply_columns(const vectors_type& x, vectors_type& y, Scalar alpha, Scalar beta) const {
    const auto a = static_cast<value_type>(alpha), b = static_cast<value_type>(beta);
    const exec_type exec;
    const auto x_view = x.getLocalViewDevice(Tpetra::Access::ReadOnly);
    if constexpr (requires { op_.apply(exec, a, x_view, b, y.getLocalViewDevice(Tpetra::Access::ReadWrite)); }) {
      if (b == value_type(0)) {
        op_.apply(exec, a, x_view, b, y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
      } else {
        op_.apply(exec, a, x_view, b, y.getLocalViewDevice(Tpetra::Access::ReadWrite));
      }
    } else if (a == value_type(1) && b == value_type(0)) {
      op_.apply(exec, x_view, y.getLocalViewDevice(Tpetra::Access::OverwriteAll));
    } else {
      check_columns(x, y);
      if (product_.is_null() || product_->getNumVectors() != x.getNumVectors()) {
        product_ = Teuchos::rcp(new vectors_type(range_, x.getNumVectors(), false));
      }
      op_.apply(exec, x_view, product_->getLocalViewDevice(Tpetra::Access::OverwriteAll));
      y.update(alpha, *product_, beta);
    }
  }

  Op op_;
  Teuchos::RCP<const map_type> domain_, range_;
  mutable Teuchos::RCP<vectors_type> product_;
};

/// An Ashlar operator as a Tpetra::Operator between vectors of one map: for Belos and the like.
template <class Scalar = Tpetra::Operator<>::scalar_type, class Op, class LO, class GO, class Node>
Teuchos::RCP<TpetraOperator<Op, Scalar, LO, GO, Node>> tpetra_operator(
    Op op, const Teuchos::RCP<const Tpetra::Map<LO, GO, Node>>& map) {
  return Teuchos::rcp(new TpetraOperator<Op, Scalar, LO, GO, Node>(std::move(op), map, map));
}

}  // namespace ashlar
