#pragma once

#include <Kokkos_Core.hpp>
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
#include <ashlar/spmv/plan.hpp>
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

}  // namespace ashlar
