#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/bcsr/graph.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <string>
#include <type_traits>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The part of the structure that stays on the device.
template <class Matrix>
struct ResidentStructure {
  template <class T>
  using View = Kokkos::View<T*, typename Matrix::memory_space>;

  /// The row pointers of each subdivision one after the other, counted from its first block sent.
  View<typename Matrix::offset_type> row_ptr;
  /// All block columns, or none where they are sent with the values.
  View<typename Matrix::ordinal_type> col_idx;
};

template <class View>
auto range_of(const View& view, std::int64_t begin, std::int64_t count) {
  return Kokkos::subview(view, std::make_pair(begin, begin + count));
}

/// The row pointers; and room for the block columns, where those stay.
///
/// Async    waits for `exec`.
template <class Matrix, class Exec, class HostMatrix>
ResidentStructure<Matrix> resident_structure(const Exec& exec, const HostMatrix& host,
                                             const std::vector<Subdivision>& subdivisions, bool with_columns) {
  using Offset = typename Matrix::offset_type;
  using Result = ResidentStructure<Matrix>;
  Result result;
  const auto allocate = [&](const char* label) {
    return Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(label));
  };
  std::vector<Offset> row_ptr;
  const auto& from = host.graph().row_ptr();
  for (const Subdivision& part : subdivisions) {
    for (std::int64_t row = 0; row <= part.num_rows; ++row) {
      const std::int64_t block = from.extent(0) > 0 ? std::int64_t(from(part.first_row + row)) : 0;
      row_ptr.push_back(static_cast<Offset>(block - part.first_sent()));
    }
  }
  result.row_ptr = typename Result::template View<Offset>(allocate("ashlar::streaming::row_ptr"), row_ptr.size());
  Kokkos::deep_copy(exec, result.row_ptr,
                    Kokkos::View<const Offset*, Kokkos::HostSpace, Kokkos::MemoryTraits<Kokkos::Unmanaged>>(
                        row_ptr.data(), row_ptr.size()));
  if (with_columns) {
    const Subdivision last = subdivisions.empty() ? Subdivision{} : subdivisions.back();
    result.col_idx = typename Result::template View<typename Matrix::ordinal_type>(
        allocate("ashlar::streaming::col_idx"), std::size_t(last.first_block + last.num_blocks));
  }
  exec.fence("ashlar::streaming: structure copied");
  return result;
}

/// The block rows of subdivision k, whose values (and block columns, where they are sent) are in a buffer.
template <class Matrix, class HostMatrix>
Matrix rows_in_buffer(const HostMatrix& host, const Subdivision& part, int k,
                      const ResidentStructure<Matrix>& structure, const typename Matrix::values_view& values,
                      const typename Matrix::graph_type::col_idx_view& columns) {
  const bool columns_are_sent = structure.col_idx.extent(0) == 0;
  // Each subdivision before has one row pointer more than rows.
  const auto row_ptr = range_of(structure.row_ptr, part.first_row + k, part.num_rows + 1);
  using Columns = typename Matrix::graph_type::col_idx_view;
  const Columns col_idx =
      columns_are_sent ? columns : Columns(range_of(structure.col_idx, part.first_sent(), part.num_sent()));
  return {host.block_shape(), {host.num_block_cols(), row_ptr, col_idx}, values};
}

/// The block rows of a subdivision among the blocks of the whole matrix.
template <class Matrix>
Matrix rows_in_place(const Matrix& whole, const Subdivision& part) {
  if (whole.graph().row_ptr().extent(0) == 0) return whole;
  return {whole.block_shape(),
          {whole.num_block_cols(), range_of(whole.graph().row_ptr(), part.first_row, part.num_rows + 1),
           whole.graph().col_idx()},
          whole.values()};
}

