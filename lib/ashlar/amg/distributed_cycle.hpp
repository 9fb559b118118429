#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/transfer.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/halo_plan.hpp>
#include <ashlar/halo/reverse_halo_exchange.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstddef>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

// The exchanges of a cycle over ranks besides products: vectors between levels, and the vector of the coarsest level.

namespace ashlar::amg {

namespace impl {

/// How the halo of matrices beside `a` travels.
template <class Matrix>
DistributedMatrixOptions options_as(const DistributedMatrix<Matrix>& a) {
  DistributedMatrixOptions options;
  options.halo.buffers = a.halo_plan().buffers();
  options.halo.time_out_seconds = a.halo_plan().time_out_seconds();
  options.halo.packet_bytes = a.halo_plan().packet_bytes();
  return options;
}

}  // namespace impl

/// By a halo of all entries of the other ranks. A rank without rows needs none.
template <bcsr_matrix Matrix>
class WholeVector<DistributedMatrix<Matrix>> {
 public:
  using Level = LevelMatrix<DistributedMatrix<Matrix>>;
  using Vector = Kokkos::View<typename Matrix::scalar_type*, typename Matrix::memory_space>;

  template <execution_space Exec>
  WholeVector(const Exec& exec, const Level& a)
      : first_(a.first_row()), whole_(a.comm().together([&] {
          return Vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::whole"),
                        std::size_t(a.num_global_rows()));
        })) {
    const DistributedMatrix<Matrix>& matrix = a.matrix();
    const RowPartition& map = matrix.row_map();
    std::vector<std::int64_t> others;
    for (std::int64_t i = 0; map.size(matrix.rank()) > 0 && i < map.num_rows(); ++i) {
      if (i < map.begin(matrix.rank()) || i >= map.end(matrix.rank())) others.push_back(i);
    }
    HaloOptions options = impl::options_as(matrix).halo;
    options.form = HaloForm::packed;
    exchange_ = std::make_shared<HaloExchange<typename Matrix::scalar_type, Exchanging>>(
        exec, a.comm(), HaloPlan(a.comm(), map, others, options), matrix.block_shape().rows, 1, a.mode());
  }

  /// Collective; valid until the next call.
  template <execution_space Exec>
  const Vector& of(const Exec& exec, const Vector& x) const {
    exchange_->exchange(exec, x);
    const auto halo = exchange_->halo();
    const auto whole = whole_;
    const std::int64_t first = first_, own = std::int64_t(x.extent(0));
    Kokkos::parallel_for(
        "ashlar::amg[whole vector]",
        Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0,
                                                                   own > 0 ? std::int64_t(whole.extent(0)) : 0),
        KOKKOS_LAMBDA(std::int64_t i) {
          const bool is_own = i >= first && i < first + own;
          whole(i) = is_own ? x(i - first) : halo(i < first ? i : i - own);
        });
    return whole_;
  }
  bool is_stream_ordered() const { return exchange_->is_stream_ordered(); }
  void check() const { exchange_->check(); }

 private:
  using Exchanging = typename Matrix::memory_space::execution_space;

  std::int64_t first_;
  Vector whole_;
  std::shared_ptr<HaloExchange<typename Matrix::scalar_type, Exchanging>> exchange_;
};

/// The local part by the kernels of one rank; the remote part through halo exchanges.
template <bcsr_matrix Matrix>
class Transfer<DistributedMatrix<Matrix>> {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Space = typename Matrix::memory_space;
  using Exchanging = typename Space::execution_space;
  using Vector = Kokkos::View<Scalar*, Space>;

  /// Collective.
  template <execution_space Exec>
  Transfer(const Exec& exec, DistributedMatrix<Matrix> p, ExchangeMode mode)
      : p_(std::move(p)), local_(p_.communicator().together([&] { return Transfer<Matrix>(exec, p_.local(), mode); })) {
    const Communicator& comm = p_.communicator();
    const int entry = p_.block_shape().cols;
    exchanges_ = std::make_shared<Exchanges>(
        Exchanges{HaloExchange<Scalar, Exchanging>(exec, comm, p_.halo_plan(), entry, 1, mode),
                  ReverseHaloExchange<Scalar, Exchanging>(exec, comm, p_.halo_plan(), entry, 1, mode)});
    comm.together([&] {
      if (p_.remote().num_block_rows() == 0) return;
      remote_.emplace(exec, p_.remote());
      transposed_.emplace(exec, p_.remote(), SpmvOptions{.mode = Mode::transpose});
      remote_r_ = Vector(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::amg::remote_r"),
                         std::size_t(p_.remote().num_rows()));
    });
  }

  void set(DistributedMatrix<Matrix> p) {
    p_ = std::move(p);
    local_.set(p_.local());
  }
  const DistributedMatrix<Matrix>& prolongator() const { return p_; }
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(p_.local()) + spmv_traffic_bytes(p_.remote()); }

  /// x := x + P coarse
  template <execution_space Exec>
  void prolong_add(const Exec& exec, const Vector& coarse, const Vector& x) const {
    auto& halo = exchanges_->forward;
    halo.begin(exec, coarse);
    local_.prolong_add(exec, coarse, x);
    halo.end(exec);
    if (remote_) spmv(exec, *remote_, Scalar(1), p_.remote(), halo.halo(), Scalar(1), x, p_.remote_rows());
  }

  /// coarse := P^T r
  template <execution_space Exec>
  void restrict_to(const Exec& exec, const Vector& r, const Vector& coarse) const {
    auto& back = exchanges_->reverse;
    back.open(exec);
    if (remote_) {
      const auto rows = p_.remote_rows();
      const auto remote_r = remote_r_;
      const int b = p_.block_shape().rows;
      Kokkos::parallel_for(
          "ashlar::amg[gather rows]",
          Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(remote_r.extent(0))),
          KOKKOS_LAMBDA(std::int64_t i) { remote_r(i) = r(std::int64_t(rows(i / b)) * b + i % b); });
      spmv(exec, *transposed_, Scalar(1), p_.remote(), remote_r, Scalar(0), back.halo());
    }
    back.begin(exec);
    local_.restrict_to(exec, r, coarse);
    back.end_and_add(exec, coarse);
  }
  void check() const {
    exchanges_->forward.check();
    exchanges_->reverse.check();
  }

 private:
  struct Exchanges {
    HaloExchange<Scalar, Exchanging> forward;
    ReverseHaloExchange<Scalar, Exchanging> reverse;
  };

  DistributedMatrix<Matrix> p_;
  Transfer<Matrix> local_;
  std::shared_ptr<Exchanges> exchanges_;
  std::optional<SpmvPlan<Matrix>> remote_, transposed_;  ///< none if there are no remote blocks
  Vector remote_r_;                                      ///< entries of r in the rows with remote blocks
};

}  // namespace ashlar::amg
