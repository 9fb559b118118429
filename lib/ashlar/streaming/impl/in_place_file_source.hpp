#pragma once

#include <algorithm>
#include <ashlar/base/concepts.hpp>
#include <ashlar/io/block_file.hpp>
#include <ashlar/io/read_ahead.hpp>
#include <ashlar/streaming/impl/block_source.hpp>
#include <ashlar/streaming/impl/file_pieces.hpp>
#include <ashlar/streaming/subdivision.hpp>
#include <cstdint>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

namespace ashlar::impl {

/// A matrix in a file that threads read ahead to where it is multiplied: for processors whose memory is the host's.
template <class Matrix, execution_space Exec>
class InPlaceFileSource : public BlockSource<Matrix, Exec> {
 public:
  using typename BlockSource<Matrix, Exec>::Buffer;

  InPlaceFileSource(std::shared_ptr<const io::BlockFile> file, const std::vector<Subdivision>& subdivisions,
                    const FileReading& reading)
      : file_(std::move(file)), subdivisions_(subdivisions), reading_(reading) {
    const std::int64_t most = blocks_of_piece(*file_, per_block() * sizeof(typename Matrix::scalar_type));
    for (const Subdivision& part : subdivisions) pieces_.push_back(pieces_of(part, most));
  }

  void begin(const std::vector<Buffer>& buffers, const std::vector<int>& buffer_of) override {
    buffers_ = buffers;
    buffer_of_ = buffer_of;
    std::vector<io::ReadAhead::Item> items;
    for (std::size_t k = 0; k < pieces_.size(); ++k) {
      items.push_back({.slot = buffer_of[k], .num_pieces = static_cast<int>(pieces_[k].size())});
    }
    reader_.emplace(
        std::move(items), static_cast<int>(buffers.size()),
        io::ReadAhead::Options{
            .num_threads = reading_.num_threads, .first_again = reading_.first_again, .ahead = reading_.ahead},
        [this](int k, int piece) { read(k, pieces_[k][piece]); }, [](int) {});
  }

  /// Returns when the subdivision has been read.
  void send(const Exec& exec, int k, const Buffer& to, StreamTimeline<Exec>* timeline) override {
    const std::int64_t bytes = subdivisions_[k].num_sent() * to.block_bytes(per_block());
    record_copy(exec, k, bytes, timeline, [&] { add_reads(k, bytes, reader_->take(k), timeline); });
  }

  /// Waits for `exec`.
  void release(int k, const Exec& exec) override {
    exec.fence("ashlar::streaming: a subdivision that is to be overwritten");
    reader_->give_back(buffer_of_[k]);
  }

  /// Subdivisions that are read cyclically are taken in order, even if they are still on the device.
  bool keeps(int k) const override { return k < reading_.first_again; }

  void start_over() override { reader_->start_over(); }

  void bring_columns(const Exec&, const typename Buffer::Columns& to) override {
    file_->read_col_idx(0, static_cast<std::int64_t>(to.extent(0)), to.data());
  }

 private:
  std::int64_t per_block() const { return file_->block_shape().num_values(); }

  void read(int k, const FilePiece& piece) const {
    const Buffer& to = buffers_[buffer_of_[k]];
    const std::int64_t begin = piece.first_block - subdivisions_[k].first_sent();
    piece.read(*file_, to.values.data() + begin * per_block(),
               reading_.with_columns ? to.col_idx.data() + begin : nullptr);
  }

  std::shared_ptr<const io::BlockFile> file_;
  std::vector<Subdivision> subdivisions_;
  FileReading reading_;
  std::vector<std::vector<FilePiece>> pieces_;  // of each subdivision
  std::vector<Buffer> buffers_;
  std::vector<int> buffer_of_;
  std::optional<io::ReadAhead> reader_;  // goes first: it reads into buffers
};

}  // namespace ashlar::impl
