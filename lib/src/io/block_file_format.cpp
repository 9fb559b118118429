#include <algorithm>
#include <ashlar/base/error.hpp>
#include <ashlar/base/text.hpp>
#include <ashlar/bcsr/block.hpp>
#include <ashlar/io/block_file.hpp>
#include <bit>
#include <cstring>
#include <limits>
#include <numeric>

#include "block_file_format.hpp"

namespace ashlar::io {

namespace {

struct ScalarFormat {
  BlockFileScalar code;
  const char* name;
  std::uint64_t bytes;
};
constexpr ScalarFormat scalars[] = {{BlockFileScalar::float32, "float", 4},
                                    {BlockFileScalar::float64, "double", 8},
                                    {BlockFileScalar::complex64, "complex<float>", 8},
                                    {BlockFileScalar::complex128, "complex<double>", 16},
                                    {BlockFileScalar::bfloat16, "bfloat16", 2}};

const ScalarFormat* find_scalar(BlockFileScalar code) {
  const auto* found =
      std::find_if(std::begin(scalars), std::end(scalars), [code](const auto& s) { return s.code == code; });
  return found == std::end(scalars) ? nullptr : found;
}

/// Counts on in 64 bits, and remembers where they did not suffice.
class Sum {
 public:
  void add(std::uint64_t bytes) { overflown_ |= __builtin_add_overflow(total_, bytes, &total_); }
  void add_product(std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    std::uint64_t product = 0;
    overflown_ |= __builtin_mul_overflow(a, b, &product) || __builtin_mul_overflow(product, c, &product);
    add(product);
  }
  void round_up(std::uint64_t unit) {
    if (total_ % unit != 0) add(unit - total_ % unit);
  }
  std::uint64_t total() const { return total_; }
  bool fits() const { return !overflown_ && total_ <= std::uint64_t(std::numeric_limits<std::int64_t>::max()); }

