#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/packets/flag.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>

// The roots of aggregates: a greedy pass over the nodes in their order, in parallel rounds.

namespace ashlar::amg::impl {

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

/// Drops the nodes that are decided by now. A node without an undecided blocker is ready for DecideNodes.
template <class Space>
struct FindReadyNodes {
  Kokkos::View<std::uint64_t*, Space> rank;
  Kokkos::View<std::int32_t*, Space> blocker;  ///< an undecided node that comes before this one; itself: none is known
  NodeList<Space> undecided, still_undecided, ready;

  KOKKOS_FUNCTION void operator()(std::int64_t k) const {
    if (k >= undecided.count()) return;  // the host knows only how many there were some rounds ago
    const std::int32_t i = undecided.nodes(k);
    if (!NodeRank::is_candidate(rank(i))) return;
    still_undecided.append(i);
    if (blocker(i) == i || !NodeRank::is_candidate(rank(blocker(i)))) ready.append(i);
  }
};

/// A ready node checks all nodes within two couplings. If one of them is a root, the node is excluded. If an undecided
/// one comes before it, that one becomes its blocker. Otherwise the node becomes a root and excludes the others.
///
/// Threads write ranks while others read them. The result does not depend on the timing: a node becomes a root only
/// after all nodes before it are decided.
template <class Graph, class Exec>
struct DecideNodes {
  using Space = typename Exec::memory_space;
  using Team = typename Kokkos::TeamPolicy<Exec>::member_type;
  static constexpr std::int32_t nobody = -1, a_root = 0x7fffffff;

  Graph graph;
  Kokkos::View<std::uint64_t*, Space> rank;
  Kokkos::View<std::int32_t*, Space> blocker;
  NodeList<Space> ready;

  /// Returns the undecided node or the root that keeps a node of rank `own` from being a root, or `nobody`.
  KOKKOS_INLINE_FUNCTION std::int32_t obstacle(std::int32_t other, std::uint64_t own) const {
    const std::uint64_t of_other = load_shared(&rank(other));
    if (of_other <= own) return nobody;
    return of_other == NodeRank::root ? a_root : other;
  }

  /// Decides about a range of the list. All teams have ranges of about equal length.
  KOKKOS_FUNCTION void operator()(const Team& team) const {
    const std::int64_t count = ready.count(), teams = team.league_size(), number = team.league_rank();
    for (std::int64_t k = number * count / teams; k < (number + 1) * count / teams; ++k) decide(team, ready.nodes(k));
  }

  KOKKOS_FUNCTION void decide(const Team& team, std::int32_t i) const {
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
/// In a long chain each node waits for the one before: after `most_rounds`, which a GPU rounds up to a multiple of 16,
/// the host goes on.
///
/// On a GPU the host asks how many nodes are left once in several rounds, whose kernels read their numbers of nodes
/// themselves: to wait for each round would take longer than the round.
template <class Exec, class Graph>
Kokkos::View<std::uint64_t*, typename Exec::memory_space> choose_roots(const Exec& exec, const Graph& graph,
                                                                       int most_rounds = 2000) {
  using Space = typename Exec::memory_space;
  using Policy = Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>;
  using Nodes = Kokkos::View<std::int32_t*, Space>;
  constexpr int rounds_at_once = is_gpu_v<Exec> ? 16 : 1;
  const int most_teams = is_gpu_v<Exec> ? 1024 : exec.concurrency();
  const std::int64_t n = graph.num_nodes();
  const auto make = [&](const std::string& label) {
    return Nodes(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, label), std::size_t(n));
  };
  const Kokkos::View<std::uint64_t*, Space> rank(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::rank"), std::size_t(n));
  const Nodes blocker = make("ashlar::amg::blocker"), ready = make("ashlar::amg::ready");
  Nodes undecided = make("ashlar::amg::undecided"), still_undecided = make("ashlar::amg::undecided");
  // For each round, the number of undecided nodes before it and of ready nodes.
  const Kokkos::View<std::int32_t* [2], Kokkos::LayoutRight, Space> counts(
      Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::amg::counts"), rounds_at_once + 1);
  const auto undecided_before = [&](int round) { return Kokkos::subview(counts, round, 0); };
  Kokkos::parallel_for(
      "ashlar::amg[candidates]", Policy(exec, 0, n), KOKKOS_LAMBDA(std::int64_t i) {
        const bool is_alone = graph.row_ptr(i) == graph.row_ptr(i + 1);
        rank(i) = is_alone ? NodeRank::excluded : NodeRank::of_candidate(i);
        blocker(i) = undecided(i) = static_cast<std::int32_t>(i);
      });
  auto left = static_cast<std::int32_t>(n);
  for (int rounds = 0; left > 0 && rounds < most_rounds; rounds += rounds_at_once) {
    Kokkos::deep_copy(exec, counts, 0);
    Kokkos::deep_copy(exec, undecided_before(0), left);
    for (int round = 0; round < rounds_at_once; ++round) {
      const NodeList<Space> ready_in_round{ready, Kokkos::subview(counts, round, 1)};
      Kokkos::parallel_for("ashlar::amg[find ready nodes]", Policy(exec, 0, left),
                           FindReadyNodes<Space>{rank,
                                                 blocker,
                                                 {undecided, undecided_before(round)},
                                                 {still_undecided, undecided_before(round + 1)},
                                                 ready_in_round});
      Kokkos::parallel_for("ashlar::amg[decide nodes]",
                           Kokkos::TeamPolicy<Exec>(exec, std::min<int>(left, most_teams), is_gpu_v<Exec> ? 32 : 1),
                           DecideNodes<Graph, Exec>{graph, rank, blocker, ready_in_round});
      std::swap(undecided, still_undecided);
    }
    Kokkos::deep_copy(exec, Kokkos::View<std::int32_t, Kokkos::HostSpace, Kokkos::MemoryUnmanaged>(&left),
                      undecided_before(rounds_at_once));
    exec.fence("ashlar::amg: undecided nodes");
  }
  if (left > 0) decide_serially(exec, graph, rank);
  return rank;
}

}  // namespace ashlar::amg::impl
