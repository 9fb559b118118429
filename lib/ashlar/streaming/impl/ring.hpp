#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/streaming/impl/block_source.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// The device's buffers for subdivisions, and the instance on which they are filled.
///
/// The first subdivision may stay, in a buffer of its own. The k-th of the others goes to buffer k mod the number of
/// buffers. Two events of each buffer keep copies and products apart: a copy waits until the product with the earlier
/// contents has ended, a product until its copy has.
template <class Matrix, execution_space Exec>
class SubdivisionRing {
 public:
  using Values = typename BlockBuffer<Matrix>::Values;
  using Columns = typename BlockBuffer<Matrix>::Columns;

  /// With room for what stays (num_resident: the first subdivision, or none), for the largest of the others, and for
  /// block columns where they are sent, too.
  SubdivisionRing(const Exec& copy_exec, const std::vector<Subdivision>& subdivisions, int num_resident,
                  int num_buffers, bool structure_is_resident, std::int64_t values_of_block,
                  std::unique_ptr<BlockSource<Matrix, Exec>> source)
      : copy_exec_(copy_exec),
        subdivisions_(subdivisions),
        num_resident_(num_resident),
        values_of_block_(values_of_block),
        changed_(copy_exec),
        source_(std::move(source)) {
    std::int64_t most = 0;
    for (int k = num_resident_; k < static_cast<int>(subdivisions.size()); ++k)
      most = std::max(most, subdivisions[k].num_sent());
    const auto add = [&](std::int64_t blocks) {
      buffers_.push_back(
          {{Values(Kokkos::view_alloc(copy_exec, Kokkos::WithoutInitializing, "ashlar::streaming::values"),
                   std::size_t(blocks * values_of_block)),
            Columns(Kokkos::view_alloc(copy_exec, Kokkos::WithoutInitializing, "ashlar::streaming::col_idx"),
                    structure_is_resident ? 0 : std::size_t(blocks))},
           Event<Exec>(copy_exec),
           Event<Exec>(copy_exec),
           nothing});
    };
    if (num_resident_ > 0) add(subdivisions.front().num_sent());
    for (int i = 0; i < num_buffers; ++i) add(most);
    std::vector<BlockBuffer<Matrix>> rooms;
    std::vector<int> room_of;
    for (const Buffer& buffer : buffers_) rooms.push_back(buffer.room);
    for (int k = 0; k < static_cast<int>(subdivisions.size()); ++k) room_of.push_back(buffer_of(k));
    source_->begin(rooms, room_of);
  }

  SubdivisionRing(const SubdivisionRing&) = delete;
  SubdivisionRing& operator=(const SubdivisionRing&) = delete;

  /// Copies that are still under way end before their buffers do.
  ~SubdivisionRing() { copy_exec_.fence("ashlar::streaming: end of the last copies"); }

  const Exec& copy_exec() const { return copy_exec_; }

  /// Where subdivision k has its values and, where they are sent, its block columns.
  Values values(int k) const {
    return range_of(buffers_[buffer_of(k)].room.values, 0, subdivisions_[k].num_sent() * values_of_block_);
  }
  Columns col_idx(int k) const {
    const Columns& all = buffers_[buffer_of(k)].room.col_idx;
    return all.extent(0) == 0 ? all : Columns(range_of(all, 0, subdivisions_[k].num_sent()));
  }

  /// Enqueues the copy of subdivision k, unless its buffer holds it; its spans are named by k.
  void send(int k, StreamTimeline<Exec>* timeline = nullptr) {
    Buffer& buffer = buffers_[buffer_of(k)];
    if (buffer.holds == k) return;
    buffer.used.wait(copy_exec_);
    buffer.holds = nothing;  // whatever comes of it
    source_->send(copy_exec_, k, buffer.room, timeline);
    buffer.copied.record(copy_exec_);
    buffer.holds = k;
  }

  /// The data that send() copies for subdivision k.
  double bytes_sent(int k) const {
    return double(subdivisions_[k].num_sent()) * double(buffers_[buffer_of(k)].room.block_bytes(values_of_block_));
  }

  /// Subdivision k is to be sent again.
  void forget(int k) {
    buffers_[buffer_of(k)].holds = nothing;
    source_->start_over();
  }

  /// Work enqueued on `exec` from here on starts after subdivision k has been copied.
  void wait_for_copy(int k, const Exec& exec) const { buffers_[buffer_of(k)].copied.wait(exec); }

  /// Later copies over subdivision k start after the work enqueued on `exec` so far has ended.
  void release(int k, const Exec& exec) {
    Buffer& buffer = buffers_[buffer_of(k)];
    buffer.used.record(exec);
    source_->release(k, exec);
    if (!source_->keeps(k)) buffer.holds = nothing;
  }

  /// Forgets the contents of the buffers; later copies start after the work enqueued on `exec` so far.
  void clear(const Exec& exec) {
    for (Buffer& buffer : buffers_) buffer.holds = nothing;
    changed_.record(exec);
    changed_.wait(copy_exec_);
    source_->start_over();
  }

 private:
  static constexpr int nothing = -1;

  struct Buffer {
    BlockBuffer<Matrix> room;
    Event<Exec> copied, used;
    int holds;  // a subdivision
  };

  int buffer_of(int k) const {
    if (k < num_resident_) return k;
    return num_resident_ + (k - num_resident_) % (static_cast<int>(buffers_.size()) - num_resident_);
  }

  Exec copy_exec_;
  std::vector<Subdivision> subdivisions_;
  int num_resident_;
  std::int64_t values_of_block_;
  std::vector<Buffer> buffers_;
  Event<Exec> changed_;
  std::unique_ptr<BlockSource<Matrix, Exec>> source_;  // goes first: it may be filling buffers
};

}  // namespace ashlar::impl
