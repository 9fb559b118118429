#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/distributed_cycle.hpp>
#include <ashlar/amg/distributed_gathering.hpp>
#include <ashlar/amg/impl/add_row_sums.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/lists.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/teams/for_entries.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/distributed/matrix_product.hpp>
#include <ashlar/distributed/products.hpp>
#include <ashlar/distributed/remote_rows.hpp>
#include <ashlar/halo/row_partition.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <numeric>
#include <type_traits>
#include <utility>
#include <vector>

// The interface of distributed matrices to a hierarchy. Include this file, and amg::Preconditioner takes them.

namespace ashlar::amg {

template <bcsr_matrix Matrix>
class LevelMatrix<DistributedMatrix<Matrix>> {
 public:
  using Distributed = DistributedMatrix<Matrix>;
  using Local = Matrix;
  using Scalar = typename Matrix::scalar_type;
  using Space = typename Matrix::memory_space;
  using Vector = Kokkos::View<Scalar*, Space>;
  using Prolongator = Distributed;
  using Product = DistributedProduct<Matrix>;

  /// Collective.
  template <execution_space Exec>
  LevelMatrix(const Exec& exec, Distributed a, ExchangeMode mode = ExchangeMode::automatic)
      : a_(std::move(a)),
        workspace_(std::make_shared<ProductWorkspace<Matrix>>(exec, a_, ProductOptions{mode, {}})),
        mode_(a_.communicator().is_alone() ? mode : workspace_->forward(exec, 1).mode()),
        is_stream_ordered_(a_.communicator().is_alone() || workspace_->forward(exec, 1).is_stream_ordered()) {}

  void set(Distributed a) {
    workspace_->check_pattern(a);
    a_ = std::move(a);
  }

  const Distributed& matrix() const { return a_; }
  const Matrix& local() const { return a_.local(); }
  const Communicator& comm() const { return a_.communicator(); }
  ExchangeMode mode() const { return mode_; }

  std::int64_t num_rows() const { return a_.local().num_rows(); }
  std::int64_t num_global_rows() const { return a_.num_global_rows(); }
  std::int64_t num_global_blocks() const { return a_.num_global_blocks(); }
  std::int64_t first_row() const { return a_.row_map().begin(a_.rank()) * a_.block_shape().rows; }

  template <execution_space Exec>
  void multiply(const Exec& exec, double alpha, const Vector& x, double beta, const Vector& y) const {
    ashlar::multiply(exec, a_, *workspace_, Scalar(alpha), x, Scalar(beta), y);
  }

  template <execution_space Exec>
  static Distributed prolongator_of(const Exec& exec, const Distributed& a, const Matrix& own_columns) {
    const Communicator& comm = a.communicator();
    std::vector<std::int64_t> offsets{0};
    for (const std::int64_t count : comm.all_gather(std::int64_t(own_columns.num_block_cols()))) {
      offsets.push_back(offsets.back() + count);
    }
    std::vector<std::int64_t> columns(std::size_t(own_columns.num_block_cols()));
    std::iota(columns.begin(), columns.end(), offsets[std::size_t(comm.rank())]);
    const auto global =
        comm.together([&] { return ashlar::impl::view_from<Space>(exec, "ashlar::amg::list", columns); });
    return Distributed(exec, a.shared_communicator(), a.row_map(), RowPartition(offsets),
                       RowsWithGhosts<Matrix>{own_columns, global}, impl::options_as(a));
  }

  template <execution_space Exec>
  void add_remote_row_sums(const Exec& exec, const Matrix& diagonal) const {
    impl::add_row_sums(exec, a_.remote(), a_.remote_rows(), false, diagonal);
  }

  template <execution_space Exec>
  static std::vector<double> dense_rows(const Exec& exec, const Distributed& a) {
    const std::int64_t n = a.num_global_rows(), b = a.block_shape().rows;
    std::vector<double> rows(std::size_t(a.local().num_rows() * n), 0);
    const std::int64_t first = a.column_map().begin(a.rank());
    impl::for_each_entry_on_host(exec, a.local(), [&](std::int64_t i, std::int64_t j, int r, int c, Scalar value) {
      rows[std::size_t((i * b + r) * n + (first + j) * b + c)] = value;
    });
    const auto row = ashlar::impl::list_of(exec, a.remote_rows());
    const auto column = ashlar::impl::list_of(exec, a.halo_columns());
    impl::for_each_entry_on_host(exec, a.remote(), [&](std::int64_t i, std::int64_t j, int r, int c, Scalar value) {
      rows[std::size_t((row[std::size_t(i)] * b + r) * n + column[std::size_t(j)] * b + c)] = value;
    });
    return rows;
  }

