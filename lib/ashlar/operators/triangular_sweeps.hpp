#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/validate.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/persistent_cg/one_device.hpp>
#include <ashlar/spmv/block_sizes.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>
#include <vector>

// The forward and the backward sweep that preconditioners by incomplete factors have in common, on hosts.
//
// A block row of a sweep waits for the rows that it has blocks of. Rows that wait for each other in no way form a
// level, and the rows of a level are swept side by side. A row is always computed by one thread and in the order of its
// blocks: results have the same bits for any number of threads.

namespace ashlar::impl {

/// Block sizes for which these preconditioners have loops of their own.
using SweptBlockSizes = std::integer_sequence<int, 1, 2, 3, 4, 5, 6>;

/// An order of block rows in which each comes after those it waits for.
template <class Ordinal>
struct SweepOrder {
  /// rows[begin] to rows[end - 1]: independent of each other, if there are several pieces of them.
  struct Step {
    std::int64_t begin, end;
    std::int64_t pieces;  ///< worth a thread each
  };
  std::vector<Ordinal> rows;
  std::vector<Step> steps;

  /// work(row) for each row of the order.
  template <class Exec, class Work>
  void for_each_row(const char* label, const Exec& exec, const Work& work) const {
    for (const Step& step : steps) {
      const std::int64_t pieces = std::min<std::int64_t>(step.pieces, exec.concurrency());
      for_each_on_host(label, exec, pieces, [&](std::int64_t piece) {
        const std::int64_t count = step.end - step.begin;
        const std::int64_t last = step.begin + count * (piece + 1) / pieces;
        for (std::int64_t k = step.begin + count * piece / pieces; k < last; ++k) work(rows[std::size_t(k)]);
      });
    }
  }
};

/// The order of a sweep, forward through the blocks below the diagonal, or backward through those above it. Levels of
/// little work are swept by one thread, several of them as one step.
template <class Matrix, class Index>
SweepOrder<typename Matrix::ordinal_type> sweep_order(const Matrix& matrix, const Index& diagonal, bool forward,
                                                      int threads) {
  using Ordinal = typename Matrix::ordinal_type;
  using Step = typename SweepOrder<Ordinal>::Step;
  constexpr std::int64_t bytes_worth_a_thread = 64 << 10;
  const std::int64_t n = matrix.num_block_rows();
  const auto &row_ptr = matrix.graph().row_ptr(), &col_idx = matrix.graph().col_idx();
  const auto begin_of = [&](std::int64_t i) { return forward ? std::int64_t(row_ptr(i)) : std::int64_t(diagonal(i)); };
  const auto end_of = [&](std::int64_t i) {
    return forward ? std::int64_t(diagonal(i)) + 1 : std::int64_t(row_ptr(i + 1));
  };
  SweepOrder<Ordinal> order;
  order.rows.resize(std::size_t(n));
  for (std::int64_t k = 0; k < n; ++k) order.rows[std::size_t(k)] = Ordinal(forward ? k : n - 1 - k);
  std::vector<std::int64_t> level(std::size_t(n), 0), bytes;
  std::vector<std::size_t> count;
  for (const Ordinal row : order.rows) {
    std::int64_t& own = level[std::size_t(row)];
    for (std::int64_t k = begin_of(row); k < end_of(row); ++k) {
      if (std::int64_t(col_idx(k)) != std::int64_t(row)) own = std::max(own, level[std::size_t(col_idx(k))] + 1);
    }
    if (std::size_t(own) >= bytes.size()) {
      bytes.resize(std::size_t(own) + 1, 0);
      count.resize(std::size_t(own) + 1, 0);
    }
    bytes[std::size_t(own)] += (end_of(row) - begin_of(row)) * std::int64_t(matrix.block_shape().num_values()) *
                               std::int64_t(sizeof(typename Matrix::scalar_type));
    ++count[std::size_t(own)];
  }
  std::int64_t all = 0, side_by_side = 0;
  for (const std::int64_t of_level : bytes) {
    all += of_level;
    if (of_level >= 2 * bytes_worth_a_thread) side_by_side += of_level;
  }
  if (threads == 1 || 2 * side_by_side < all) {  // one after another, as they lie in memory
    order.steps = {Step{0, n, 1}};
    return order;
  }
  std::vector<std::int64_t> place(count.size() + 1, 0);
  for (std::size_t l = 0; l < count.size(); ++l) {
    const std::int64_t begin = place[l], end = begin + std::int64_t(count[l]);
    place[l + 1] = end;
    const std::int64_t pieces = std::max<std::int64_t>(bytes[l] / bytes_worth_a_thread, 1);
    if (pieces == 1 && !order.steps.empty() && order.steps.back().pieces == 1) {
      order.steps.back().end = end;
    } else {
      order.steps.push_back({begin, end, pieces});
    }
  }
  const std::vector<Ordinal> as_they_lie = order.rows;
  for (const Ordinal row : as_they_lie) order.rows[std::size_t(place[std::size_t(level[std::size_t(row)])]++)] = row;
  return order;
}

/// The place of each diagonal block of a square matrix. `name` is the preconditioner's.
///
/// Throws   ShapeError; MissingDiagonalError for a row without a diagonal block, StructureError instead if the graph is
///          not valid.
template <class Exec, class Matrix>
auto places_on_diagonal(const char* name, const Exec& exec, const Matrix& matrix) {
  static_assert(!is_gpu_v<Exec>, "ashlar: ILU(0) and SSOR sweep on hosts alone");
  if (matrix.num_block_rows() != matrix.num_block_cols() || !matrix.block_shape().is_square()) {
    throw ShapeError(text(name, ": a matrix of ", matrix.num_rows(), " x ", matrix.num_cols()),
                     "only a square matrix has a diagonal to invert", instead_of_not_square);
  }
  if (matrix.block_size() > max_block_size) {
    throw ShapeError(text(name, ": blocks of ", matrix.block_size(), " rows"),
                     text("a sweep has room for ", max_block_size), "take smaller blocks");
  }
  const auto diagonal = diagonal_block_index(exec, matrix);
  exec.fence("ashlar::sweeps: the diagonal");
  for (std::int64_t i = 0; i < std::int64_t(matrix.num_block_rows()); ++i) {
    if (diagonal(i) >= 0) continue;
    validate(exec, matrix.graph());
    throw MissingDiagonalError(i, text(name, ": block row ", i, " (from 0) has no diagonal block"),
                               "each row is divided by its own", "use no preconditioner, or another block size");
  }
  return diagonal;
}

/// A block row of a sweep. Entries of r and z are `r_stride` and `z_stride` apart.
template <bool forward, int B, class Matrix>
struct SweepRow {
  using Scalar = typename Matrix::scalar_type;
  static constexpr int most = B > 0 ? B : max_block_size;