 private:
  std::uint64_t total_ = 0;
  bool overflown_ = false;
};

[[noreturn]] void fail(const std::string& path, const std::string& problem, const std::string& why,
                       const std::string& suggestion = "copy it again from where it came from, or write it again") {
  throw FileError(path, 0, problem, why, suggestion);
}

/// Checks the fields of a header with a right checksum: errors there come from the program that wrote it.
void check_fields(const std::string& path, const BlockFileHeader& header) {
  const auto refuse = [&](const std::string& problem, const std::string& why) {
    fail(path, "the header " + problem, why, "write the file again; docs/reference/file_formats.md defines the format");
  };
  const auto field = [](auto code) { return static_cast<std::uint32_t>(code); };
  if (!find_scalar(header.scalar)) refuse(text("names the scalar type ", field(header.scalar)), "there is none");
  if (header.layout != BlockFileLayout::column_major && header.layout != BlockFileLayout::row_major) {
    refuse(text("names the layout ", field(header.layout)), "there is none");
  }
  if ((header.col_idx_bytes != 4 && header.col_idx_bytes != 8) || header.row_ptr_bytes != 8) {
    refuse(text("tells of block columns of ", header.col_idx_bytes, " and row pointers of ", header.row_ptr_bytes,
                " bytes"),
           "the former have 4 or 8, the latter 8");
  }
  constexpr std::uint32_t largest_side = std::numeric_limits<int>::max();
  if (header.block_rows < 1 || header.block_rows > largest_side || header.block_cols < 1 ||
      header.block_cols > largest_side) {
    refuse(text("tells of blocks of ", header.block_rows, " x ", header.block_cols),
           text("a block has at least one row and one column, and at most ", largest_side));
  }
  constexpr auto smallest = static_cast<std::uint64_t>(smallest_chunk);
  if (header.chunk_bytes < smallest || header.chunk_bytes > std::uint64_t(largest_chunk) ||
      header.chunk_bytes % smallest != 0) {
    refuse(text("tells of chunks of ", header.chunk_bytes, " bytes"),
           text("they are a multiple of ", smallest_chunk, ", at most ", largest_chunk));
  }
  BlockFileHeader expected = header;
  if (!place_sections(expected)) {
    refuse(text("tells of ", header.num_block_rows, " x ", header.num_block_cols, " blocks, of which ",
                header.num_blocks, " are stored"),
           "64 bits do not count its rows, its columns or its bytes");
  }
  std::uint64_t end = sizeof(BlockFileHeader);
  for (int s = 0; s < num_sections; ++s) {
    const SectionPlace place = header.sections[s];
    const char* const section = name(static_cast<BlockFileSection>(s));
    if (place.bytes != expected.sections[s].bytes) {
      refuse(text("gives ", section, " ", place.bytes, " bytes"),
             text("its numbers ask for ", expected.sections[s].bytes));
    }
    const std::uint64_t last = std::numeric_limits<std::int64_t>::max() - place.bytes;
    if (place.offset % block_file_alignment != 0 || place.offset < end || place.offset > last) {
      refuse(text("puts ", section, " at byte ", place.offset),
             text("sections begin at multiples of ", block_file_alignment, ", one after another"));
    }
    end = place.offset + place.bytes;
  }
}

}  // namespace

std::int64_t bytes_of(BlockFileScalar scalar) { return find_scalar(scalar)->bytes; }

std::string name(BlockFileScalar scalar) { return find_scalar(scalar)->name; }

std::string name(BlockFileLayout layout) {
  return layout == BlockFileLayout::column_major ? BlockColumnMajor::name : BlockRowMajor::name;
}

BlockFileScalar scalar_of_name(const std::string& name) {
  for (const ScalarFormat& scalar : scalars) {
    if (scalar.name == name) return scalar.code;
  }
  throw ArgumentError("a block file of " + name, "the format has no such type of values",
                      "use float, double, their complex types, or bfloat16");
}

BlockFileLayout layout_of_name(const std::string& name) {
  if (name == BlockColumnMajor::name) return BlockFileLayout::column_major;
  if (name == BlockRowMajor::name) return BlockFileLayout::row_major;
  throw ArgumentError("a block file of the layout " + name, "the format has no such layout",
                      "use BlockColumnMajor or BlockRowMajor");
}

const char* name(BlockFileSection section) {
  constexpr std::array<const char*, num_sections> names = {"row_ptr", "col_idx", "values", "checksums"};
  return names[section];
}

std::uint64_t BlockFileHeader::file_bytes() const {
  return sections[checksum_section].offset + sections[checksum_section].bytes;
}

std::uint64_t num_chunks(std::uint64_t bytes, std::uint64_t chunk_bytes) {
  return bytes / chunk_bytes + (bytes % chunk_bytes != 0);
}

std::int64_t usual_chunk(const BlockShape& block_shape, BlockFileScalar scalar) {
  constexpr std::int64_t about = std::int64_t(1) << 20, blocks = 16;
  if (block_shape.num_values() > about) return about;
  const std::int64_t together = std::lcm(smallest_chunk, blocks * block_shape.num_values() * bytes_of(scalar));
  return std::max<std::int64_t>(about / together, 1) * together;
}

bool place_sections(BlockFileHeader& header) {
  Sum end, rows, columns;
  rows.add_product(header.num_block_rows, header.block_rows, 1);
  columns.add_product(header.num_block_cols, header.block_cols, 1);
  bool fits = rows.fits() && columns.fits();
  end.add(sizeof header);
  const auto place = [&](BlockFileSection section, std::uint64_t a, std::uint64_t b, std::uint64_t c) {
    end.round_up(block_file_alignment);
    Sum bytes;
    bytes.add_product(a, b, c);
    header.sections[section] = {end.total(), bytes.total()};
    end.add(bytes.total());
    fits = fits && bytes.fits() && end.fits();
  };
  if (!fits) return false;
  place(row_ptr_section, header.num_block_rows + 1, header.row_ptr_bytes, 1);
  place(col_idx_section, header.num_blocks, header.col_idx_bytes, 1);
  // Rows times columns of a block fit 64 bits.
  place(values_section, header.num_blocks, std::uint64_t(header.block_rows) * header.block_cols,
        find_scalar(header.scalar)->bytes);
  std::uint64_t chunks = 0;
  for (const auto section : {row_ptr_section, col_idx_section, values_section}) {
    chunks += num_chunks(header.sections[section].bytes, header.chunk_bytes);
  }
  place(checksum_section, chunks, sizeof(std::uint64_t), 1);
  return fits;
}

std::uint64_t checksum_of(const BlockFileHeader& header) {
  return checksum(&header, offsetof(BlockFileHeader, header_checksum));
}

BlockFileHeader parse_block_file_header(const std::string& path, const void* bytes, std::size_t count,
                                        std::uint64_t file_bytes) {
  BlockFileHeader header{};
  std::memcpy(&header, bytes, std::min(count, sizeof header));
  if (count == 0) fail(path, "is empty", "a block file has a header of 4096 bytes", "is it the right file?");
  if (count < sizeof header.magic || header.magic != block_file_magic) {
    fail(path, "is no block file", "its first 8 bytes are not those of one", "is it the right file?");
  }
  if (count < sizeof header) {
    fail(path, text(sizeof header - count, " bytes of its header are missing"),
         text("it ends after ", count, " of ", sizeof header, " bytes"));
  }
  if (header.byte_order == __builtin_bswap32(block_file_byte_order)) {
    fail(path, "its bytes are in the other order", "block files are little-endian",
         "write it with Ashlar, or in that order");
  }
  if (header.byte_order != block_file_byte_order) {
    fail(path, "the header is damaged", text("its mark of the byte order is ", header.byte_order));
  }
  if (header.version != block_file_version) {
    fail(path, text("is of version ", header.version, " of the format"),
         text("this Ashlar reads version ", block_file_version), "read it with a newer one, or is the file damaged?");
  }
  if (checksum_of(header) != header.header_checksum) {
    fail(path, "the header is damaged", "its checksum is not the one that was written");
  }
  check_fields(path, header);
  if (file_bytes < header.file_bytes()) {
    fail(path, text(header.file_bytes() - file_bytes, " bytes are missing at the end"),
         text("it has ", file_bytes, " of ", header.file_bytes(), " bytes"));
  }
  if (file_bytes > header.file_bytes()) {
    fail(path, text(file_bytes - header.file_bytes(), " bytes too many at the end"),
         text("it has ", file_bytes, " bytes where its header tells of ", header.file_bytes()));
  }
  return header;
}

void require_little_endian(const std::string& path) {
  if constexpr (std::endian::native != std::endian::little) {
    throw FileError(path, 0, "block files are not for this machine", "they are little-endian, its processor is not",
                    "use Matrix Market files here");
  }
}

}  // namespace ashlar::io

// Compiled here and only here: no library of that name is linked.
#define XXH_INLINE_ALL
#include <xxhash.h>

namespace ashlar::io {

std::uint64_t checksum(const void* bytes, std::size_t size) { return XXH3_64bits(bytes, size); }

}  // namespace ashlar::io
