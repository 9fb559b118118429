#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/bcsr/transpose_index.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/spmv/traffic.hpp>
#include <cstdint>
#include <utility>

namespace ashlar::amg {

namespace impl {

/// Calls function() with the rows and columns of a prolongator's blocks as types, for the shapes of elasticity and of
/// scalar problems, or else with zeros, which stand for "known at run time only".
template <class Function>
void with_block_shape(const BlockShape& shape, const Function& function) {
  bool found = false;
  const auto offer = [&](auto rows, auto cols) {
    if (found || (rows() > 0 && shape != BlockShape(rows(), cols()))) return;
    found = true;
    function(rows, cols);
  };
  using std::integral_constant;
  offer(integral_constant<int, 1>{}, integral_constant<int, 1>{});
  offer(integral_constant<int, 2>{}, integral_constant<int, 2>{});
  offer(integral_constant<int, 2>{}, integral_constant<int, 3>{});
  offer(integral_constant<int, 3>{}, integral_constant<int, 3>{});
  offer(integral_constant<int, 3>{}, integral_constant<int, 6>{});
  offer(integral_constant<int, 6>{}, integral_constant<int, 6>{});
  offer(integral_constant<int, 0>{}, integral_constant<int, 0>{});
}

/// A prolongator by block rows and, by the index, by block columns.
template <class Matrix, int R, int C>
struct TransferRows {
  using Scalar = typename Matrix::scalar_type;
  using Layout = typename Matrix::layout_type;
  using Index =
      TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space>;

  typename Matrix::graph_type::row_ptr_view row_ptr;
  typename Matrix::graph_type::col_idx_view col_idx;
  Index index;
  const Scalar* values;
  BlockShape shape;

  KOKKOS_INLINE_FUNCTION int rows() const { return R > 0 ? R : shape.rows; }
  KOKKOS_INLINE_FUNCTION int cols() const { return C > 0 ? C : shape.cols; }
  KOKKOS_INLINE_FUNCTION Scalar entry(std::int64_t block, int r, int c) const {
    return values[block * rows() * cols() + Layout::at(r, c, rows(), cols())];
  }

  /// Entry r of block row i of P x.
  KOKKOS_INLINE_FUNCTION Scalar prolonged(std::int64_t i, int r, const Scalar* x) const {
    Scalar sum(0);
    for (std::int64_t k = row_ptr(i); k < std::int64_t(row_ptr(i + 1)); ++k) {
      const Scalar* const from = x + std::int64_t(col_idx(k)) * cols();
      for (int c = 0; c < cols(); ++c) sum += entry(k, r, c) * from[c];
    }
    return sum;
  }

  /// The term of entry e of the lists by column in entry c of P^T r.
  KOKKOS_INLINE_FUNCTION Scalar restricted(std::int64_t e, int c, const Scalar* r) const {
    const std::int64_t block = index.block_offset(e);
    const Scalar* const from = r + std::int64_t(index.block_row(e)) * rows();
    Scalar sum(0);
    for (int k = 0; k < rows(); ++k) sum += entry(block, k, c) * from[k];
    return sum;
  }
};

/// x := x + P xc
template <class Rows, bool by_entry>
struct Prolong {
  using Scalar = typename Rows::Scalar;
  Rows p;
  const Scalar* coarse;
  Scalar* x;

  KOKKOS_FUNCTION void operator()(std::int64_t which) const {
    if constexpr (by_entry) {
      x[which] += p.prolonged(which / p.rows(), static_cast<int>(which % p.rows()), coarse);
    } else {
      for (int r = 0; r < p.rows(); ++r) x[which * p.rows() + r] += p.prolonged(which, r, coarse);
    }
  }
};

/// bc := P^T r: an entry by the lanes of a thread on a GPU, a block row by a thread on a host.
template <class Rows, class Exec>
struct Restrict {
  using Scalar = typename Rows::Scalar;
  static constexpr int threads = 16, lanes = 8;
  Rows p;
  const Scalar* r;
  Scalar* coarse;
  std::int64_t size;  ///< entries of bc

