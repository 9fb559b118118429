#pragma once

#include <Kokkos_Core.hpp>
#include <Kokkos_Profiling_ScopedRegion.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/scalar.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/distributed/matrix.hpp>
#include <ashlar/halo/exchange_mode.hpp>
#include <ashlar/halo/halo_exchange.hpp>
#include <ashlar/halo/reverse_halo_exchange.hpp>
#include <ashlar/spmv/kernel.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>

namespace ashlar {

/// How a DistributedMatrix is multiplied. The exchange mode is the same on all ranks.
struct ProductOptions {
  ExchangeMode exchange = ExchangeMode::automatic;
  /// The products on this rank. Its mode is ignored.
  SpmvOptions spmv = {};
};

/// Plans of the local and the remote product, and buffers for the halo: products with matrices of one pattern need them
/// besides the matrix. multiply() and multiply_transpose() take it; one product at a time uses it.
///
/// Scalar is what the vectors hold: the matrix's scalar type, or double if that is float or bfloat16.
///
/// Memory   the plans (SpmvPlan), and a HaloExchange for each number of vectors; for A^T also an index (SpmvPlan), a
///          ReverseHaloExchange, and a copy of the entries of x in the rows with remote blocks. The plans of A and the
///          exchange for options.spmv.num_vectors are made by the constructor, all else by the first product that needs
///          it.
/// Async    the constructor, and a first product with so many vectors or with A^T: collective; they wait for `exec`.
/// Throws   on all ranks together: ArgumentError if the exchange mode does not work.
template <bcsr_matrix Matrix, execution_space Exec = typename Matrix::memory_space::execution_space,
          scalar Scalar = std::conditional_t<scalar<typename Matrix::scalar_type>, typename Matrix::scalar_type,
                                             vector_scalar_t<typename Matrix::scalar_type>>>
class ProductWorkspace {
 public:
  using memory_space = typename Matrix::memory_space;
  using forward_type = HaloExchange<Scalar, Exec>;

  /// op(A) is A^T or A^H.
  struct Transposed {
    SpmvPlan<Matrix> local;
    std::optional<SpmvPlan<Matrix>> remote;  ///< none if there are no remote blocks
  };
  struct Reverse {
    Kokkos::View<Scalar**, Kokkos::LayoutRight, memory_space> x;  ///< of the rows with remote blocks
    ReverseHaloExchange<Scalar, Exec> exchange;
  };

  ProductWorkspace(const Exec& exec, const DistributedMatrix<Matrix>& a, const ProductOptions& options = {})
      : pattern_(a), options_(options) {
    options_.spmv.mode = Mode::no_transpose;
    a.communicator().together([&] {
      local_.emplace(exec, a.local(), options_.spmv);
      if (a.remote().num_block_rows() > 0) remote_.emplace(exec, a.remote(), options_.spmv);
    });
    if (!a.communicator().is_alone()) forward(exec, options_.spmv.num_vectors);
  }

  const SpmvPlan<Matrix>& local_plan() const { return *local_; }
  /// None if there are no remote blocks.
  const std::optional<SpmvPlan<Matrix>>& remote_plan() const { return remote_; }

  /// The exchange for so many vectors; collective if there is none yet.
  forward_type& forward(const Exec& exec, int num_vectors) {
    if (const auto found = forward_.find(num_vectors); found != forward_.end()) return found->second;
    forward_type made(exec, pattern_.communicator(), pattern_.halo_plan(), pattern_.block_shape().cols, num_vectors,
                      wanted_mode_.value_or(options_.exchange));
    wanted_mode_ = made.mode();
    return forward_.emplace(num_vectors, std::move(made)).first->second;
  }

  /// The plans for A^T or A^H; collective if there are none yet.
  const Transposed& transposed(const Exec& exec, Mode mode) {
    std::optional<Transposed>& plans = mode == Mode::transpose ? transpose_ : conjugate_transpose_;
    if (plans) return *plans;
    SpmvOptions spmv = options_.spmv;
    spmv.mode = mode;
    plans = pattern_.communicator().together([&] {
      Transposed made{SpmvPlan<Matrix>(exec, pattern_.local(), spmv), std::nullopt};
      if (pattern_.remote().num_block_rows() > 0) made.remote.emplace(exec, pattern_.remote(), spmv);
      return made;
    });
    return *plans;
  }

