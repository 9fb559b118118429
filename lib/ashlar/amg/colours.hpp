#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/bcsr/graph.hpp>
#include <cstddef>
#include <cstdint>
#include <vector>

namespace ashlar::amg {

/// Nodes by colour: two nodes of one colour are not coupled.
template <memory_space Space>
struct Colours {
  Kokkos::View<const std::int32_t*, Space> of_node;
  Kokkos::View<const std::int32_t*, Space> nodes;  ///< ascending within a colour, one colour after another
  std::vector<std::int64_t> begin;                 ///< of each colour in `nodes`, and the end

  int count() const { return static_cast<int>(begin.size()) - 1; }
};

/// Each node takes the first colour that none of its neighbours before it has, on the host.
///
/// Shapes   square; couplings are symmetric. A coupling that only one of two nodes has may join nodes of one colour.
/// Async    waits for `exec`.
template <execution_space Exec, class Ordinal, class Offset, class Space>
Colours<Space> colours_of_nodes(const Exec& exec, const BcsrGraph<Ordinal, Offset, Space>& graph) {
  const auto row_ptr = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, graph.row_ptr());
  const auto col_idx = Kokkos::create_mirror_view(Kokkos::WithoutInitializing, graph.col_idx());
  Kokkos::deep_copy(exec, row_ptr, graph.row_ptr());
  Kokkos::deep_copy(exec, col_idx, graph.col_idx());
  exec.fence("ashlar::amg: a graph on the host");
  const std::int64_t n = graph.num_block_rows();
  std::vector<std::int32_t> colour(std::size_t(n), -1);
  std::vector<std::int64_t> taken_by;  // the last node with a neighbour of this colour
  for (std::int64_t i = 0; i < n; ++i) {
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      const std::int32_t other = colour[std::size_t(col_idx(k))];
      if (other >= 0) taken_by[std::size_t(other)] = i;
    }
    std::size_t first = 0;
    while (first < taken_by.size() && taken_by[first] == i) ++first;
    if (first == taken_by.size()) taken_by.push_back(-1);
    colour[std::size_t(i)] = static_cast<std::int32_t>(first);
  }
  Colours<Space> result;
  result.begin.assign(taken_by.size() + 1, 0);
  for (const std::int32_t c : colour) ++result.begin[std::size_t(c) + 1];
  for (std::size_t c = 0; c < taken_by.size(); ++c) result.begin[c + 1] += result.begin[c];
  std::vector<std::int32_t> nodes(colour.size());
  std::vector<std::int64_t> next = result.begin;
  for (std::int64_t i = 0; i < n; ++i) {
    nodes[std::size_t(next[std::size_t(colour[std::size_t(i)])]++)] = static_cast<std::int32_t>(i);
  }
  result.of_node = ashlar::impl::view_from<Space>(exec, "ashlar::amg::colour", colour);
  result.nodes = ashlar::impl::view_from<Space>(exec, "ashlar::amg::nodes", nodes);
  return result;
}

}  // namespace ashlar::amg
