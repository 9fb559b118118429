#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/algorithms.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/build_by_rows.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/impl/own_rows.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/remote_rows.hpp>
#include <cstddef>
#include <cstdint>
#include <string>
#include <utility>
#include <vector>

// Rows of a distributed matrix as one matrix of a rank, with rows of other ranks below its own: factors of products.

namespace ashlar::impl {

/// Block columns of one rank: its own first, counted from the first of them, then `others`.
template <class Space>
struct FactorColumns {
  std::int64_t begin = 0, end = 0;                       ///< own columns
  Kokkos::View<const std::int64_t*, Space> others = {};  ///< global columns, ascending

  std::int64_t count() const { return end - begin + std::int64_t(others.extent(0)); }

  /// The number of a global column; -1 if it has none.
  KOKKOS_INLINE_FUNCTION std::int64_t operator()(std::int64_t column) const {
    if (column >= begin && column < end) return column - begin;
    const auto size = static_cast<std::int64_t>(others.extent(0));
    const std::int64_t at = first_not_less(others, 0, size, column);
    return at < size && others(at) == column ? end - begin + at : -1;
  }
};

/// Counts and fills the own rows of a distributed matrix, and `below` them rows of other ranks. Blocks in columns
/// without a number are left out.
template <class Matrix>
struct NumberedRows {
  using Space = typename Matrix::memory_space;
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;

  OwnRows<Matrix> own;
  std::int64_t num_own;
  GlobalRows<Matrix> below;
  FactorColumns<Space> numbers;

  /// work(number, values of the block) for each block that stays, by ascending numbers. The values are null where those
  /// of other ranks are not there, as only the structure is wanted.
  template <class Work>
  KOKKOS_INLINE_FUNCTION void for_each_block(std::int64_t i, const Work& work) const {
    if (i >= num_own) {
      const std::int64_t first = below.row_ptr(i - num_own), last = below.row_ptr(i - num_own + 1);
      for (int pass = 0; pass < 2; ++pass) {  // own columns, then others
        for (std::int64_t k = first; k < last; ++k) {
          const std::int64_t number = numbers(below.columns(k));
          if (number < 0 || (number < numbers.end - numbers.begin) != (pass == 0)) continue;
          work(number, at_block(below.values, k));
        }
      }
      return;
    }
    for (std::int64_t k = own.local_row_ptr(i); k < std::int64_t(own.local_row_ptr(i + 1)); ++k) {
      work(std::int64_t(own.local_columns(k)), at_block(own.local_values, k));
    }
    const auto remote = own.remote_blocks(i);
    for (std::int64_t k = remote.first; k < remote.second; ++k) {
      const std::int64_t number = numbers(own.halo_columns(own.remote_columns(k)));
      if (number >= 0) work(number, at_block(own.remote_values, k));
    }
  }

  KOKKOS_INLINE_FUNCTION const Scalar* at_block(const typename Matrix::values_view& values, std::int64_t k) const {
    if (values.extent(0) == 0) return nullptr;
    return values.data() + k * below.block_shape.rows * below.block_shape.cols;
  }

  KOKKOS_FUNCTION int operator()(std::int64_t i) const {
    int count = 0;
    for_each_block(i, [&](std::int64_t, const Scalar*) { ++count; });
    return count;
  }

