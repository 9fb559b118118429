#pragma once

#include <array>
#include <ashlar/base/text.hpp>
#include <ashlar/host/output_file.hpp>
#include <ashlar/io/vtk.hpp>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <vector>

namespace ashlar::io {

/// Throws ArgumentError, which begins with `who`, where a field has no name of its own that can be shown.
void require_good_names(const std::string& who, const std::vector<PointField>& fields);

/// As XML has it in an attribute.
std::string escaped(const std::string& name);

/// One array of the appended data of a VTK XML file: the number of its bytes and the bytes, as one base64 text.
///
/// A text that ends in one or two '=' is followed by as many letters that belong to no array. VTK uses the offsets and
/// never sees them. meshio 5.3 decodes from the offset of an array to the end of the file: decoders that continue past
/// a '=' (Python 3.14's does) then find whole groups of four.
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

/// What VTK XML files of all kinds are made of: elements that name arrays, and the arrays after them.
namespace ashlar::io {

/// The first two lines, for a data set of this type.
inline std::string vtk_file_begin(const char* type) {
  return text("<?xml version=\"1.0\"?>\n<VTKFile type=\"", type, "\" version=\"1.0\" byte_order=\"",
              std::endian::native == std::endian::little ? "LittleEndian" : "BigEndian",
              "\" header_type=\"UInt64\">\n");
}

inline constexpr const char* appended_data_begin = "<AppendedData encoding=\"base64\">\n_";
inline constexpr const char* appended_data_end = "\n</AppendedData>\n</VTKFile>\n";

/// The places in the appended data of the arrays, in their order.
class AppendedOffsets {
 public:
  std::uint64_t next(std::uint64_t bytes) {
    const std::uint64_t offset = end_;
    end_ += Base64Block::size(bytes);
    return offset;
  }

 private:
  std::uint64_t end_ = 0;
};

inline std::string appended_array(const char* type, const std::string& name, int components, std::uint64_t offset) {
  return text("<DataArray type=\"", type, "\" Name=\"", escaped(name), "\" NumberOfComponents=\"", components,
              "\" format=\"appended\" offset=\"", offset, "\"/>\n");
}

template <class T>
void write_appended(FileWriter& file, std::span<const T> values) {
  Base64Block block(file, values.size_bytes());
  block.write(values.data(), values.size_bytes());
  block.end();
}

}  // namespace ashlar::io