  KOKKOS_FUNCTION void operator()(const typename Kokkos::TeamPolicy<Exec>::member_type& team) const {
    const std::int64_t which = std::int64_t(team.league_rank()) * team.team_size() + team.team_rank();
    if (which >= size) return;
    const std::int64_t a = which / p.cols(), first = p.index.row_ptr(a);
    const int c = static_cast<int>(which % p.cols());
    Scalar sum(0);
    Kokkos::parallel_reduce(
        Kokkos::ThreadVectorRange(team, static_cast<int>(std::int64_t(p.index.row_ptr(a + 1)) - first)),
        [&](int e, Scalar& part) { part += p.restricted(first + e, c, r); }, sum);
    Kokkos::single(Kokkos::PerThread(team), [&] { coarse[which] = sum; });
  }

  KOKKOS_FUNCTION void operator()(std::int64_t a) const {
    for (int c = 0; c < p.cols(); ++c) coarse[a * p.cols() + c] = Scalar(0);
    for (std::int64_t e = p.index.row_ptr(a); e < std::int64_t(p.index.row_ptr(a + 1)); ++e) {
      for (int c = 0; c < p.cols(); ++c) coarse[a * p.cols() + c] += p.restricted(e, c, r);
    }
  }
};

}  // namespace impl

/// A prolongator and its transpose, as what moves vectors between two levels.
///
/// Memory   shares P; an index of its blocks by column.
template <class A>
class Transfer;

/// Of one rank.
template <bcsr_matrix Matrix>
class Transfer<Matrix> {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Vector = Kokkos::View<Scalar*, typename Matrix::memory_space>;

  template <execution_space Exec>
  Transfer(const Exec& exec, Matrix p, ExchangeMode) : p_(std::move(p)), index_(transpose_index(exec, p_.graph())) {}

  /// Other values of the same structure.
  void set(Matrix p) { p_ = std::move(p); }
  const Matrix& prolongator() const { return p_; }
  std::int64_t traffic_bytes() const { return spmv_traffic_bytes(p_); }
  void check() const {}

  /// x := x + P coarse. Enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec>
  void prolong_add(const Exec& exec, const Vector& coarse, const Vector& x) const {
    impl::with_block_shape(p_.block_shape(), [&](auto rows, auto cols) {
      using Rows = impl::TransferRows<Matrix, rows(), cols()>;
      constexpr bool by_entry = is_gpu_v<Exec>;
      Kokkos::parallel_for("ashlar::amg[prolong]",
                           Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(
                               exec, 0, by_entry ? p_.num_rows() : std::int64_t(p_.num_block_rows())),
                           impl::Prolong<Rows, by_entry>{rows_of<Rows>(), coarse.data(), x.data()});
    });
  }

  /// coarse := P^T r. Enqueued on `exec`; no fence, no allocation.
  template <execution_space Exec>
  void restrict_to(const Exec& exec, const Vector& r, const Vector& coarse) const {
    impl::with_block_shape(p_.block_shape(), [&](auto rows, auto cols) {
      using Rows = impl::TransferRows<Matrix, rows(), cols()>;
      using Kernel = impl::Restrict<Rows, Exec>;
      const Kernel kernel{rows_of<Rows>(), r.data(), coarse.data(), p_.num_cols()};
      if constexpr (is_gpu_v<Exec>) {
        const auto teams = static_cast<int>((p_.num_cols() + Kernel::threads - 1) / Kernel::threads);
        Kokkos::parallel_for("ashlar::amg[restrict]",
                             Kokkos::TeamPolicy<Exec>(exec, teams, Kernel::threads, Kernel::lanes), kernel);
      } else {
        Kokkos::parallel_for(
            "ashlar::amg[restrict]",
            Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, std::int64_t(p_.num_block_cols())),
            kernel);
      }
    });
  }

 private:
  template <class Rows>
  Rows rows_of() const {
    return {p_.graph().row_ptr(), p_.graph().col_idx(), index_, p_.values().data(), p_.block_shape()};
  }

  Matrix p_;
  TransposeIndex<typename Matrix::ordinal_type, typename Matrix::offset_type, typename Matrix::memory_space> index_;
};

}  // namespace ashlar::amg
