#pragma once

#define XXH_INLINE_ALL
#include <xxhash.h>

#include <cstdint>
#include <functional>
#include <string>
#include <vector>

namespace ashlar::testing {

template <class T>
std::string bytes_of(const T& number) {
  return {reinterpret_cast<const char*>(&number), sizeof number};
}

template <class T>
std::string bytes_of(const std::vector<T>& numbers) {
  return {reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof(T)};
}

inline std::string checksum_bytes(const std::string& bytes) {
  return bytes_of(std::uint64_t(XXH3_64bits(bytes.data(), bytes.size())));
}

/// A block file put together as docs/reference/file_formats.md says, and as any other program could: right, or wrong with
/// checksums that are right.
struct BlockFileBytes {
  std::uint32_t byte_order = 0x01020304, version = 1, scalar = 2, layout = 1, col_idx_bytes = 4, row_ptr_bytes = 8;
  std::uint32_t block_rows = 1, block_cols = 1;
  std::uint64_t num_block_rows = 0, num_block_cols = 0, num_blocks = 0, chunk_bytes = 64;
  std::string row_ptr, col_idx, values;
  /// Looks at the header before its checksum is made.
  std::function<void(std::string& header)> change = [](std::string&) {};

  std::string whole() const {
    std::string checksums;
    std::vector<const std::string*> parts = {&row_ptr, &col_idx, &values};
    for (const std::string* section : parts) {
      for (std::size_t at = 0; at < section->size(); at += chunk_bytes) {
        checksums += checksum_bytes(section->substr(at, chunk_bytes));
      }
    }
    std::string header =
        "\x89"
        "BCSR\r\n\x1a";
    for (const auto field : {byte_order, version, scalar, layout, col_idx_bytes, row_ptr_bytes, block_rows, block_cols})
      header += bytes_of(field);
    for (const auto field : {num_block_rows, num_block_cols, num_blocks, chunk_bytes}) header += bytes_of(field);
    std::string sections;
    parts.push_back(&checksums);
    for (const std::string* section : parts) {
      sections.resize((sections.size() + 4095) / 4096 * 4096, '\0');
      header += bytes_of(std::uint64_t(4096 + sections.size())) + bytes_of(std::uint64_t(section->size()));
      sections += *section;
    }
    header += checksum_bytes(checksums);
    header.resize(4088, '\0');
    change(header);
    return header + checksum_bytes(header) + sections;
  }
};

/// A number of the header, by its place.
inline std::uint64_t header_number(const std::string& file, std::size_t at) {
  std::uint64_t number = 0;
  file.copy(reinterpret_cast<char*>(&number), sizeof number, at);
  return number;
}

/// Where sections begin and how long they are, by their number: row_ptr, col_idx, values, checksums.
inline std::uint64_t section_begin(const std::string& file, int section) {
  return header_number(file, 72 + 16 * section);
}
inline std::uint64_t section_bytes(const std::string& file, int section) {
  return header_number(file, 80 + 16 * section);
}

}  // namespace ashlar::testing
