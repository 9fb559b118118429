#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/product.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/impl/numbered_rows.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/remote_rows.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <optional>
#include <vector>

namespace ashlar {

/// The product C = A B or C = A^T B of two distributed matrices: its structure is computed once, its values for each
/// pair of matrices with the structures of the first.
///
///     const DistributedProduct<Matrix> product(exec, a, b);
///     DistributedMatrix<Matrix> c = product.multiply(exec, a, b);
///     ...                                        // other values of a and b
///     c = product.multiply(exec, a, b, &c);      // in the structure of c
///
/// A rank makes its own rows of C by one MatrixProduct. For A B it fetches the rows of B that belong to remote columns
/// of its rows. For A^T B it fetches the rows of A and B of which A has a block in one of its own columns. Block
/// columns of these factors are its own first, then the others by ascending global numbers.
///
/// Shapes   as MatrixProduct; the row map of B is the column map of A, or the row map of A for A^T B. C has the rows of
///          op(A) and the column map of B.
/// Memory   the structures of the product and of the rows that are fetched. A product takes copies of the own rows of A
///          and B meanwhile, if they have remote columns.
/// Async    collective; waits for `exec`. Values of fetched rows travel through the host.
/// Result   the same bits for any number of threads; the sums of A^T B depend on the partition.
/// Throws   on all ranks together, as MatrixProduct and DistributedMatrix; ArgumentError if the maps do not fit.
template <bcsr_matrix Matrix>
class DistributedProduct {
 public:
  using Distributed = DistributedMatrix<Matrix>;

  /// Of A B.
  template <execution_space Exec>
  DistributedProduct(const Exec& exec, const Distributed& a, const Distributed& b)
      : DistributedProduct(exec, a, b, false) {}

  /// Of A^T B.
  template <execution_space Exec>
  static DistributedProduct of_transpose(const Exec& exec, const Distributed& a, const Distributed& b) {
    return DistributedProduct(exec, a, b, true);
  }

  /// C. If an earlier result `before` is given, C shares its pattern and its workspaces.
  template <execution_space Exec>
  Distributed multiply(const Exec& exec, const Distributed& a, const Distributed& b,
                       const Distributed* before = nullptr) const {
    return distribute(exec, multiply_rows(exec, a, b), before);
  }

  /// This rank's rows of C. Its own block columns come first, then others in ascending order.
  template <execution_space Exec>
  Matrix multiply_rows(const Exec& exec, const Distributed& a, const Distributed& b) const {
    const GlobalRows<Matrix> below_a = is_transposed_ ? rows_of_a_.of(exec, a) : GlobalRows<Matrix>();
    const GlobalRows<Matrix> below = rows_of_b_.of(exec, b);
    return a.communicator().together([&] {
      const Matrix left = left_factor(exec, a, below_a);
      const Matrix c = product_->multiply(exec, left, impl::numbered_rows(exec, b, below, columns_));
      exec.fence("ashlar::DistributedProduct: the factors have been read");
      return c;
    });
  }

  /// The distributed matrix of rows that multiply_rows() returned, or of others in their structure.
  template <execution_space Exec>
  Distributed distribute(const Exec& exec, const Matrix& rows, const Distributed* before = nullptr) const {
    if (before) return comm_->together([&] { return before->with_values(exec, rows.values()); });
    return Distributed(exec, comm_, row_map_, column_map_, RowsWithGhosts<Matrix>{rows, global_columns_}, options_);
  }

 private:
  using Space = typename Matrix::memory_space;
  using Numbers = std::vector<std::int64_t>;

