#pragma once

#include <Kokkos_Core.hpp>
#include <cg/peers/cublas.hpp>
#include <cg/peers/cusparse_product.hpp>
#include <memory>
#include <spmv/peers/cusparse.hpp>
#include <support/types.hpp>
#include <utility>

namespace ashlar::perf {

/// The handles of both libraries.
struct CudaLibraries {
  explicit CudaLibraries(const Exec& exec) : cusparse(std::make_shared<CusparseHandle>(exec)), cublas(exec) {
    check(cusparseSetPointerMode(cusparse->handle, CUSPARSE_POINTER_MODE_DEVICE), "cusparseSetPointerMode");
  }
  std::shared_ptr<CusparseHandle> cusparse;
  CublasHandle cublas;
};

/// The scalars of the iteration, in the memory of the device: the host need not know them.
struct CusparseCgScalars {
  double one, zero;
  double rr, rr_next, pq;
  double alpha, minus_alpha, beta;
};

/// CG as the calls of cuSPARSE and cuBLAS let it be written, with two small kernels besides.
class CusparseCg {
 public:
  /// Takes over `matrix`.
  CusparseCg(const Exec& exec, std::shared_ptr<const CudaLibraries> libraries, cusparseSpMatDescr_t matrix,
             cusparseSpMVAlg_t algorithm, const Vector<double>& b, const Vector<double>& x)
      : exec_(exec),
        libraries_(std::move(libraries)),
        b_(b),
        x_(x),
        r_("perf::r", b.extent(0)),
        p_("perf::p", b.extent(0)),
        q_("perf::q", b.extent(0)),
        scalars_(first_scalars(exec)),
        product_(libraries_->cusparse, matrix, algorithm, p_, q_, &s()->one, &s()->zero) {}

  /// x := 0, and the first residual and direction.
  void start() const {
    Kokkos::deep_copy(exec_, x_, 0.0);
    Kokkos::deep_copy(exec_, r_, b_);
    Kokkos::deep_copy(exec_, p_, b_);
    libraries_->cublas.dot(r_, r_, &s()->rr);
  }

  /// One iteration, without a look of the host.
  void iterate() const {
    const CublasHandle& cublas = libraries_->cublas;
    product_.enqueue();  // q := A p
    cublas.dot(p_, q_, &s()->pq);
    set_alpha(exec_, s());
    cublas.axpy(&s()->alpha, p_, x_);
    cublas.axpy(&s()->minus_alpha, q_, r_);
    cublas.dot(r_, r_, &s()->rr_next);
    set_beta(exec_, s());
    cublas.scale(&s()->beta, p_);
    cublas.axpy(&s()->one, r_, p_);
  }

  /// r.r; waits.
  double residual_squared() const {
    CusparseCgScalars now;
    Kokkos::deep_copy(exec_, Kokkos::View<CusparseCgScalars, Kokkos::HostSpace>(&now), scalars_);
    exec_.fence("perf: the residual of a peer");
    return now.rr;
  }

  const Exec& exec() const { return exec_; }

  // Public for the sake of nvcc, which takes no kernels of private functions.
  static Kokkos::View<CusparseCgScalars, Space> first_scalars(const Exec& exec) {
    const Kokkos::View<CusparseCgScalars, Space> scalars("perf::scalars");
    Kokkos::parallel_for(
        "perf::peer[scalars]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          scalars() = {};
          scalars().one = 1;
        });
    return scalars;
  }
  static void set_alpha(const Exec& exec, CusparseCgScalars* s) {
    Kokkos::parallel_for(
        "perf::peer[alpha]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          s->alpha = s->rr / s->pq;
          s->minus_alpha = -s->alpha;
        });
  }
  static void set_beta(const Exec& exec, CusparseCgScalars* s) {
    Kokkos::parallel_for(
        "perf::peer[beta]", Kokkos::RangePolicy<Exec>(exec, 0, 1), KOKKOS_LAMBDA(int) {
          s->beta = s->rr_next / s->rr;
          s->rr = s->rr_next;
        });
  }

 private:
  CusparseCgScalars* s() const { return scalars_.data(); }

  Exec exec_;
  std::shared_ptr<const CudaLibraries> libraries_;
  Vector<double> b_, x_, r_, p_, q_;
  Kokkos::View<CusparseCgScalars, Space> scalars_;
  CusparseProduct product_;
};

}  // namespace ashlar::perf
