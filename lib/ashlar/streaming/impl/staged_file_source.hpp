#pragma once

#include <Kokkos_Core.hpp>
#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/device/events/event.hpp>
#include <ashlar/device/memory/available_memory.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <ashlar/streaming/impl/block_source.hpp>
#include <ashlar/streaming/impl/file_pieces.hpp>
#include <ashlar/streaming/impl/structure.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <iterator>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// A matrix in a file, whose pieces threads read ahead into slots of pinned memory, from which they are copied to the
/// device.
template <class Matrix, class HostMatrix, execution_space Exec>
class StagedFileSource : public BlockSource<Matrix, Exec> {
 public:
  using typename BlockSource<Matrix, Exec>::Buffer;

  StagedFileSource(const Exec& exec, std::shared_ptr<const io::BlockFile> file,
                   const std::vector<Subdivision>& subdivisions, const FileReading& reading)
      : file_(std::move(file)), subdivisions_(subdivisions), reading_(reading) {
    const std::int64_t most = blocks_of_piece(*file_, per_block() * sizeof(typename Matrix::scalar_type));
    std::int64_t largest = 0;
    for (const Subdivision& part : subdivisions) {
      first_piece_.push_back(static_cast<int>(pieces_.size()));
      for (const FilePiece& piece : pieces_of(part, most)) {
        pieces_.push_back(piece);
        largest = std::max(largest, piece.num_blocks);
      }
    }
    first_piece_.push_back(static_cast<int>(pieces_.size()));
    const auto num_slots = std::min<std::int64_t>(slots_of_thread * reading.num_threads, std::ssize(pieces_));
    const std::int64_t slot_bytes =
        largest * (per_block() * std::int64_t(sizeof(typename Matrix::scalar_type)) +
                   (reading.with_columns ? std::int64_t(sizeof(typename Matrix::ordinal_type)) : 0));
    require_memory<Space>(std::uint64_t(num_slots * slot_bytes),
                          text("reading ", file_->path(), " by ", count_text(reading.num_threads, "thread")));
    for (std::int64_t i = 0; i < num_slots; ++i) {
      slots_.push_back({Values(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::streaming::read values"),
                               std::size_t(largest * per_block())),
                        Columns(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::streaming::read col_idx"),
                                reading.with_columns ? std::size_t(largest) : 0),
                        Event<Exec>(exec, HostWait::sleeps)});
    }
  }

  void begin(const std::vector<Buffer>&, const std::vector<int>&) override {
    std::vector<io::ReadAhead::Item> items(pieces_.size());
    for (std::size_t i = 0; i < items.size(); ++i) items[i].slot = slot_of(static_cast<int>(i));
    reader_.emplace(
        std::move(items), static_cast<int>(slots_.size()),
        io::ReadAhead::Options{.num_threads = reading_.num_threads,
                               .first_again = first_piece_[reading_.first_again],
                               .ahead = reading_.ahead},
        [this](int i, int) {
          const Slot& slot = slots_[slot_of(i)];
          pieces_[i].read(*file_, slot.values.data(), reading_.with_columns ? slot.col_idx.data() : nullptr);
        },
        [this](int slot) { wait_for_copy(slot); });
  }

  /// Returns when the subdivision has been read, with its copy enqueued.
  void send(const Exec& exec, int k, const Buffer& to, StreamTimeline<Exec>* timeline) override {
    reader_->want(first_piece_[k], first_piece_[k + 1] - 1);
    for (int i = first_piece_[k]; i < first_piece_[k + 1]; ++i) {
      const std::vector<io::ReadAhead::Piece> read = reader_->take(i);
      Slot& slot = slots_[slot_of(i)];
      const FilePiece& piece = pieces_[i];
      const std::int64_t begin = piece.first_block - subdivisions_[k].first_sent();
      const std::int64_t bytes = piece.num_blocks * to.block_bytes(per_block());
      add_reads(k, bytes, read, timeline);
      record_copy(exec, k, bytes, timeline, [&] {
        copy(exec, to.values, begin * per_block(), slot.values, piece.num_blocks * per_block());
        if (to.col_idx.extent(0) > 0) copy(exec, to.col_idx, begin, slot.col_idx, piece.num_blocks);
      });
      slot.copied.record(exec);
      // Where there are no events, instances are fenced by who made them, not by the threads that read.
      if constexpr (!is_gpu_v<Exec>) slot.copied.wait();
      reader_->give_back(slot_of(i));
    }
  }

  /// Subdivisions that are read cyclically are taken in order, even if they are still on the device.
  bool keeps(int k) const override { return k < reading_.first_again; }

  void start_over() override { reader_->start_over(); }

  void bring_columns(const Exec& exec, const typename Buffer::Columns& to) override {
    constexpr std::int64_t at_once = 4 << 20;
    const auto count = static_cast<std::int64_t>(to.extent(0));
    const Columns room(Kokkos::view_alloc(Kokkos::WithoutInitializing, "ashlar::streaming::read col_idx"),
                       std::min(at_once, count));
    for (std::int64_t begin = 0; begin < count; begin += at_once) {
      const std::int64_t blocks = std::min(at_once, count - begin);
      file_->read_col_idx(begin, blocks, room.data());
      copy(exec, to, begin, room, blocks);
      exec.fence("ashlar::streaming: block columns of a file");
    }
  }

 private:
  using Space = typename HostMatrix::memory_space;
  using Values = Kokkos::View<typename Matrix::scalar_type*, Space>;
  using Columns = Kokkos::View<typename Matrix::ordinal_type*, Space>;
  struct Slot {
    Values values;
    Columns col_idx;
    Event<Exec> copied;
  };

  /// One to be read, one to be copied.
  static constexpr int slots_of_thread = 2;

  std::int64_t per_block() const { return file_->block_shape().num_values(); }
  int slot_of(int piece) const { return piece % static_cast<int>(slots_.size()); }
  void wait_for_copy([[maybe_unused]] int slot) const {
    if constexpr (is_gpu_v<Exec>) slots_[slot].copied.wait();
  }

  template <class To, class From>
  static void copy(const Exec& exec, const To& to, std::int64_t begin, const From& from, std::int64_t count) {
    if (count > 0) Kokkos::deep_copy(exec, range_of(to, begin, count), range_of(from, 0, count));
  }

  std::shared_ptr<const io::BlockFile> file_;
  std::vector<Subdivision> subdivisions_;
  FileReading reading_;
  std::vector<FilePiece> pieces_;
  std::vector<int> first_piece_;  // of each subdivision
  std::vector<Slot> slots_;
  std::optional<io::ReadAhead> reader_;  // goes first: it reads into slots
};

}  // namespace ashlar::impl
