#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/blas1/multi_axpby.hpp>
#include <ashlar/blas1/multi_dot.hpp>
#include <ashlar/krylov/concepts.hpp>
#include <ashlar/krylov/impl/norms.hpp>
#include <ashlar/krylov/impl/small_dense.hpp>
#include <ashlar/krylov/impl/solver_memory.hpp>
#include <ashlar/krylov/report.hpp>
#include <ashlar/krylov/stopping.hpp>
#include <cmath>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The multi-vectors that block CG makes for itself.
template <class X>
using BlockCgVectors = Kokkos::View<typename X::non_const_value_type**, Kokkos::LayoutRight, typename X::memory_space>;

/// The first columns of one.
template <class X>
using BlockCgColumns =
    decltype(Kokkos::subview(std::declval<BlockCgVectors<X>>(), Kokkos::ALL, std::declval<std::pair<int, int>>()));

/// Block CG between its steps.
///
/// The residuals of the columns at work are V * sigma, where V^T M^-1 V = I; Z = M^-1 V, and S are the directions, with
/// S^T V = I, which are conjugate to all before.
template <class Exec, class Op, class M, class B, class X>
class BlockCgState {
 public:
  using Scalar = typename X::non_const_value_type;
  using Vectors = BlockCgVectors<X>;
  using Small = typename SmallExchange<Exec>::Matrix;
  /// A factor for each column, as kernels take it.
  struct Factors {
    Kokkos::Array<Scalar, most_vectors_of_multi> of;
  };

  /// `window` is as asked for: 0 where it is to be found.
  BlockCgState(const Exec& exec, const Op& a, const M& m, const B& b, const X& x, double rtol, double atol, int window)
      : exec_(exec),
        a_(a),
        m_(m),
        b_(b),
        x_(x),
        is_preconditioned_(!m.is_identity()),
        num_columns_(static_cast<int>(b.extent(1))),
        window_(stagnation_window(window, a.space().num_global())),
        exchange_(exec, b.extent(1) * b.extent(1), (is_preconditioned_ ? 2 : 1) * b.extent(1) * b.extent(1)) {
    const std::size_t n = b.extent(0), s = b.extent(1);
    const auto vectors = [&](const char* name) {
      return Vectors(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string(name)), n, s);
    };
    v_ = vectors("ashlar::block_cg::v");
    z_ = is_preconditioned_ ? vectors("ashlar::block_cg::z") : v_;
    s_ = vectors("ashlar::block_cg::s");
    q_ = vectors("ashlar::block_cg::q");
    partial_ = Small(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::block_cg::partial"),
                     multi_dot_ranges(std::int64_t(n)), s * s);

