#pragma once

#include <array>
#include <cstddef>
#include <cstdint>

#include <ashlar/host/output_file.hpp>

namespace ashlar::io {

/// One array of the appended data of a VTK XML file: the number of its bytes and the bytes, as one base64 text.
///
/// After a text that ends in one or two '=' stand as many letters that belong to no array. VTK goes by the offsets and
/// never sees them. meshio 5.3 decodes from the offset of an array to the end of the file: decoders that go on past a
/// '=' (Python 3.14's does) then find whole groups of four.
class Base64Block {
 public:
  /// The characters that the block of an array of so many bytes takes.
  static std::uint64_t size(std::uint64_t bytes) {
    const std::uint64_t all = bytes + sizeof(std::uint64_t);
    return (all + 2) / 3 * 4 + (3 - all % 3) % 3;
  }

  Base64Block(FileWriter& file, std::uint64_t bytes);
  void write(const void* data, std::size_t size);
  /// After the last byte.
  void end();

 private:
  FileWriter& file_;
  std::array<unsigned char, 3> group_{};
  int in_group_ = 0;
};

}  // namespace ashlar::io
