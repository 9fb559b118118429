#include <algorithm>
#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/copy.hpp>
#include <ashlar/io/block_file.hpp>
#include <functional>
#include <numeric>
#include <span>
#include <type_traits>

#include "block_file_format.hpp"
#include "sections.hpp"

namespace ashlar::io {

namespace {

BlockFileHeader read_header(const RandomAccessFile& file) {
  require_little_endian(file.path());
  std::array<std::byte, sizeof(BlockFileHeader)> bytes;
  const std::size_t count = std::min<std::uint64_t>(bytes.size(), file.size());
  file.read(0, count, bytes.data());
  return parse_block_file_header(file.path(), bytes.data(), count, file.size());
}

std::vector<std::uint64_t> read_checksums(const RandomAccessFile& file, const BlockFileHeader& header) {
  const SectionPlace place = header.sections[checksum_section];
  std::vector<std::uint64_t> checksums(place.bytes / sizeof(std::uint64_t));
  file.read(place.offset, place.bytes, checksums.data());
  if (checksum(checksums.data(), place.bytes) == header.table_checksum) return checksums;
  throw FileError(file.path(), 0,
                  text("its table of checksums is damaged, bytes ", place.offset, " to ",
                       place.offset + place.bytes - 1, " of the file"),
                  "its own checksum is not the one that was written",
                  "copy it again from where it came from, or write it again");
}

/// The entries first .. first+count-1 of a section of `From`, each converted.
template <class From, class To, class Convert>
void read_entries(const SectionReader& section, std::int64_t first, std::int64_t count, To* to,
                  const Convert& convert) {
  if constexpr (std::is_same_v<From, To>) {
    section.read(first * sizeof(From), (first + count) * sizeof(From), reinterpret_cast<std::byte*>(to));
  } else {
    // Pieces end where chunks do, so that none is read twice.
    const auto entries = static_cast<std::int64_t>(section.piece_bytes() / sizeof(From));
    std::vector<From> piece(std::min(count, entries));
    for (std::int64_t at = first; at < first + count;) {
      const std::int64_t end = std::min(first + count, (at / entries + 1) * entries);
      section.read(at * sizeof(From), end * sizeof(From), reinterpret_cast<std::byte*>(piece.data()));
      to = std::transform(piece.begin(), piece.begin() + (end - at), to, convert);
      at = end;
    }
  }
}

/// True if every value of From is one of To.
template <class From, class To>
inline constexpr bool is_widened_by = std::is_same_v<From, To> ||
                                      (is_complex_v<From> == is_complex_v<To> && sizeof(From) < sizeof(To));

}  // namespace

struct BlockFile::State {
  RandomAccessFile file;
  BlockFileHeader header;
  std::vector<std::uint64_t> checksums;
  std::vector<std::int64_t> row_ptr;

  explicit State(const std::string& path)
      : file(path), header(read_header(file)), checksums(read_checksums(file, header)) {
    row_ptr.resize(header.num_block_rows + 1);
    read_entries<std::int64_t>(section(row_ptr_section), 0, static_cast<std::int64_t>(row_ptr.size()), row_ptr.data(),
                               std::identity{});
    const auto last = static_cast<std::int64_t>(header.num_blocks);
    if (row_ptr.front() == 0 && row_ptr.back() == last && std::is_sorted(row_ptr.begin(), row_ptr.end())) return;
    throw FileError(path, 0, text("row pointers from ", row_ptr.front(), " to ", row_ptr.back()),
                    text("they must rise from 0 to ", last, ", the number of blocks, and never fall"),
                    "the program that wrote the file is at fault");
  }

  SectionReader section(BlockFileSection section) const {
    std::uint64_t first = 0;
    for (int s = 0; s < section; ++s) first += num_chunks(header.sections[s].bytes, header.chunk_bytes);
    const SectionPlace place = header.sections[section];
    return {file, section, place, header.chunk_bytes,
            std::span(checksums).subspan(first, num_chunks(place.bytes, header.chunk_bytes))};
  }

