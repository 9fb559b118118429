#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/chebyshev.hpp>
#include <ashlar/amg/dense_inverse.hpp>
#include <ashlar/amg/gauss_seidel.hpp>
#include <ashlar/amg/l1_jacobi.hpp>
#include <ashlar/amg/lanczos.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/options.hpp>
#include <ashlar/amg/smoother_update.hpp>
#include <ashlar/amg/transfer.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/operators/block_jacobi_preconditioner.hpp>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <variant>
#include <vector>

namespace ashlar::amg {

/// A level of a hierarchy as a cycle sees it: its matrix, its vectors, its smoother, and the prolongator from the next
/// coarser one. A is a BcsrMatrix, a StreamedLevelMatrix, or a DistributedMatrix, of which a rank has its part of the
/// vectors; then all members that take an instance are collective.
template <class A>
class Level {
 public:
  using Local = typename LevelMatrix<A>::Local;
  using Vector = typename LevelMatrix<A>::Vector;
  using Prolongator = typename LevelMatrix<A>::Prolongator;
  using Smoother = std::variant<ChebyshevSmoother<Local>, L1JacobiSmoother<Local>, GaussSeidelSmoother<Local>>;

  /// Without a prolongator: the coarsest level so far. `largest_eigenvalue` is the one of D^-1 A, if it is known.
  template <execution_space Exec>
  Level(const Exec& exec, A a, const Options& options, std::optional<double> largest_eigenvalue = {})
      : a_(exec, std::move(a), options.exchange),
        diagonal_(make_diagonal(exec, largest_eigenvalue)),
        smoother_(make_smoother(exec, options)),
        vectors_(a_.comm().together([&] {
          return SmootherVectors<Vector>{make(exec, "ashlar::amg::b"), make(exec, "ashlar::amg::x"),
                                         make(exec, "ashlar::amg::r"), make(exec, "ashlar::amg::d"),
                                         make(exec, "ashlar::amg::t")};
        })) {}

  /// New values of the same structure.
  template <execution_space Exec>
  void set_matrix(const Exec& exec, A a, const Options& options, std::optional<double> largest_eigenvalue = {}) {
    a_.set(std::move(a));
    diagonal_ = make_diagonal(exec, largest_eigenvalue);
    smoother_ = make_smoother(exec, options);
  }

  template <execution_space Exec>
  void set_prolongator(const Exec& exec, Prolongator p) {
    if (transfer_) {
      transfer_->set(std::move(p));
    } else {
      transfer_.emplace(exec, std::move(p), a_.mode());
    }
  }

  /// Inverts the matrix, whose rows on this rank are `own`, dense and perhaps in higher precision.
  template <execution_space Exec>
  void set_dense_inverse(const Exec& exec, const std::vector<double>& own) {
    inverse_.emplace(exec, a_, own);
  }

  template <class Exec>
  void smooth_zero(const Exec& exec) const {
    smooth(exec, true, false);
  }
  template <class Exec>
  void smooth(const Exec& exec) const {
    smooth(exec, false, false);
  }
  template <class Exec>
  void smooth_adjoint(const Exec& exec) const {
    smooth(exec, false, true);
  }
  /// After a smoothing.
  template <class Exec>
  void residual(const Exec& exec) const {
    a_.multiply(exec, -1, vectors_.d, 1, vectors_.r);
  }
  template <class Exec, class Coarser>
  void restrict_residual(const Exec& exec, const Coarser& next) const {
    transfer_->restrict_to(exec, vectors_.r, next.b());
  }
  template <class Exec, class Coarser>
  void prolong_add(const Exec& exec, const Coarser& next) const {
    transfer_->prolong_add(exec, next.x(), vectors_.x);
  }
  /// By the dense inverse, or if the level has none, by smoothing, as one symmetric operator.
  template <class Exec>
  void solve(const Exec& exec) const {
    if (inverse_) return inverse_->solve(exec, b(), x());
    smooth_zero(exec);
    if (!std::visit([](const auto& smoother) { return smoother.is_self_adjoint; }, smoother_)) smooth_adjoint(exec);
  }

