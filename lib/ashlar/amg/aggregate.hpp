#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

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
/// two candidates the first in the order of nodes has the larger number. In that order aggregates are packed as closely
/// as by a serial pass, which saves a third of the iterations that a random order takes.
struct NodeRank {
  static constexpr std::uint64_t excluded = 0, root = ~std::uint64_t(0);

  KOKKOS_INLINE_FUNCTION static bool is_candidate(std::uint64_t rank) { return rank != excluded && rank != root; }
  KOKKOS_INLINE_FUNCTION static std::uint64_t of_candidate(std::int64_t node) {
    return (std::uint64_t(1) << 62) - std::uint64_t(node);
  }
};

/// A list of nodes that threads append to.
template <class Space>
struct NodeList {
  Kokkos::View<std::int32_t*, Space> nodes;
  Kokkos::View<std::int32_t, Space> count;

  KOKKOS_INLINE_FUNCTION void append(std::int32_t node) const { nodes(Kokkos::atomic_fetch_add(&count(), 1)) = node; }
};

/// Sorts out the undecided nodes: those that are decided by now; those whose blocker is not, which wait; and those that
/// look around.
template <class Space>
struct SortOutNodes {
  Kokkos::View<std::uint64_t*, Space> rank;
  Kokkos::View<std::int32_t*, Space> blocker;  ///< an undecided node that comes before this one; itself: none is known
  Kokkos::View<std::int32_t*, Space> undecided;
  NodeList<Space> still_undecided, looking;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    const std::int32_t i = undecided(k);
    if (!NodeRank::is_candidate(rank(i))) return;
    still_undecided.append(i);
    if (blocker(i) == i || !NodeRank::is_candidate(rank(blocker(i)))) looking.append(i);
  }
};

/// A node looks at all nodes within two couplings. If an undecided one comes before it, it waits for that one. If none
/// does, it becomes a root and excludes all of them. Threads change ranks while others read them: what is decided does
/// not depend on when they do, as each node is decided after all that come before it.
template <class Graph, class Exec>
struct LookAround {
  using Space = typename Exec::memory_space;
  static constexpr std::int32_t nobody = -1, a_root = 0x7fffffff;

  Graph graph;
  Kokkos::View<std::uint64_t*, Space> rank;
  Kokkos::View<std::int32_t*, Space> blocker, looking;

  /// What keeps a node of rank `own` from being a root: an undecided node before it, a root, or nobody.
  KOKKOS_INLINE_FUNCTION std::int32_t obstacle(std::int32_t other, std::uint64_t own) const {
    const std::uint64_t of_other = load_shared(&rank(other));
    if (of_other <= own) return nobody;
    return of_other == NodeRank::root ? a_root : other;
  }

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    const std::int32_t i = looking(team.league_rank());
    const std::uint64_t own = NodeRank::of_candidate(i);
    const std::int64_t first = graph.row_ptr(i);
    const int degree = static_cast<int>(std::int64_t(graph.row_ptr(i + 1)) - first);
    std::int32_t found = nobody;
    Kokkos::parallel_reduce(
        Kokkos::TeamThreadRange(team, degree),
        [&](int e, std::int32_t& largest) {
          const std::int32_t j = graph.col_idx(first + e);
          largest = Kokkos::max(largest, obstacle(j, own));
          for (std::int64_t k = graph.row_ptr(j); k < std::int64_t(graph.row_ptr(j + 1)); ++k) {
            largest = Kokkos::max(largest, obstacle(graph.col_idx(k), own));
          }
        },
        Kokkos::Max<std::int32_t>(found));
    Kokkos::single(Kokkos::PerTeam(team), [&] {
      if (found == nobody) {
        store_shared(&rank(i), NodeRank::root);
      } else if (found == a_root) {
        store_shared(&rank(i), NodeRank::excluded);
      } else {
        blocker(i) = found;
      }
    });
    if (found >= 0) return;
    Kokkos::parallel_for(Kokkos::TeamThreadRange(team, degree), [&](int e) {
      const std::int32_t j = graph.col_idx(first + e);
      store_shared(&rank(j), NodeRank::excluded);
      for (std::int64_t k = graph.row_ptr(j); k < std::int64_t(graph.row_ptr(j + 1)); ++k) {
        if (graph.col_idx(k) != i) store_shared(&rank(graph.col_idx(k)), NodeRank::excluded);
      }
    });
  }
};