  /// Throws   ArgumentError for a strength above 0 on several ranks.
  template <execution_space Exec>
  static Distributed filtered(const Exec& exec, const Distributed& a, double strength) {
    if (!(strength > 0)) return a;
    if (const Communicator& comm = a.communicator(); !comm.is_alone()) {
      throw ArgumentError(text("amg: strength ", strength, " on ", comm.size(), " ranks"),
                          "weak couplings are found within a rank", "take strength 0, or one rank");
    }
    return Distributed(exec, a.shared_communicator(), a.row_map(), a.column_map(),
                       filtered_matrix(exec, a.local(), strength));
  }

  static constexpr bool needs_earlier_results = true;

  static const Communicator& communicator_of(const Distributed& a) { return a.communicator(); }
  static const Matrix& local_of(const Distributed& a) { return a.local(); }

  /// Throws   ShapeError, on all ranks together, unless `a` shares the pattern of `before`.
  template <execution_space Exec>
  static Distributed in_pattern_of(const Exec&, const Distributed& before, const Distributed& a) {
    a.communicator().together([&] {
      if (a.has_pattern_of(before)) return;
      throw ShapeError(text("amg: new values of another distributed matrix, of ", a.num_global_blocks(), " blocks"),
                       text("the hierarchy was made for one of ", before.num_global_blocks()),
                       "pass what its with_values() returns, or make a new hierarchy");
    });
    return a;
  }

  /// Of this rank.
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(a_.local()) + spmv_traffic_bytes(a_.remote()); }
  bool is_stream_ordered() const { return is_stream_ordered_; }
  void check() const { workspace_->check(); }

 private:
  Distributed a_;
  std::shared_ptr<ProductWorkspace<Matrix>> workspace_;
  ExchangeMode mode_;
  bool is_stream_ordered_;
};

template <bcsr_matrix Matrix, class Real>
struct InPrecision<DistributedMatrix<Matrix>, Real> {
  using Local = typename InPrecision<Matrix, Real>::type;
  using type = DistributedMatrix<Local>;

  /// Collective.
  template <execution_space Exec>
  static type of(const Exec& exec, const DistributedMatrix<Matrix>& a, const type* before = nullptr) {
    if constexpr (std::is_same_v<Local, Matrix>) {
      return a;
    } else {
      const Communicator& comm = a.communicator();
      const GlobalRows<Local> rows = comm.together([&] {
        if (before && !(impl::are_alike(exec, a.local().graph(), before->local().graph()) &&
                        impl::are_alike(exec, a.remote().graph(), before->remote().graph()))) {
          throw ShapeError(text("amg: new values of a matrix of ", a.num_global_blocks(), " blocks"),
                           text("the hierarchy was made for ", before->num_global_blocks(), " in other places"),
                           "make a new hierarchy");
        }
        std::vector<std::int64_t> own(std::size_t(a.local().num_block_rows()));
        std::iota(own.begin(), own.end(), std::int64_t(0));
        const auto given = global_rows(
            exec, a, ashlar::impl::view_from<typename Matrix::memory_space>(exec, "ashlar::amg::list", own));
        const Kokkos::View<Real*, typename Matrix::memory_space> values(
            Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::values"), given.values.extent(0));
        using Copy = impl::CopyEntry<typename Matrix::values_view, Kokkos::View<Real*, typename Matrix::memory_space>>;
        for_entries("ashlar::amg[copy]", exec, std::int64_t(values.extent(0)), Copy{given.values, values});
        exec.fence("ashlar::amg: values in the precision of the levels");
        return GlobalRows<Local>{given.block_shape, given.row_ptr, given.columns, values};
      });
      if (before) return comm.together([&] { return before->with_values(exec, rows.values); });
      return type(exec, a.shared_communicator(), a.row_map(), a.column_map(), rows, impl::options_as(a));
    }
  }
};

}  // namespace ashlar::amg