  const A& matrix() const { return a_.matrix(); }
  const LevelMatrix<A>& products() const { return a_; }
  /// Own rows x own columns.
  const Local& local() const { return a_.local(); }
  /// To this level from the next; none on the coarsest.
  const std::optional<Transfer<Prolongator>>& transfer() const { return transfer_; }
  const Smoother& smoother() const { return smoother_; }
  /// Products with A of a cycle at this level, with the residual.
  int products_of_cycle() const {
    return std::visit([](const auto& smoother) { return smoother.products_of_cycle(); }, smoother_);
  }
  bool is_dense() const { return inverse_.has_value(); }
  const Vector& b() const { return vectors_.b; }
  const Vector& x() const { return vectors_.x; }
  /// D^-1, by the diagonal blocks.
  const BlockJacobiPreconditioner<Local>& block_jacobi() const { return diagonal_.inverse; }
  /// The largest eigenvalue of D^-1 A, as it was estimated.
  double largest_eigenvalue() const { return diagonal_.largest_eigenvalue; }

  /// True if the host never waits for other ranks.
  bool is_stream_ordered() const {
    return a_.is_stream_ordered() && (!inverse_ || inverse_->whole().is_stream_ordered());
  }
  /// Throws CommError if the device has waited for another rank in vain so far.
  void check() const {
    a_.check();
    if (transfer_) transfer_->check();
    if (inverse_) inverse_->whole().check();
  }

 private:
  /// The estimate of the largest eigenvalue is one from below.
  static constexpr double safety = 1.1;

  struct Diagonal {
    BlockJacobiPreconditioner<Local> inverse;
    double largest_eigenvalue;  ///< of D^-1 A
  };

  template <class Exec>
  Diagonal make_diagonal(const Exec& exec, const std::optional<double>& known) const {
    auto inverse = a_.comm().together([&] { return BlockJacobiPreconditioner<Local>(exec, a_.local()); });
    const double largest = known ? *known : amg::largest_eigenvalue(exec, a_, inverse);
    if (a_.num_global_rows() > 0 && !(largest > 0 && largest < std::numeric_limits<double>::infinity())) {
      throw NumericalError(
          -1, text("amg: no positive eigenvalue of D^-1 A was found on a level of ", a_.num_global_rows(), " rows"),
          "the matrix of the level is not positive definite", "take block-Jacobi, or no preconditioner");
    }
    return {std::move(inverse), largest};
  }

  template <class Exec>
  Smoother make_smoother(const Exec& exec, const Options& options) const {
    switch (options.smoother) {
      case SmootherKind::l1_jacobi:
        return L1JacobiSmoother<Local>(exec, a_, options.smoother_degree);
      case SmootherKind::gauss_seidel:
        return GaussSeidelSmoother<Local>(exec, a_, options.smoother_degree);
      case SmootherKind::chebyshev:
        break;
    }
    const double largest = safety * diagonal_.largest_eigenvalue;
    return ChebyshevSmoother<Local>(diagonal_.inverse, options.smoother_degree, options.smoothed_fraction * largest,
                                    largest);
  }

  template <class Exec>
  void smooth(const Exec& exec, bool from_zero, bool is_adjoint) const {
    std::visit([&](const auto& smoother) { smoother.smooth(exec, a_, from_zero, is_adjoint, vectors_); }, smoother_);
  }

  template <class Exec>
  Vector make(const Exec& exec, const std::string& label) const {
    return Vector(Kokkos::view_alloc(exec, label), std::size_t(a_.num_rows()));
  }

  LevelMatrix<A> a_;
  Diagonal diagonal_;
  Smoother smoother_;
  SmootherVectors<Vector> vectors_;
  std::optional<Transfer<Prolongator>> transfer_;
  std::optional<DenseInverse<A>> inverse_;
};

}  // namespace ashlar::amg
