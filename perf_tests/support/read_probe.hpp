#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/device/probes/bandwidth.hpp>
#include <cstdint>
#include <support/types.hpp>

namespace ashlar::perf {

/// Reads an array that no cache holds from end to end on a CPU: what a product is measured against, in turns with it.
///
/// (The rate of a GPU's memory does not change from one minute to the next: there measure_read_bandwidth() once is
/// enough. That of a CPU's does, where others use the machine.)
class ReadProbe {
 public:
  explicit ReadProbe(const Exec& exec)
      : exec_(exec), data_(Kokkos::view_alloc(exec, "perf::probe"), bandwidth_probe_bytes<Exec>() / item_bytes * item) {
    fill();
  }

  /// Written by the threads that will read it. (Not in the constructor, where nvcc takes no lambda for the device.)
  void fill() const {
    const auto data = data_;
    Kokkos::parallel_for(
        "perf::probe[fill]", items(), KOKKOS_LAMBDA(std::int64_t i) {
          for (int k = 0; k < item; ++k) data(i * item + k) = 1;
        });
  }

  double bytes() const { return double(data_.size()) * sizeof(double); }

  void operator()() const {
    const double* const data = data_.data();
    double all = 0;
    Kokkos::parallel_reduce(
        "perf::probe[read]", items(),
        KOKKOS_LAMBDA(std::int64_t i, double& sum) {
          double partial[side_by_side] = {};
          for (int k = 0; k < item; k += side_by_side) {
            for (int j = 0; j < side_by_side; ++j) partial[j] += data[i * item + k + j];
          }
          for (int j = 0; j < side_by_side; ++j) sum += partial[j];
        },
        all);
  }

 private:
  static constexpr int item = 1024, side_by_side = 16;
  static constexpr std::int64_t item_bytes = item * std::int64_t(sizeof(double));

  Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>> items() const {
    return {exec_, 0, std::int64_t(data_.size()) / item};
  }

  Exec exec_;
  Vector<double> data_;
};

}  // namespace ashlar::perf
