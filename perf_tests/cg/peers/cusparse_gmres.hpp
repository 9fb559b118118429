#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/device/events/timed_event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <cg/peers/cusparse_cg.hpp>
#include <cg/peers/cusparse_product.hpp>
#include <cmath>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <support/types.hpp>
#include <utility>
#include <vector>

namespace ashlar::perf {

/// GMRES(30) as the calls of cuSPARSE and cuBLAS let it be written, with classical Gram-Schmidt twice. A cycle is one
/// graph; after each the host solves the least-squares problem of 30 unknowns.
class CusparseGmres {
 public:
  static constexpr int restart = 30;

  /// Calls `describe` for each column of the basis: a product has its vectors for good.
  CusparseGmres(const Exec& exec, std::shared_ptr<const CudaLibraries> libraries,
                const std::function<cusparseSpMatDescr_t()>& describe, cusparseSpMVAlg_t algorithm,
                const Vector<double>& b, const Vector<double>& x)
      : exec_(exec),
        libraries_(std::move(libraries)),
        b_(b),
        x_(x),
        basis_("perf::basis", b.extent(0), restart + 1),
        h_("perf::h", 3 * (restart + 1), restart),
        y_("perf::y", restart),
        h_on_host_(Kokkos::create_mirror_view(h_)),
        constants_("perf::constants", 4) {
    const auto constants = Kokkos::create_mirror_view(constants_);
    constants(0) = 1;
    constants(1) = -1;
    Kokkos::deep_copy(constants_, constants);
    for (int j = 0; j < restart; ++j) {
      products_.push_back(std::make_unique<CusparseProduct>(libraries_->cusparse, describe(), algorithm, column(j),
                                                            column(j + 1), one(), zero()));
    }
    residual_ =
        std::make_unique<CusparseProduct>(libraries_->cusparse, describe(), algorithm, x_, column(0), one(), zero());
    cycle();  // libraries set things up at their first calls, which cannot be captured
    exec_.fence("perf: the first cycle of a peer");
    graph_.emplace(exec_, [this] { cycle(); });
  }

  bool is_captured() const { return graph_->is_captured(); }

  /// As CgPeer::solve: it looks after each cycle.
  int solve(double tolerance, int max_iterations) {
    Kokkos::deep_copy(exec_, x_, 0.0);
    int done = 0;
    double first = 0, last = 0;
    do {
      last = replay();
      if (done == 0) first = first_norm_;
      done += restart;
    } while (done < max_iterations && !(last <= tolerance * first));
    return done;
  }

  /// As CgPeer::seconds_of.
  double seconds_of(int num_iterations) {
    TimedEvent<Exec> begin(exec_), end(exec_);
    Kokkos::deep_copy(exec_, x_, 0.0);
    begin.record(exec_);
    for (int done = 0; done < num_iterations; done += restart) replay();
    end.record(exec_);
    return end.seconds_since(begin);
  }

  // Public for the sake of nvcc, which takes no kernels of private functions.

  /// inverse := 1 / norm
  void invert(const double* norm) const {
    double* const inverse = constants_.data() + 3;
    Kokkos::parallel_for(
        "perf::peer[invert]", Kokkos::RangePolicy<Exec>(exec_, 0, 1), KOKKOS_LAMBDA(int) { *inverse = 1 / *norm; });
  }

 private:
  Vector<double> column(int j) const { return Kokkos::subview(basis_, Kokkos::ALL, j); }
  const double* one() const { return constants_.data(); }
  const double* minus_one() const { return constants_.data() + 1; }
  const double* zero() const { return constants_.data() + 2; }

  /// v_0 := the residual over its norm, then 30 iterations.
  void cycle() const {
    const CublasHandle& cublas = libraries_->cublas;
    residual_->enqueue();
    cublas.scale(minus_one(), column(0));
    cublas.axpy(one(), b_, column(0));
    normalise(column(0), h_.data() + 2 * (restart + 1));
    for (int j = 0; j < restart; ++j) {
      const Vector<double> w = column(j + 1);
      double* const first = h_.data() + 3 * (restart + 1) * j;
      products_[j]->enqueue();
      for (double* const h : {first, first + restart + 1}) {
        cublas.multiply(CUBLAS_OP_T, basis_, j + 1, one(), w.data(), zero(), h);
        cublas.multiply(CUBLAS_OP_N, basis_, j + 1, minus_one(), h, one(), w.data());
      }
      normalise(w, first + 2 * (restart + 1) + 1);
    }
  }

  void normalise(const Vector<double>& v, double* norm) const {
    libraries_->cublas.norm(v, norm);
    invert(norm);
    libraries_->cublas.scale(constants_.data() + 3, v);
  }

  /// A cycle; x gets its solution. The norm of the residual after it.
  double replay() {
    graph_->replay(exec_);
    Kokkos::deep_copy(exec_, h_on_host_, h_);
    exec_.fence("perf: a cycle of a peer");
    first_norm_ = h_on_host_(2 * (restart + 1), 0);
    // Column j of H is the sum of both projections, and the norm below; Givens rotations make it triangular.
    std::vector<double> g(restart + 1, 0.0), cosine(restart), sine(restart);
    std::vector<std::vector<double>> r(restart, std::vector<double>(restart + 1));
    g[0] = first_norm_;
    for (int j = 0; j < restart; ++j) {
      for (int i = 0; i <= j; ++i) r[j][i] = h_on_host_(i, j) + h_on_host_(restart + 1 + i, j);
      r[j][j + 1] = h_on_host_(2 * (restart + 1) + 1, j);
      for (int i = 0; i < j; ++i) {
        const double upper = r[j][i], lower = r[j][i + 1];
        r[j][i] = cosine[i] * upper + sine[i] * lower;
        r[j][i + 1] = cosine[i] * lower - sine[i] * upper;
      }
      const double length = std::hypot(r[j][j], r[j][j + 1]);
      cosine[j] = r[j][j] / length;
      sine[j] = r[j][j + 1] / length;
      r[j][j] = length;
      g[j + 1] = -sine[j] * g[j];
      g[j] *= cosine[j];
    }
    const auto y = Kokkos::create_mirror_view(y_);
    for (int j = restart - 1; j >= 0; --j) {
      double sum = g[j];
      for (int k = j + 1; k < restart; ++k) sum -= r[k][j] * y(k);
      y(j) = sum / r[j][j];
    }
    Kokkos::deep_copy(exec_, y_, y);
    libraries_->cublas.multiply(CUBLAS_OP_N, basis_, restart, one(), y_.data(), one(), x_.data());
    return std::abs(g[restart]);
  }

  using Columns = Kokkos::View<double**, Kokkos::LayoutLeft, Space>;

  Exec exec_;
  std::shared_ptr<const CudaLibraries> libraries_;
  Vector<double> b_, x_;
  Columns basis_, h_;  ///< a column of h_: first projection, second one, norm of the residual (j = 0), norm below
  Vector<double> y_;
  Columns::host_mirror_type h_on_host_;
  Vector<double> constants_;  ///< 1, -1, 0, 1 / norm
  std::vector<std::unique_ptr<CusparseProduct>> products_;
  std::unique_ptr<CusparseProduct> residual_;
  std::optional<CapturedWork<Exec>> graph_;
  double first_norm_ = 0;
};

}  // namespace ashlar::perf