/// Decides about all nodes that are left, on the host, one after another.
template <class Exec, class Graph>
void decide_serially(const Exec& exec, const Graph& graph,
                     const Kokkos::View<std::uint64_t*, typename Exec::memory_space>& rank) {
  const auto on_host = [&](const auto& view) {
    const auto copy = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, view);
    Kokkos::deep_copy(exec, copy, view);
    return copy;
  };
  const auto row_ptr = on_host(graph.row_ptr);
  const auto col_idx = on_host(graph.col_idx);
  const auto here = on_host(rank);
  exec.fence("ashlar::amg: undecided nodes");
  const auto is_next_to_root = [&](std::int64_t i) {
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      if (here(col_idx(k)) == NodeRank::root) return true;
    }
    return false;
  };
  for (std::int64_t i = 0; i < graph.num_nodes(); ++i) {
    if (!NodeRank::is_candidate(here(i))) continue;
    bool is_near_root = is_next_to_root(i);
    for (std::int64_t k = row_ptr(i); !is_near_root && k < std::int64_t(row_ptr(i + 1)); ++k) {
      is_near_root = is_next_to_root(col_idx(k));
    }
    here(i) = is_near_root ? NodeRank::excluded : NodeRank::root;
  }
  Kokkos::deep_copy(exec, rank, here);
  exec.fence("ashlar::amg: roots");
}

/// A maximal set of nodes of which no two are closer than three couplings (MIS-2), the one that a serial pass in the
/// order of nodes finds: rank(i) == NodeRank::root for each. A mesh takes a few rounds for each node along its sides.
/// In a long chain each node waits for the one before: after `most_rounds` the host goes on.
template <class Exec, class Graph>
Kokkos::View<std::uint64_t*, typename Exec::memory_space> choose_roots(const Exec& exec, const Graph& graph,
                                                                       int most_rounds = 2000) {
  using Space = typename Exec::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Nodes = Kokkos::View<std::int32_t*, Space>;
  const std::int64_t n = graph.num_nodes();
  const auto make = [&](const std::string& label) {
    return Nodes(Kokkos::view_alloc(Kokkos::WithoutInitializing, label), std::size_t(n));
  };
  const Kokkos::View<std::uint64_t*, Space> rank(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::rank"),
                                                 std::size_t(n));
  const Nodes blocker = make("ashlar::amg::blocker"), looking = make("ashlar::amg::looking");
  const Kokkos::View<std::int32_t*, Space> counts(Kokkos::view_alloc(exec, "ashlar::amg::counts"), 2);
  Nodes undecided = make("ashlar::amg::undecided"), still_undecided = make("ashlar::amg::undecided");
  Kokkos::parallel_for(
      "ashlar::amg[candidates]", Policy(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        const bool is_alone = graph.row_ptr(i) == graph.row_ptr(i + 1);
        rank(i) = is_alone ? NodeRank::excluded : NodeRank::of_candidate(i);
        blocker(i) = undecided(i) = static_cast<std::int32_t>(i);
      });
  std::int64_t left = n;
  for (int round = 0; left > 0 && round < most_rounds; ++round) {
    Kokkos::deep_copy(exec, counts, 0);
    Kokkos::parallel_for("ashlar::amg[sort out nodes]", Policy(exec, 0, left),
                         SortOutNodes<Space>{rank,
                                             blocker,
                                             undecided,
                                             {still_undecided, Kokkos::subview(counts, 0)},
                                             {looking, Kokkos::subview(counts, 1)}});
    std::int32_t numbers[2] = {};
    Kokkos::deep_copy(exec, Kokkos::View<std::int32_t*, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(numbers, 2),
                      counts);
    exec.fence("ashlar::amg: undecided nodes");
    left = numbers[0];
    if (numbers[1] > 0) {
      Kokkos::parallel_for("ashlar::amg[look around]",
                           Kokkos::TeamPolicy<Exec>(exec, numbers[1], is_gpu_v<Exec> ? 32 : 1),
                           LookAround<Graph, Exec>{graph, rank, blocker, looking});
    }
    std::swap(undecided, still_undecided);
  }
  if (left > 0) decide_serially(exec, graph, rank);
  return rank;
}

/// The aggregate to which a node without one is coupled most strongly, by what neighbours had first; -1 for none.
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