  /// The reverse exchange for so many vectors; collective if there is none yet.
  Reverse& reverse(const Exec& exec, int num_vectors) {
    if (const auto found = reverse_.find(num_vectors); found != reverse_.end()) return found->second;
    ReverseHaloExchange<Scalar, Exec> exchange(exec, pattern_.communicator(), pattern_.halo_plan(),
                                               pattern_.block_shape().cols, num_vectors,
                                               wanted_mode_.value_or(options_.exchange));
    wanted_mode_ = exchange.mode();
    const auto x = pattern_.communicator().together([&] {
      return decltype(Reverse::x)(
          Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::distributed::x_of_remote_rows"),
          std::size_t(pattern_.remote().num_rows()), std::size_t(num_vectors));
    });
    return reverse_.emplace(num_vectors, Reverse{x, std::move(exchange)}).first->second;
  }

  /// Throws   ArgumentError if the workspace is of another pattern.
  void check_pattern(const DistributedMatrix<Matrix>& a) const {
    if (a.has_pattern_of(pattern_)) return;
    throw ArgumentError("ProductWorkspace: a product with a matrix of another pattern",
                        "plans and exchanges are of one pattern", "make a workspace for this matrix");
  }

  /// Throws   CommError if the device has waited for another rank in vain so far.
  void check() const {
    for (const auto& [num_vectors, exchange] : forward_) exchange.check();
    for (const auto& [num_vectors, reverse] : reverse_) reverse.exchange.check();
  }

  HeldBytes bytes() const {
    HeldBytes bytes = held_bytes(*local_);
    if (remote_) bytes = bytes + held_bytes(*remote_);
    for (const auto* plans : {&transpose_, &conjugate_transpose_}) {
      if (!*plans) continue;
      bytes = bytes + held_bytes((*plans)->local);
      if ((*plans)->remote) bytes = bytes + held_bytes(*(*plans)->remote);
    }
    for (const auto& [num_vectors, exchange] : forward_) bytes = bytes + exchange.bytes();
    for (const auto& [num_vectors, reverse] : reverse_) {
      bytes = bytes + reverse.exchange.bytes() + HeldBytes{reverse.x.size() * sizeof(Scalar), 0};
    }
    return bytes;
  }

  std::string explain() const {
    std::string result = text("local: ", local_->explain());
    if (remote_) result += text("; remote: ", remote_->explain());
    for (const auto& [num_vectors, exchange] : forward_) result += text("; ", exchange.explain());
    for (const auto& [num_vectors, reverse] : reverse_) result += text("; ", reverse.exchange.explain());
    return result;
  }

 private:
  DistributedMatrix<Matrix> pattern_;
  ProductOptions options_;
  std::optional<ExchangeMode> wanted_mode_;  // of the first exchange: others take it, too
  std::optional<SpmvPlan<Matrix>> local_, remote_;
  std::optional<Transposed> transpose_, conjugate_transpose_;
  std::map<int, forward_type> forward_;  // by the number of vectors
  std::map<int, Reverse> reverse_;
};

namespace impl {

template <class X>
int columns_of(const X& x) {
  return X::rank() == 1 ? 1 : static_cast<int>(x.extent(1));
}

/// to(i) := from(rows(i)), block row by block row.
template <class Exec, class Rows, class From, class To>
void gather_block_rows(const Exec& exec, const Rows& rows, int block_rows, const From& from, const To& to) {
  const Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> all(exec, 0,
                                                                       std::int64_t(rows.extent(0)) * block_rows);
  if constexpr (From::rank() == 1) {
    Kokkos::parallel_for(
        "ashlar::distributed[gather rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          to(i) = from(std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows);
        });
  } else {
    Kokkos::parallel_for(
        "ashlar::distributed[gather rows]", all, KOKKOS_LAMBDA(std::int64_t i) {
          const std::int64_t row = std::int64_t(rows(i / block_rows)) * block_rows + i % block_rows;
          for (std::size_t j = 0; j < from.extent(1); ++j) to(i, j) = from(row, j);
        });
  }
}

/// A view of rank 2 as vectors of rank X: the same, or its one column.
template <class X, class Vectors>
auto as_vectors(const Vectors& vectors) {
  if constexpr (X::rank() == 1) {
    return Kokkos::View<typename Vectors::value_type*, typename Vectors::memory_space>(vectors.data(),
                                                                                       vectors.extent(0));
  } else {
    return vectors;
  }
}

}  // namespace impl

