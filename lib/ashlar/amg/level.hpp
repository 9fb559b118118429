#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/amg/chebyshev.hpp>
#include <ashlar/amg/dense_inverse.hpp>
#include <ashlar/amg/lanczos.hpp>
#include <ashlar/amg/level_matrix.hpp>
#include <ashlar/amg/options.hpp>
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

namespace ashlar::amg {

/// A level of a hierarchy as a cycle sees it: its matrix, its vectors, its smoother, and the prolongator from the next
/// coarser one. A is a BcsrMatrix or a DistributedMatrix, of which a rank has its part of the vectors; then all members
/// that take an instance are collective.
template <class A>
class Level {
 public:
  using Local = typename LevelMatrix<A>::Local;
  using Vector = typename LevelMatrix<A>::Vector;

  /// Without a prolongator: the coarsest level so far.
  template <execution_space Exec>
  Level(const Exec& exec, A a, const Options& options)
      : a_(exec, std::move(a), options.exchange),
        smoother_(make_smoother(exec, options)),
        b_(make(exec, "ashlar::amg::b")),
        x_(make(exec, "ashlar::amg::x")),
        r_(make(exec, "ashlar::amg::r")),
        d_(make(exec, "ashlar::amg::d")),
        t_(make(exec, "ashlar::amg::t")) {}

  /// New values of the same structure.
  template <execution_space Exec>
  void set_matrix(const Exec& exec, A a, const Options& options) {
    a_.set(std::move(a));
    smoother_ = make_smoother(exec, options);
  }

  template <execution_space Exec>
  void set_prolongator(const Exec& exec, A p) {
    if (transfer_) {
      transfer_->set(std::move(p));
    } else {
      transfer_.emplace(exec, std::move(p), a_.mode());
    }
  }

  template <execution_space Exec>
  void set_dense_inverse(const Exec& exec) {
    inverse_.emplace(exec, a_);
  }

  template <class Exec>
  void smooth_zero(const Exec& exec) const {
    smoother_.smooth(exec, a_, true, b_, x_, r_, d_, t_);
  }
  template <class Exec>
  void smooth(const Exec& exec) const {
    smoother_.smooth(exec, a_, false, b_, x_, r_, d_, t_);
  }
  template <class Exec>
  void smooth_adjoint(const Exec& exec) const {
    smooth(exec);
  }
  /// From what the smoother leaves in r and d.
  template <class Exec>
  void residual(const Exec& exec) const {
    smoother_.residual(exec, a_, r_, d_);
  }
  template <class Exec>
  void restrict_residual(const Exec& exec, const Level& next) const {
    transfer_->restrict_to(exec, r_, next.b_);
  }
  template <class Exec>
  void prolong_add(const Exec& exec, const Level& next) const {
    transfer_->prolong_add(exec, next.x_, x_);
  }
  /// By the dense inverse, or if the level has none, by smoothing.
  template <class Exec>
  void solve(const Exec& exec) const {
    if (inverse_) {
      inverse_->solve(exec, b_, x_);
    } else {
      smooth_zero(exec);
    }
  }

  const A& matrix() const { return a_.matrix(); }
  const LevelMatrix<A>& products() const { return a_; }
  /// Own rows x own columns.
  const Local& local() const { return a_.local(); }
  /// To this level from the next; none on the coarsest.
  const std::optional<Transfer<A>>& transfer() const { return transfer_; }
  const ChebyshevSmoother<Local>& smoother() const { return smoother_; }
  bool is_dense() const { return inverse_.has_value(); }
  const Vector& b() const { return b_; }
  const Vector& x() const { return x_; }
  /// The largest eigenvalue of D^-1 A, as it was estimated.
  double largest_eigenvalue() const { return smoother_.largest() / safety; }

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

  template <class Exec>
  ChebyshevSmoother<Local> make_smoother(const Exec& exec, const Options& options) const {
    auto inverse = a_.comm().together([&] { return BlockJacobiPreconditioner<Local>(exec, a_.local()); });
    const double largest = safety * amg::largest_eigenvalue(exec, a_, inverse);
    if (a_.num_global_rows() > 0 && !(largest > 0 && largest < std::numeric_limits<double>::infinity())) {
      throw NumericalError(
          -1, text("amg: no positive eigenvalue of D^-1 A was found on a level of ", a_.num_global_rows(), " rows"),
          "the matrix of the level is not positive definite", "take block-Jacobi, or no preconditioner");
    }
    return {std::move(inverse), options.smoother_degree, options.smoothed_fraction * largest, largest};
  }

  template <class Exec>
  Vector make(const Exec& exec, const std::string& label) const {
    return Vector(Kokkos::view_alloc(exec, label), std::size_t(a_.num_rows()));
  }

  LevelMatrix<A> a_;
  ChebyshevSmoother<Local> smoother_;
  Vector b_, x_, r_, d_, t_;
  std::optional<Transfer<A>> transfer_;
  std::optional<DenseInverse<A>> inverse_;
};

}  // namespace ashlar::amg
