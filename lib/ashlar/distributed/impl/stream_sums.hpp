#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/comm/stream_transport.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/graphs/captured_work.hpp>
#include <ashlar/device/runtime/priority_instance.hpp>
#include <ashlar/distributed/impl/device_sums.hpp>
#include <cstddef>
#include <cstdint>
#include <exception>
#include <memory>
#include <string>
#include <utility>

namespace ashlar::impl {

/// Sum k over all ranks of what each has, added in rank order.
struct AddInRankOrder {
  const double* all;
  double* sums;
  std::int64_t count;
  int num_ranks;

  KOKKOS_INLINE_FUNCTION void operator()(std::int64_t k) const {
    double sum = 0;
    for (int rank = 0; rank < num_ranks; ++rank) sum += all[rank * count + k];
    sums[k] = sum;
  }
};

/// Sums over ranks that are gathered in the order of streams, beside the caller's, and added by a kernel. The host does
/// not wait. One sum at a time.
template <execution_space Exec>
class StreamSums final : public DeviceSums<Exec> {
 public:
  /// `transport` is of `num_ranks` ranks, and shared with all that keeps one order with these sums.
  StreamSums(const Exec& exec, std::shared_ptr<StreamTransport> transport, int num_ranks)
      : side_(exec),
        transport_(std::move(transport)),
        num_ranks_(num_ranks),
        is_ready_(exec),
        has_come_(exec),
        has_come_in_capture_(exec) {
    make_room(exec, 64);
  }
  ~StreamSums() override {
    // Where this rank leaves early the others may never send what the device waits for.
    if (has_begun_ || std::uncaught_exceptions() > 0) transport_->abort();
    has_come_.wait();
  }

  void begin(const Exec& exec, const double* mine, std::size_t count) override {
    make_room(exec, count);
    if (Capture<Exec>* const capture = Capture<Exec>::current()) follow(*capture);
    if constexpr (is_gpu_v<Exec>) {
      // The kernel of the sum before, which reads `all`, is among what is waited for.
      is_ready_.record(exec);
      is_ready_.wait(side_.get());
    } else {
      exec.fence("ashlar::distributed_space: sums of this rank");
    }
    transport_->all_gather(mine, count * sizeof(double), all_.data(), side_.stream());
    come().record(side_.get());
    has_begun_ = true;
  }

  void end(const Exec& exec, double* sums, std::size_t count) override {
    come().wait(exec);
    has_begun_ = false;
    const auto number = static_cast<std::int64_t>(count);
    Kokkos::parallel_for("ashlar::distributed_space[sum]",
                         Kokkos::RangePolicy<Exec, Kokkos::IndexType<std::int64_t>>(exec, 0, number),
                         AddInRankOrder{all_.data(), sums, number, num_ranks_});
  }

  void check() const override { transport_->check(); }

 private:
  /// In a capture one that nobody waits for outside.
  Event<Exec>& come() { return Capture<Exec>::current() != nullptr ? has_come_in_capture_ : has_come_; }

  /// What is replayed is waited for as what was enqueued last.
  void follow(Capture<Exec>& capture) {
    if (std::exchange(followed_, capture.number()) == capture.number()) return;
    capture.at_replay([this](const Exec& exec) { has_come_.record(exec); });
  }

  void make_room(const Exec& exec, std::size_t count) {
    const std::size_t needed = count * std::size_t(num_ranks_);
    if (needed <= all_.extent(0)) return;
    exec.fence("ashlar::distributed_space: the sum before");
    all_ = Kokkos::View<double*, typename Exec::memory_space>(
        Kokkos::view_alloc(exec, Kokkos::WithoutInitializing, std::string("ashlar::distributed_space::all")), needed);
    exec.fence("ashlar::distributed_space: more sums");
  }

  PriorityInstance<Exec> side_;
  std::shared_ptr<StreamTransport> transport_;
  int num_ranks_;
  Kokkos::View<double*, typename Exec::memory_space> all_;
  Event<Exec> is_ready_, has_come_, has_come_in_capture_;
  std::uint64_t followed_ = 0;  // the capture, by number
  bool has_begun_ = false;
};

}  // namespace ashlar::impl
