#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/chunk.hpp>
#include <ashlar/spmv/impl/divisor.hpp>
#include <cstdint>

namespace ashlar::impl {

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

  /// Those from `first` on, at most `count` of them.
  MultiVectors from(int first, int count) const {
    const int rest = num_vectors - first;
    return {rest < count ? rest : count,
            {&x(0, first), x.row_stride, x.vector_stride},
            {&y(0, first), y.row_stride, y.vector_stride}};
  }

  /// Whether the entries of a row of x lie side by side.
  bool are_by_rows() const { return x.vector_stride == 1; }

  /// Whether x can be loaded chunk by chunk, `panel` vectors at a time.
  bool are_interleaved(int panel) const {
    constexpr int size = Chunk<Scalar>::size;
    return are_by_rows() && x.row_stride % size == 0 && panel % size == 0 && num_vectors % panel == 0 &&
           holds_aligned_chunks(x.data);
  }
};

/// Which panel of which block row the `index`-th of all panels is: those of one block row follow each other.
template <int Panel>
struct PanelOfRow {
  std::int64_t block_row;
  int first_vector, num_vectors;

  KOKKOS_INLINE_FUNCTION PanelOfRow(std::int64_t index, int all_vectors) {
    const int panels = (all_vectors + Panel - 1) / Panel;
    block_row = panels == 1 ? index : quotient(index, panels);
    set_panel(static_cast<int>(index - block_row * panels), all_vectors);
  }

  /// The same where the block rows of one panel follow each other, and then come those of the next.
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

  /// An entry of each; where the panel is not full, those of the last vector again.
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

}  // namespace ashlar::impl