    scale_columns();
    report_.columns.resize(num_columns_);
    multiply_columns(b_, scale_, v_);
    norm_b_ = norms(dot(v_, v_));
    norm_of_preconditioned_b_ = preconditioned_norms(norm_b_);
    for (int i = 0; i < num_columns_; ++i) {
      target_.push_back(
          target_residual(rtol, std::min(atol * scale_[i], std::numeric_limits<double>::max()), norm_b_[i]));
      if (!is_finite(norm_b_[i])) stop(SolveStatus::non_finite);
    }
    energy_.assign(num_columns_, 0);
    new_energy_.assign(num_columns_, 0);
  }

  const BlockSolveReport& report() const { return report_; }
  bool is_running() const { return report_.status == SolveStatus::running; }
  /// True if the recurrence has no column left to work on.
  bool needs_check() const { return is_running() && active_.empty(); }

  /// The largest ||r_i|| / ||b_i|| of the columns that the last step worked on.
  double largest_residual() const { return largest_; }

  void stop(SolveStatus status) { report_.status = status; }

  /// Begins from the true residuals of x, with the columns that have not converged.
  void start() {
    if (!is_running()) return;
    norm_at_start_ = true_norms();
    last_norm_ = norm_at_start_;
    for (int i = 0; i < num_columns_; ++i) report_.columns[i].residual_history = {relative(i, last_norm_[i])};
    if (choose_columns()) begin();
  }

  /// One block step.
  void step() {
    const auto s = columns(s_, rank_), q = columns(q_, rank_);
    a_.apply(exec_, s, q);
    const SmallMatrix sq = dot(s, q);
    if (!all_finite(sq)) return stop(SolveStatus::non_finite);
    const auto inverse = inverse_of_spd(sq);
    if (!inverse) return stop(SolveStatus::indefinite_matrix);
    report_.num_directions.push_back(rank_);
    ++report_.iterations;
    // X gains S (S^T A S)^-1 sigma in the columns at work, and nothing in the others.
    const SmallMatrix gain = product(*inverse, sigma_);
    note_energy(gain);
    SmallMatrix gain_of_all(rank_, num_columns_);
    for (int i = 0; i < rank_; ++i) {
      for (std::size_t j = 0; j < active_.size(); ++j) gain_of_all(i, active_[j]) = gain(i, static_cast<int>(j));
    }
    multi_axpby(exec_, s, exchange_.send(gain_of_all), 1, x_, x_);
    SmallMatrix minus = *inverse;
    for (double& entry : minus.entries) entry = -entry;
    multi_axpby(exec_, q, exchange_.send(minus), 1, columns(v_, rank_), columns(v_, rank_));

    const int before = rank_;
    const auto zeta = orthonormalise(before);
    if (!zeta) return;
    rank_ = zeta->rows;
    sigma_ = product(*zeta, sigma_);
    multi_axpby(exec_, columns(s_, before), exchange_.send(transposed(*zeta)), 1, columns(z_, rank_),
                columns(s_, rank_));
    judge_norms();
  }

  /// At the end, by the recurrence: what counts are the residuals of the x in hand. Columns whose residuals are too
  /// large start again, as long as there are steps left and that gains something.
  void check(int max_iterations) {
    const std::vector<double> before = norm_at_start_;
    norm_at_start_ = true_norms();
    if (!choose_columns()) return;
    if (report_.iterations >= max_iterations) return stop(SolveStatus::iteration_limit);
    bool gains = false;
    for (const int i : active_) gains = gains || norm_at_start_[i] <= 0.5 * before[i];
    if (!gains) return stop(SolveStatus::accuracy_limit);
    ++report_.restarts;
    begin();
  }

  /// The report, with the true residuals of the final x.
  BlockSolveReport finish() {
    const std::vector<double> norm = true_norms();
    const std::vector<double> of_preconditioned = preconditioned_norms(norm);
    for (int i = 0; i < num_columns_; ++i) {
      ColumnReport& column = report_.columns[i];
      column.relative_residual = relative(i, norm[i]);
      const double of_b = norm_of_preconditioned_b_[i];
      column.preconditioned_residual = of_b > 0 ? of_preconditioned[i] / of_b : of_preconditioned[i];
      column.status = !is_finite(norm[i])                        ? SolveStatus::non_finite
                      : norm[i] <= target_[i]                    ? SolveStatus::converged
                      : report_.status == SolveStatus::converged ? SolveStatus::accuracy_limit
                                                                 : report_.status;
    }
    unscale_columns();
    const auto has_converged = [](const ColumnReport& column) { return column.status == SolveStatus::converged; };
    if (std::all_of(report_.columns.begin(), report_.columns.end(), has_converged)) {
      report_.status = SolveStatus::converged;
    }
    return std::move(report_);
  }

 private:
  template <class View>
  static auto columns(const View& vectors, int count) {
    return Kokkos::subview(vectors, Kokkos::ALL, std::make_pair(0, count));
  }

  /// A power of two for each column of b, and for its x, as of a single right-hand side; where b is 0, so is x.
  void scale_columns() {
    const SmallMatrix bb = dot(b_, b_);
    std::vector<double> factors;
    for (int i = 0; i < num_columns_; ++i) {
      const double scale =
          scale_of_right_hand_side(exec_, a_.space(), Kokkos::subview(b_, Kokkos::ALL, i), std::sqrt(bb(i, i)));
      factors.push_back(scale);
      scale_.push_back(scale == 0 ? 1 : scale);
    }
    multiply_columns(x_, factors, x_);
  }

  void unscale_columns() {
    std::vector<double> factors;
    for (int i = 0; i < num_columns_; ++i) {
      if (!is_representable(exec_, a_.space(), Kokkos::subview(x_, Kokkos::ALL, i), scale_[i])) {
        report_.columns[i].status = SolveStatus::non_finite;
      }
      factors.push_back(1 / scale_[i]);
    }
    multiply_columns(x_, factors, x_);
    exec_.fence("ashlar::block_cg: x");
  }

  /// The norms of columns with these inner products.
  static std::vector<double> norms(const SmallMatrix& products) {
    std::vector<double> result;
    for (int i = 0; i < products.rows; ++i) result.push_back(std::sqrt(products(i, i)));
    return result;
  }

  /// ||M^-1 v_i||, where v has columns of these norms; overwrites z.
  std::vector<double> preconditioned_norms(const std::vector<double>& norms_of_v) {
    if (!is_preconditioned_) return norms_of_v;
    m_.apply(exec_, columns(v_, num_columns_), columns(z_, num_columns_));
    return norms(dot(z_, z_));
  }

  /// The amount by which a step lowers the energy norms of the errors: sigma_j^T (S^T A S)^-1 sigma_j.
  void note_energy(const SmallMatrix& gain) {
    for (std::size_t j = 0; j < active_.size(); ++j) {
      double of_column = 0;
      for (int i = 0; i < rank_; ++i) of_column += sigma_(i, static_cast<int>(j)) * gain(i, static_cast<int>(j));
      energy_[active_[j]] += of_column;
      new_energy_[active_[j]] += of_column;
    }
  }

  double relative(int i, double norm) const { return norm_b_[i] > 0 ? norm / norm_b_[i] : norm; }

  /// X^T Y on the host: one wait.
  template <class Left, class Right>
  SmallMatrix dot(const Left& left, const Right& right) {
    SmallMatrix result(static_cast<int>(left.extent(1)), static_cast<int>(right.extent(1)));
    multi_dot(exec_, left, right, exchange_.place(result.rows, result.cols), partial_);
    sum_over_parts(exec_, a_.space(), exchange_.numbers(result.entries.size()));
    std::copy_n(exchange_.receive(result.entries.size()), result.entries.size(), result.entries.begin());
    check_device_work(a_);
    check_device_work(m_);
    return result;
  }

  /// V^T Z of the first `count` columns, and V^T V in vv_, on the host: one wait. Without a preconditioner they are
  /// one, and vv_ is not needed.
  SmallMatrix gram(int count) {
    const auto v = columns(v_, count);
    if (!is_preconditioned_) return dot(v, v);
    SmallMatrix vz(count, count);
    vv_ = vz;
    const std::size_t size = vz.entries.size();
    multi_dot(exec_, v, columns(z_, count), exchange_.place(count, count), partial_);
    multi_dot(exec_, v, v, exchange_.place(count, count, size), partial_);
    sum_over_parts(exec_, a_.space(), exchange_.numbers(2 * size));
    const double* const sums = exchange_.receive(2 * size);
    check_device_work(a_);
    check_device_work(m_);
    std::copy_n(sums, size, vz.entries.begin());
    std::copy_n(sums + size, size, vv_.entries.begin());
    return vz;
  }

  /// The first columns become combinations of them: themselves times t.
  void combine(const Vectors& vectors, const Small::const_type& t) {
    const auto target = columns(vectors, static_cast<int>(t.extent(1)));
    multi_axpby(exec_, columns(vectors, static_cast<int>(t.extent(0))), t, 0, target, target);
  }

  /// Makes the first `count` columns of V orthonormal in the inner product of M^-1, with Z = M^-1 V; returns what they
  /// were times the new ones. Nothing where that cannot be: then the solve has ended.
  std::optional<SmallMatrix> orthonormalise(int count) {
    if (is_preconditioned_) m_.apply(exec_, columns(v_, count), columns(z_, count));
    SmallMatrix coefficients;
    for (int pass = 0, rank = count; pass < 2; ++pass) {
      const SmallMatrix vz = gram(rank);
      if (!all_finite(vz)) return stop(SolveStatus::non_finite), std::nullopt;
      const auto basis = basis_from_gram(vz);
      if (!basis) return stop(SolveStatus::breakdown), std::nullopt;
      coefficients = pass == 0 ? basis->coefficients : product(basis->coefficients, coefficients);
      rank = basis->rank();
      if (is_preconditioned_) vv_ = product(transposed(basis->to_basis), product(vv_, basis->to_basis));
      if (rank == 0) break;
      const auto to_basis = exchange_.send(basis->to_basis);
      combine(v_, to_basis);
      if (is_preconditioned_) combine(z_, to_basis);
      // A weak direction is orthonormal to others only as far as rounding lets it: once more.
      if (basis->least > 1e-4) break;
    }
    return coefficients;
  }

  /// The columns whose residuals at the start are too large, if there are any and all are numbers; else the solve has
  /// ended.
  bool choose_columns() {
    active_.clear();
    for (int i = 0; i < num_columns_; ++i) {
      if (!is_finite(norm_at_start_[i])) return stop(SolveStatus::non_finite), false;
      if (norm_at_start_[i] > target_[i]) active_.push_back(i);
    }
    if (active_.empty()) stop(SolveStatus::converged);
    return !active_.empty();
  }

  /// The first directions, with the true residuals in V.
  void begin() {
    SmallMatrix selected(num_columns_, static_cast<int>(active_.size()));
    for (int j = 0; j < selected.cols; ++j) selected(active_[j], j) = 1;
    combine(v_, exchange_.send(selected));
    const auto coefficients = orthonormalise(selected.cols);
    if (!coefficients) return;
    sigma_ = *coefficients;
    rank_ = sigma_.rows;
    // Residuals are left, and the preconditioner makes nothing of them.
    if (rank_ == 0) return stop(SolveStatus::breakdown);
    Kokkos::deep_copy(exec_, columns(s_, rank_), columns(z_, rank_));
    best_ = 0;
    for (const int i : active_) best_ = std::max(best_, relative(i, norm_at_start_[i]));
    best_step_ = report_.iterations;
  }

  /// Records the residuals, and drops columns that have converged: their x stays as it is. Their directions stay in
  /// use: otherwise the other columns would lose conjugacy, and be slower than alone.
  void judge_norms() {
    if (!all_finite(vv_) || !all_finite(sigma_)) return stop(SolveStatus::non_finite);
    // Without a preconditioner V^T V = I.
    const SmallMatrix vr = is_preconditioned_ ? product(vv_, sigma_) : sigma_;
    constexpr double eps = std::numeric_limits<Scalar>::epsilon();
    std::vector<int> left, active;
    largest_ = 0;
    for (std::size_t j = 0; j < active_.size(); ++j) {
      const int i = active_[j];
      last_norm_[i] = norm_of(static_cast<int>(j), vr);
      largest_ = std::max(largest_, relative(i, last_norm_[i]));
      report_.columns[i].iterations = report_.iterations;
      if (last_norm_[i] <= std::max(target_[i], residual_floor(eps, norm_b_[i]))) continue;
      left.push_back(static_cast<int>(j));
      active.push_back(i);
    }
    for (int i = 0; i < num_columns_; ++i) {
      report_.columns[i].residual_history.push_back(relative(i, last_norm_[i]));
    }
    if (left.size() < active_.size()) {
      SmallMatrix sigma(rank_, static_cast<int>(left.size()));
      for (int i = 0; i < rank_; ++i) {
        for (int j = 0; j < sigma.cols; ++j) sigma(i, j) = sigma_(i, left[j]);
      }
      sigma_ = sigma;
      active_ = active;
    }
    bool lowers_energy = false;
    for (const int i : active_) lowers_energy = lowers_energy || new_energy_[i] > Progress::least_energy * energy_[i];
    if (largest_ < best_ || lowers_energy) {
      best_ = std::min(best_, largest_);
      best_step_ = report_.iterations;
      new_energy_.assign(num_columns_, 0);
    } else if (report_.iterations - best_step_ >= window_) {
      stop(SolveStatus::stagnation);
    }
  }

  /// ||V sigma_j||, from vr = V^T V sigma.
  double norm_of(int j, const SmallMatrix& vr) const {
    double squared = 0;
    for (int i = 0; i < rank_; ++i) squared += sigma_(i, j) * vr(i, j);
    return std::sqrt(std::max(squared, 0.0));
  }

  /// ||b - A x|| of each column, with b - A x in V.
  std::vector<double> true_norms() {
    a_.apply(exec_, x_, v_);
    subtract_from_b();
    return norms(dot(v_, v_));
  }

 public:  // nvcc takes no device lambda in a private member
  void subtract_from_b() {
    const auto b = b_;
    const auto v = v_;
    const auto factor = of_columns(scale_);
    const int count = num_columns_;
    Kokkos::parallel_for(
        "ashlar::block_cg[residual]", entries(exec_, b.extent(0)), KOKKOS_LAMBDA(std::int64_t row) {
          for (int j = 0; j < count; ++j) v(row, j) = factor.of[j] * b(row, j) - v(row, j);
        });
  }

  /// to_j := factor_j * from_j; from a factor of 0 comes 0, whatever the column holds.
  template <class From, class To>
  void multiply_columns(const From& from, const std::vector<double>& factors, const To& to) {
    const auto factor = of_columns(factors);
    const int count = num_columns_;
    Kokkos::parallel_for(
        "ashlar::block_cg[scale]", entries(exec_, from.extent(0)), KOKKOS_LAMBDA(std::int64_t row) {
          for (int j = 0; j < count; ++j) to(row, j) = factor.of[j] == 0 ? Scalar(0) : factor.of[j] * from(row, j);
        });
  }

 private:
  static Factors of_columns(const std::vector<double>& factors) {
    Factors result{};
    for (std::size_t i = 0; i < factors.size(); ++i) result.of[i] = Scalar(factors[i]);
    return result;
  }

  Exec exec_;
  const Op& a_;
  const M& m_;
  B b_;
  X x_;
  bool is_preconditioned_;
  int num_columns_, window_, rank_ = 0;
  Vectors v_, z_, s_, q_;
  Small partial_;
  SmallExchange<Exec> exchange_;
  SmallMatrix sigma_, vv_;
  std::vector<int> active_;  // columns at work
  std::vector<double> scale_, norm_b_, norm_of_preconditioned_b_, target_, last_norm_, norm_at_start_;
  std::vector<double> energy_, new_energy_;  // Progress::energy and new_energy of each column
  double largest_ = 0, best_ = 0;
  int best_step_ = 0;
  BlockSolveReport report_;
};

}  // namespace ashlar::impl
