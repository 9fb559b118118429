#pragma once

#include <Kokkos_Core.hpp>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/event.hpp>
#include <ashlar/streaming/estimate.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstddef>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The device's buffers for subdivisions, and the instance that fills them.
///
/// Subdivision k goes to buffer k mod the number of buffers. Two events of each buffer keep copies and products apart:
/// a copy waits until the product with what was there before has ended, a product until its copy has.
template <class Matrix, execution_space Exec>
class SubdivisionRing {
 public:
  using Scalar = typename Matrix::scalar_type;
  using Ordinal = typename Matrix::ordinal_type;
  using Space = typename Matrix::memory_space;
  static constexpr int nothing = -1;

  /// With room for the largest of `subdivisions`, and for its block columns where they are sent, too.
  SubdivisionRing(const Exec& copy_exec, const StreamingEstimate& estimate,
                  const std::vector<Subdivision>& subdivisions, std::int64_t values_of_block)
      : copy_exec_(copy_exec) {
    std::int64_t most = 0;
    for (const Subdivision& part : subdivisions) most = std::max(most, part.num_sent());
    for (int i = 0; i < estimate.num_buffers; ++i) {
      buffers_.push_back({Kokkos::View<Scalar*, Space>(
                              Kokkos::view_alloc(copy_exec, Kokkos::WithoutInitializing, "ashlar::streaming::values"),
                              std::size_t(most * values_of_block)),
                          Kokkos::View<Ordinal*, Space>(
                              Kokkos::view_alloc(copy_exec, Kokkos::WithoutInitializing, "ashlar::streaming::col_idx"),
                              estimate.structure_is_resident ? 0 : std::size_t(most)),
                          Event<Exec>(copy_exec), Event<Exec>(copy_exec), nothing});
    }
  }

  SubdivisionRing(const SubdivisionRing&) = delete;
  SubdivisionRing& operator=(const SubdivisionRing&) = delete;

  /// Copies that are still under way end before their buffers do.
  ~SubdivisionRing() { copy_exec_.fence("ashlar::streaming: end of the last copies"); }

  int size() const { return static_cast<int>(buffers_.size()); }
  const Exec& copy_exec() const { return copy_exec_; }
  const auto& values(int k) const { return buffers_[k % size()].values; }
  const auto& col_idx(int k) const { return buffers_[k % size()].col_idx; }

  /// Enqueues the copy of subdivision k, whose blocks begin at `first`, unless its buffer holds it.
  template <class HostMatrix>
  void send(int k, const Subdivision& part, const HostMatrix& host) {
    Buffer& buffer = buffers_[k % size()];
    if (buffer.holds == k) return;
    buffer.used.wait(copy_exec_);
    const std::int64_t bb = host.block_shape().num_values();
    copy(buffer.values, host.values(), part.first_sent() * bb, part.num_sent() * bb);
    if (buffer.col_idx.extent(0) > 0) {
      copy(buffer.col_idx, host.graph().col_idx(), part.first_sent(), part.num_sent());
    }
    buffer.copied.record(copy_exec_);
    buffer.holds = k;
  }

  /// What is enqueued on `exec` from here on starts after subdivision k has been copied.
  void wait_for_copy(int k, const Exec& exec) const { buffers_[k % size()].copied.wait(exec); }

  /// What overwrites subdivision k starts after what is enqueued on `exec` so far has ended.
  void release(int k, const Exec& exec) { buffers_[k % size()].used.record(exec); }

  /// Forgets what the buffers hold.
  void clear() {
    for (Buffer& buffer : buffers_) buffer.holds = nothing;
  }

 private:
  struct Buffer {
    Kokkos::View<Scalar*, Space> values;
    Kokkos::View<Ordinal*, Space> col_idx;
    Event<Exec> copied, used;
    int holds;
  };

  template <class To, class From>
  void copy(const To& to, const From& from, std::int64_t begin, std::int64_t count) const {
    if (count == 0) return;
    Kokkos::deep_copy(copy_exec_, Kokkos::subview(to, std::make_pair(std::int64_t(0), count)),
                      Kokkos::subview(from, std::make_pair(begin, begin + count)));
  }

  Exec copy_exec_;
  std::vector<Buffer> buffers_;
};

}  // namespace ashlar::impl
