#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/multigrid/impl/bottom_solve.hpp>
#include <ashlar/multigrid/impl/thread_group.hpp>
#include <ashlar/multigrid/operator.hpp>
#include <cstdint>

namespace ashlar::multigrid {

/// BiCGStab for the coarsest level, whose boxes are one rank's: that rank solves by itself. A level of few cells, as
/// they nearly all are, is one kernel of one team, which decides by itself; on others the host does.
template <execution_space Exec, class Real>
class BottomSolver {
 public:
  using Vector = typename Level<Exec, Real>::Vector;
  static constexpr double default_reduction = 1e-3;
  /// For a solve to the precision of the vectors.
  static constexpr double reduction_to_rounding = sizeof(Real) < sizeof(double) ? 1e-6 : 1e-12;
  static constexpr int default_iterations = 200;

  BottomSolver() = default;
  BottomSolver(const Exec& exec, const Level<Exec, Real>& level)
      : r_(level.vector(exec, "bicgstab_r")),
        r0_(level.vector(exec, "bicgstab_r0")),
        p_(level.vector(exec, "bicgstab_p")),
        preconditioned_(level.vector(exec, "bicgstab_preconditioned")),
        ap_(level.vector(exec, "bicgstab_ap")),
        as_(level.vector(exec, "bicgstab_as")),
        iterations_(Kokkos::view_alloc(exec, "ashlar::multigrid::bottom_iterations"), 1),
        iterations_told_(Kokkos::view_alloc(exec, "ashlar::multigrid::bottom_iterations_told"), 1),
        is_one_kernel_(level.num_cells() <= impl::BottomSolve<Fv2Stencil<Real>>::most_cells) {}

  /// A solve is one kernel, which is enqueued. If not, the host waits for each sum.
  bool is_one_kernel() const { return is_one_kernel_; }

  /// Solves A x = f on the level, from x on, until max |f - A x| is less than `reduction` times its first value.
  ///
  /// Async    enqueued on `exec` where is_one_kernel(); else waits for `exec` several times an iteration. No
  /// allocation.
  void solve(const Exec& exec, const Level<Exec, Real>& level, const Vector& x, const Vector& f,
             double reduction = default_reduction, int max_iterations = default_iterations) const {
    if (is_one_kernel_) {
      with_kernel(level, x, f, reduction, max_iterations, [&](const auto& kernel) {
        impl::run_by_team("ashlar::multigrid::bottom[bicgstab]", exec, kernel, 1);
      });
    } else {
      const BicgstabVectors<Vector> vectors{x, f, r_, r0_, p_, preconditioned_, ap_, as_};
      iterations_told_(0) += bicgstab(ByKernels{exec, level, vectors}, reduction, max_iterations);
    }
  }

  /// Calls work(kernel) with the kernel of a solve, of a level where is_one_kernel().
  template <class Work>
  void with_kernel(const Level<Exec, Real>& level, const Vector& x, const Vector& f, double reduction,
                   int max_iterations, const Work& work) const {
    with_stencil(level, x, [&]<class Stencil>(const Stencil& stencil) {
      work(impl::BottomSolve<Stencil>{
          stencil.data,
          level.layout,
          level.num_boxes(),
          impl::items(level.fill_for_operator.local()),
          impl::items(level.fill_for_operator.boundary()),
          level.fill_for_operator.weights(operator_boundary_order(level)),
          level.inverse_diagonal.data(),
          {x.data(), f.data(), r_.data(), r0_.data(), p_.data(), preconditioned_.data(), ap_.data(), as_.data()},
          reduction,
          max_iterations,
          iterations_.data(),
          iterations_told_.data()});
    });
  }

  /// Iterations of all solves that have completed; 0 if there are none.
  std::int64_t iterations() const { return iterations_told_.extent(0) == 0 ? 0 : iterations_told_(0); }

 private:
  /// Computes for bicgstab() by a kernel for each call of the host.
  struct ByKernels {
    const Exec& exec;
    const Level<Exec, Real>& level;
    const BicgstabVectors<Vector>& vectors;

    void residual(const Vector& x, const Vector& f, const Vector& r) const {
      multigrid::residual(exec, level, x, f, r);
    }
    void apply(const Vector& x, const Vector& y) const { multigrid::apply(exec, level, x, y); }
    void copy(const Vector& x, const Vector& y) const { Kokkos::deep_copy(exec, y, x); }
    void precondition(const Vector& x, const Vector& y) const { multiply(exec, level, level.inverse_diagonal, x, y); }
    void combine(double a, const Vector& x, double b, const Vector& y, const Vector& out) const {
      multigrid::combine(exec, level, a, x, b, y, out);
    }
    double dot(const Vector& x, const Vector& y) const { return multigrid::dot(exec, level, x, y); }
    double norm(const Vector& x) const { return own_max_norm(exec, level, x); }
  };

  Vector r_, r0_, p_, preconditioned_, ap_, as_;
  Kokkos::View<std::int64_t*, typename Exec::memory_space> iterations_;
  Kokkos::View<std::int64_t*, Kokkos::SharedHostPinnedSpace> iterations_told_;
  bool is_one_kernel_ = true;
};

}  // namespace ashlar::multigrid
