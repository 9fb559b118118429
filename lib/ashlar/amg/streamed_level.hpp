#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/impl/add_row_sums.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/bcsr/diagonal.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/comm/communicator.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <cstdint>
#include <memory>
#include <type_traits>
#include <utility>

namespace ashlar::amg {

namespace impl {

/// The same matrix with the memory space of To, whose data the host reaches. Shares the data, which must outlive it.
template <bcsr_matrix To, bcsr_matrix From>
To in_space_of(const From& from) {
  if constexpr (std::is_same_v<To, From>) {
    return from;
  } else {
    using Graph = typename To::graph_type;
    const auto &row_ptr = from.graph().row_ptr(), &col_idx = from.graph().col_idx();
    return To(from.block_shape(),
              Graph(from.num_block_cols(), typename Graph::row_ptr_view(row_ptr.data(), row_ptr.extent(0)),
                    typename Graph::col_idx_view(col_idx.data(), col_idx.extent(0))),
              typename To::values_view(from.values().data(), from.values().extent(0)));
  }
}

/// A copy in the device's memory. Waits for `exec`.
template <bcsr_matrix To, execution_space Exec, bcsr_matrix From>
To on_device(const Exec& exec, const From& from) {
  To there = copy_to<typename To::memory_space>(exec, from);
  exec.fence("ashlar::amg: a matrix on the device");
  return there;
}

}  // namespace impl

/// The matrix of a level that is multiplied by streaming: a Product, its diagonal blocks on the device, and itself on
/// the host, for set-up.
template <bcsr_matrix Matrix, class Product>
struct StreamedLevelMatrix {
  using OnHost = typename Matrix::template in_space<Kokkos::HostSpace>;

  std::shared_ptr<Product> product;
  Matrix diagonal;
  OnHost on_host;

  /// Waits for `exec`.
  template <execution_space Exec>
  StreamedLevelMatrix(const Exec& exec, std::shared_ptr<Product> product, const OnHost& on_host)
      : product(std::move(product)), diagonal(diagonal_on_device(exec, on_host)), on_host(on_host) {}

 private:
  template <class Exec>
  static Matrix diagonal_on_device(const Exec& exec, const OnHost& a) {
    const Kokkos::DefaultHostExecutionSpace host;
    const OnHost blocks = diagonal_blocks(host, a);
    host.fence("ashlar::amg: diagonal blocks of a streamed matrix");
    return impl::on_device<Matrix>(exec, blocks);
  }
};

/// Of one rank. Its diagonal blocks take the part of own columns, all other blocks the part of remote columns.
template <bcsr_matrix Matrix, class Product_>
class LevelMatrix<StreamedLevelMatrix<Matrix, Product_>> {
 public:
  using Streamed = StreamedLevelMatrix<Matrix, Product_>;
  using Local = Matrix;
  using Scalar = typename Matrix::scalar_type;
  using Vector = Kokkos::View<Scalar*, typename Matrix::memory_space>;
  using Prolongator = Matrix;

  template <execution_space Exec>
  LevelMatrix(const Exec&, Streamed a, ExchangeMode = ExchangeMode::automatic) : a_(std::move(a)) {}

  void set(Streamed a) { a_ = std::move(a); }

  const Streamed& matrix() const { return a_; }
  /// The diagonal blocks.
  const Matrix& local() const { return a_.diagonal; }
  const Communicator& comm() const { return impl::one_rank(); }
  ExchangeMode mode() const { return ExchangeMode::blocking; }

  std::int64_t num_rows() const { return a_.on_host.num_rows(); }
  std::int64_t num_global_rows() const { return num_rows(); }
  std::int64_t num_global_blocks() const { return std::int64_t(a_.on_host.num_blocks()); }
  std::int64_t first_row() const { return 0; }

  /// y := alpha A x + beta y, as the streamed matrix multiplies; no allocation.
  template <execution_space Exec>
  void multiply(const Exec& exec, double alpha, const Vector& x, double beta, const Vector& y) const {
    a_.product->apply(exec, Scalar(alpha), x, Scalar(beta), y);
  }

  /// Adds to the diagonal of `diagonal`, which holds the diagonal blocks, the sums of |a_ij| beside them. Waits for
  /// `exec`.
  template <execution_space Exec>
  void add_remote_row_sums(const Exec& exec, const Matrix& diagonal) const {
    const Kokkos::DefaultHostExecutionSpace host;
    const auto sums = diagonal_blocks(host, a_.on_host);
    impl::add_row_sums(host, a_.on_host, impl::SameRow{}, true, sums);
    host.fence("ashlar::amg: row sums of a matrix on the host");
    Kokkos::deep_copy(exec, diagonal.values(), sums.values());
    exec.fence("ashlar::amg: row sums on the device");
  }

  std::int64_t traffic_bytes() const { return a_.product->traffic_bytes(); }
  bool is_stream_ordered() const { return a_.product->is_stream_ordered(); }
  void check() const {}

 private:
  Streamed a_;
};

}  // namespace ashlar::amg
