#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/amg/near_null_space.hpp>
#include <ashlar/amg/strength.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/product.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstddef>
#include <cstdint>
#include <type_traits>
#include <utility>
#include <vector>

// The interface of matrices to a hierarchy. A hierarchy is of one rank's BcsrMatrix, here, or of a DistributedMatrix
// (distributed.hpp); all else is the same code for both. A finest level may be a matrix that is streamed
// (streamed_level.hpp).

namespace ashlar::amg {

namespace impl {

/// Calls work(block row, block column, row in the block, column in the block, value) for each entry of a matrix, on
/// the host. Waits for `exec`.
template <class Exec, class Matrix, class Work>
void for_each_entry_on_host(const Exec& exec, const Matrix& a, const Work& work) {
  const auto there = copy_to<Kokkos::HostSpace>(exec, a);
  exec.fence("ashlar::amg: a matrix on the host");
  const BlockShape shape = a.block_shape();
  const auto &row_ptr = there.graph().row_ptr(), &col_idx = there.graph().col_idx();
  for (std::int64_t i = 0; i < std::int64_t(there.num_block_rows()); ++i) {
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      for (int c = 0; c < shape.cols; ++c) {
        for (int r = 0; r < shape.rows; ++r) {
          const std::int64_t place = k * shape.num_values() + Matrix::layout_type::at(r, c, shape.rows, shape.cols);
          work(i, std::int64_t(col_idx(k)), r, c, there.values()(place));
        }
      }
    }
  }
}

/// Entries of two graphs of the same sizes that differ.
template <class Graph>
struct CountDifferences {
  typename Graph::row_ptr_view row_ptr, other_row_ptr;
  typename Graph::col_idx_view col_idx, other_col_idx;

  KOKKOS_FUNCTION void operator()(std::int64_t k, std::int64_t& count) const {
    if (k < std::int64_t(row_ptr.extent(0))) count += row_ptr(k) != other_row_ptr(k);
    if (k < std::int64_t(col_idx.extent(0))) count += col_idx(k) != other_col_idx(k);
  }
};

/// True if two graphs have the same blocks. Waits for `exec`.
template <class Exec, class Graph>
bool are_alike(const Exec& exec, const Graph& a, const Graph& b) {
  if (a.row_ptr().extent(0) != b.row_ptr().extent(0) || a.col_idx().extent(0) != b.col_idx().extent(0)) return false;
  if (a.row_ptr().data() == b.row_ptr().data() && a.col_idx().data() == b.col_idx().data()) return true;
  const std::size_t longest = std::max(a.row_ptr().extent(0), a.col_idx().extent(0));
  std::int64_t differences = 0;
  Kokkos::parallel_reduce("ashlar::amg[same structure]",
                          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(longest)),
                          CountDifferences<Graph>{a.row_ptr(), b.row_ptr(), a.col_idx(), b.col_idx()}, differences);
  exec.fence("ashlar::amg: same structure");
  return differences == 0;
}

/// An entry of another vector, in this one's precision.
template <class From, class To>
struct CopyEntry {
  From from;
  To to;

  KOKKOS_FUNCTION void operator()(std::int64_t i) const {
    to(i) = static_cast<typename To::non_const_value_type>(from(i));
  }
};

/// The product C = A B or C = A^T B of matrices of one rank, with the members of DistributedProduct.
template <class Matrix>
class LocalProduct {
 public:
  template <class Exec>
  LocalProduct(const Exec& exec, const Matrix& a, const Matrix& b) : product_(exec, a.graph(), b.graph()) {}
  template <class Exec>
  static LocalProduct of_transpose(const Exec& exec, const Matrix& a, const Matrix& b) {
    return LocalProduct(MatrixProduct<Matrix>::of_transpose(exec, a.graph(), b.graph()));
  }

  template <class Exec>
  Matrix multiply(const Exec& exec, const Matrix& a, const Matrix& b) const {
    return product_.multiply(exec, a, b);
  }
  template <class Exec>
  Matrix multiply_rows(const Exec& exec, const Matrix& a, const Matrix& b) const {
    return product_.multiply(exec, a, b);
  }
  template <class Exec>
  Matrix distribute(const Exec&, Matrix rows, const Matrix* = nullptr) const {
    return rows;
  }

 private:
  explicit LocalProduct(MatrixProduct<Matrix> product) : product_(std::move(product)) {}

  MatrixProduct<Matrix> product_;
};

}  // namespace impl

/// The matrix of a level, and what its products with vectors need.
template <class A>
class LevelMatrix;

/// Of one rank.
template <bcsr_matrix Matrix>
class LevelMatrix<Matrix> {
 public:
  using Local = Matrix;
  using Scalar = typename Matrix::scalar_type;
  using Vector = Kokkos::View<Scalar*, typename Matrix::memory_space>;
  using Prolongator = Matrix;
  using Product = impl::LocalProduct<Matrix>;

