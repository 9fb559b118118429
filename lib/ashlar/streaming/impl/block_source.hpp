#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/host/processors.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/options.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <ashlar/streaming/timeline.hpp>
#include <cstdint>
#include <memory>
#include <utility>
#include <vector>

namespace ashlar::io {
class BlockFile;
}

namespace ashlar::impl {

/// Room for the blocks of a subdivision; without block columns where those stay on the device.
template <class Matrix>
struct BlockBuffer {
  using Values = Kokkos::View<typename Matrix::scalar_type*, typename Matrix::memory_space>;
  using Columns = Kokkos::View<typename Matrix::ordinal_type*, typename Matrix::memory_space>;

  Values values;
  Columns col_idx;

  /// The parts of a block that comes here.
  std::int64_t block_bytes(std::int64_t values_of_block) const {
    const std::int64_t column_bytes = col_idx.extent(0) > 0 ? sizeof(typename Matrix::ordinal_type) : 0;
    return values_of_block * std::int64_t(sizeof(typename Matrix::scalar_type)) + column_bytes;
  }
};

/// work(), which enqueues on `exec` the copy of so many bytes of subdivision k; its span, where there is a timeline.
template <execution_space Exec, class Work>
void record_copy(const Exec& exec, int k, std::int64_t bytes, StreamTimeline<Exec>* timeline, const Work& work) {
  if (timeline == nullptr || bytes == 0) return work();
  timeline->record(StreamTimeline<Exec>::Track::copies, k, std::uint64_t(bytes), exec, work);
}

/// Where the blocks of subdivisions come from.
template <class Matrix, execution_space Exec>
class BlockSource {
 public:
  using Buffer = BlockBuffer<Matrix>;

  virtual ~BlockSource() = default;

  /// Before anything is sent: subdivision k will go to buffers[buffer_of[k]], to which the first copies may be made.
  virtual void begin(const std::vector<Buffer>& /*buffers*/, const std::vector<int>& /*buffer_of*/) {}

  /// Enqueues on `exec` what brings subdivision k to its buffer, of which nobody makes use any more when `exec` comes
  /// to it.
  virtual void send(const Exec& exec, int k, const Buffer& to, StreamTimeline<Exec>* timeline) = 0;

  /// The work enqueued on `exec` so far is the last to read subdivision k in its buffer.
  virtual void release(int /*k*/, const Exec& /*exec*/) {}

  /// True if the buffer of subdivision k still has it after release(), until another is sent there.
  virtual bool keeps(int /*k*/) const { return true; }

  /// Subdivisions are not sent in order from here on, or one was sent that nobody released.
  virtual void start_over() {}

  /// Copies the block columns of all subdivisions to where they stay; may be still under way on `exec`.
  virtual void bring_columns(const Exec& exec, const typename Buffer::Columns& to) = 0;
};

/// A matrix in memory that the device's copies read.
template <class Matrix, class HostMatrix, execution_space Exec>
class MemorySource : public BlockSource<Matrix, Exec> {
 public:
  using typename BlockSource<Matrix, Exec>::Buffer;

  MemorySource(HostMatrix matrix, std::vector<Subdivision> subdivisions)
      : matrix_(std::move(matrix)), subdivisions_(std::move(subdivisions)) {}

  void send(const Exec& exec, int k, const Buffer& to, StreamTimeline<Exec>* timeline) override {
    const Subdivision& part = subdivisions_[k];
    const std::int64_t per_block = matrix_.block_shape().num_values();
    record_copy(exec, k, part.num_sent() * to.block_bytes(per_block), timeline, [&] {
      copy(exec, to.values, matrix_.values(), part.first_sent() * per_block, part.num_sent() * per_block);
      if (to.col_idx.extent(0) > 0) {
        copy(exec, to.col_idx, matrix_.graph().col_idx(), part.first_sent(), part.num_sent());
      }
    });
  }

  void bring_columns(const Exec& exec, const typename Buffer::Columns& to) override {
    copy(exec, to, matrix_.graph().col_idx(), 0, std::int64_t(to.extent(0)));
  }

 private:
  template <class To, class From>
  static void copy(const Exec& exec, const To& to, const From& from, std::int64_t begin, std::int64_t count) {
    if (count > 0) Kokkos::deep_copy(exec, range_of(to, 0, count), range_of(from, begin, count));
  }

  HostMatrix matrix_;
  std::vector<Subdivision> subdivisions_;
};

/// How a file is read while it is streamed.
struct FileReading {
  int num_threads = 1;
  /// True if pieces are read before they are wanted.
  bool ahead = true;
  /// The subdivision that follows the last one; as many as there are: none does.
  int first_again = 0;
  /// True if block columns go with the values.
  bool with_columns = false;
};

inline int num_readers(const StreamingOptions& options) {
  if (options.num_readers > 0) return options.num_readers;
  return std::clamp(threads_within_quota(Processors::of_process().count()) / 2, 1, 8);
}

/// The source of a matrix that stays in `file`. <ashlar/streaming/file_matrix.hpp> defines it, so that a matrix in
/// memory needs nothing of files.
template <class Matrix, class HostMatrix, bool InPlace, execution_space Exec>
std::unique_ptr<BlockSource<Matrix, Exec>> file_source(const Exec& copy_exec,
                                                       const std::shared_ptr<const io::BlockFile>& file,
                                                       const std::vector<Subdivision>& subdivisions,
                                                       const FileReading& reading);

}  // namespace ashlar::impl