  void require_blocks(std::int64_t first_block, std::int64_t count) const {
    const auto num_blocks = static_cast<std::int64_t>(header.num_blocks);
    if (first_block >= 0 && count >= 0 && first_block <= num_blocks && count <= num_blocks - first_block) return;
    throw ArgumentError(text("BlockFile: ", count, " blocks from block ", first_block, " on"),
                        text(file.path(), " has ", num_blocks, " of them, counted from 0"), "ask for those alone");
  }
};

BlockFile::BlockFile(const std::string& path) : state_(std::make_unique<const State>(path)) {}
BlockFile::~BlockFile() = default;
BlockFile::BlockFile(BlockFile&&) noexcept = default;
BlockFile& BlockFile::operator=(BlockFile&&) noexcept = default;

const std::string& BlockFile::path() const { return state_->file.path(); }
std::uint64_t BlockFile::file_bytes() const { return state_->file.size(); }
BlockShape BlockFile::block_shape() const { return state_->header.block_shape(); }
std::int64_t BlockFile::num_block_rows() const { return static_cast<std::int64_t>(state_->header.num_block_rows); }
std::int64_t BlockFile::num_block_cols() const { return static_cast<std::int64_t>(state_->header.num_block_cols); }
std::int64_t BlockFile::num_blocks() const { return static_cast<std::int64_t>(state_->header.num_blocks); }
std::string BlockFile::scalar_name() const { return name(state_->header.scalar); }
std::string BlockFile::layout_name() const { return name(state_->header.layout); }
std::int64_t BlockFile::chunk_bytes() const { return static_cast<std::int64_t>(state_->header.chunk_bytes); }
std::int64_t BlockFile::blocks_together() const {
  constexpr std::int64_t many = 1 << 30;
  if (block_shape().num_values() > many) return 1;
  const std::int64_t bytes_of_block = block_shape().num_values() * bytes_of(state_->header.scalar);
  return std::lcm(chunk_bytes(), bytes_of_block) / bytes_of_block;
}
const std::vector<std::int64_t>& BlockFile::row_ptr() const { return state_->row_ptr; }

template <matrix_value T>
void BlockFile::read_values(std::int64_t first_block, std::int64_t count, T* to) const {
  state_->require_blocks(first_block, count);
  const std::int64_t per_block = block_shape().num_values();
  const SectionReader section = state_->section(values_section);
  const auto read_as = [&]<class From>(std::type_identity<From>) {
    if constexpr (is_widened_by<From, T>) {
      read_entries<From>(section, first_block * per_block, count * per_block, to,
                         [](const From& value) { return ashlar::impl::converted<T>(value); });
    } else {
      throw FileError(path(), 0, "its values are of type " + scalar_name(),
                      text("they are to be read as ", ashlar::scalar_name<T>()),
                      "read them as " + scalar_name() + ", and convert_values() then");
    }
  };
  switch (state_->header.scalar) {
    case BlockFileScalar::float32:
      return read_as(std::type_identity<float>());
    case BlockFileScalar::float64:
      return read_as(std::type_identity<double>());
    case BlockFileScalar::complex64:
      return read_as(std::type_identity<Kokkos::complex<float>>());
    case BlockFileScalar::complex128:
      return read_as(std::type_identity<Kokkos::complex<double>>());
    case BlockFileScalar::bfloat16:
      return read_as(std::type_identity<bfloat16>());
  }
}

template <class I>
void BlockFile::read_col_idx(std::int64_t first_block, std::int64_t count, I* to) const {
  state_->require_blocks(first_block, count);
  const std::int64_t columns = num_block_cols();
  if (columns > std::numeric_limits<I>::max()) {
    throw FileError(path(), 0, text("it has ", columns, " block columns"),
                    text("they are to be read as integers of ", 8 * sizeof(I), " bits"), "read them as std::int64_t");
  }
  const SectionReader section = state_->section(col_idx_section);
  std::int64_t k = first_block;
  const auto checked = [&](std::int64_t column) {
    if (column < 0 || column >= columns) [[unlikely]] {
      throw FileError(path(), 0, text("block ", k, " lies in block column ", column),
                      text("there are ", columns, " of them, counted from 0"),
                      "the program that wrote the file is at fault");
    }
    ++k;
    return static_cast<I>(column);
  };
  if (state_->header.col_idx_bytes == sizeof(std::int32_t)) {
    read_entries<std::int32_t>(section, first_block, count, to, checked);
  } else {
    read_entries<std::int64_t>(section, first_block, count, to, checked);
  }
  // Chunks that were read directly to their place are still to be checked.
  if (k == first_block) std::for_each(to, to + count, checked);
}

void impl::require_fit(const BlockFile& file, const std::string& layout, std::int64_t largest_ordinal,
                       std::int64_t largest_offset) {
  if (file.layout_name() != layout) {
    throw FileError(file.path(), 0, "its blocks are " + file.layout_name(), "they are to be read as " + layout,
                    "read it to a matrix of the other layout, BlockColumnMajor or BlockRowMajor");
  }
  if (std::max(file.num_block_rows(), file.num_block_cols()) > largest_ordinal || file.num_blocks() > largest_offset) {
    throw FileError(file.path(), 0,
                    text("it has ", file.num_block_rows(), " x ", file.num_block_cols(), " blocks, of which ",
                         file.num_blocks(), " are stored"),
                    text("the index types count to ", largest_ordinal, " and ", largest_offset),
                    "read it to a matrix with wider index types");
  }
}

template void BlockFile::read_values(std::int64_t, std::int64_t, float*) const;
template void BlockFile::read_values(std::int64_t, std::int64_t, double*) const;
template void BlockFile::read_values(std::int64_t, std::int64_t, Kokkos::complex<float>*) const;
template void BlockFile::read_values(std::int64_t, std::int64_t, Kokkos::complex<double>*) const;
template void BlockFile::read_values(std::int64_t, std::int64_t, bfloat16*) const;
template void BlockFile::read_col_idx(std::int64_t, std::int64_t, std::int32_t*) const;
template void BlockFile::read_col_idx(std::int64_t, std::int64_t, std::int64_t*) const;

}  // namespace ashlar::io