/// y := alpha*A*x + beta*y. The halo travels under the product with local columns.
///
/// Shapes   x: column_map.size(rank) block entries of C on each rank; y: row_map.size(rank) of R. Rank 1, or rank 2
/// with
///          as many columns on all ranks, of any layout.
/// Memory   all reachable from `exec`; x and y must not overlap.
/// Async    collective: all ranks make the same products in the same order. Waits on the host as HaloExchange does;
///          nothing is allocated after the first product with so many vectors.
/// beta==0  y is overwritten: NaN in y does not spread.
/// Throws   ShapeError, ArgumentError on the rank whose vectors or workspace do not fit, before anything is sent.
/// Source   Agullo et al. 2016, Task-based multi-GPU CG.
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply(const Exec& exec, const DistributedMatrix<Matrix>& a, ProductWorkspace<Matrix, Exec, Scalar>& workspace,
              const std::type_identity_t<Scalar>& alpha, const X& x, const std::type_identity_t<Scalar>& beta,
              const Y& y) {
  const Kokkos::Profiling::ScopedRegion region("ashlar::distributed::multiply");
  workspace.check_pattern(a);
  impl::check_spmv(workspace.local_plan(), a.local(), x, y);
  if (a.communicator().is_alone() || impl::columns_of(x) == 0) {
    return spmv(exec, workspace.local_plan(), alpha, a.local(), x, beta, y);
  }
  auto& halo = workspace.forward(exec, impl::columns_of(x));
  halo.begin(exec, x);
  spmv(exec, workspace.local_plan(), alpha, a.local(), x, beta, y);
  halo.end(exec);
  if (!workspace.remote_plan()) return;
  const auto from_others = impl::as_vectors<X>(halo.multi_halo());
  spmv(exec, *workspace.remote_plan(), alpha, a.remote(), from_others, Scalar(1), y, a.remote_rows());
}

/// y := A x
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply(const Exec& exec, const DistributedMatrix<Matrix>& a, ProductWorkspace<Matrix, Exec, Scalar>& workspace,
              const X& x, const Y& y) {
  multiply(exec, a, workspace, Scalar(1), x, Scalar(0), y);
}

/// y := alpha*A^T*x + beta*y, or alpha*A^H*x + beta*y with Mode::conjugate_transpose. The contributions of this rank's
/// rows to other ranks' entries of y travel under the product with local columns. Their owners add them in the order of
/// the ranks that sent them: the same bits each time.
///
/// Shapes   x: row_map.size(rank) block entries of R on each rank; y: column_map.size(rank) of C.
/// All else as multiply(); the first product with A^T or A^H on a workspace is collective, too.
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply_transpose(const Exec& exec, const DistributedMatrix<Matrix>& a,
                        ProductWorkspace<Matrix, Exec, Scalar>& workspace, const std::type_identity_t<Scalar>& alpha,
                        const X& x, const std::type_identity_t<Scalar>& beta, const Y& y, Mode mode = Mode::transpose) {
  const Kokkos::Profiling::ScopedRegion region("ashlar::distributed::multiply_transpose");
  if (!is_transposed(mode)) {
    throw ArgumentError(text("multiply_transpose: a product with ", symbol_of(mode)), "it multiplies by A^T or A^H",
                        "call multiply()");
  }
  workspace.check_pattern(a);
  const auto& plans = workspace.transposed(exec, mode);
  impl::check_spmv(plans.local, a.local(), x, y);
  if (a.communicator().is_alone() || impl::columns_of(x) == 0) {
    return spmv(exec, plans.local, alpha, a.local(), x, beta, y);
  }
  auto& [remote_x, back] = workspace.reverse(exec, impl::columns_of(x));
  back.open(exec);
  if (plans.remote) {
    impl::gather_block_rows(exec, a.remote_rows(), a.block_shape().rows, x, impl::as_vectors<X>(remote_x));
    spmv(exec, *plans.remote, alpha, a.remote(), impl::as_vectors<X>(remote_x), Scalar(0),
         impl::as_vectors<X>(back.multi_halo()));
  }
  back.begin(exec);
  spmv(exec, plans.local, alpha, a.local(), x, beta, y);
  back.end_and_add(exec, y);
}

/// y := A^T x, or A^H x with Mode::conjugate_transpose
template <execution_space Exec, bcsr_matrix Matrix, scalar Scalar, class X, class Y>
void multiply_transpose(const Exec& exec, const DistributedMatrix<Matrix>& a,
                        ProductWorkspace<Matrix, Exec, Scalar>& workspace, const X& x, const Y& y,
                        Mode mode = Mode::transpose) {
  multiply_transpose(exec, a, workspace, Scalar(1), x, Scalar(0), y, mode);
}

}  // namespace ashlar
