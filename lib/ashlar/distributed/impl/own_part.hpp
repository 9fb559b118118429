#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/bytes.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/bcsr/matrix.hpp>
#include <ashlar/blas1/blas1.hpp>
#include <ashlar/device/teams/team_sums.hpp>
#include <ashlar/spmv/plan.hpp>
#include <ashlar/spmv/spmv.hpp>
#include <ashlar/spmv/spmv_dot.hpp>
#include <ashlar/streaming/streamed_matrix.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <string>

namespace ashlar::impl {

/// The product with the local columns of a rank: on the device, or streamed to it.
template <class Matrix, class Exec>
class OwnPart {
 public:
  using Streamed = StreamedMatrix<Matrix, Exec>;

  OwnPart(const Exec& exec, const Matrix& matrix, const SpmvOptions& options)
      : resident_(Resident{matrix, SpmvPlan<Matrix>(exec, matrix, options)}) {}
  OwnPart(const Exec& exec, const typename Streamed::host_type& matrix, const StreamingOptions& options)
      : streamed_(std::make_unique<Streamed>(exec, matrix, options)) {}

  /// Throws   ShapeError unless x and y fit a product.
  template <class X, class Y>
  void check(const X& x, const Y& y) const {
    if (streamed_) {
      streamed_->check(x, y);
    } else {
      check_spmv(resident_->plan, resident_->matrix, x, y);
    }
  }

  template <class X, class Y>
  void apply(const Exec& exec, const X& x, const Y& y) const {
    if (streamed_) {
      streamed_->apply(exec, x, y);
    } else {
      spmv(exec, resident_->plan, 1, resident_->matrix, x, 0, y);
    }
  }

  template <class X, class Y>
  void apply_dot(const Exec& exec, const X& x, const Y& y, const TeamSumsAccess& sums, double* slot) const {
    if (!streamed_) return spmv_dot(exec, resident_->plan, resident_->matrix, x, y, sums, slot);
    streamed_->apply(exec, x, y);
    dot(exec, x, y, sums, slot);
  }

  std::int64_t num_rows() const {
    return streamed_ ? streamed_->num_rows() : std::int64_t(resident_->matrix.num_rows());
  }
  std::int64_t num_blocks() const {
    return streamed_ ? std::int64_t(streamed_->matrix().num_blocks()) : std::int64_t(resident_->matrix.num_blocks());
  }
  Kernel kernel() const { return streamed_ ? streamed_->kernel() : resident_->plan.kernel(); }
  std::int64_t traffic_bytes() const {
    return streamed_ ? streamed_->traffic_bytes() : spmv_traffic_bytes(resident_->matrix);
  }
  HeldBytes bytes() const {
    return streamed_ ? streamed_->bytes() : held_bytes(resident_->matrix) + held_bytes(resident_->plan);
  }
  std::string explain() const { return streamed_ ? streamed_->explain() : resident_->plan.explain(); }

  /// True if the host never waits in a product.
  bool is_stream_ordered() const { return streamed_ ? streamed_->is_stream_ordered() : is_gpu_v<Exec>; }
  bool is_capturable() const { return !streamed_; }

  /// Null if the part is on the device.
  Streamed* streamed() const { return streamed_.get(); }
  /// Only if the part is on the device.
  const Matrix& matrix() const { return resident_->matrix; }
  const SpmvPlan<Matrix>& plan() const { return resident_->plan; }

 private:
  struct Resident {
    Matrix matrix;
    SpmvPlan<Matrix> plan;
  };

  // Exactly one of the two is set.
  std::optional<Resident> resident_;
  std::unique_ptr<Streamed> streamed_;
};

}  // namespace ashlar::impl
