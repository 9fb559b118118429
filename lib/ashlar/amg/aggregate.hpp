#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/impl/choose_roots.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <cstdint>

namespace ashlar::amg {

/// Which nodes form a node of the coarse level: the number of each node's aggregate, or -1 for a node without strong
/// neighbours, which the coarse level leaves to the smoother.
template <class Space>
struct Aggregates {
  Kokkos::View<std::int32_t*, Space> of_node;
  std::int32_t count = 0;
};

namespace impl {

/// The aggregate to which a node without a root beside it is coupled most strongly; -1 for none. `first` holds the
/// aggregates of nodes that have a root beside them.
template <class Strength, class Numbers>
KOKKOS_INLINE_FUNCTION std::int32_t strongest_aggregate(const Strength& s, const Numbers& first, std::int64_t i) {
  std::int32_t best = -1;
  double best_weight = 0;
  const std::int64_t begin = s.row_ptr(i), end = s.row_ptr(i + 1);
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int32_t candidate = first(s.col_idx(k));
    if (candidate < 0) continue;
    double weight = 0;
    for (std::int64_t other = begin; other < end; ++other) {
      if (first(s.col_idx(other)) == candidate) weight += s.weight(other);
    }
    if (weight > best_weight || (weight == best_weight && candidate < best)) {
      best = candidate;
      best_weight = weight;
    }
  }
  return best;
}

}  // namespace impl

/// Aggregates of nodes that are strongly coupled: a root and its neighbours, where roots are a maximal set of nodes
/// three couplings apart; other nodes join the aggregate to which they are coupled most strongly.
///
/// Async    waits for `exec`.
/// Result   the same for any number of threads and on any device.
/// Shapes   the couplings are symmetric: node j is a neighbour of i if i is one of j.
/// Source   Vanek, Mandel and Brezina 1996 (aggregation); Blelloch, Fineman and Shun 2012 (greedy order in parallel).
template <execution_space Exec, class Graph>
Aggregates<typename Graph::memory_space> aggregate(const Exec& exec, const StrengthGraph<Graph>& strength) {
  using Space = typename Graph::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t n = strength.num_nodes();
  const auto rank = impl::choose_roots(exec, strength);
  const Kokkos::View<std::int32_t*, Space> first(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::first_aggregate"), std::size_t(n)),
      of_node(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::aggregate"), std::size_t(n));
  std::int32_t count = 0;
  Kokkos::parallel_scan(
      "ashlar::amg[number roots]", Policy(exec, 0, n),
      KOKKOS_LAMBDA(std::int64_t i, std::int32_t & sum, bool last) {
        const bool is_root = rank(i) == impl::NodeRank::root;
        if (last) of_node(i) = is_root ? sum : -1;
        sum += is_root;
      },
      count);
  // (A node has one root among its neighbours at most.)
  Kokkos::parallel_for(
      "ashlar::amg[join roots]", Policy(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        std::int32_t number = of_node(i);
        for (std::int64_t k = strength.row_ptr(i); number < 0 && k < std::int64_t(strength.row_ptr(i + 1)); ++k) {
          number = of_node(strength.col_idx(k));
        }
        first(i) = number;
      });
  Kokkos::parallel_for(
      "ashlar::amg[join others]", Policy(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        of_node(i) = first(i) >= 0 ? first(i) : impl::strongest_aggregate(strength, first, i);
      });
  exec.fence("ashlar::amg: aggregates");
  return {of_node, count};
}

}  // namespace ashlar::amg