  template <execution_space Exec>
  LevelMatrix(const Exec& exec, Matrix a, ExchangeMode = ExchangeMode::automatic) : a_(std::move(a)), plan_(exec, a_) {}

  /// Other values of the same pattern.
  void set(Matrix a) { a_ = std::move(a); }

  const Matrix& matrix() const { return a_; }
  /// Own rows x own columns.
  const Matrix& local() const { return a_; }
  const Communicator& comm() const { return impl::one_rank(); }
  /// The mode of exchanges: not automatic, once there is a matrix.
  ExchangeMode mode() const { return ExchangeMode::blocking; }

  std::int64_t num_rows() const { return a_.num_rows(); }
  /// Of all ranks.
  std::int64_t num_global_rows() const { return a_.num_rows(); }
  std::int64_t num_global_blocks() const { return std::int64_t(a_.num_blocks()); }
  /// The global number of this rank's first row.
  std::int64_t first_row() const { return 0; }

  /// y := alpha A x + beta y. Enqueued on `exec`; no allocation.
  template <execution_space Exec>
  void multiply(const Exec& exec, double alpha, const Vector& x, double beta, const Vector& y) const {
    spmv(exec, plan_, Scalar(alpha), a_, x, Scalar(beta), y);
  }

  /// A prolongator of which each rank has its own rows, in its own columns.
  template <execution_space Exec>
  static Matrix prolongator_of(const Exec&, const Matrix& /*a*/, Matrix own_columns) {
    return own_columns;
  }

  /// Adds to the diagonal of `diagonal` the sums of |a_ij| over the columns of other ranks.
  template <execution_space Exec>
  void add_remote_row_sums(const Exec&, const Matrix& /*diagonal*/) const {}

  /// This rank's rows on the host, dense, row after row. Waits for `exec`.
  template <execution_space Exec>
  static std::vector<double> dense_rows(const Exec& exec, const Matrix& a) {
    const std::int64_t n = a.num_rows(), b = a.block_size();
    std::vector<double> rows(std::size_t(n * n), 0);
    impl::for_each_entry_on_host(exec, a, [&](std::int64_t i, std::int64_t j, int r, int c, Scalar value) {
      rows[std::size_t((i * b + r) * n + j * b + c)] = value;
    });
    return rows;
  }

  /// The matrix whose strong couplings smooth the prolongator.
  template <execution_space Exec>
  static Matrix filtered(const Exec& exec, const Matrix& a, double strength) {
    return strength > 0 ? filtered_matrix(exec, a, strength) : a;
  }

  /// True if a product with new values needs its earlier result, to be in the same pattern.
  static constexpr bool needs_earlier_results = false;

  static const Communicator& communicator_of(const Matrix&) { return impl::one_rank(); }
  static const Matrix& local_of(const Matrix& a) { return a; }

  /// The values of `a` in the pattern of `before`: plans know their matrix by its graph. Waits for `exec`.
  ///
  /// Throws   ShapeError for another structure.
  template <execution_space Exec>
  static Matrix in_pattern_of(const Exec& exec, const Matrix& before, const Matrix& a) {
    if (a.block_shape() == before.block_shape() && impl::are_alike(exec, a.graph(), before.graph())) {
      return Matrix(a.block_shape(), before.graph(), a.values());
    }
    throw ShapeError(text("amg: new values of a matrix of ", a.num_blocks(), " blocks"),
                     text("the hierarchy was made for ", before.num_blocks(), " in other places"),
                     "make a new hierarchy");
  }

  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(a_); }
  bool is_stream_ordered() const { return true; }
  void check() const {}

 private:
  Matrix a_;
  SpmvPlan<Matrix> plan_;
};

/// A matrix with values in the precision of its levels: the matrix itself if that is its own.
template <class A, class Real>
struct InPrecision;

template <bcsr_matrix Matrix, class Real>
struct InPrecision<Matrix, Real> {
  using type = BcsrMatrix<Real, typename Matrix::layout_type, typename Matrix::ordinal_type,
                          typename Matrix::offset_type, typename Matrix::memory_space>;

  /// Other values take the pattern of `before`, an earlier result.
  template <execution_space Exec>
  static type of(const Exec& exec, const Matrix& a, const type* = nullptr) {
    if constexpr (std::is_same_v<type, Matrix>) {
      return a;
    } else {
      return convert_values<Real>(exec, a);
    }
  }
};

/// A distributed vector whole on each rank, for the coarsest level. On one rank it is the vector itself.
template <class A>
class WholeVector {
 public:
  using Vector = typename LevelMatrix<A>::Vector;

  template <execution_space Exec>
  WholeVector(const Exec&, const LevelMatrix<A>&) {}

  template <execution_space Exec>
  const Vector& of(const Exec&, const Vector& x) const {
    return x;
  }
  bool is_stream_ordered() const { return true; }
  void check() const {}
};

}  // namespace ashlar::amg
