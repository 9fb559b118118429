#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/loads/load_chunk.hpp>
#include <bit>
#include <cstdint>
#include <type_traits>

namespace ashlar::impl {

/// Division of numbers from 0 to 2^31 - 1 by one that is known at run time only, as a product and a shift: a GPU takes
/// some twenty instructions for a division.
///
/// Source   Granlund & Montgomery 1994.
class Divisor {
 public:
  Divisor() = default;
  /// 1 <= divisor < 2^31
  explicit Divisor(int divisor) {
    shift_ = 31 + static_cast<int>(std::bit_width(unsigned(divisor - 1)));
    factor_ = (std::uint64_t(1) << shift_) / std::uint64_t(divisor) + 1;
  }

  KOKKOS_INLINE_FUNCTION friend int operator/(int number, const Divisor& by) {
    return static_cast<int>((std::uint64_t(std::uint32_t(number)) * std::uint32_t(by.factor_)) >> by.shift_);
  }

 private:
  std::uint64_t factor_ = 0;
  int shift_ = 0;
};

/// number / by, both not negative. In most cases there is little to divide, and a division of 64-bit numbers takes a
/// GPU a hundred instructions.
KOKKOS_INLINE_FUNCTION std::int64_t quotient(std::int64_t number, std::int64_t by) {
  if (by == 1) return number;
  if ((number | by) >> 32 == 0) return std::uint32_t(number) / std::uint32_t(by);
  return number / by;
}

/// Some vectors, from a view of rank 2 of whatever layout: where entry `row` of vector `v` lies.
template <class Scalar>
struct Vectors {
  Scalar* data = nullptr;
  std::int64_t row_stride = 1, vector_stride = 0;

  KOKKOS_INLINE_FUNCTION Scalar& operator()(std::int64_t row, int vector) const {
    return data[row * row_stride + vector * vector_stride];
  }
};

/// x and y of a product with several vectors.
template <class Scalar>
struct MultiVectors {
  int num_vectors = 1;
  Vectors<const Scalar> x;
  Vectors<Scalar> y;

  /// At most `count` vectors from `first` on.
  MultiVectors from(int first, int count) const {
    const int rest = num_vectors - first;
    return {rest < count ? rest : count,
            {&x(0, first), x.row_stride, x.vector_stride},
            {&y(0, first), y.row_stride, y.vector_stride}};
  }

  /// True if the entries of a row of x lie side by side.
  bool are_by_rows() const { return x.vector_stride == 1; }

  /// True if x can be loaded chunk by chunk, `panel` vectors at a time.
  bool are_interleaved(int panel) const {
    constexpr int size = Chunk<Scalar>::size;
    return are_by_rows() && x.row_stride % size == 0 && panel % size == 0 && num_vectors % panel == 0 &&
           holds_aligned_chunks(x.data);
  }
};

/// The block row and panel of the `index`-th of all panels: the panels of one block row are consecutive.
template <int Panel>
struct PanelOfRow {
  std::int64_t block_row;
  int first_vector, num_vectors;

  KOKKOS_INLINE_FUNCTION PanelOfRow(std::int64_t index, int all_vectors) {
    const int panels = (all_vectors + Panel - 1) / Panel;
    block_row = panels == 1 ? index : quotient(index, panels);
    set_panel(static_cast<int>(index - block_row * panels), all_vectors);
  }

  /// The same if the block rows of one panel are consecutive, followed by the block rows of the next panel.
  KOKKOS_INLINE_FUNCTION static PanelOfRow of_panel_after_panel(std::int64_t index, int all_vectors,
                                                                std::int64_t num_block_rows) {
    PanelOfRow result;
    const std::int64_t panel = index < num_block_rows ? 0 : quotient(index, num_block_rows);
    result.block_row = index - panel * num_block_rows;
    result.set_panel(static_cast<int>(panel), all_vectors);
    return result;
  }

 private:
  PanelOfRow() = default;

  KOKKOS_INLINE_FUNCTION void set_panel(int panel, int all_vectors) {
    first_vector = panel * Panel;
    num_vectors = all_vectors - first_vector < Panel ? all_vectors - first_vector : Panel;
  }
};

/// The vectors of a panel, as x is read: Interleaved, so that an entry of all of them is a run of whole chunks; or not.
template <class Scalar, int Panel, bool Interleaved>
class VectorPanel {
 public:
  KOKKOS_INLINE_FUNCTION VectorPanel(const Vectors<const Scalar>& all, int first_vector, int num_vectors)
      : vectors_{&all(0, first_vector), all.row_stride, all.vector_stride}, last_(num_vectors - 1) {}

  /// One entry of each vector; if the panel is not full, the last vector's entry is repeated.
  KOKKOS_INLINE_FUNCTION void load(std::int64_t row, Scalar (&x)[Panel]) const {
    if constexpr (Interleaved) {
      constexpr int size = Chunk<Scalar>::size;
      for (int v = 0; v < Panel; v += size) {
        const auto chunk = *reinterpret_cast<const Chunk<Scalar>*>(&vectors_(row, 0) + v);
        for (int j = 0; j < size; ++j) x[v + j] = chunk.value[j];
      }
    } else {
      for (int v = 0; v < Panel; ++v) x[v] = vectors_(row, v < last_ ? v : last_);
    }
  }

 private:
  Vectors<const Scalar> vectors_;
  int last_;
};

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