  template <class Exec>
  DistributedProduct(const Exec& exec, const Distributed& a, const Distributed& b, bool is_transposed)
      : is_transposed_(is_transposed),
        comm_(a.shared_communicator()),
        row_map_(is_transposed ? a.column_map() : a.row_map()),
        column_map_(b.column_map()) {
    options_.halo.buffers = a.halo_plan().buffers();
    options_.halo.time_out_seconds = a.halo_plan().time_out_seconds();
    options_.halo.packet_bytes = a.halo_plan().packet_bytes();
    const Communicator& comm = *comm_;
    comm.together([&] {
      if (b.row_map() == (is_transposed ? a.row_map() : a.column_map())) return;
      throw ArgumentError(text("DistributedProduct: B has ", b.num_global_block_rows(), " block rows in a partition"),
                          is_transposed ? "the rows of A have another one" : "the columns of A have another one",
                          "redistribute() one of them");
    });
    if (is_transposed) {
      const Numbers rows = rows_in_my_columns(exec, a);
      rows_of_a_ = impl::FetchedRows<Matrix>(exec, a, rows);
      rows_of_b_ = impl::FetchedRows<Matrix>(exec, b, rows);
    } else {
      remote_of_a_ = comm.together([&] { return remote_columns(exec, a); });
      rows_of_b_ = impl::FetchedRows<Matrix>(exec, b, remote_of_a_);
    }
    comm.together([&] {
      const int rank = comm.rank();
      columns_ = {column_map_.begin(rank), column_map_.end(rank)};
      Numbers others = remote_columns(exec, b);
      for (const std::int64_t column : impl::list_of(exec, rows_of_b_.structure().columns)) {
        if (column < columns_.begin || column >= columns_.end) others.push_back(column);
      }
      std::sort(others.begin(), others.end());
      others.erase(std::unique(others.begin(), others.end()), others.end());
      columns_.others = impl::view_from<Space>(exec, "ashlar::distributed::list", others);
      Numbers global(std::size_t(columns_.end - columns_.begin));
      std::iota(global.begin(), global.end(), columns_.begin);
      global.insert(global.end(), others.begin(), others.end());
      global_columns_ = impl::view_from<Space>(exec, "ashlar::distributed::list", global);
      const Matrix left = left_factor(exec, a, rows_of_a_.structure());
      const Matrix right = impl::numbered_rows(exec, b, rows_of_b_.structure(), columns_);
      exec.fence("ashlar::DistributedProduct: structures of the factors");
      product_.emplace(is_transposed ? MatrixProduct<Matrix>::of_transpose(exec, left.graph(), right.graph())
                                     : MatrixProduct<Matrix>(exec, left.graph(), right.graph()));
    });
  }

  /// A for A B: own rows in own columns and those that rows of B are fetched for. A for A^T B: own and fetched rows in
  /// own columns.
  template <class Exec>
  Matrix left_factor(const Exec& exec, const Distributed& a, const GlobalRows<Matrix>& below) const {
    const int rank = comm_->rank();
    impl::FactorColumns<Space> numbers{a.column_map().begin(rank), a.column_map().end(rank)};
    if (!is_transposed_) numbers.others = impl::view_from<Space>(exec, "ashlar::distributed::list", remote_of_a_);
    return impl::numbered_rows(exec, a, below, numbers);
  }

  /// Global columns of remote blocks, ascending.
  template <class Exec>
  static Numbers remote_columns(const Exec& exec, const Distributed& a) {
    Numbers columns = impl::list_of(exec, a.halo_columns());
    columns.erase(std::remove(columns.begin(), columns.end(), -1), columns.end());
    return columns;
  }

  /// The rows of other ranks that have a block in this rank's columns, which their owners know. Collective.
  template <class Exec>
  static Numbers rows_in_my_columns(const Exec& exec, const Distributed& a) {
    const Communicator& comm = a.communicator();
    std::vector<Numbers> to(std::size_t(comm.size()));
    comm.together([&] {
      const auto rows = impl::list_of(exec, a.remote_rows());
      const auto row_ptr = impl::list_of(exec, a.remote().graph().row_ptr());
      const auto columns = impl::list_of(exec, a.remote().graph().col_idx());
      const auto global = impl::list_of(exec, a.halo_columns());
      for (std::size_t i = 0; i < rows.size(); ++i) {
        const std::int64_t row = a.row_map().begin(comm.rank()) + std::int64_t(rows[i]);
        for (auto k = std::size_t(row_ptr[i]); k < std::size_t(row_ptr[i + 1]); ++k) {
          Numbers& list = to[std::size_t(a.column_map().owner(global[std::size_t(columns[k])]))];
          if (list.empty() || list.back() != row) list.push_back(row);
        }
      }
    });
    return impl::lists_from_all(comm, to);
  }

  bool is_transposed_;
  std::shared_ptr<const Communicator> comm_;
  RowPartition row_map_, column_map_;
  DistributedMatrixOptions options_;
  Numbers remote_of_a_;  ///< for A B: global columns whose rows of B are fetched
  impl::FetchedRows<Matrix> rows_of_a_, rows_of_b_;
  impl::FactorColumns<Space> columns_;  ///< of C
  typename RowsWithGhosts<Matrix>::index_view global_columns_;
  std::optional<MatrixProduct<Matrix>> product_;
};

}  // namespace ashlar
