#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/flag.hpp>
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

/// The state of a node while roots are chosen, as one number. Roots are above all candidates, excluded nodes below; of
/// two candidates the one with the larger number comes first.
struct NodeRank {
  static constexpr std::uint64_t excluded = 0, root = ~std::uint64_t(0);

  /// Nodes come in their order, so that aggregates are packed as closely as by a serial pass, which takes a third fewer
  /// iterations than a random order. Runs of so many nodes come in a random order: a chain of nodes that each wait for
  /// the one before ends with its run.
  static constexpr std::uint64_t run_length = 16384;

  KOKKOS_INLINE_FUNCTION static std::uint64_t of_candidate(std::uint64_t node) {
    std::uint64_t hash = node / run_length * 0x9e3779b97f4a7c15;
    hash = (hash ^ (hash >> 31)) * 0xbf58476d1ce4e5b9;
    hash ^= hash >> 29;
    return (std::uint64_t(1) << 62) | ((hash >> 34) << 32) | (0xffffffffu - std::uint32_t(node));
  }
};

/// Decides about one node, if all nodes within two couplings that come before it are decided: it is a root if none of
/// these is. Threads change ranks while others read them; what is decided does not depend on when they do.
template <class Graph>
struct DecideNode {
  Graph graph;
  Kokkos::View<std::uint64_t*, typename Graph::memory_space> rank;
  Kokkos::View<std::int32_t*, typename Graph::memory_space> blocker;  ///< an undecided node before this one, or itself

  /// Adds 1 to `undecided` if it has to wait.
  KOKKOS_FUNCTION void operator()(std::int64_t i, std::int64_t& undecided) const {
    const std::uint64_t own = load_shared(&rank(i));
    if (own == NodeRank::excluded || own == NodeRank::root) return;
    const std::int32_t before = blocker(i);
    if (before != i && is_candidate(load_shared(&rank(before)))) {
      ++undecided;
      return;
    }
    for (std::int64_t e = graph.row_ptr(i); e < std::int64_t(graph.row_ptr(i + 1)); ++e) {
      const std::int64_t j = graph.col_idx(e);
      if (!precedes(j, i, own, undecided)) return;
      for (std::int64_t k = graph.row_ptr(j); k < std::int64_t(graph.row_ptr(j + 1)); ++k) {
        if (!precedes(graph.col_idx(k), i, own, undecided)) return;
      }
    }
    store_shared(&rank(i), NodeRank::root);
  }

 private:
  KOKKOS_INLINE_FUNCTION static bool is_candidate(std::uint64_t rank) {
    return rank != NodeRank::excluded && rank != NodeRank::root;
  }

  /// Whether node i comes before node `other`; if not, what that means for i.
  KOKKOS_INLINE_FUNCTION bool precedes(std::int64_t other, std::int64_t i, std::uint64_t own,
                                       std::int64_t& undecided) const {
    const std::uint64_t of_other = load_shared(&rank(other));
    if (of_other <= own) return true;
    if (of_other == NodeRank::root) {
      store_shared(&rank(i), NodeRank::excluded);
    } else {
      blocker(i) = static_cast<std::int32_t>(other);
      ++undecided;
    }
    return false;
  }
};

/// A maximal set of nodes of which no two are closer than three couplings (MIS-2), the one that a serial pass in the
/// order of ranks finds: rank(i) == NodeRank::root for each.
template <class Exec, class Graph>
Kokkos::View<std::uint64_t*, typename Exec::memory_space> choose_roots(const Exec& exec, const Graph& graph) {
  using Space = typename Exec::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  const std::int64_t n = graph.num_nodes();
  const Kokkos::View<std::uint64_t*, Space> rank(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::rank"),
                                                 std::size_t(n));
  const Kokkos::View<std::int32_t*, Space> blocker(
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::blocker"), std::size_t(n));
  Kokkos::parallel_for(
      "ashlar::amg[candidates]", Policy(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        const bool is_alone = graph.row_ptr(i) == graph.row_ptr(i + 1);
        rank(i) = is_alone ? NodeRank::excluded : NodeRank::of_candidate(i);
        blocker(i) = static_cast<std::int32_t>(i);
      });
  std::int64_t undecided = n;
  while (undecided > 0) {
    Kokkos::parallel_reduce("ashlar::amg[choose roots]", Policy(exec, 0, n), DecideNode<Graph>{graph, rank, blocker},
                            undecided);
    exec.fence("ashlar::amg: undecided nodes");
  }
  return rank;
}

/// The aggregate to which a node without one is coupled most strongly, by what neighbours had first; -1 for none.
template <class Strength, class Numbers>
KOKKOS_INLINE_FUNCTION std::int32_t strongest_aggregate(const Strength& s, const Numbers& first, std::int64_t i) {
  std::int32_t best = -1;
  float best_weight = 0;
  const std::int64_t begin = s.row_ptr(i), end = s.row_ptr(i + 1);
  for (std::int64_t k = begin; k < end; ++k) {
    const std::int32_t candidate = first(s.col_idx(k));
    if (candidate < 0) continue;
    float weight = 0;
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
      Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::first_aggregate"), std::size_t(n)),
      of_node(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::aggregate"), std::size_t(n));
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