  const typename Matrix::offset_type* row_ptr;
  const typename Matrix::ordinal_type* col_idx;
  const std::make_signed_t<typename Matrix::offset_type>* diagonal;
  const Scalar *values, *inverse;
  Scalar relaxation;
  int block_size;
  const Scalar* r;
  Scalar* z;
  std::int64_t r_stride, z_stride;

  void operator()(std::int64_t i) const {
    using Layout = typename Matrix::layout_type;
    const int b = B > 0 ? B : block_size;
    Scalar sum[most], turned[most];
    for (int q = 0; q < b; ++q) sum[q] = forward ? r[(i * b + q) * r_stride] : Scalar(0);
    const std::int64_t begin = forward ? std::int64_t(row_ptr[i]) : std::int64_t(diagonal[i]) + 1,
                       end = forward ? std::int64_t(diagonal[i]) : std::int64_t(row_ptr[i + 1]);
    for (std::int64_t k = begin; k < end; ++k) {
      const Scalar* const block = values + k * b * b;
      const Scalar* const x = z + std::int64_t(col_idx[k]) * b * z_stride;
      for (int c = 0; c < b; ++c) {
        const Scalar entry = x[c * z_stride];
        for (int q = 0; q < b; ++q) sum[q] -= block[Layout::at(q, c, b, b)] * entry;
      }
    }
    const Scalar* const block = inverse + i * b * b;
    for (int q = 0; q < b; ++q) turned[q] = Scalar(0);
    for (int c = 0; c < b; ++c) {
      for (int q = 0; q < b; ++q) turned[q] += block[Layout::at(q, c, b, b)] * sum[c];
    }
    for (int q = 0; q < b; ++q) {
      Scalar& entry = z[(i * b + q) * z_stride];
      entry = forward ? relaxation * turned[q] : (Scalar(2) - relaxation) * entry + relaxation * turned[q];
    }
  }
};

/// z := M^-1 r with M = (D/w + L) (D/w)^-1 (D/w + U) / (2 - w): L and U are the blocks of a matrix below and above its
/// diagonal, D is a block diagonal whose inverse is given, w is the relaxation.
template <bcsr_matrix Matrix>
class TriangularSweeps {
  using Ordinal = typename Matrix::ordinal_type;
  using Index = Kokkos::View<std::make_signed_t<typename Matrix::offset_type>*, typename Matrix::memory_space>;

