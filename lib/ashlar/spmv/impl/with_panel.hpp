#pragma once

#include <ashlar/spmv/impl/vectors.hpp>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// Vectors of the panels that are usual.
inline constexpr int usual_panel = 8;

/// Calls function(panel, interleaved), two std::integral_constants: how many vectors are multiplied at a time, and
/// whether x lets itself be loaded by chunks. Eight vectors, or four where that leaves no gap or there are no more, or
/// more where they can be loaded by chunks and leave none; none fewer than Fewest or more than Most.
template <int Fewest, int Most, class Scalar, class Function>
void with_panel(const MultiVectors<Scalar>& vectors, const Function& function) {
  if constexpr (Most > usual_panel) {
    if (vectors.are_interleaved(Most)) return function(std::integral_constant<int, Most>{}, std::true_type{});
    with_panel<Fewest, Most / 2>(vectors, function);
  } else {
    const auto with = [&](auto panel) {
      if (vectors.are_interleaved(panel())) return function(panel, std::true_type{});
      function(panel, std::false_type{});
    };
    const int n = vectors.num_vectors;
    if constexpr (Fewest <= 4) {
      if (n <= 4 || (n % usual_panel != 0 && n % 4 == 0)) return with(std::integral_constant<int, 4>{});
    }
    with(std::integral_constant<int, usual_panel>{});
  }
}

/// Panels of all block rows.
template <int Panel, class Rows>
std::int64_t num_panels(const Rows& rows, int num_vectors) {
  return rows.a.num_block_rows * ((num_vectors + Panel - 1) / Panel);
}

}  // namespace ashlar::impl
