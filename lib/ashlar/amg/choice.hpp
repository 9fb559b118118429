#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <cstdint>
#include <string>
#include <type_traits>

namespace ashlar::amg {

/// Signs and sums of a matrix's rows.
struct RowSigns {
  std::int64_t rows = 0;
  std::int64_t without_positive_diagonal = 0;
  std::int64_t coupled = 0;         ///< rows with an entry beside the diagonal
  std::int64_t of_no_m_matrix = 0;  ///< of these with a positive entry beside the diagonal, or a negative sum
  std::int64_t with_small_sum = 0;  ///< of these with a sum of at most a thousandth of the diagonal

  /// True for the signs of a Laplacian: entries beside the diagonal are at most 0, and most rows have a sum near 0.
  bool are_of_diffusion() const {
    return without_positive_diagonal == 0 && coupled > 0 && of_no_m_matrix == 0 && 2 * with_small_sum >= coupled;
  }
};

namespace impl {

/// Counts one row.
template <class Matrix, class Index>
struct CountRowSigns {
  using Layout = typename Matrix::layout_type;
  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::values_view values;
  Index diagonal_block;
  int b;

  KOKKOS_FUNCTION void operator()(std::int64_t row, std::int64_t& without_diagonal, std::int64_t& coupled,
                                  std::int64_t& of_no_m_matrix, std::int64_t& with_small_sum) const {
    const std::int64_t i = row / b, own = diagonal_block(i);
    const int r = static_cast<int>(row % b);
    const double diagonal = own < 0 ? 0 : double(values(own * b * b + Layout::at(r, r, b)));
    if (!(diagonal > 0)) {
      ++without_diagonal;
      return;
    }
    double sum = diagonal, largest = 0;
    bool is_coupled = false;
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      for (int c = 0; c < b; ++c) {
        if (k == own && c == r) continue;
        const double value = values(k * b * b + Layout::at(r, c, b));
        is_coupled = is_coupled || value != 0;
        largest = Kokkos::max(largest, value);
        sum += value;
      }
    }
    if (!is_coupled) return;
    constexpr double rounding = sizeof(typename Matrix::scalar_type) < sizeof(double) ? 1e-5 : 1e-10, small = 1e-3;
    ++coupled;
    of_no_m_matrix += !(largest <= rounding * diagonal && sum >= -rounding * diagonal);
    with_small_sum += sum <= small * diagonal;
  }
};

}  // namespace impl

/// Of a rank's rows. Waits for `exec`.
template <execution_space Exec, bcsr_matrix Matrix>
RowSigns row_signs(const Exec& exec, const Matrix& a) {
  RowSigns signs{.rows = a.num_rows()};
  const auto index = diagonal_block_index(exec, a);
  Kokkos::parallel_reduce("ashlar::amg[row signs]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, a.num_rows()),
                          impl::CountRowSigns<Matrix, std::decay_t<decltype(index)>>{a.graph().row_ptr(), a.values(),
                                                                                     index, a.block_size()},
                          signs.without_positive_diagonal, signs.coupled, signs.of_no_m_matrix, signs.with_small_sum);
  exec.fence("ashlar::amg: row signs");
  return signs;
}

/// Facts about a matrix from which its preconditioner is chosen.
struct Prospect {
  std::int64_t num_nodes = 0;  ///< block rows
  int block_size = 1;
  RowSigns signs = {};
  bool has_modes = false;  ///< of elasticity, or the caller's own
  bool is_on_gpu = false;
  bool is_symmetric = true;
  bool has_room = true;  ///< there is memory for preconditioner_bytes()
};

struct Choice {
  bool is_amg = false;  ///< else block-Jacobi
  std::string why;      ///< continues "chosen since"
};

/// Amg for a symmetric matrix if a cost model expects it to be faster: for elasticity with modes and for diffusion, if
/// block-Jacobi takes so many iterations that the set-up of amg is worth its cost. Rows with the signs of diffusion
/// count as diffusion, with or without modes. Iterations of block-Jacobi follow from the number of nodes, for a body as
/// compact as a cube, which takes the fewest. The costs were measured for elasticity on one H200 and on CPUs.
Choice choose(const Prospect& prospect);

/// The same for `a` on one rank. Of `known`, has_modes, is_symmetric and has_room are the caller's; this function finds
/// the rest. Waits for `exec`.
template <execution_space Exec, bcsr_matrix Matrix>
Choice choose(const Exec& exec, const Matrix& a, Prospect known) {
  known.num_nodes = a.num_block_rows();
  known.block_size = a.block_size();
  known.is_on_gpu = is_gpu_v<Exec>;
  if (known.is_symmetric && known.has_room) known.signs = row_signs(exec, a);
  return choose(known);
}

/// Block-Jacobi, after the set-up of a chosen amg has failed.
Choice without_amg(const NumericalError& failure);

}  // namespace ashlar::amg