 public:
  using Scalar = typename Matrix::scalar_type;
  using Order = std::shared_ptr<const SweepOrder<Ordinal>>;

  TriangularSweeps(Matrix matrix, Index diagonal, typename Matrix::values_view inverse, Order forward, Order backward,
                   double relaxation)
      : matrix_(std::move(matrix)),
        diagonal_(std::move(diagonal)),
        inverse_(std::move(inverse)),
        forward_(std::move(forward)),
        backward_(std::move(backward)),
        relaxation_(real_t<Scalar>(relaxation)) {}

  template <execution_space Exec, class R, class Z>
  void apply(const char* label, const Exec& exec, const R& r, const Z& z) const {
    static_assert(!is_gpu_v<Exec>, "ashlar: ILU(0) and SSOR sweep on hosts alone");
    if (std::int64_t(r.extent(0)) != matrix_.num_rows() || std::int64_t(z.extent(0)) != matrix_.num_rows() ||
        r.extent(1) != z.extent(1)) {
      throw ShapeError(
          text(label, ": r of ", r.extent(0), " x ", r.extent(1), ", z of ", z.extent(0), " x ", z.extent(1)),
          text("the matrix has ", matrix_.num_rows(), " rows"), "pass vectors as long as the matrix");
    }
    if constexpr (Z::rank() == 1) {
      with_block_size_of(SweptBlockSizes{}, matrix_.block_size(), [&](auto b) {
        sweep<b()>(label, exec, r.data(), std::int64_t(r.stride(0)), z.data(), std::int64_t(z.stride(0)));
      });
    } else {
      for (std::size_t j = 0; j < z.extent(1); ++j) {
        sweep<runtime_block_size>(label, exec, &r(0, j), std::int64_t(r.stride(0)), &z(0, j),
                                  std::int64_t(z.stride(0)));
      }
    }
  }

  std::int64_t traffic_bytes() const {
    return spmv_traffic_bytes(matrix_) + std::int64_t((2 * inverse_.extent(0) + matrix_.num_rows()) * sizeof(Scalar));
  }

 private:
  template <int B, class Exec>
  void sweep(const char* label, const Exec& exec, const Scalar* r, std::int64_t r_stride, Scalar* z,
             std::int64_t z_stride) const {
    if (matrix_.num_rows() == 0) return;
    forward_->for_each_row(label, exec, row_of<true, B>(r, r_stride, z, z_stride));
    backward_->for_each_row(label, exec, row_of<false, B>(r, r_stride, z, z_stride));
  }

  template <bool forward, int B>
  SweepRow<forward, B, Matrix> row_of(const Scalar* r, std::int64_t r_stride, Scalar* z, std::int64_t z_stride) const {
    return {matrix_.graph().row_ptr().data(),
            matrix_.graph().col_idx().data(),
            diagonal_.data(),
            matrix_.values().data(),
            inverse_.data(),
            relaxation_,
            int(matrix_.block_size()),
            r,
            z,
            r_stride,
            z_stride};
  }

  Matrix matrix_;
  Index diagonal_;
  typename Matrix::values_view inverse_;
  Order forward_, backward_;
  Scalar relaxation_;
};

}  // namespace ashlar::impl
