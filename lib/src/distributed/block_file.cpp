#include <algorithm>
#include <ashlar/base/text.hpp>
#include <ashlar/distributed/block_file.hpp>
#include <ashlar/distributed/impl/host_lists.hpp>
#include <ashlar/distributed/shared_file.hpp>
#include <ashlar/io/block_file_writer.hpp>
#include <cstddef>

namespace ashlar::impl {

namespace {

using Bytes = std::span<const std::byte>;

/// Sizes of the rows of a rank.
struct Sizes {
  BlockShape block_shape;
  std::int64_t num_block_cols, num_block_rows, num_blocks;
};

/// The bytes of all ranks before this one.
std::uint64_t bytes_before(const Communicator& comm, const std::vector<std::uint64_t>& sizes) {
  std::uint64_t sum = 0;
  for (int rank = 0; rank < comm.rank(); ++rank) sum += sizes[std::size_t(rank)];
  return sum;
}

/// A chunk belongs to the rank with its first byte. So the bytes of a rank before its first chunk, its `head`, go to
/// the rank whose last chunk they complete. Returns the bytes that complete the last chunk of this rank.
std::vector<std::byte> rest_of_last_chunk(const Communicator& comm, const std::vector<std::uint64_t>& sizes,
                                          std::uint64_t chunk_bytes, Bytes head, std::uint64_t begin) {
  std::vector<std::vector<std::byte>> to(sizes.size());
  if (!head.empty()) {
    const std::uint64_t chunk = begin / chunk_bytes * chunk_bytes;
    std::uint64_t end = 0;
    std::size_t owner = 0;
    while ((end += sizes[owner]) <= chunk) ++owner;
    to[owner].assign(head.begin(), head.end());
  }
  return lists_from_all(comm, to);
}

/// Writes a section, of which this rank has `mine`. Returns the checksums of all of its chunks.
std::vector<std::uint64_t> write_section(const Communicator& comm, SharedFile& file,
                                         const io::BlockFilePlaces::Section& section, std::uint64_t chunk_bytes,
                                         Bytes mine) {
  const std::vector<std::uint64_t> sizes = comm.all_gather(std::uint64_t(mine.size()));
  const std::uint64_t begin = bytes_before(comm, sizes);
  const std::uint64_t to_next_chunk = (chunk_bytes - begin % chunk_bytes) % chunk_bytes;
  const Bytes head = mine.first(std::size_t(std::min<std::uint64_t>(to_next_chunk, mine.size())));
  const std::vector<std::byte> rest = rest_of_last_chunk(comm, sizes, chunk_bytes, head, begin);

  const Bytes chunks = mine.subspan(head.size());
  // The last chunk is written separately if other ranks have bytes of it.
  const Bytes whole = chunks.first(rest.empty() ? chunks.size() : chunks.size() / chunk_bytes * chunk_bytes);
  std::vector<std::byte> last;
  if (!rest.empty()) {
    last.assign(chunks.begin() + static_cast<std::ptrdiff_t>(whole.size()), chunks.end());
    last.insert(last.end(), rest.begin(), rest.end());
  }
  const std::uint64_t place = section.offset + begin + head.size();
  file.write(place, whole.data(), whole.size());
  file.write(place + whole.size(), last.data(), last.size());

  std::vector<std::uint64_t> checksums = io::block_file_checksums(whole, chunk_bytes);
  for (const std::uint64_t checksum : io::block_file_checksums(last, chunk_bytes)) checksums.push_back(checksum);
  return comm.all_gather(checksums);
}

/// The sizes of the rows of all ranks, in rank order. Checks that they are of one matrix.
std::vector<Sizes> sizes_of_all(const Communicator& comm, const RankRows& rows) {
  const auto num_rows = static_cast<std::int64_t>(rows.row_ptr.size()) - 1;
  std::vector<Sizes> all = comm.all_gather(Sizes{rows.block_shape, rows.num_block_cols, num_rows, rows.row_ptr.back()});
  comm.together([&] {
    const Sizes& first = all.front();
    if (rows.block_shape == first.block_shape && rows.num_block_cols == first.num_block_cols) return;
    throw ShapeError(text("write_block_file: ", rows.num_block_cols, " columns of blocks of ",
                          to_string(rows.block_shape), " on rank ", comm.rank()),
                     text("rank 0 has ", first.num_block_cols, " of ", to_string(first.block_shape)),
                     "pass rows of one matrix on all ranks");
  });
  return all;
}

}  // namespace

void write_block_file(const Communicator& comm, const std::string& path, const RankRows& rows,
                      const io::BlockFileOptions& options) {
  io::BlockFileContent content{.scalar = rows.scalar,
                               .layout = rows.layout,
                               .col_idx_bytes = rows.col_idx_bytes,
                               .block_shape = rows.block_shape,
                               .num_block_cols = rows.num_block_cols};
  std::int64_t first_block = 0;
  const std::vector<Sizes> all = sizes_of_all(comm, rows);
  for (std::size_t rank = 0; rank < all.size(); ++rank) {
    if (static_cast<int>(rank) < comm.rank()) first_block += all[rank].num_blocks;
    content.num_block_rows += all[rank].num_block_rows;
    content.num_blocks += all[rank].num_blocks;
  }
  const auto places = comm.together([&] { return io::BlockFilePlaces(content, options); });

  std::vector<std::int64_t> row_ptr = rows.row_ptr;
  for (std::int64_t& pointer : row_ptr) pointer += first_block;
  // The end of a rank's rows is the begin of the next rank's.
  if (comm.rank() + 1 < comm.size()) row_ptr.pop_back();

  SharedFile file(comm, path);
  const std::uint64_t chunk_bytes = places.chunk_bytes();
  std::vector<std::uint64_t> checksums;
  const auto write = [&](const io::BlockFilePlaces::Section& section, Bytes mine) {
    const auto of_section = write_section(comm, file, section, chunk_bytes, mine);
    checksums.insert(checksums.end(), of_section.begin(), of_section.end());
  };
  write(places.row_ptr(), std::as_bytes(std::span(row_ptr)));
  write(places.col_idx(), rows.col_idx);
  write(places.values(), rows.values);
  const auto header = places.header(checksums);
  const bool writes = comm.rank() == 0;
  file.write(places.checksums().offset, checksums.data(), writes ? places.checksums().bytes : 0);
  file.write(0, header.data(), writes ? header.size() : 0);
  file.close();
}

}  // namespace ashlar::impl