/// The most that the plans of the whole matrix and of its parts take on the device: the row pointers, from which that
/// of the whole is made, and for both the segments of block rows that may be long enough to be cut.
template <class HostMatrix>
std::uint64_t bytes_of_plans(const HostMatrix& host, int num_vectors) {
  const auto& row_ptr = host.graph().row_ptr();
  const std::int64_t num_rows = host.num_block_rows();
  const std::int64_t shortest = std::max<std::int64_t>(64, num_rows > 0 ? 2 * (host.num_blocks() / num_rows) : 0);
  const std::int64_t blocks_of_one = blocks_of_segment(host.block_shape());
  std::uint64_t rows = 0, segments = 0;
  for (std::int64_t row = 0; row < num_rows; ++row) {
    const std::int64_t length = row_ptr(row + 1) - row_ptr(row);
    if (length <= shortest) continue;
    ++rows;
    segments += std::uint64_t((length + blocks_of_one - 1) / blocks_of_one);
  }
  const std::uint64_t partial_bytes = 16 * std::uint64_t(host.block_shape().rows) * std::uint64_t(num_vectors);
  const std::uint64_t of_segments = segments * (partial_bytes + 2 * sizeof(typename HostMatrix::offset_type)) +
                                    2 * rows * sizeof(typename HostMatrix::ordinal_type);
  return 2 * of_segments + row_ptr.extent(0) * sizeof(typename HostMatrix::offset_type);
}

/// A plan of products with the whole matrix, as if it were on the device. (Plans read row pointers and at how many
/// blocks there are, not at the blocks.)
template <class Matrix, class Exec, class HostMatrix>
SpmvPlan<Matrix> plan_of_whole(const Exec& exec, const HostMatrix& host, const SpmvOptions& options) {
  if constexpr (std::is_same_v<Matrix, HostMatrix>) {
    return {exec, host, options};
  } else {
    using Space = typename Matrix::memory_space;
    const auto row_ptr = Kokkos::View<typename Matrix::offset_type*, Space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::streaming::row_ptr of all"),
        host.graph().row_ptr().extent(0));
    Kokkos::deep_copy(exec, row_ptr, host.graph().row_ptr());
    const Kokkos::View<typename Matrix::ordinal_type*, Space> no_col_idx(nullptr, host.graph().col_idx().extent(0));
    const Kokkos::View<typename Matrix::scalar_type*, Space> no_values(nullptr, host.values().extent(0));
    return {exec, Matrix(host.block_shape(), {host.num_block_cols(), row_ptr, no_col_idx}, no_values), options};
  }
}

/// In how many pieces the host multiplies its share, and when: between two it goes on enqueuing.
///
/// The number of commands for which a device's queue has room (CUDA's for more than 1000 subdivisions). Enqueueing more
/// would wait for room; the host multiplies instead. A part of the queue is left, so that the device has work in the
/// meantime.
///
/// A large share has several pieces, however little is to be enqueued: what of x the later ones need comes, and what
/// earlier ones have of y goes, while the host multiplies. (After each piece the slowest thread is waited for: they are
/// to be few.)
struct HostPieces {
  static constexpr int first = 512;  ///< subdivisions that are enqueued before the first piece
  static constexpr int next = 256;   ///< and before those that follow
  /// The number of a piece, if a round has several.
  static constexpr std::uint64_t least_bytes = std::uint64_t(128) << 20;
  static constexpr int most_by_size = 4;

  int num_subdivisions;
  std::uint64_t bytes = 0;  ///< of the share

  int count() const { return num_rounds() * in_a_row(); }

  /// Pieces that come before subdivision k is enqueued.
  int before(int k) const { return k < first ? 0 : in_a_row() * (1 + (k - first) / next); }

 private:
  /// How often the host enqueues and then multiplies.
  int num_rounds() const { return num_subdivisions <= first ? 1 : 1 + (num_subdivisions - first + next - 1) / next; }

  /// Pieces of a round.
  int in_a_row() const {
    const int by_size = static_cast<int>(std::clamp<std::uint64_t>(bytes / least_bytes, 1, most_by_size));
    return std::max(by_size / num_rounds(), 1);
  }
};

}  // namespace ashlar::impl
