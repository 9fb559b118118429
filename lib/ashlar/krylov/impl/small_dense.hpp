#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <cstddef>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// A dense matrix of at most some tens of rows and columns, on the host, row after row.
struct SmallMatrix {
  int rows = 0, cols = 0;
  std::vector<double> entries;

  SmallMatrix() = default;
  SmallMatrix(int num_rows, int num_cols) : rows(num_rows), cols(num_cols), entries(std::size_t(num_rows) * num_cols) {}

  double& operator()(int i, int j) { return entries[std::size_t(i) * cols + j]; }
  double operator()(int i, int j) const { return entries[std::size_t(i) * cols + j]; }
};

SmallMatrix product(const SmallMatrix& a, const SmallMatrix& b);
SmallMatrix transposed(const SmallMatrix& a);
bool all_finite(const SmallMatrix& a);

/// Vectors B = V * coefficients, by V = B * to_basis with orthonormal columns.
struct Basis {
  SmallMatrix to_basis;      ///< columns of B x rank
  SmallMatrix coefficients;  ///< rank x columns of B
  double least = 1;          ///< how much the weakest direction kept has left, of 1, after scaling: a squared length

  int rank() const { return to_basis.cols; }
};

/// The basis of B from its inner products `gram` = B^T M B: orthonormal in the inner product of M. Directions in which
/// the columns of B, scaled to length 1, have no more than what rounding leaves are dropped.
///
/// Nothing where gram is not positive semidefinite.
std::optional<Basis> basis_from_gram(const SmallMatrix& gram);

/// The inverse of a symmetric positive definite matrix; nothing where it is not positive definite.
std::optional<SmallMatrix> inverse_of_spd(const SmallMatrix& a);

/// Small matrices that go back and forth between the host and an instance of an execution space.
///
/// The host waits in receive(). It does not wait in send(): the sent data stays in a slot of pinned memory of its own
/// until the device has taken it, and the wait of a receive() shows that. send() waits only if all slots are taken and
/// nothing was received since.
///
/// Memory   num_numbers doubles on the device; that, and as much as the slots, in pinned memory on the host.
/// Async    all is enqueued on the instance that the constructor was given; only one host thread at a time.
template <class Exec>
class SmallExchange {
 public:
  using Space = typename Exec::memory_space;
  using Matrix = Kokkos::View<double**, Kokkos::LayoutRight, Space>;
  using Numbers = Kokkos::View<double*, Space>;
  static constexpr int num_slots = 2;  // a step of block CG sends as many between two waits

  /// For matrices of up to `slot_size` entries that are sent, and up to `num_numbers`, no fewer, received at a time.
  SmallExchange(const Exec& exec, std::size_t slot_size, std::size_t num_numbers)
      : exec_(exec),
        slot_size_(slot_size),
        device_(Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, "ashlar::small_exchange::device"), num_numbers),
        pinned_(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::small_exchange::pinned"),
                num_slots * slot_size + num_numbers) {}

  /// The matrix for the device to read, until the next send() or place().
  Matrix::const_type send(const SmallMatrix& matrix) {
    if (num_sent_ == num_slots) wait();
    double* const slot = pinned_.data() + num_sent_++ * slot_size_;
    std::copy(matrix.entries.begin(), matrix.entries.end(), slot);
    if constexpr (!is_gpu_v<Exec>) {
      return Matrix(slot, matrix.rows, matrix.cols);
    } else {
      // In order with what else is enqueued: the one place on the device is free when the copy begins.
      const std::size_t first = slot - pinned_.data(), count = matrix.entries.size();
      if (count > 0) {
        Kokkos::deep_copy(exec_, numbers(count), Kokkos::subview(pinned_, std::make_pair(first, first + count)));
      }
      return Matrix(device_.data(), matrix.rows, matrix.cols);
    }
  }

  /// Where the device leaves a matrix to be received: from the `first` of the numbers on.
  Matrix place(int rows, int cols, std::size_t first = 0) const { return Matrix(device_.data() + first, rows, cols); }

  /// The first numbers on the device.
  Numbers numbers(std::size_t count) const { return Kokkos::subview(device_, std::make_pair(std::size_t(0), count)); }

  /// The first numbers on the host, until the next receive(): waits for all that is enqueued.
  const double* receive(std::size_t count) {
    if constexpr (!is_gpu_v<Exec>) {
      wait();
      return device_.data();
    } else {
      const std::size_t first = num_slots * slot_size_;
      if (count > 0) {
        Kokkos::deep_copy(exec_, Kokkos::subview(pinned_, std::make_pair(first, first + count)), numbers(count));
      }
      wait();
      return pinned_.data() + first;
    }
  }

 private:
  void wait() {
    exec_.fence("ashlar::small_exchange: small matrices");
    num_sent_ = 0;
  }

  Exec exec_;
  std::size_t slot_size_;
  int num_sent_ = 0;  // since the last wait
  Numbers device_;
  Kokkos::View<double*, Kokkos::SharedHostPinnedSpace> pinned_;  // the slots, and what was received
};

}  // namespace ashlar::impl