  template <class Row>
  KOKKOS_FUNCTION void operator()(std::int64_t i, const Row& row) const {
    int place = 0;
    const int rows = below.block_shape.rows, cols = below.block_shape.cols;
    for_each_block(i, [&](std::int64_t number, const Scalar* block) {
      row.column(place) = static_cast<typename Matrix::ordinal_type>(number);
      for (int c = 0; block != nullptr && c < cols; ++c) {
        for (int r = 0; r < rows; ++r) row.value(place, r, c) = block[Layout::at(r, c, rows, cols)];
      }
      ++place;
    });
  }
};

/// The own rows of `a` and those `below` in these columns. Waits for `exec`; the fill is enqueued.
///
/// Memory   a copy of the blocks; the local matrix itself if no other block is left.
template <class Matrix, class Exec>
Matrix numbered_rows(const Exec& exec, const DistributedMatrix<Matrix>& a, GlobalRows<Matrix> below,
                     const FactorColumns<typename Matrix::memory_space>& numbers) {
  using Ordinal = typename Matrix::ordinal_type;
  if (below.num_block_rows() == 0 && numbers.others.extent(0) == 0) return a.local();
  below.block_shape = a.block_shape();
  const std::int64_t num_own = a.num_block_rows(), num_rows = num_own + below.num_block_rows();
  check_fits_ordinal<Ordinal>(num_rows, "block rows of a factor");
  check_fits_ordinal<Ordinal>(numbers.count(), "block columns of a factor");
  const NumberedRows<Matrix> rows{OwnRows<Matrix>(a), num_own, below, numbers};
  return build_by_rows<Matrix>(exec, a.block_shape(), static_cast<Ordinal>(num_rows),
                               static_cast<Ordinal>(numbers.count()), rows, rows);
}

/// Block rows of other ranks: their structure is fetched once, their values for each matrix of one structure.
template <class Matrix>
class FetchedRows {
 public:
  using Space = typename Matrix::memory_space;

  FetchedRows() = default;

  /// Rows `rows` of `a`, global and ascending. Collective; waits for `exec`.
  template <class Exec>
  FetchedRows(const Exec& exec, const DistributedMatrix<Matrix>& a, const std::vector<std::int64_t>& rows) {
    const Communicator& comm = a.communicator();
    std::vector<std::vector<std::int64_t>> asked(std::size_t(comm.size()));
    for (const std::int64_t row : rows) {
      const int owner = a.row_map().owner(row);
      asked[std::size_t(owner)].push_back(row - a.row_map().begin(owner));
    }
    std::vector<std::int64_t> wanted;
    for (const auto& list : comm.all_to_all(asked)) {
      wanted.insert(wanted.end(), list.begin(), list.end());
      first_of_rank_.push_back(wanted.size());
    }
    comm.together([&] { wanted_ = view_from<Space>(exec, "ashlar::distributed::list", wanted); });
    const auto mine = comm.together([&] { return rows_to_host(exec, global_rows(exec, a, wanted_)); });
    std::vector<std::int64_t> first_block(1, 0);
    for (const std::int64_t length : mine.lengths) first_block.push_back(first_block.back() + length);
    HostRows<Matrix> come;
    come.lengths = lists_from_all(comm, pieces(mine.lengths));
    for (std::size_t& place : first_of_rank_) place = std::size_t(first_block[place]);  // from now on in blocks
    come.columns = lists_from_all(comm, pieces(mine.columns));
    rows_ = comm.together([&] { return rows_from_host<Matrix>(exec, a.block_shape(), come); });
  }

  /// The rows of a matrix with the structure of the first. Collective; waits for `exec`.
  template <class Exec>
  GlobalRows<Matrix> of(const Exec& exec, const DistributedMatrix<Matrix>& a) const {
    const Communicator& comm = a.communicator();
    const auto mine = comm.together([&] { return list_of(exec, global_rows(exec, a, wanted_).values); });
    const auto come = lists_from_all(comm, pieces(mine, std::size_t(a.block_shape().num_values())));
    GlobalRows<Matrix> rows = rows_;
    comm.together([&] { rows.values = view_from<Space>(exec, "ashlar::values", come); });
    return rows;
  }

  /// Without values.
  const GlobalRows<Matrix>& structure() const { return rows_; }

 private:
  /// A list, with `each` entries a block, cut by the rank that a piece goes to.
  template <class Entry>
  std::vector<std::vector<Entry>> pieces(const std::vector<Entry>& list, std::size_t each = 1) const {
    return pieces_of(list.data(), int(first_of_rank_.size()) - 1,
                     [&](int rank) { return first_of_rank_[std::size_t(rank)] * each; });
  }

  Kokkos::View<const std::int64_t*, Space> wanted_;  ///< own rows that go to other ranks, one rank's after another's
  std::vector<std::size_t> first_of_rank_ = {0};     ///< of the blocks of these rows; then their number
  GlobalRows<Matrix> rows_;
};

}  // namespace ashlar::impl
