#pragma once

#include <Kokkos_Core.hpp>
#include <Teuchos_RCP.hpp>
#include <Tpetra_Map.hpp>
#include <Tpetra_MultiVector.hpp>
#include <Tpetra_Operator.hpp>
#include <array>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/space.hpp>
#include <ashlar/interop/tpetra/types.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar {

/// A Tpetra::Operator as a linear operator, and as a preconditioner, of Ashlar's solvers: matrices of Tpetra, and
/// preconditioners of Ifpack2, MueLu and whatever else has that interface.
///
/// Shapes   vectors of as many entries as the map has on this rank, or multi-vectors with Kokkos::LayoutLeft.
/// Memory   vectors are wrapped in place. The last few are remembered, so that an iteration does not wrap them again.
///          On a device whose memory the host does not reach, Tpetra allocates a mirror on the host for each.
/// Async    the constructor is collective. Tpetra computes on the default instance of its space. If `exec` is another
///          instance, each waits for the other, before and after. The operator decides whether the host waits within.
/// Throws   ArgumentError where domain and range map differ: solvers take square operators.
template <class Scalar, class LO, class GO, class Node>
class TpetraLinearOperator {
 public:
  using operator_type = Tpetra::Operator<Scalar, LO, GO, Node>;
  using exec_type = tpetra_execution_space<Node>;
  using scalar_type = impl::view_scalar<Scalar, LO, GO, Node>;

  template <class Theirs>
  explicit TpetraLinearOperator(const Teuchos::RCP<Theirs>& op)
      : op_(op), space_(make_space(*op_)), wrapped_(std::make_shared<Wrapped>()) {}

  /// y := A x.
  template <class X, class Y>
  void apply(const exec_type& exec, const X& x, const Y& y) const {
    static_assert(std::is_same_v<typename X::non_const_value_type, scalar_type> &&
                      std::is_same_v<typename Y::value_type, scalar_type>,
                  "ashlar::TpetraLinearOperator: x and y must hold the scalars of the Tpetra operator");
    static_assert(
        takes<X> && takes<Y>,
        "ashlar::TpetraLinearOperator: Tpetra's multi-vectors are columns; pass vectors, or views of rank 2 with "
        "Kokkos::LayoutLeft");
    static_assert(reachable_from<exec_type, X> && reachable_from<exec_type, Y>,
                  "ashlar::TpetraLinearOperator: x and y must be reachable from the execution space of the Tpetra "
                  "operator");
    const exec_type theirs;
    const bool same = exec == theirs;
    if (!same) exec.fence("ashlar::tpetra: Tpetra computes on the default instance");
    const Teuchos::RCP<const map_type> map = op_->getDomainMap();
    const vectors_type& their_x = wrapped_->of(map, columns_of(x));
    op_->apply(their_x, wrapped_->of(map, columns_of(y)));
    if (!same) theirs.fence("ashlar::tpetra: Tpetra computes on the default instance");
  }

  DistributedSpace<exec_type> space() const { return space_; }
  bool is_identity() const { return false; }
  /// What Tpetra does within is not known: 0, 0 and false.
  std::int64_t traffic_bytes() const { return 0; }
  HeldBytes bytes() const { return {}; }
  bool is_stream_ordered() const { return false; }
  std::string explain() const { return "a Tpetra operator"; }

  const Teuchos::RCP<const operator_type>& tpetra() const { return op_; }

 private:
  using map_type = Tpetra::Map<LO, GO, Node>;
  using vectors_type = Tpetra::MultiVector<Scalar, LO, GO, Node>;
  using columns_type = typename vectors_type::dual_view_type::t_dev;

  template <class V>
  static constexpr bool takes = vector_view<V> ||
                                (multi_vector_view<V> && std::is_same_v<typename V::array_layout, Kokkos::LayoutLeft>);

  static DistributedSpace<exec_type> make_space(const operator_type& op) {
    const Teuchos::RCP<const map_type> map = op.getDomainMap();  // (some make it at each call)
    const Communicator comm = from_teuchos(*map->getComm());
    if (!map->isSameAs(*op.getRangeMap())) {
      throw ArgumentError("TpetraLinearOperator: an operator whose domain and range map differ",
                          "solvers take square ones, whose x and y are cut alike", "give it one map for both");
    }
    return DistributedSpace<exec_type>(exec_type(), comm, static_cast<std::int64_t>(map->getLocalNumElements()));
  }

  template <class V>
  static columns_type columns_of(const V& view) {
    auto* const data = const_cast<scalar_type*>(view.data());
    if constexpr (V::rank() == 1) {
      return columns_type(data, view.extent(0), 1);
    } else {
      const columns_type whole(data, view.extent(1) > 1 ? view.stride(1) : view.extent(0), view.extent(1));
      return Kokkos::subview(whole, std::make_pair(std::size_t(0), view.extent(0)), Kokkos::ALL);
    }
  }

  /// Multi-vectors around the memory that came last.
  class Wrapped {
   public:
    vectors_type& of(const Teuchos::RCP<const map_type>& map, const columns_type& columns) {
      for (const Teuchos::RCP<vectors_type>& vectors : vectors_) {
        if (!vectors.is_null() && is_around(*vectors, columns)) return *vectors;
      }
      Teuchos::RCP<vectors_type>& oldest = vectors_[next_++ % vectors_.size()];
      oldest = Teuchos::rcp(new vectors_type(map, columns));
      return *oldest;
    }

   private:
    static bool is_around(const vectors_type& vectors, const columns_type& columns) {
      const auto held = vectors.getLocalViewDevice(Tpetra::Access::ReadOnly);
      return held.data() == columns.data() && held.extent(1) == columns.extent(1) &&
             (held.extent(1) == 1 || held.stride(1) == columns.stride(1));
    }

    std::array<Teuchos::RCP<vectors_type>, 8> vectors_;
    std::size_t next_ = 0;
  };

  Teuchos::RCP<const operator_type> op_;
  DistributedSpace<exec_type> space_;
  std::shared_ptr<Wrapped> wrapped_;
};

template <class Theirs>
TpetraLinearOperator(const Teuchos::RCP<Theirs>&)
    -> TpetraLinearOperator<typename Theirs::scalar_type, typename Theirs::local_ordinal_type,
                            typename Theirs::global_ordinal_type, typename Theirs::node_type>;

}  // namespace ashlar
